"""Supervision: one alarm per problem, matching context, learned ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from acting import acting, begun, opened
from happenings import message_event, ran

from contract.clock import FixedClock
from contract.contract_transactions import together
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind
from memoranda.config import Settings
from memoranda.exceptions import BudgetTooSmall, Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import ProposalKind
from memoranda.scope import Scope
from memoranda.search.model import Ratings, TaskContext
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    StrategicContext,
    SupervisionSignal,
)

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'wick'"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def failed(key: str, command: str = "python lamp.py", session: str = "one") -> Event:
    return replace(ran(f"{session} {key}", command, MISSING, session=session), failed=True)


def in_trouble(memory: Memoranda, session: str = "one", times: int = 3) -> str:
    """Repeat one error among successful steps; return the task."""
    events: list[Event] = []
    for number in range(times):
        events.append(failed(f"e{number}", session=session))
        events += [
            ran(f"{session} {number} {n}", f"cat part_{number}_{n}.py", "x", session=session)
            for n in range(3)
        ]
    memory.capture.take(events)
    memory.capture.drain()
    return memory.errors.list(limit=1).items[0].task


def place(memory: Memoranda, task: str) -> str:
    """Return the name of a task's workspace."""
    id = memory.tasks.show(task).workspace
    return next(one.name for one in memory.workspaces.list() if one.id == id)


def raised(memory: Memoranda, **where: Any) -> tuple[Intervention, ...]:
    return memory.supervisor.interventions(**where).items


def sections(found: StrategicContext) -> list[str]:
    return [section.name for section in found.context.sections]


def teach(memory: Memoranda, workspace: str) -> dict[Category, str]:
    """Store one memory per leading section, and a fix; return their ids."""
    made = {}
    for category, text in (
        (Category.ANTI_PATTERN, "Never import wick before it is built."),
        (Category.PATTERN, "Light one lamp, then the others."),
        (Category.DOMAIN_KNOWLEDGE, "A wick lasts two weeks."),
    ):
        stated = NewMemory(text, category=category, critical=False)
        made[category] = memory.remember(stated, workspace=workspace).id
    memory.remember(NewMemory("Oil is never poured at night.", critical=True), workspace=workspace)
    return made


class TestRaising:
    def test_the_same_error_three_times_is_raised_once(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        (one,) = raised(memory)
        assert (one.signal, one.task, one.state) == (SupervisionSignal.SAME_ERROR, task, "open")
        assert one.reason.endswith("3 times without resolution: 1#1, 1#5, 1#9")
        assert one.metrics["repeated_errors"] == 3
        assert "wick" not in one.reason + one.cause
        memory.capture.take([failed("again"), failed("and again")])
        memory.capture.drain()
        memory._services.enqueue(JobKind.DISTIL, task)
        memory.capture.drain()
        assert raised(memory, state="open") == (one,)
        assert [entry.operation for entry in memory.journal.list(limit=50)].count(
            "intervention"
        ) == 1

    def test_a_task_that_goes_well_raises_nothing(self, memory: Memoranda) -> None:
        memory.capture.take([ran(f"{n}", f"cat part_{n}.py", "x") for n in range(40)])
        memory.capture.take(
            [failed("a"), ran("b", "pip install wick"), ran("c", "python lamp.py", "lit")]
        )
        memory.capture.drain()
        assert raised(memory) == ()

    def test_a_share_of_failing_steps_is_raised(self, memory: Memoranda) -> None:
        memory.capture.take([ran(f"{n}", f"cat part_{n}.py", "x") for n in range(5)])
        for number in range(6):
            output = f"KeyError: 'part_{number}'"
            event = ran(f"f{number}", f"python part_{number}.py", output)
            memory.capture.take([replace(event, failed=True)])
        memory.capture.drain()
        assert [one.signal for one in raised(memory)] == [SupervisionSignal.FAILING]
        assert "of the last" in raised(memory)[0].reason

    def test_recorded_errors_count_as_well(self, memory: Memoranda) -> None:
        task = begun(memory)
        for _ in range(3):
            memory.errors.record("made up a flag", type="hallucination", task=task)
            memory.capture.drain()
        (one,) = raised(memory)
        assert one.signal is SupervisionSignal.SAME_ERROR
        memory.errors.record("made up a flag", type="hallucination", task=task)
        memory.capture.drain()
        assert len(raised(memory)) == 1

    def test_a_listener_is_notified_once(self, memory: Memoranda) -> None:
        heard: list[Event] = []
        memory.capture.on(EventKind.INTERVENTION, heard.append)
        in_trouble(memory)
        memory.capture.drain()
        (event,) = heard
        (one,) = raised(memory)
        assert event.key == one.id
        assert event.text == f"same_error: {one.reason}"

    def test_a_handler_that_fails_stops_nothing(self, memory: Memoranda) -> None:
        def fail(event: Event) -> None:
            raise ValueError("no")

        memory.capture.on(EventKind.INTERVENTION, fail)
        task = in_trouble(memory)
        assert len(raised(memory)) == 1
        failing = memory._services.database.read(lambda tx: jobs.failed(tx, "local"))
        assert failing == []
        assert memory.stages.list(task).items

    def test_watching_at_once_raises_once(self, memory: Memoranda) -> None:
        for number in range(3):
            memory.capture.take([failed(f"e{number}"), *_quiet(number)])
        task = memory.errors.list(limit=1).items[0].task
        found: list[Sequence[Intervention]] = []
        scope = Scope(memory._scope.team, task=task)
        together(lambda _: found.append(memory._services.watching.follow(scope, task)), 4)
        memory.capture.drain()
        assert sum(map(len, found)) <= 1
        assert len(raised(memory)) == 1

    def test_what_subagents_do_raises_nothing(self, memory: Memoranda) -> None:
        events = [replace(failed(f"{n}"), branch="sidechain") for n in range(12)]
        memory.capture.take(events)
        memory.capture.drain()
        assert raised(memory) == ()

    def test_a_channel_is_notified_of_open_interventions_once(self, memory: Memoranda) -> None:
        in_trouble(memory)
        (one,) = memory.supervisor.news("cli")
        assert one == raised(memory)[0]
        assert list(memory.supervisor.news("cli")) == []
        assert list(memory.supervisor.news("page")) == [one]

    def test_forgetting_a_task_forgets_what_was_raised_of_it(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        memory.supervisor.context(task=task)
        memory.forget(RemovalSelection(task=task), confirm=True)
        assert raised(memory) == ()

    def test_pages_and_states(self, memory: Memoranda) -> None:
        ids = [in_trouble(memory, f"s{n}") for n in range(3)]
        first = memory.supervisor.interventions(limit=2)
        rest = memory.supervisor.interventions(limit=2, cursor=first.cursor)
        assert [one.task for one in (*first.items, *rest.items)] == ids[::-1]
        assert raised(memory, task=ids[1])[0].task == ids[1]
        assert raised(memory, state=InterventionState.CLOSED) == ()
        with pytest.raises(InvalidInput):
            memory.supervisor.interventions(state="asleep")
        with pytest.raises(InvalidInput):
            memory.supervisor.interventions(limit=0)


def _quiet(number: int) -> list[Event]:
    return [ran(f"{number} {n}", f"cat part_{number}_{n}.py", "x") for n in range(3)]


class TestContext:
    def test_what_the_figures_call_for_comes_first(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        teach(memory, place(memory, task))
        memory.capture.take(
            [message_event("goal", "Always test the lamp before noon. Light the lamp.")]
        )
        memory.capture.drain()
        for figures, leads in (
            ({"error_rate": 0.9}, ["errors-to-avoid", "prevention"]),
            ({"coherence": 0.1, "error_rate": 0.0, "repeated_errors": 0}, ["critical-facts"]),
            ({"stalled_steps": 50, "error_rate": 0.0, "repeated_errors": 0},
             ["what-worked", "memories"]),
        ):  # fmt: skip
            found = memory.supervisor.context(task=task, metrics=figures, budget=1_500)
            assert sections(found)[: len(leads)] == leads
            assert found.leads[: len(leads)] == tuple(leads)
            assert "Oil is never poured at night." in found.context.text
        fine = {"error_rate": 0.0, "repeated_errors": 0, "stalled_steps": 0}
        found = memory.supervisor.context(task=task, metrics=fine, budget=1_500)
        assert found.state == "well"
        assert sections(found)[0] == "task-progress"

    def test_missing_metrics_are_computed(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        found = memory.supervisor.context(task=task)
        assert found.metrics["error_rate"] == 0.25
        assert found.metrics["repeated_errors"] == 3
        assert found.metrics["stalled_steps"] == 12
        assert found.metrics["coherence"] == 1
        assert found.metrics["tokens_per_step"] > 0
        assert found.metrics["repeated_actions"] == round(2 / 12, 4)
        assert found.state == "errors"
        memory.errors.record("lost the thread", type="context_degradation", task=task)
        assert memory.supervisor.context(task=task).metrics["coherence"] == 0.5

    def test_the_newest_task_is_meant_where_none_is_named(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        workspace = memory.tasks.show(task).workspace
        assert memory.supervisor.context(workspace=workspace).metrics["error_rate"] == 0.25
        assert memory.supervisor.context().metrics == {}

    def test_no_budget_is_exceeded_and_no_critical_fact_cut(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        teach(memory, place(memory, task))
        for budget in (*range(200, 800, 50), 2_000):
            for figures in ({"error_rate": 0.9}, {"coherence": 0.0}, {"stalled_steps": 60}):
                found = memory.supervisor.context(task=task, metrics=figures, budget=budget)
                assert found.context.tokens <= budget
                assert "Oil is never poured at night." in found.context.text
        with pytest.raises(BudgetTooSmall) as result:
            memory.supervisor.context(task=task, budget=20)
        assert memory.supervisor.context(task=task, budget=result.value.needed).context.tokens

    def test_it_is_about_what_was_raised(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        (one,) = raised(memory)
        assert memory.supervisor.context(task=task).intervention == one.id
        assert raised(memory)[0].state is InterventionState.ACKNOWLEDGED
        assert (
            memory.supervisor.context(task=task, metrics={"error_rate": 0.0}).intervention == one.id
        )
        assert list(memory.supervisor.news("cli")) == []

    def test_a_supervisor_may_come_by_itself(self, memory: Memoranda) -> None:
        task = begun(memory)
        fine = memory.supervisor.context(task=task)
        assert (fine.state, fine.intervention) == ("well", None)
        found = memory.supervisor.context(task=task, metrics={"coherence": 0.2})
        again = memory.supervisor.context(task=task, metrics={"coherence": 0.2})
        (one,) = raised(memory)
        assert found.intervention == again.intervention == one.id
        assert (one.signal, one.metrics["coherence"]) == (SupervisionSignal.ASKED, 0.2)
        memory.supervisor.outcome(one.id, "helped")
        later = memory.supervisor.context(task=task, metrics={"coherence": 0.2})
        assert later.intervention not in (None, one.id)

    def test_a_question_brings_up_what_bears_on_it(self, memory: Memoranda) -> None:
        task = begun(memory)
        for number in range(30):
            text = f"Lamp {number} stands in room {number}."
            memory.remember(NewMemory(text, category=Category.PATTERN), workspace="shop")
        memory.remember(
            NewMemory(
                "The boiler needs descaling with vinegar every second week, Ines says, by hand.",
                category=Category.PATTERN,
            ),
            workspace="shop",
        )
        for number in range(30, 60):
            text = f"Lamp {number} stands in room {number}."
            memory.remember(NewMemory(text, category=Category.PATTERN), workspace="shop")
        memory.capture.drain()
        figures = {"stalled_steps": 60}
        plain = memory.supervisor.context(task=task, metrics=figures, budget=300)
        context = memory.supervisor.context(
            task=task, metrics=figures, budget=300, query="what does the boiler need"
        )
        assert "boiler" not in plain.context.text
        first = context.context.sections[0]
        assert (first.name, "boiler" in first.items[0].text) == ("what-worked", True)

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"metrics": {"mood": 1}}, InvalidInput),
            ({"metrics": {"error_rate": "much"}}, InvalidInput),
            ({"metrics": {"error_rate": 2}}, InvalidInput),
            ({"metrics": [1]}, InvalidInput),
            ({"task": "nonesuch"}, NotFound),
            ({"budget": 0}, InvalidInput),
        ],
    )
    def test_what_makes_no_sense_is_refused_and_changes_nothing(
        self, memory: Memoranda, arguments: dict[str, Any], error: type[MemorandaError]
    ) -> None:
        task = begun(memory)
        with pytest.raises(error):
            memory.supervisor.context(**({"task": task} | arguments))
        assert raised(memory) == ()


class TestOutcome:
    def test_memories_in_the_context_are_rated_by_the_outcome(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        made = teach(memory, place(memory, task))
        id = str(memory.supervisor.context(task=task).intervention)
        memory.capture.take([ran(f"w{n}", f"cat well_{n}.py", "x") for n in range(4)])
        found = memory.supervisor.outcome(id, "helped", note="showed it the drawer")
        assert set(found.rated) == set(made.values())
        done = found.intervention
        assert (done.state, done.outcome, done.note) == ("closed", "helped", "showed it the drawer")
        assert done.decided_by == "human"
        assert done.effectiveness == 0.25  # from a quarter of the steps to none
        assert ratings(memory, made.values()) == dict.fromkeys(made.values(), Ratings(1, 0))

    def test_the_same_again_changes_nothing_and_another_must_be_meant(
        self, memory: Memoranda
    ) -> None:
        task = in_trouble(memory)
        made = teach(memory, place(memory, task))
        id = str(memory.supervisor.context(task=task).intervention)
        first = memory.supervisor.outcome(id, "helped", note="well done")
        assert memory.supervisor.outcome(id, "helped").intervention == first.intervention
        for outcome, note in (("hurt", ""), ("helped", "other words")):
            with pytest.raises(Conflict, match="add --correct"):
                memory.supervisor.outcome(id, outcome, note=note)
        assert raised(memory)[0] == first.intervention
        assert ratings(memory, made.values()) == dict.fromkeys(made.values(), Ratings(1, 0))
        corrected = memory.supervisor.outcome(id, InterventionOutcome.HURT, correct=True)
        assert corrected.intervention.outcome is InterventionOutcome.HURT
        assert ratings(memory, made.values()) == dict.fromkeys(made.values(), Ratings(0, 1))
        memory.supervisor.outcome(id, InterventionOutcome.HURT, note="since noon", correct=True)
        assert ratings(memory, made.values()) == dict.fromkeys(made.values(), Ratings(0, 1))

    def test_what_helped_rises_and_what_hurt_sinks(self, memory: Memoranda) -> None:
        task = begun(memory)
        texts = [f"Way {number} of trimming the wick." for number in range(4)]
        ids = [
            memory.remember(NewMemory(text, category=Category.PATTERN), workspace="shop").id
            for text in texts
        ]
        order = _order(memory, task)
        for id, useful in ((ids[0], True), (ids[0], True), (ids[1], True), (ids[3], False)):
            memory.observations.rate(id, useful=useful)
        assert order == [ids[3], ids[2], ids[1], ids[0]]
        assert _order(memory, task) == [ids[0], ids[1], ids[2], ids[3]]

    def test_what_helped_often_is_proposed_as_critical(self, memory: Memoranda) -> None:
        made, proposed = {}, []
        for number in range(6):
            task = in_trouble(memory, f"s{number}")
            if not made:
                made = teach(memory, place(memory, task))
                bob = acting(memory, "bob", place(memory, task))
                private = bob.remember(
                    NewMemory("mine alone", visibility=Visibility.AGENT, category=Category.PATTERN)
                )
            id = str(bob.supervisor.context(task=task).intervention)
            proposed.append(memory.supervisor.outcome(id, "helped").proposed)
        assert [len(one) for one in proposed] == [0, 0, 0, 0, len(made), 0]
        waiting = memory.proposals.list().items
        changes = [one for one in waiting if one.kind is ProposalKind.UPDATE]
        assert {one.memory for one in changes} == set(made.values())
        assert private.id not in {one.memory for one in changes}
        assert {one.agent for one in changes} == {"supervisor"}
        assert all(one.after.critical and not one.before.critical for one in changes)
        assert not any(one.critical for one in memory.memories.list() if one.id in made.values())
        memory.proposals.approve(changes[0].id, changes[0].hash)
        assert memory.memories.evidence(changes[0].memory).memory.critical

    def test_what_hurt_as_often_is_not_proposed(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        teach(memory, place(memory, task))
        for number in range(10):
            figures = {"error_rate": 0.9}
            id = str(memory.supervisor.context(task=task, metrics=figures).intervention)
            found = memory.supervisor.outcome(id, "helped" if number % 2 else "hurt")
            assert found.proposed == ()

    @pytest.mark.parametrize(
        ("id", "outcome", "error"),
        [("nonesuch", "helped", NotFound), ("", "helped", NotFound), (None, "fine", InvalidInput)],
    )
    def test_an_outcome_of_nothing_is_refused(
        self, memory: Memoranda, id: str | None, outcome: str, error: type[MemorandaError]
    ) -> None:
        in_trouble(memory)
        (one,) = raised(memory)
        with pytest.raises(error):
            memory.supervisor.outcome(one.id if id is None else id, outcome)
        assert raised(memory) == (one,)

    def test_of_concurrent_outcomes_one_is_stored(self, memory: Memoranda) -> None:
        task = in_trouble(memory)
        made = teach(memory, place(memory, task))
        id = str(memory.supervisor.context(task=task).intervention)
        lines: list[str] = []

        def record(number: int) -> None:
            try:
                memory.supervisor.outcome(id, ("helped", "hurt")[number % 2])
                lines.append("told")
            except Conflict:
                lines.append("refused")

        together(record, 8)
        assert sorted(lines) == ["refused"] * 4 + ["told"] * 4
        found = ratings(memory, made.values())
        assert all(one.useful + one.useless == 1 for one in found.values())

    def test_another_team_and_workspace_see_nothing(self, memory: Memoranda) -> None:
        in_trouble(memory)
        (one,) = raised(memory)
        for stranger in (
            Memoranda(memory._services, Scope("elsewhere")),
            acting(memory, None, "another"),
        ):
            assert raised(stranger) == ()
            with pytest.raises(NotFound):
                stranger.supervisor.outcome(one.id, "hurt")


def ratings(memory: Memoranda, ids: Any) -> dict[str, Ratings]:
    from memoranda.search import rating_table as table

    team = memory._scope.team
    return memory._services.database.read(lambda tx: table.of_sources(tx, team, list(ids)))


def _order(memory: Memoranda, task: str) -> list[str]:
    found = memory.supervisor.context(task=task, metrics={"stalled_steps": 60})
    (worked,) = [one for one in found.context.sections if one.name == "what-worked"]
    return [item.id for item in worked.items]


class TestRanking:
    def test_fixes_of_an_open_error_rank_higher(self, memory: Memoranda) -> None:
        memory.capture.take(
            [
                failed("a", session="old"),
                ran("old b", "pip install wick", "done", session="old"),
                ran("old c", "python lamp.py", "it is lit", session="old"),
                ran("old d", "cat lamp.md", "the lamp needs care", session="old"),
            ]
        )
        workspace = place(memory, memory.errors.list().items[0].task)
        fix = memory.errors.list().items[0].resolved_by
        assert fix is not None
        resting = memory.remember(
            NewMemory("Lamp: see the drawer.", category=Category.INSIGHT, evidence=(fix,)),
            workspace=workspace,
        )
        naming = memory.remember(
            NewMemory("Lamp: wick comes by post.", category=Category.TROUBLESHOOTING),
            workspace=workspace,
        )
        other = memory.remember(
            NewMemory("Lamp: paint it green.", category=Category.TROUBLESHOOTING),
            workspace=workspace,
        )
        memory.capture.drain()

        def why() -> dict[str, float]:
            hits = memory.search("lamp", workspace=workspace).hits
            return {hit.id: hit.why["error_correction"] for hit in hits}

        assert set(why().values()) == {0.0}
        memory.capture.take([failed("now", session="new")])
        memory.capture.drain()
        found = why()
        assert (found[fix], found[resting.id]) == (1.0, 1.0)
        assert (found[naming.id], found[other.id]) == (0.8, 0.0)
        context = memory.context(workspace=workspace).text
        assert "Failed, then fixed: python lamp.py" in context
        (error, *_) = memory.errors.list(limit=1).items
        memory.errors.resolve(error.id, "installed it")
        assert set(why().values()) == {0.0}

    def test_a_recorded_error_counts_as_current(self, memory: Memoranda) -> None:
        task = begun(memory)
        rule = memory.remember(
            NewMemory("The flag --strict_mode is not there.", category=Category.LEARNED_RULE),
            workspace="shop",
        )
        memory.capture.drain()
        error = memory.errors.record("used strict_mode again", type="hallucination", task=task)
        memory.capture.drain()
        (hit,) = [h for h in memory.search("flag", workspace="shop").hits if h.id == rule.id]
        assert hit.why["error_correction"] == 0.8
        memory.errors.resolve(error.id, "read the help")
        (hit,) = [h for h in memory.search("flag", workspace="shop").hits if h.id == rule.id]
        assert hit.why["error_correction"] == 0.0

    def test_a_task_outside_of_the_question_may_be_named(self, memory: Memoranda) -> None:
        first, _ = begun(memory, "first"), begun(memory, "second")
        rule = memory.remember(
            NewMemory("The flag --strict_mode is not there.", category=Category.LEARNED_RULE),
            workspace="shop",
        )
        memory.capture.drain()
        memory.errors.record("used strict_mode again", type="hallucination", task=first)
        memory.capture.drain()

        def worth(work: TaskContext) -> float:
            hits = memory.search("flag", workspace="shop", work=work).hits
            return {hit.id: hit.why["error_correction"] for hit in hits}[rule.id]

        assert worth(TaskContext(task=first)) == 0.8
