"""Stages of tasks, and their summaries."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from acting import acting, begun, opened
from happenings import message_event, ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind
from memoranda.compression import compressor as making, table as compressions
from memoranda.compression.model import Quality
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.journal.model import QUALITY_ALERT
from memoranda.memories.removal import RemovalSelection
from memoranda.observations import blob_table as blobs
from memoranda.observations.model import Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import TaskContext
from memoranda.stages import table as stages
from memoranda.stages.model import StageName, StageSource

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

WORDS = ("the parser reads every line of the price list and keeps the rest for later "
         "while nobody looks at the totals of the week before ")  # fmt: skip


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def spoken(key: str, text: str) -> Event:
    return message_event(key, text, origin=Origin.AGENT)


def looked(key: str, count: int) -> list[Event]:
    return [ran(f"{key}{n}", f"cat shop/part{n}.py", WORDS * 4) for n in range(count)]


def checked(key: str, output: str = "12 passed") -> Event:
    return ran(key, "pytest -q", output)


def written(key: str) -> Event:
    return ran(key, f"sed -i s/one/two/ shop/{key}.py", "")


def work(memory: Memoranda, *events: Event | Sequence[Event]) -> str:
    """Capture events in order; return their task."""
    flat = [one for part in events for one in (part if isinstance(part, list) else [part])]
    memory.capture.take(flat)
    (task,) = [one.id for one in memory.tasks.list() if one.session == "one"]
    return task


def named(memory: Memoranda, task: str) -> list[tuple[StageName, int, int | None]]:
    return [(one.name, one.began, one.ended) for one in memory.stages.list(task)]


def labels(memory: Memoranda, task: str) -> list[str | None]:
    found = memory.observations.list(task=task, limit=1_000)
    return [one.stage for one in sorted(found, key=lambda one: one.sequence)]


def test_stages_follow_what_an_agent_does(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3), written("b"), written("c"), checked("d"))
    assert named(memory, task) == [
        (StageName.PLANNING, 1, 3),
        (StageName.EXECUTION, 4, 5),
        (StageName.VERIFICATION, 6, None),
    ]
    assert labels(memory, task) == ["planning"] * 3 + ["execution"] * 2 + ["verification"]
    stage = memory.stages.show(task).stage
    assert (stage.source, stage.confidence > 0.5, bool(stage.reason)) == ("action", True, True)


def test_following_in_steps_or_at_once_is_the_same(engine: Settings) -> None:
    events = [*looked("a", 2), written("b"), checked("c"), *looked("d", 3), written("e")]
    with opened(engine, FixedClock(step=1)) as memory:
        for event in events:
            task = work(memory, event)
            memory.stages.list(task)
        one_by_one = named(memory, task)
        memory.capture.take(
            [ran(e.key, e.input["command"], e.output, session="two") for e in events]
        )
        (other,) = [one.id for one in memory.tasks.list() if one.session == "two"]
        assert named(memory, other) == one_by_one


def test_a_stage_set_by_a_person_is_not_undone_by_later_steps(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3))
    memory.stages.set(task, "reflection", "the premise was wrong")
    work(memory, looked("b", 3), written("c"))
    assert named(memory, task) == [
        (StageName.PLANNING, 1, 3),
        (StageName.REFLECTION, 4, 4),
        (StageName.PLANNING, 5, 6),
        (StageName.EXECUTION, 7, None),
    ]
    memory.stages.set(task, "reflection")
    memory.stages.set(task, "verification")  # a later message of theirs replaces it
    assert named(memory, task)[-1] == (StageName.VERIFICATION, 8, None)


def test_a_stage_set_by_hand_begins_with_the_next_observation(memory: Memoranda) -> None:
    task = work(memory, looked("a", 2))
    begun_now = memory.stages.set(task, "verification", "the tests come first")
    assert (begun_now.began, begun_now.source) == (3, StageSource.HAND)
    assert memory.stages.set(task, "verification") == begun_now
    work(memory, checked("b"))
    assert named(memory, task) == [(StageName.PLANNING, 1, 2), (StageName.VERIFICATION, 3, None)]
    again = memory.stages.set(task, "execution", supervisor=True)
    assert again.source is StageSource.SUPERVISOR
    with pytest.raises(InvalidInput, match="planning, execution"):
        memory.stages.set(task, "dreaming")
    entries = {entry.operation for entry in memory.journal.list()}
    assert {"stage verification", "stage execution"} <= entries


def test_a_stage_that_nothing_happened_in_gives_way(memory: Memoranda) -> None:
    task = work(memory, looked("a", 2))
    memory.stages.set(task, "execution")
    with pytest.raises(Conflict, match="there are no observations in stage"):
        memory.stages.complete(task)
    memory.stages.set(task, "reflection")
    assert named(memory, task) == [(StageName.PLANNING, 1, 2), (StageName.REFLECTION, 3, None)]


def test_a_stage_is_completed_once(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3))
    done = memory.stages.complete(task, "enough read")
    assert (done.ended, "enough read" in done.reason) == (3, True)
    assert memory.stages.complete(task) == done
    work(memory, looked("b", 2))
    assert named(memory, task) == [(StageName.PLANNING, 1, 3), (StageName.PLANNING, 4, None)]
    empty = begun(memory, "bare")
    with pytest.raises(NotFound, match="no stage"):
        memory.stages.complete(empty)


def test_a_task_that_ends_ends_its_stage(memory: Memoranda) -> None:
    end = message_event("end", "", kind=EventKind.TASK_END)
    task = work(memory, looked("a", 3), written("b"), end)
    assert named(memory, task)[-1] == (StageName.EXECUTION, 4, 4)


def test_an_ended_stage_gets_a_summary_that_points_to_its_source(memory: Memoranda) -> None:
    person = message_event("p", "Never write to the prod_north bucket; the budget is 4,200 EUR.")
    task = work(memory, person, looked("a", 12), written("b"), written("c"))
    memory.capture.drain()
    found = memory.stages.show(task, 1)
    made = found.summary
    assert made is not None
    assert made.until_sequence == found.stage.ended
    assert made.tokens < made.source_tokens / 2
    assert "prod_north" in made.text
    texts = {
        one.ref: memory.observations.show(one.ref).content
        for one in memory.observations.list(task=task)
    }
    for line in made.lines:
        pieces = [piece.strip() for piece in line.text.split("\u2026")]
        assert all(piece in texts[line.ref] for piece in pieces), line
    brief = memory.tasks.brief(task, tokens=200)
    assert brief.tokens <= 200
    assert "prod_north" in brief.text
    assert memory.compression.report()[0].task == task


def test_a_brief_lists_statements_before_code(memory: Memoranda) -> None:
    code = "\n".join(f"    return part_{n}(width=0x7f{n:02}, depth=[{n}])" for n in range(90))
    task = work(
        memory,
        message_event("p", "Please make the totals right; round once at the end, half up."),
        ran("a", "cat src/parts.py", code),
        written("b"),
        ran("c", "pytest -q", "E   ValueError: the total of order 77 is off by 3 cents\n1 failed"),
        message_event(
            "d", "The total of order 77 came from rounding each line.", origin=Origin.AGENT
        ),
        written("e"),
    )
    memory.capture.drain()
    brief = memory.tasks.brief(task, tokens=80)
    assert "round once at the end" in brief.text
    assert "came from rounding each line" in brief.text
    assert "ValueError: the total of order 77" in brief.text
    assert "0x7f" not in brief.text
    refs = [line.ref for line in brief.lines]
    assert refs == sorted(refs, key=lambda ref: int(ref.partition("#")[2]))
    assert memory.tasks.brief(task, tokens=1).text == ""
    assert "0x7f" in memory.tasks.brief(task, tokens=5_000).text  # what fits is shown


def test_nothing_raw_is_touched_by_compression(memory: Memoranda) -> None:
    task = work(memory, looked("a", 6), written("b"), written("c"))
    before = [
        memory.observations.show(one.ref).content for one in memory.observations.list(task=task)
    ]
    memory.capture.drain()
    memory.stages.compress(task, 1, ratio=20)
    assert before == [
        memory.observations.show(o.ref).content for o in memory.observations.list(task=task)
    ]


def test_a_summary_made_by_hand_heeds_the_ratio(memory: Memoranda) -> None:
    lines = [f"order {n} of Mills costs {n * 7} EUR and leaves on day {n}\n" for n in range(400)]
    task = work(memory, ran("a", "cat orders.txt", "".join(lines)), ran("b", "ls", WORDS))
    loose, tight = (memory.stages.compress(task, 1, ratio=ratio) for ratio in (3, 12))
    assert tight.tokens < loose.tokens / 2
    assert (loose.target, tight.target) == (3, 12)
    with pytest.raises(NotFound):
        memory.stages.compress(task, 9)


@pytest.mark.parametrize(("kept", "count"), [(94, 1), (95, 0)])
def test_a_summary_that_loses_facts_alerts_the_operators(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch, kept: int, count: int
) -> None:
    found = Quality(facts=100, kept=kept, lost=(), contradictions=0)
    monkeypatch.setattr(making, "quality", lambda *_: found)
    task = work(memory, looked("a", 6), written("b"))
    memory.stages.compress(task, 1)
    alerts = memory.journal.list(operation=QUALITY_ALERT, subject=task).items
    assert [one.detail for one in alerts] == [{"stage": 1, "kept": kept, "facts": 100}] * count


def test_what_is_forgotten_is_in_no_summary(memory: Memoranda) -> None:
    person = message_event("p", "The project is called heliotrope-77, tell nobody.")
    task = work(memory, person, looked("a", 8), written("b"), written("c"))
    memory.capture.drain()
    assert "heliotrope" in memory.tasks.brief(task).text
    (gone,) = [o.id for o in memory.observations.list(task=task) if "heliotrope" in o.summary]
    memory.forget(RemovalSelection(ids=[gone]), confirm=True)
    memory.capture.drain()
    again = memory.stages.show(task, 1).summary
    assert again is not None
    assert "heliotrope" not in memory.tasks.brief(task).text + again.text
    team = memory.settings.team
    rows = memory._database.read(lambda tx: tx.fetch("select hash from blob", {}))
    texts = [memory._database.read(lambda tx, d=d: blobs.content(tx, team, d)) for (d,) in rows]
    assert not any("heliotrope" in text for text in texts)


@pytest.mark.engines("sqlite", "postgres")
def test_a_summary_of_what_is_forgotten_meanwhile_is_not_kept(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = work(
        memory, message_event("p", "heliotrope"), looked("a", 4), written("b"), written("c")
    )
    memory.capture.drain()
    memory.stages.compress(task, 1)
    real = making.Compressions._attempt

    def slow(self: making.Compressions, *values: object) -> object:
        made = real(self, *values)  # type: ignore[arg-type]
        (gone,) = [o.id for o in memory.observations.list(task=task) if "heliotrope" in o.summary]
        other = threading.Thread(
            target=lambda: memory.forget(RemovalSelection(ids=[gone]), confirm=True)
        )
        other.start()
        other.join()
        return made

    monkeypatch.setattr(making.Compressions, "_attempt", slow)
    scope = memory._within(None, task)
    stage = memory.stages.show(task, 1).stage
    assert memory._services.compressions.stage(scope, stage) is None
    left = memory._services.compressions.of(scope, task, 1)
    assert left is None or "heliotrope" not in left.text


def test_a_compression_again_changes_nothing(memory: Memoranda) -> None:
    task = work(memory, looked("a", 8), written("b"), checked("c"))
    memory.capture.drain()
    scope = memory._within(None, task)
    team = memory.settings.team
    before = memory._database.read(lambda tx: compressions.listed(tx, team, task))
    memory._services.compressions.catch_up(scope, task)
    assert memory._database.read(lambda tx: compressions.listed(tx, team, task)) == before
    for stage in memory.stages.list(task):
        if stage.ended:
            memory.stages.compress(task, stage.number)
    again = memory._database.read(lambda tx: compressions.listed(tx, team, task))
    assert [one.text for one in again] == [one.text for one in before]


def test_a_context_includes_the_results_of_stages(memory: Memoranda) -> None:
    result = message_event("p", "We agreed on the 14th; Ines signs off the Lisbon order.")
    task = work(memory, result, looked("a", 10), written("b"), written("c"))
    memory.capture.drain()
    context = memory.context(task=task, budget=600)
    assert context.tokens <= 600
    section = context.text.partition("<task-brief>")[2].partition("</task-brief>")[0]
    assert "Ines signs off the Lisbon order" in section


def test_a_checkpoint_is_taken_where_a_stage_ends_if_wanted(engine: Settings) -> None:
    settings = replace(engine, checkpoint_at_stages=True)
    with opened(settings, FixedClock(step=1)) as memory:
        task = work(memory, looked("a", 3), written("b"), checked("c"))
        memory.stages.list(task)  # the first reader
        memory.capture.drain()
        (taken,) = [one.checkpoint for one in memory.checkpoints.list(task)]
        assert (taken.phase, taken.description) == ("coding", "execution ended at 4")


def test_agents_of_another_task_see_no_stage_of_this_one(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3), written("b"))
    stranger = acting(memory, "scribe", "elsewhere")
    for call in (
        stranger.stages.list,
        stranger.stages.show,
        stranger.tasks.brief,
        stranger.stages.complete,
    ):
        with pytest.raises(NotFound):
            call(task)


def test_a_state_that_cannot_be_read_begins_anew(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3))
    memory.stages.list(task)
    team = memory.settings.team
    memory._database.write(lambda tx: stages.put_tracking(tx, team, task, 3, {"stage": "odd"}))
    work(memory, written("b"))
    assert memory.stages.show(task).stage.name is StageName.EXECUTION


def test_subagents_and_rewound_steps_indicate_no_stage(memory: Memoranda) -> None:
    side = [replace(one, branch="sidechain") for one in (written("x"), written("y"))]
    gone = replace(message_event("g", "the heliotrope way"), branch="rewound")
    task = work(memory, looked("a", 3), side, gone, looked("b", 2), written("c"), written("d"))
    found = named(memory, task)
    assert [name for name, _, _ in found] == [StageName.PLANNING, StageName.EXECUTION]
    memory.capture.drain()
    summary = memory.stages.compress(task, 1, ratio=2)
    assert "heliotrope" not in summary.text


def test_a_search_in_a_stage_finds_records_without_matching_words(memory: Memoranda) -> None:
    task = work(memory, looked("a", 3), written("b"), written("c"), checked("d"))
    memory.capture.drain()
    question = "what was changed"
    flat = memory.search(question, task=task, limit=2)
    assert (flat.hits, flat.nearest) == ((), ())
    aware = memory.search(question, task=task, limit=2, work=TaskContext("execution"))
    assert aware.hits == (), "a stage alone is no answer"
    assert {hit.ref for hit in aware.nearest} == {"1#4", "1#5"}
    where = SearchFilter(stages=["verification"])
    only = memory.search(question, task=task, where=where, min_score=0)
    assert [hit.ref for hit in only.hits] == ["1#6"]
