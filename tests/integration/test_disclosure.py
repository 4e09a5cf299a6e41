"""Three layers of detail with rising cost, and search that expands little."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from happenings import message_event, ran
from histories import opened

from memoranda import Memoranda
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.models.tokens import ToktokCounter
from memoranda.observations.model import IndexEntry, ObservationType, Origin
from memoranda.observations.table import ObservationFilter
from memoranda.page import Page
from tables import each

pytestmark = pytest.mark.integration

COUNTER = ToktokCounter()
LONG = "\n".join(f"tests/test_cart.py::test_{n} PASSED" for n in range(400))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return sixty steps in two sessions, for read-only tests."""
    with opened(tmp_path_factory.mktemp("archive") / "data") as memory:
        memory.capture.take([message_event("goal", "Make the totals right", cwd="/srv/shop")])
        for number in range(40):
            memory.capture.take(
                [ran(f"s{number}", f"echo step {number}", f"step {number} went well")]
            )
        memory.capture.take([ran("long", "pytest -v", LONG)])
        memory.capture.take(
            [
                message_event(
                    f"t{n}", f"thought {n} about rounding", session="two", origin=Origin.AGENT
                )
                for n in range(18)
            ]
        )
        yield memory


def pages(fetch: Callable[[str | None], Page[IndexEntry]]) -> Iterator[IndexEntry]:
    """Read a list to its end."""
    page = fetch(None)
    while True:
        yield from page
        if page.cursor is None:
            return
        page = fetch(page.cursor)


def test_the_layers_show_the_same_content_in_increasing_detail(archive: Memoranda) -> None:
    entry = next(e for e in archive.observations.index(task="1", limit=100) if "pytest" in e.title)
    (summary,) = [o for o in archive.observations.list(task="1", limit=100) if o.id == entry.id]
    full = archive.observations.show(entry.id)
    assert summary == full.observation
    assert entry.title == summary.summary.split("\n")[0][:80]
    assert len(summary.summary) <= 500
    assert full.content == f"$ pytest -v\n{LONG}"
    assert entry.tokens == summary.tokens == COUNTER.count(full.content)
    assert len(entry.title) < len(summary.summary) < len(full.content)


@pytest.mark.parametrize("limit", [1, 7, 41, 42, 43, 1_000])
def test_a_task_is_read_in_order_page_by_page(archive: Memoranda, limit: int) -> None:
    seen = pages(lambda cursor: archive.observations.index(task="1", cursor=cursor, limit=limit))
    assert [entry.sequence for entry in seen] == list(range(1, 43))


@pytest.mark.parametrize("limit", [1, 7, 60, 1_000])
def test_everything_is_read_newest_first(archive: Memoranda, limit: int) -> None:
    seen = list(pages(lambda cursor: archive.observations.index(cursor=cursor, limit=limit)))
    assert len(seen) == 60
    assert [entry.id for entry in seen] == sorted((e.id for e in seen), reverse=True)


@pytest.mark.parametrize("task", [None, "1"])
def test_paging_neither_repeats_nor_skips_while_rows_are_added(
    memory: Memoranda, task: str | None
) -> None:
    memory.capture.take([ran(f"old-{n}", f"echo {n}", f"{n} is old") for n in range(120)])
    before = {entry.id for entry in memory.observations.index(limit=1_000)}
    reading = threading.Event()

    def add() -> None:
        for number in range(40):
            memory.capture.take([ran(f"new-{number}", f"echo new {number}", f"{number} is new")])
            reading.wait(0.001)

    writer = threading.Thread(target=add)
    writer.start()
    seen = [
        entry.id
        for entry in pages(
            lambda cursor: memory.observations.index(task=task, cursor=cursor, limit=3)
        )
    ]
    reading.set()
    writer.join()
    assert len(seen) == len(set(seen))
    assert before <= set(seen)


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "9" * 30, "9" * 5_000, "1;drop", ""])
def test_a_made_up_cursor_is_an_input_error(archive: Memoranda, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        archive.observations.index(task="1", cursor=cursor, limit=5)


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_limit_out_of_range_is_refused(archive: Memoranda, limit: int) -> None:
    with pytest.raises(InvalidInput):
        archive.observations.index(limit=limit)
    with pytest.raises(InvalidInput):
        archive.search("step", limit=limit)


@pytest.mark.parametrize(
    ("centre", "before", "after", "expected"),
    [
        ("1#20", 2, 3, range(18, 24)),
        ("1#1", 5, 1, range(1, 3)),
        ("1#42", 1, 5, range(41, 43)),
        ("1#7", 0, 0, range(7, 8)),
    ],
)
def test_a_timeline_shows_what_happened_around_an_observation(
    archive: Memoranda, centre: str, before: int, after: int, expected: range
) -> None:
    found = archive.observations.timeline(centre, before=before, after=after)
    assert [entry.sequence for entry in found] == list(expected)
    assert {entry.ref.split("#")[0] for entry in found} == {"1"}


def test_a_timeline_of_negative_length_is_refused(archive: Memoranda) -> None:
    with pytest.raises(InvalidInput):
        archive.observations.timeline("1#20", before=-3, after=5)


def test_a_short_name_opens_what_the_id_opens(archive: Memoranda) -> None:
    for entry in archive.observations.index(limit=1_000):
        assert archive.observations.show(entry.ref).observation.id == entry.id
        assert archive.resolve(entry.ref) == entry.id
    assert archive.observations.show("2#3").observation.summary == "thought 2 about rounding"


@each(
    "name", ["1#43", "3#1", "1#", "#1", "#", "1#1 ", "", "\0", "\ud800", "x" * 36, "ffffffff", "%"]
)
def test_a_name_of_nothing_is_not_found(archive: Memoranda, name: str) -> None:
    for ask in (archive.observations.show, archive.observations.timeline, archive.resolve):
        with pytest.raises(NotFound):
            ask(name)


@pytest.mark.parametrize("name", ["1#43", "3#1", "1#", "#", "", "\0", "x" * 36, "ffffffff", "%"])
def test_nothing_of_this_name_has_evidence(archive: Memoranda, name: str) -> None:
    with pytest.raises(NotFound):
        archive.memories.evidence(name)


def test_a_number_without_its_task_is_explained(archive: Memoranda) -> None:
    with pytest.raises(InvalidInput, match="1#1"):
        archive.memories.evidence("#1")


def test_an_ambiguous_prefix_differs_from_an_unknown_one(
    archive: Memoranda,
) -> None:
    entry = archive.observations.index(limit=1).items[0]
    with pytest.raises(InvalidInput, match="more than one"):
        archive.observations.show(entry.id[:4])
    with pytest.raises(NotFound):
        archive.observations.show("0" * 12)


@each("budget", [1, 5, 40, 200, 1_000, 4_000, 100_000])
@each("query", ["rounding", "test_cart passed", "step went well", "nonesuch"])
def test_relevant_stays_within_its_budget_by_the_true_tokenizer(
    archive: Memoranda, query: str, budget: int
) -> None:
    found = archive.observations.relevant(query, max_tokens=budget)
    texts = [o.summary for o in found.summaries] + [full.content for full in found.expanded]
    assert sum(map(COUNTER.count, texts)) == found.tokens <= budget == found.budget
    summaries = [o.id for o in found.summaries]
    assert len(summaries) == len(set(summaries))
    assert {full.observation.id for full in found.expanded} <= set(summaries)


def test_relevant_orders_by_relevance_and_counts_what_is_left_out(archive: Memoranda) -> None:
    ranked = [hit.id for hit in archive.search("rounding thought", limit=200).hits]
    everything = archive.observations.relevant("rounding thought", max_tokens=100_000)
    assert [o.id for o in everything.summaries] == ranked
    assert everything.left_out == 0
    some = archive.observations.relevant("rounding thought", max_tokens=60)
    assert 0 < len(some.summaries) < len(ranked)
    assert some.left_out == len(ranked) - len(some.summaries)


def test_relevant_opens_the_best_even_when_many_more_match(memory: Memoranda) -> None:
    best = "The valve leaks. " + "A word on the valve and its seal. " * 10
    memory.capture.take([message_event("best", best, origin=Origin.AGENT)])
    others = "a remark that mentions the valve only once, among many other things in the house"
    memory.capture.take(
        [message_event(f"n{n}", f"{others} {n}", origin=Origin.AGENT) for n in range(150)]
    )
    found = memory.observations.relevant("valve leaks seal", max_tokens=1_000)
    assert found.expanded[0].content == best
    assert len(found.summaries) > 20
    assert found.left_out > 0
    assert found.tokens > 900


def test_relevant_needs_room_for_something(archive: Memoranda) -> None:
    with pytest.raises(InvalidInput):
        archive.observations.relevant("rounding", max_tokens=0)


def test_lists_are_narrowed_exactly(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.capture.take([ran("1", "cat cart.py", "x", agent="ann", occurred_at=1_000_000)])
        failed = {"failed": True, "agent": "ben", "occurred_at": 2_000_000}
        memory.capture.take([ran("2", "pytest", "TypeError: no", **failed)])
        memory.capture.take([ran("3", "cat cart.py", "x", agent="ann", occurred_at=3_000_000)])
        memory.capture.take(
            [message_event("4", "all good", origin=Origin.AGENT, occurred_at=4_000_000)]
        )

        def sequences(**wanted: object) -> list[int]:
            where = ObservationFilter(**wanted)  # type: ignore[arg-type]
            return [entry.sequence for entry in memory.observations.index(task="1", where=where)]

        assert sequences() == [1, 2, 4]
        assert sequences(with_repeats=True) == [1, 2, 3, 4]
        assert sequences(type=ObservationType.ERROR) == [2]
        assert sequences(agent="ann") == [1]
        assert sequences(agent="an") == []
        assert sequences(since=2_000_000) == [2, 4]
        assert sequences(until=2_000_000) == [1]
        assert sequences(files=("cart.py",)) == [1]
        assert sequences(files=("art.py",)) == []
        assert sequences(tags=("bash",)) == [1, 2]
        assert sequences(tags=("bash", "type_error")) == [2]
        assert sequences(tags=("bash", "nonesuch")) == []
        assert sequences(tags=("type_error", "nonesuch"), any_tag=True) == [2]
        assert sequences(files=("cart.py",), tags=("bash",)) == [1]
        assert sequences(files=("cart.py",), tags=("type_error",)) == []
