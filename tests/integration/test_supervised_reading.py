"""A supervisor's context reads few rows, with the result of a full read."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate

import pytest
from acting import begun, opened
from happenings import ran

from contract.clock import FixedClock
from contract.contract_stages import compression
from memoranda import Memoranda
from memoranda.capture.event import Event
from memoranda.compression import table as compressions
from memoranda.compression.model import CompressedLine, Compression, PassageSpeaker
from memoranda.config import Settings
from memoranda.context import brief
from memoranda.context.brief import MAXIMUM, brief_items
from memoranda.context.builder import collect_candidates
from memoranda.context.candidates import Candidates
from memoranda.context.renderer import render_item
from memoranda.context.selection import GAPS, SHARES, ContextSelection
from memoranda.errors import past_fixes as troubles
from memoranda.errors.model import ErrorContext
from memoranda.errors.patterns import prevention
from memoranda.errors.records import failure_parts
from memoranda.errors.recoveries import recoveries, recovery_text
from memoranda.errors.signature import signature
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType
from memoranda.observations.table import ObservationFilter
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Parameters, Row, Transaction
from memoranda.store.sqlite.transaction import SqliteTransaction
from memoranda.supervision.metrics import KNOWN, measured
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

pytestmark = pytest.mark.integration

SEEDS = (1, 2, 3)
LARGE = frozenset({"observation", "memory_evidence", "error_note", "compression", "entry"})
"""Tables that grow with captures, which a context must not scan."""


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def worked(memory: Memoranda, seed: int) -> Task:
    """Run tasks with failures and fixes, some causes more often."""
    dice = random.Random(seed)
    causes = [(f"make part_{n % 5}", f"KeyError: 'part_{n}'") for n in range(9)]
    causes += [(f"make lamp_{n}", "ModuleNotFoundError: No module named 'wick'") for n in range(3)]
    for session in ("one", "two", "three"):
        events: list[Event] = []
        for at in range(40):
            command, error = dice.choice(causes)
            failed = dice.random() < 0.5
            output = f"Traceback (most recent call last):\n{error}" if failed else f"made {at}"
            key = f"{session} {at}"
            events.append(replace(ran(key, command, output, session=session), failed=failed))
        memory.capture.take(events)
    memory.capture.drain()
    return next(one for one in memory.tasks.list() if one.session == "two")


def slowly_prevented(tx: Transaction, scope: Scope, trouble: ErrorContext) -> list[ContextItem]:
    """Compute prevention from whole rows, one after another."""
    fixed = ObservationFilter(type=ObservationType.FIX)
    ended = []
    for fix in observations.recent(tx, scope.team, scope.workspace, where=fixed, limit=10_000):
        for error in observations.by_ids(tx, scope.team, [fix.resolves or ""]).values():
            kind, target, line = failure_parts(error)
            ended.append((fix, signature(kind, line), target, line, error))
    ended = ended[: troubles.FIXES]
    count = Counter(one[1] for one in ended)
    ended.sort(key=lambda one: (one[0].id not in trouble.fix_ids, -count[one[1]]))
    found: dict[str, ContextItem] = {}
    for fix, name, target, line, error in ended:
        (how,) = recoveries(tx, scope.team, [(error, fix)])
        text = prevention(target, line, recovery_text(how))
        item = ContextItem(fix.id, fix.ref, text, fix.origin, fix.created_at)
        if text:
            found.setdefault(name, item)
    return list(found.values())[: troubles.MAX_SHOWN]


class TestWhatEndedErrors:
    @pytest.mark.parametrize("seed", SEEDS)
    def test_preventions_are_those_of_the_plain_way(self, memory: Memoranda, seed: int) -> None:
        task = worked(memory, seed)
        for scope in (
            Scope(task.team, task.workspace, None, task.id),
            Scope(task.team, task.workspace),
            Scope(task.team),
        ):

            def both(tx: Transaction, scope: Scope = scope) -> None:
                trouble = troubles.error_context(tx, scope, None)
                found = troubles.preventions(tx, scope, trouble)
                assert found == slowly_prevented(tx, scope, trouble)
                assert len(found) > 3

            memory._database.read(both)

    def test_fixes_of_current_errors_come_first(self, memory: Memoranda) -> None:
        task = worked(memory, 1)
        memory.capture.take(
            [
                replace(ran("z", "make lamp_0", "KeyError: 'part_7'", session="two"), failed=True),
            ]
        )
        scope = Scope(task.team, task.workspace, None, task.id)

        def work(tx: Transaction) -> tuple[ErrorContext, list[ContextItem]]:
            trouble = troubles.error_context(tx, scope, None)
            return trouble, troubles.preventions(tx, scope, trouble)

        trouble, found = memory._database.read(work)
        mending = [item.id in trouble.fix_ids for item in found]
        assert mending == sorted(mending, reverse=True)
        assert any(mending)

    def test_no_more_fixes_are_returned_than_requested(
        self, memory: Memoranda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = worked(memory, 2)
        scope = Scope(task.team, task.workspace, None, task.id)

        def prevented(tx: Transaction) -> list[ContextItem]:
            return troubles.preventions(tx, scope, ErrorContext())

        whole = memory._database.read(prevented)
        monkeypatch.setattr(troubles, "MAX_SHOWN", 2)
        assert memory._database.read(prevented) == whole[:2]


def summarised(tx: Transaction, task: Task, seed: int, tokens: int, whole: bool) -> None:
    """Write summaries of stages, that of the task included if there is one."""
    dice = random.Random(seed)
    for number in range(0 if whole else 1, 9):
        lines = [
            CompressedLine(
                f"1#{dice.randrange(60)}",
                dice.choice(list(PassageSpeaker)),
                f"line {n} of {number}",
            )
            for n in range(dice.randrange(1, 6))
        ]
        compressions.put(tx, compression(task, number, lines=tuple(lines), tokens=tokens))


def slowly_chosen(found: list[Compression]) -> list[CompressedLine]:
    """Read all summaries, then choose those of the task."""
    whole = [one for one in found if one.stage == 0]
    parts = [one for one in found if one.stage]
    if sum(one.tokens for one in parts) <= MAXIMUM:
        return [line for one in parts for line in one.lines]
    if not whole:
        while sum(one.tokens for one in parts) > MAXIMUM:
            del parts[0]
        return [line for one in parts for line in one.lines]
    known = {(line.ref, line.text) for line in parts[-1].lines}
    earlier = [line for line in whole[0].lines if (line.ref, line.text) not in known]
    return [*earlier, *parts[-1].lines]


class TestWhatATaskComesTo:
    @pytest.mark.parametrize("seed", SEEDS)
    @pytest.mark.parametrize("whole", [True, False], ids=["summed-up", "stages-alone"])
    @pytest.mark.parametrize(
        "tokens", [MAXIMUM // 8, MAXIMUM // 8 + 1], ids=["all-fit", "too-much"]
    )
    def test_the_lines_are_those_among_all(
        self, memory: Memoranda, seed: int, whole: bool, tokens: int
    ) -> None:
        task = memory.tasks.show(begun(memory))

        def work(tx: Transaction) -> None:
            summarised(tx, task, seed, tokens, whole)
            lines = slowly_chosen(compressions.listed(tx, task.team, task.id))
            texts = [item.text for item in brief_items(tx, task)]
            assert texts == [lines[at].text for at in brief.line_order(lines, None)]
            assert lines

        memory._database.write(work)

    @pytest.mark.parametrize("room", [1, 60, 150])
    def test_beyond_the_room_lines_are_in_their_own_order(
        self, memory: Memoranda, room: int
    ) -> None:
        task = memory.tasks.show(begun(memory))

        def work(tx: Transaction) -> None:
            summarised(tx, task, 1, MAXIMUM // 8, True)
            lines = slowly_chosen(compressions.listed(tx, task.team, task.id))
            best, found = brief.line_order(lines, None), brief.line_order(lines, None, room)
            filled = list(accumulate(len(lines[at].text) for at in best))
            chosen = next((n for n, size in enumerate(filled, 1) if size >= room), len(best))
            assert found[:chosen] == best[:chosen]
            assert found[chosen:] == sorted(best[chosen:])

        memory._database.write(work)

    def test_a_summary_of_the_task_alone_lists_nothing(self, memory: Memoranda) -> None:
        task = memory.tasks.show(begun(memory))

        def work(tx: Transaction) -> None:
            compressions.put(tx, compression(task, 0, tokens=MAXIMUM + 1))
            assert brief_items(tx, task) == ()

        memory._database.write(work)

    def test_of_a_long_task_two_summaries_are_read(
        self, memory: Memoranda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = memory.tasks.show(begun(memory))
        made: list[list[int]] = []

        def counted(tx: Transaction, team: str, task: str, stages: list[int]) -> list[Compression]:
            made.append(list(stages))
            return some(tx, team, task, stages)

        some = compressions.of_stages
        monkeypatch.setattr(compressions, "of_stages", counted)

        def work(tx: Transaction) -> None:
            summarised(tx, task, 1, MAXIMUM, True)
            brief_items(tx, task)
            assert measured(tx, task.team, task.id)["coherence"] == pytest.approx(0.375)

        memory._database.write(work)
        assert made == [[0, 8]]


class TestTheContext:
    @pytest.mark.parametrize("seed", SEEDS)
    def test_costs_are_those_of_each_line_counted(self, memory: Memoranda, seed: int) -> None:
        task = worked(memory, seed)
        counter = memory._services.counter
        material = at_hand(memory, task)
        selection = ContextSelection(material, counter)
        checked = 0
        for name, items in selection._candidates.items():
            for at, item in reversed(list(enumerate(items))):
                alone, beside = selection._cost(name, at)
                assert alone == counter.count(render_item(item) + "\n")
                if item.place:
                    assert beside == counter.count(GAPS.get(name, "") + item.text)
                    checked += 1
        assert checked
        selection.fill(900, SHARES)
        assert selection.tokens() == counter.count(selection.text()) <= 900

    def test_excluded_sections_are_not_read_and_change_nothing_else(
        self, memory: Memoranda
    ) -> None:
        task = worked(memory, 1)
        profile = NewMemory("The shop is in Bergen.", category=Category.USER_PREFERENCE)
        memory.remember(profile, workspace=place_of(memory, task))
        memory._services.background.stop()  # so that no background work runs between the two
        whole = at_hand(memory, task)
        part = at_hand(memory, task, ("profile", "values-seen"))
        assert whole.shown
        assert (part.shown, part.profile) == ((), ())
        same = replace(part, shown=whole.shown, profile=whole.profile, memories=whole.memories)
        assert same == whole

    def test_metrics_are_not_computed_if_all_are_passed(
        self, memory: Memoranda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = worked(memory, 1)
        values = dict.fromkeys(KNOWN, 0.5)
        monkeypatch.setattr(memory._services.interventions, "metrics", refused)
        found = memory.supervisor.context(task=task.id, metrics=values)
        assert found.metrics == values
        with pytest.raises(AssertionError, match="asked"):
            memory.supervisor.context(task=task.id, metrics={"coherence": 0.5})

    def test_no_query_walks_the_team(
        self, memory: Memoranda, engine: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if engine.database_url:
            pytest.skip("its planner walks small tables on purpose")
        task = worked(memory, 1)
        memory.supervisor.context(task=task.id)  # unwatched steps are watched first
        requests = listened(monkeypatch)
        memory.supervisor.context(task=task.id, query="what makes part_3 fail")
        monkeypatch.undo()
        assert len(requests) > 20
        plans = [plan for sql, values in requests for plan in planned(memory, sql, values)]
        walked = [plan for plan in plans if walks(plan)]
        assert walked == []

    def test_completed_tasks_and_what_is_critical_have_an_index(
        self, memory: Memoranda, engine: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if engine.database_url:
            pytest.skip("its planner walks small tables on purpose")
        task = worked(memory, 1)
        requests = listened(monkeypatch)
        memory.supervisor.context(task=task.id)
        monkeypatch.undo()
        plans = "\n".join(plan for sql, values in requests for plan in planned(memory, sql, values))
        assert "USING INDEX memory_critical" in plans
        assert "USING INDEX task_completed" in plans
        assert "memory_evidence_by_observation" in plans


def place_of(memory: Memoranda, task: Task) -> str:
    return next(one.name for one in memory.workspaces.list() if one.id == task.workspace)


def at_hand(memory: Memoranda, task: Task, untold: tuple[str, ...] = ()) -> Candidates:
    services = memory._services
    found = memory._database.read(lambda tx: tasks.by_id(tx, task.team, task.id))
    assert found is not None
    scope = Scope(task.team, task.workspace, None, task.id)
    return collect_candidates(services._context_sources, scope, None, 0, untold)


def refused(scope: Scope) -> dict[str, float]:
    raise AssertionError("asked")


Asked = list[tuple[str, Parameters]]


def listened(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Record every query from now on."""
    requests: Asked = []

    def noting(run: Callable[..., object]) -> Callable[..., object]:
        def noted(self: SqliteTransaction, sql: str, parameters: Parameters) -> object:
            requests.append((sql, parameters))
            return run(self, sql, parameters)

        return noted

    for name in ("fetch", "first"):
        monkeypatch.setattr(SqliteTransaction, name, noting(getattr(SqliteTransaction, name)))
    return requests


def planned(memory: Memoranda, sql: str, parameters: Parameters) -> list[str]:
    def explain(tx: Transaction) -> list[Row]:
        return tx.fetch("explain query plan " + sql, parameters)

    return [str(row[3]) for row in memory._database.read(explain)]


def walks(plan: str) -> bool:
    """Return whether a plan's step scans all rows of a team in a large table."""
    words = plan.split()
    aliases = {"o": "observation", "e": "observation", "c": "compression"}
    named = words[1] if len(words) > 1 else ""
    if aliases.get(named, named) not in LARGE:
        return False
    return words[0] == "SCAN" or plan.rstrip().endswith("(team=?)")
