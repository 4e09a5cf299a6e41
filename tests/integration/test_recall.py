"""Search by meaning and words on both engines, with the local model."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from happenings import START, message_event, ran
from hypothesis import given, strategies as st

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import Settings, load_settings
from memoranda.exceptions import EmbedderUnavailable, InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import ObservationType, Origin
from memoranda.search import candidates
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind, SearchMode, TaskContext
from memoranda.store.sqlite import vectors

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

DAY = 24 * 3_600_000_000
TOLD = {
    "cat": "Our cat had kittens on Sunday, four of them.",
    "trip": "We drove to the mountains and slept in a tent.",
    "bread": "The sourdough did not rise because the kitchen was cold.",
    "job": "She starts as a nurse at the hospital next month.",
    "money": "The invoice totals are rounded half up at the very end.",
}


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return an open, empty memory with the local model, on each engine."""
    with Memoranda.open(settings=engine, workspace="shop") as opened:
        yield opened


def remember_all(memory: Memoranda, texts: dict[str, str] = TOLD) -> None:
    """Store statements and run the jobs that follow."""
    events = [
        message_event(
            key, text, agent="Ada" if number % 2 else "Kim", occurred_at=START + number * DAY
        )
        for number, (key, text) in enumerate(texts.items())
    ]
    memory.capture.take(events)
    memory.index.reembed()
    memory.capture.drain(wait=True)


def found(memory: Memoranda, query: str, **how: object) -> list[str]:
    """Return the titles of a search's results, best first."""
    return [hit.title for hit in memory.search(query, **how).hits]  # type: ignore[arg-type]


@pytest.mark.engines("sqlite", "postgres")
def test_a_word_of_very_many_is_looked_for_where_meaning_finds_nothing(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "WALKED", 1)
    memory.capture.take([message_event(f"n{n}", f"The ferry leaves at {n}.") for n in range(1, 5)])
    assert len(found(memory, "ferry")) == 4  # nothing has a vector yet
    memory.index.reembed()
    assert len(found(memory, "when does the ship sail, the ferry")) == 4
    memory.capture.take([message_event("lamp", "The lamp by the door was mended.")])
    known = memory._database.read(lambda tx: candidates.Vocabulary(tx, "local", ["ferry", "lamp"]))
    assert known.searched_words(["ferry", "lamp"], alone=False) == ["lamp"]
    assert known.searched_words(["ferry"], alone=False) == []
    assert known.searched_words(["ferry"], alone=True) == ["ferry"]


def test_what_means_the_same_is_found_without_a_common_word(memory: Memoranda) -> None:
    remember_all(memory)
    assert found(memory, "pets giving birth", mode="vectors")[0] == TOLD["cat"]
    assert found(memory, "camping holiday", mode="hybrid")[0] == TOLD["trip"]
    assert found(memory, "camping holiday", mode="words") == []
    result = memory.search("camping holiday")
    assert (result.mode, result.degraded, result.note) == (SearchMode.HYBRID, False, "")


def test_a_record_is_found_by_words_before_anything_was_derived(memory: Memoranda) -> None:
    memory.capture.take([message_event("late", "the parcel of Mrs Lovelace is late")])
    [hit] = memory.search("parcels that are late").hits
    assert hit.title.startswith("the parcel")


def test_a_long_text_is_returned_with_the_passage_that_answers(memory: Memoranda) -> None:
    filler = "The weather was mild and nothing of note took place in the village that day. "
    answer = "The key to the boat house hangs behind the kitchen clock."
    remember_all(memory, {"long": filler * 30 + answer + " " + filler * 30})
    [hit] = memory.search("where is the key of the boat house").hits
    assert hit.excerpt is not None
    assert answer in hit.excerpt.text
    assert hit.excerpt.length < 1_000
    whole = memory.observations.show(hit.id).content
    end = hit.excerpt.start + hit.excerpt.length
    assert whole[hit.excerpt.start : end] == hit.excerpt.text


def test_who_is_named_and_when_it_was_counts(memory: Memoranda) -> None:
    same = {f"n{n}": f"I went swimming in the lake, number {n}" for n in range(6)}
    remember_all(memory, same)
    by_ada = memory.search("what did Ada say about swimming", explain=True).hits
    assert {hit.title[-1] for hit in by_ada[:3]} == {"1", "3", "5"}
    assert by_ada[0].evidence is not None
    assert by_ada[0].evidence["speaker"] > 0
    day = memory.search("swimming on 17 June 2025", explain=True).hits[0]
    assert day.title[-1] == "2"
    assert day.evidence is not None
    assert day.evidence["date"] > 0


def test_a_broken_model_leaves_words_and_a_note(memory: Memoranda) -> None:
    remember_all(memory)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    changed = {"embedder": "compatible", "embedding_url": url, "embedding_model": "m"}
    settings = replace(memory.settings, **changed)
    with Memoranda.open(settings=settings, workspace="shop") as other:
        result = other.search("invoice totals")
        assert result.hits[0].title == TOLD["money"]
        assert result.degraded
        assert result.mode is SearchMode.WORDS
        assert "text search only" in result.note
        with pytest.raises(EmbedderUnavailable):
            other.search("invoice totals", mode="vectors")
        with pytest.raises(EmbedderUnavailable):
            other.index.reembed()


def test_without_a_model_words_do_and_meaning_is_refused(memory: Memoranda) -> None:
    remember_all(memory)
    plain = Memoranda.open(settings=replace(memory.settings, embedder="none"), workspace="shop")
    with plain as other:
        result = other.search("invoice totals")
        assert (result.mode, result.degraded) == (SearchMode.WORDS, False)
        assert result.hits[0].title == TOLD["money"]
        with pytest.raises(InvalidInput, match="mode words"):
            other.search("invoice", mode="vectors")
        assert other.index.reembed().model is None


@pytest.mark.engines("sqlite", "postgres")
def test_vectors_of_another_model_are_never_compared(memory: Memoranda) -> None:
    remember_all(memory)
    services = memory._services
    first = services.embedder
    assert first is not None
    services.database.write(
        lambda tx: tx.execute("update passage set model = 'older' where team = 'local'", {})
    )
    if services.database.dialect == "sqlite":
        services.database.write(lambda tx: tx.vectors().rebuild("local"))
    assert found(memory, "camping holiday", mode="vectors") == []
    report = memory.index.reembed()
    assert (report.model, report.passages, report.waiting) == (first.name, len(TOLD), 0)
    assert found(memory, "camping holiday", mode="vectors")[0] == TOLD["trip"]


def test_equal_texts_are_embedded_once(memory: Memoranda, monkeypatch: pytest.MonkeyPatch) -> None:
    memory._services.background.stop()  # which reads remarks for feedback, with the same model
    embedder = memory._services.embedder
    assert embedder is not None
    texts: list[str] = []
    plain = embedder.embed

    def noted(values: list[str], *, query: bool = False) -> object:
        texts.extend(values)
        return plain(values, query=query)

    monkeypatch.setattr(embedder, "embed", noted)
    same = [message_event(f"k{n}", "yes, do that", occurred_at=START + n * DAY) for n in range(9)]
    memory.capture.take(same[:5])
    assert memory.index.reembed().waiting == 0
    memory.capture.take(same[5:])
    assert memory.index.reembed().passages == 9
    assert texts == ["user: yes, do that"]


@pytest.mark.engines("sqlite", "postgres")
def test_a_private_memory_is_nobody_elses(memory: Memoranda) -> None:
    private = NewMemory("The boat house key hangs behind the clock", visibility=Visibility.AGENT)
    with Memoranda.open(settings=memory.settings, workspace="shop", agent="one") as one:
        kept = one.remember(private)
        memory.index.reembed()
        wanted = SearchFilter(statuses=("pending", "approved"))  # type: ignore[arg-type]
        for mode in SearchMode:
            assert [hit.id for hit in one.search("where is the key", where=wanted, mode=mode).hits]
    with Memoranda.open(settings=memory.settings, workspace="shop", agent="two") as two:
        for mode in SearchMode:
            hits = two.search("where is the key", where=wanted, mode=mode).hits
            assert kept.id not in [hit.id for hit in hits]


@pytest.mark.engines("sqlite", "postgres")
def test_filters_are_exact_however_far_down_the_answer_is(memory: Memoranda) -> None:
    said = {"origin": Origin.AGENT}  # whose messages no classifier reads
    events = [
        message_event(f"n{n}", f"the valve leaks at pump {n}", **said, occurred_at=START + n)
        for n in range(150)
    ]
    leak = "the valve leaks at the last pump, or so the test says"
    events[123] = ran("n123", "pytest pumps", leak, occurred_at=START + 123, session="one")
    memory.capture.take(events)
    memory.index.reembed()
    for where in (
        SearchFilter(types=(ObservationType.TOOL_CALL,)),
        SearchFilter(tags=("test",)),
        SearchFilter(tags=("test", "nonesuch"), any_tag=True),
        SearchFilter(since=START + 123, until=START + 124),
    ):
        for mode in SearchMode:
            hits = memory.search("leaking valves", where=where, mode=mode).hits
            assert [hit.created_at - START for hit in hits] == [123], (where, mode)
    nothing = SearchFilter(types=(ObservationType.DECISION,), tags=("nonesuch",))
    impossible = SearchFilter(since=START + 5, until=START + 5)
    for where in (nothing, impossible, SearchFilter(kinds=())):
        assert memory.search("leaking valves", where=where).hits == ()


@pytest.mark.engines("sqlite", "postgres")
def test_a_search_as_of_a_time_does_not_know_what_came_later(memory: Memoranda) -> None:
    early = memory.observe("the rate is 7 percent", task="rates")
    memory.observe("the rate is 19 percent", task="rates")
    for where in (
        SearchFilter(known_by=early.recorded_at),
        SearchFilter(as_of=early.created_at),
    ):
        assert [hit.id for hit in memory.search("what is the rate", where=where).hits] == [early.id]
    assert len(memory.search("what is the rate").hits) == 2


@pytest.mark.engines("sqlite", "postgres")
def test_pages_neither_repeat_nor_skip_while_others_write(memory: Memoranda) -> None:
    memory.capture.take([message_event(f"n{n}", f"the valve leaks, remark {n}") for n in range(45)])
    before = {hit.id for hit in memory.search("valve", limit=100).hits}
    seen: list[str] = []
    cursor = None
    for page in range(60):
        result = memory.search("valve", limit=10, cursor=cursor)
        seen += [hit.id for hit in result.hits]
        memory.capture.take(
            [message_event(f"new{page}", f"the valve leaks a lot, news {page} of the valve")]
        )
        cursor = result.cursor
        if cursor is None or before <= set(seen):
            break
    assert len(seen) == len(set(seen))
    assert before <= set(seen)


def test_what_was_of_use_rises_and_what_was_not_sinks(memory: Memoranda) -> None:
    remember_all(memory, {f"n{n}": f"the valve leaks at pump {n}" for n in range(5)})
    hits = memory.search("leaking valve").hits
    first, last = hits[0], hits[-1]
    for _ in range(6):
        memory.observations.rate(last.id, useful=True)
        rated = memory.observations.rate(first.id, useful=False)
    assert (rated.useful, rated.useless) == (0, 6)
    again = memory.search("leaking valve").hits
    assert again[0].id == last.id
    assert again[0].why["frequency"] > 0 > again[-1].why["frequency"]
    with pytest.raises(NotFound):
        memory.observations.rate("nonesuch", useful=True)


def test_records_for_the_stage_and_fixes_of_current_errors_rank_higher(memory: Memoranda) -> None:
    memory.capture.take(
        [
            ran("l", "pytest", "the import of numpy fails", type=ObservationType.LEARNING),
            ran("d", "pytest", "the import of numpy fails", type=ObservationType.DECISION),
            ran("f", "pytest", "the import of numpy fails", type=ObservationType.FIX),
        ]
    )
    memory.index.reembed()  # a vector that is not computed yet would decide instead
    for work, best in (
        (TaskContext(stage="planning"), "decision"),
        (TaskContext(stage="execution"), "fix"),
        (TaskContext(errors=("test",)), "fix"),
    ):
        hit = memory.search("import of numpy", work=work).hits[0]
        assert hit.type == best, work
        assert hit.why["stage"] or hit.why["error_correction"]


def test_in_work_with_tools_a_finding_ranks_above_a_passing_remark(
    memory: Memoranda,
) -> None:
    finding = "256 MiB are too little for the shop: it is ended while it reads the price list."
    events = [
        message_event(
            "order", "find out what is wrong with the shop, its deployment fails since Monday"
        ),
        ran("logs", "kubectl logs shop", "deployment of shop failed: exit code 137"),
        message_event("finding", finding, origin=Origin.AGENT),
    ]
    for n in range(8):
        events.append(message_event(f"passing{n}", f"ok, the shop, round {n}"))
        events.append(ran(f"look{n}", f"git status {n}", "nothing to commit"))
    memory.capture.take(events)
    memory.index.reembed()
    assert finding in found(memory, "why did the deployment of the shop fail", limit=3)


def test_standing_instructions_are_considered_for_any_query(memory: Memoranda) -> None:
    rule = "Always answer with metric units when I ask about sizes."
    talk = [
        message_event(f"n{n}", f"the pump has a size of {n} inches", origin=Origin.AGENT)
        for n in range(60)
    ]
    memory.capture.take([message_event("rule", rule), *talk])
    memory.index.reembed()
    hits = memory.search("how should I state the size of a pump", limit=10).hits
    assert any(hit.title.startswith("Always answer") for hit in hits)


@pytest.mark.engines("sqlite", "postgres")
def test_forgetting_reaches_all_that_search_derived(memory: Memoranda) -> None:
    remember_all(memory)
    chosen = memory.search("kittens").hits[0]
    memory.forget(RemovalSelection(ids=[chosen.id]), confirm=True)
    services = memory._services
    for table in ("entry", "passage", "rating", "retrieval_count"):
        rows = services.database.read(
            lambda tx, table=table: tx.fetch(  # type: ignore[misc]
                f"select 1 from {table} where team = 'local' and source = :id", {"id": chosen.id}
            )
        )
        assert rows == [], table
    for mode in SearchMode:
        assert TOLD["cat"] not in found(memory, "kittens cat", mode=mode)


@given(query=st.text(st.one_of(st.characters(), st.sampled_from("\"'*():^-\0\ud800")), max_size=60))
def test_no_question_is_too_odd_for_the_model(query: str, odd: Memoranda) -> None:
    result = odd.search(query)
    assert not result.degraded
    assert all(0 < hit.score <= 1 for hit in result.hits)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return a memory for read-only tests."""
    arguments = {"data_dir": tmp_path_factory.mktemp("odd") / "data", "embedder": "local"}
    with Memoranda.open(settings=load_settings(arguments, {}), workspace="shop") as opened:
        remember_all(opened)
        yield opened


def test_a_damaged_block_is_noticed_and_worked_around(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "SEAL", 64)
    arguments = {"data_dir": data_dir, "embedder": "local"}
    with Memoranda.open(settings=load_settings(arguments, {}), workspace="shop") as memory:
        memory.capture.take(
            [
                message_event(f"n{n}", f"pump {n} of hall {n * 7}", origin=Origin.AGENT)
                for n in range(100)
            ]
        )
        memory.index.reembed()
        sound = found(memory, "pump 77 of hall 539", mode="vectors")
        path = memory.settings.database_path
    connection = apsw.Connection(str(path))
    assert connection.execute("select count(*) from vector_block").fetchall() != [(0,)]
    connection.execute("update vector_block set codes = zeroblob(length(codes))")
    connection.close()
    with Memoranda.open(settings=load_settings(arguments, {}), workspace="shop") as memory:
        assert found(memory, "pump 77 of hall 539", mode="vectors") == sound
        assert ("vectors", "failure") in {(f.check, f.verdict) for f in memory.store.doctor()}
        memory.index.rebuild()
        assert ("vectors", "ok") in {(f.check, f.verdict) for f in memory.store.doctor()}
        assert found(memory, "pump 77 of hall 539", mode="vectors") == sound
    connection = apsw.Connection(str(path))
    ((zeros,),) = connection.execute(
        "select count(*) from vector_block where codes = zeroblob(length(codes))"
    ).fetchall()
    assert zeros == 0


STARTED_TOGETHER = """
import threading
from memoranda.models.embedding.minilm import LocalEmbedder

thread = threading.Thread(target=lambda: print(LocalEmbedder().embed(["one"]).shape))
thread.start()
import memoranda.search.ranker
thread.join()
"""


def test_model_and_search_can_be_loaded_at_the_same_moment() -> None:
    for _ in range(3):
        command = [sys.executable, "-c", STARTED_TOGETHER]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "(1, 384)\n", "")


def test_doctor_reports_the_progress_of_vectors_and_the_model(
    memory: Memoranda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_all(memory)
    findings = {finding.check: finding for finding in memory.store.doctor()}
    assert findings["model"].verdict == "ok"
    assert findings["search"].detail.startswith(f"{len(TOLD)} passages, 0 of them without")
    other = tmp_path / "model.onnx"
    other.write_bytes(bytes(22_928_619))
    monkeypatch.setattr(memory._services.embedder, "_model", other)
    assert {f.check: f.verdict for f in memory.store.doctor()}["model"] == "failure"


def test_results_can_be_limited_to_kinds(memory: Memoranda) -> None:
    remember_all(memory)
    memory.remember("Invoices are rounded half up")
    memory.blocks.create(NewBlock("rates", "Rounding of invoices: per line."))
    memory.index.reembed()
    for kind in HitKind:
        hits = memory.search("rounding of invoices", where=SearchFilter(kinds=(kind,))).hits
        assert {hit.kind for hit in hits} == {kind}
