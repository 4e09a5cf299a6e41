"""A score is a hit's probability of relevance: sorted, explained, floored."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from happenings import message_event

from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import SearchMode, TaskContext
from memoranda.search.search_service import PENDING

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

TOLD = (
    "All amounts are stored as integer cents, never as floating point numbers.",
    "The export job writes its files to the folder of the night run.",
    "We deploy from the ops box with ansible, after the smoke tests.",
    "Totals are rounded half up, once, at the very end.",
    "The customs broker of Basel sends its price list by fax on Mondays.",
    "The release is planned for the third of May.",
)
UNLIKELY = "rounded umbrella glacier walrus orchid"
"""Words of which one occurs in the stored texts."""
ASKED = (
    "how are totals rounded",
    "how do we store money",
    "what does the customs broker send",
    "when is the release",
    "where does the export job write",
)
OTHERS = (
    "who painted the ceiling of the chapel",
    "how tall is mount everest",
    "what did Melanie do with her kids at the beach",
    "best recipe for a vegetable soup",
    "which team won the football match on saturday",
)
PLAIN = [
    "xylophone",
    "banana",
    "umbrella",
    "volcano",
    "penguin",
    "saxophone",
    "glacier",
    "pyramid",
    "walrus",
    "orchid",
]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return a memory about a shop, with vectors, on each engine."""
    yield from shop(engine)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return a memory about a shop, with vectors, that tests only read."""
    yield from shop(load_settings({"data_dir": tmp_path_factory.mktemp("shop")}, {}))


def shop(settings: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=settings, workspace="shop") as opened:
        opened.capture.take([message_event(f"n{n}", text) for n, text in enumerate(TOLD)])
        opened.remember(NewMemory("Verification: the shop is healthy when /ready answers 200."))
        opened.capture.drain(wait=True)  # background work after capture changes word counts
        opened.index.reembed()
        yield opened


def made_questions(count: int) -> list[str]:
    """Return questions of invented and of plain words."""
    rng = random.Random(28)
    made = [
        " ".join(
            "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))
            for _ in range(rng.randint(2, 5))
        )
        for _ in range(count)
    ]
    return made + [" ".join(rng.sample(PLAIN, 3)) for _ in range(count)]


def test_nonsense_and_other_subjects_find_nothing_and_stored_facts_are_found(
    unchanged: Memoranda,
) -> None:
    wrong = [
        text for text in (*made_questions(15), *OTHERS) if unchanged.search(text, limit=5).hits
    ]
    assert len(wrong) <= 1, wrong
    assert [text for text in ASKED if not unchanged.search(text).hits] == []


def test_the_nearest_record_is_separate_from_the_hits(unchanged: Memoranda) -> None:
    result = unchanged.search(UNLIKELY)
    assert (result.hits, result.cursor) == ((), None)
    assert "nearest" in result.note
    assert not result.degraded
    assert result.nearest
    listed = unchanged.search(UNLIKELY, min_score=0).hits
    assert listed[: len(result.nearest)] == result.nearest
    assert unchanged.search(ASKED[0]).nearest == ()


@pytest.mark.engines("sqlite", "postgres")
def test_without_a_lowest_score_every_record_is_on_some_page(memory: Memoranda) -> None:
    long = " ".join(f"Walrus {n} basks on the ice of glacier {n}." for n in range(80))
    said = {"origin": Origin.AGENT}  # whose messages no classifier reads
    memory.capture.take([message_event(f"long{n}", f"{long} {n}", **said) for n in range(3)])
    memory.capture.take(
        [message_event(f"short{n}", f"Price {n} is due.", **said) for n in range(40)]
    )
    memory.capture.drain(wait=True)
    memory.index.reembed()
    count = len(TOLD) + 1 + 3 + 40
    for query in ("walrus glacier", "how are totals rounded"):
        paged: list[str] = []
        cursor = None
        while not paged or cursor:
            page = memory.search(query, min_score=0, limit=7, cursor=cursor)
            paged += [hit.id for hit in page.hits]
            cursor = page.cursor
        assert (len(paged), len(set(paged))) == (count, count), query
        assert len(memory.search(query, min_score=0, limit=100, mode="vectors").hits) == count


def test_a_search_says_that_records_have_no_vectors_yet(memory: Memoranda) -> None:
    assert memory.search(ASKED[0]).note == ""
    memory._services.background.stop()
    memory.conversations.add("I weigh 92 kg.", role="user", session="s1")
    result = memory.search("How heavy is he?", min_score=0)
    assert (result.note, result.degraded) == (PENDING, False)
    assert PENDING not in memory.search("How heavy is he?", mode="words", min_score=0).note
    memory.capture.drain(wait=True)
    memory.index.reembed()
    assert memory.search("How heavy is he?", min_score=0).note == ""


@pytest.mark.engines("sqlite", "postgres")
def test_no_hit_is_below_the_lowest_score(memory: Memoranda) -> None:
    scores = [hit.score for hit in memory.search(ASKED[0], min_score=0).hits]
    assert scores == sorted(scores, reverse=True)
    least = scores[1]
    assert [hit.score for hit in memory.search(ASKED[0], min_score=least).hits] == [
        score for score in scores if score >= least
    ]
    assert memory.search(ASKED[0], min_score=1).hits == ()
    for wrong in (-0.1, 1.1):
        with pytest.raises(InvalidInput, match="min_score"):
            memory.search(ASKED[0], min_score=wrong)


def test_parts_add_up_to_the_score(unchanged: Memoranda) -> None:
    for mode in SearchMode:
        for work in (TaskContext(), TaskContext(stage="verification")):
            for query in ("is the shop healthy", ASKED[0]):
                for hit in unchanged.search(query, mode=mode, work=work, min_score=0).hits:
                    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6), hit


def test_a_memory_about_a_stage_ranks_higher_in_that_stage(unchanged: Memoranda) -> None:
    def scored(stage: str | None) -> float:
        hits = unchanged.search(
            "when is the shop healthy", work=TaskContext(stage), min_score=0
        ).hits
        return next(hit.score for hit in hits if hit.title.startswith("Verification"))

    assert scored("verification") > scored(None)
    assert scored("execution") == scored(None)


def test_being_critical_makes_no_memory_an_answer(memory: Memoranda) -> None:
    right = memory.remember("Piles shorter than nine metres sink in the clay")
    memory.feedback.add("We always name tides in UTC", type="pattern")
    [tides] = (one for one in memory.memories.list().items if "tides" in one.content)
    assert tides.critical
    memory.index.reembed()
    for query, best in (
        ("do short piles sink in clay?", right.id),
        ("are tides strong here?", tides.id),
    ):
        hits = memory.search(query, min_score=0, limit=20).hits
        assert hits[0].id == best, query
        [hit] = (hit for hit in hits if hit.id == tides.id)
        assert hit.parts.get("criticality", 0.0) < 0.15, query
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)


def test_a_better_match_has_a_higher_score_than_a_worse_one_of_another_search(
    unchanged: Memoranda,
) -> None:
    def best(query: str) -> float:
        return unchanged.search(query, min_score=0).hits[0].score

    assert best("totals are rounded half up at the very end") > best("what is rounded")
    assert best(ASKED[0]) > best(UNLIKELY)


def test_a_requested_tag_is_found_whatever_else_is_in_the_query(memory: Memoranda) -> None:
    memory.remember(NewMemory("Pumps are served in June.", tags=("maintenance",)))
    where = SearchFilter(tags=("maintenance",))
    [hit] = memory.search("maintenance", mode="exact", where=where).hits
    assert hit.title == "Pumps are served in June."


def test_retrievals_are_counted(memory: Memoranda) -> None:
    first = memory.search(ASKED[0]).hits[0]
    assert (first.access_count, first.last_accessed_at) == (0, None)
    again = memory.search(ASKED[0]).hits[0]
    assert again.access_count == 1
    assert again.last_accessed_at is not None
    memory._services.retrievals.store()
    assert memory.search(ASKED[0]).hits[0].access_count == 2
    [before, *_] = memory.search(UNLIKELY).nearest
    [after, *_] = memory.search(UNLIKELY).nearest
    assert before.access_count == after.access_count, "what was not found was not retrieved"


def test_every_hit_has_a_score_that_is_shown_above_zero(unchanged: Memoranda) -> None:
    for mode in SearchMode:
        for query in ASKED:
            result = unchanged.search(query, mode=mode, limit=1000)
            assert all(float(f"{hit.score:.2f}") > 0 for hit in result.hits), (mode, query)
    everything = unchanged.search(ASKED[0], limit=1000, min_score=0).hits
    assert len(everything) > len(unchanged.search(ASKED[0], limit=1000).hits)
    assert min(hit.score for hit in everything) < 0.005


@pytest.mark.engines("sqlite", "postgres")
def test_a_hit_has_the_same_score_on_any_page(memory: Memoranda) -> None:
    at_once = memory.search(ASKED[0], limit=5, min_score=0).hits
    paged, cursor = [], None
    for _ in at_once:
        page = memory.search(ASKED[0], limit=1, cursor=cursor, min_score=0)
        paged += page.hits
        cursor = page.cursor
    assert [hit.id for hit in paged] == [hit.id for hit in at_once]
    assert [hit.score for hit in paged] == pytest.approx([hit.score for hit in at_once], abs=0.01)


def test_a_rare_term_at_the_end_of_a_long_output_counts(memory: Memoranda) -> None:
    lines = [f"step {n}: the worker reads layer {n % 7} of the module cache" for n in range(900)]
    for number in range(3):
        end = "fatal: quorum lost, zx7781" if number == 1 else "done"
        memory.observe("\n".join([*lines, end]), tool="Bash", workspace="shop")
    best = memory.search("zx7781", workspace="shop").hits[0]
    assert best.ref.endswith("#2")
    assert best.score > 0.3
