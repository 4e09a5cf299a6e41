"""Contract of the store for reported errors, watches and interventions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.errors import note_table as error_notes
from memoranda.errors.model import ErrorNote, ErrorType
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType
from memoranda.search import rating_table as ratings
from memoranda.search.model import Ratings
from memoranda.store.database import Database, Transaction
from memoranda.supervision import table as interventions
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    SupervisionSignal,
)
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

TEAM = Records().team


def error_note(records: Records, task: Task, **changes: Any) -> ErrorNote:
    """Make an error that an agent reported."""
    made = ErrorNote(
        team=records.team,
        id=records.ids.new(),
        workspace=task.workspace,
        task=task.id,
        stage="execution",
        agent="main",
        type=ErrorType.HALLUCINATION,
        description="made up a flag \u2603",
        context="reading the help",
        recovery="",
        severity=0.7,
        observation=None,
        position=3,
        created_at=START,
    )
    return replace(made, **changes)


def intervention(records: Records, task: Task, **changes: Any) -> Intervention:
    """Make an open intervention."""
    made = Intervention(
        team=records.team,
        id=records.ids.new(),
        workspace=task.workspace,
        task=task.id,
        signal=SupervisionSignal.SAME_ERROR,
        cause="digest",
        reason="the same error 3 times",
        metrics={"error_rate": 0.25},
        raised_at=START,
        position=7,
    )
    return replace(made, **changes)


class SupervisionContract:
    """A cause is raised once, a channel notified once, deletion complete."""

    def test_a_note_round_trips_and_is_overwritten(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            note = error_note(records, records.plant_task(tx))
            error_notes.put(tx, note)
            assert error_notes.by_id(tx, TEAM, note.id) == note
            ended = replace(note, recovery="read it", resolved_by="human", resolved_at=9)
            error_notes.put(tx, ended)
            assert error_notes.by_id(tx, TEAM, note.id) == ended
            assert error_notes.by_prefix(tx, TEAM, note.id[:20]) == [note.id]
            assert error_notes.delete(tx, TEAM, [note.id, "nonesuch"]) == 1
            assert error_notes.by_id(tx, TEAM, note.id) is None

        database.write(work)

    def test_notes_are_listed_newest_first_by_place_and_task(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            shop, yard = records.plant_task(tx), records.plant_task(tx, "yard")
            error = records.plant(tx, shop, 1, type=ObservationType.ERROR)
            one = error_note(records, shop)
            two = error_note(records, yard, recovery="done")
            bare = replace(error_note(records, yard), task=None)
            about = error_note(records, shop, observation=error.id, position=0)
            for note in (one, two, bare, about):
                error_notes.put(tx, note)
            assert error_notes.listed(tx, TEAM, None, None, limit=9) == [bare, two, one]
            assert error_notes.listed(tx, TEAM, None, None, before=bare.id, limit=1) == [two]
            assert error_notes.listed(tx, TEAM, yard.workspace, None, limit=9) == [bare, two]
            assert error_notes.listed(tx, TEAM, None, shop.id, limit=9) == [one]
            assert error_notes.still_open(tx, TEAM, shop.id, limit=9) == [one]
            assert error_notes.still_open(tx, TEAM, yard.id, limit=9) == []
            assert error_notes.since(tx, TEAM, shop.id, "", limit=9) == [one]
            assert error_notes.since(tx, TEAM, shop.id, one.id, limit=9) == []
            assert error_notes.by_observations(tx, TEAM, [error.id]) == {error.id: about}
            span, later = (START, START + 1), (START + 1, None)
            place = yard.workspace
            assert error_notes.within(tx, TEAM, place, None, span=span, limit=9) == [
                two.id,
                bare.id,
            ]
            assert error_notes.within(tx, TEAM, place, yard.id, span=span, limit=9) == [two.id]
            assert error_notes.within(tx, TEAM, place, None, span=later, limit=9) == []

        database.write(work)

    def test_a_note_goes_with_the_error_or_the_task_that_it_is_about(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            error = records.plant(tx, task, 1, type=ObservationType.ERROR)
            observations.open_error(tx, TEAM, task.id, "pytest", error.id)
            about = error_note(records, task, observation=error.id)
            other = error_note(records, task)
            for note in (about, other):
                error_notes.put(tx, note)
            assert error_notes.end_captured(tx, TEAM, error.id)
            assert not error_notes.end_captured(tx, TEAM, error.id)
            assert observations.open_errors(tx, TEAM, task.id, 9) == []
            observations.delete(tx, TEAM, [error.id], START)
            assert error_notes.by_id(tx, TEAM, about.id) is None
            interventions.put(tx, intervention(records, task))
            interventions.put_watch(tx, TEAM, task.id, 3, {})
            tasks.delete(tx, TEAM, task.id)
            assert error_notes.by_id(tx, TEAM, other.id) is None
            assert interventions.listed(tx, TEAM, None, None, None, limit=9) == []
            assert interventions.watch(tx, TEAM, task.id) == (0, None)

        database.write(work)

    def test_a_cause_is_raised_once(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            one = intervention(records, task)
            assert interventions.put(tx, one)
            assert interventions.by_id(tx, TEAM, one.id) == one
            assert not interventions.put(tx, intervention(records, task))
            other = intervention(records, task, cause="another")
            assert interventions.put(tx, other)
            assert interventions.by_prefix(tx, TEAM, one.id[:34]) != []
            assert interventions.waiting(tx, TEAM, task.id) == other

        database.write(work)

    def test_of_concurrent_interventions_one_is_stored(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        made = [intervention(records, task) for _ in range(8)]
        found: list[bool] = []

        def race(number: int) -> None:
            found.append(database.write(lambda tx: interventions.put(tx, made[number])))

        together(race, 8)
        assert sorted(found) == [False] * 7 + [True]

    def test_an_intervention_is_acknowledged_once_then_decided(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            one = intervention(records, task)
            interventions.put(tx, one)
            assert interventions.acknowledge(tx, TEAM, one.id)
            assert not interventions.acknowledge(tx, TEAM, one.id)
            decided = replace(
                one,
                state=InterventionState.CLOSED,
                outcome=InterventionOutcome.HURT,
                effectiveness=-0.5,
                note="it stopped",
                decided_by="bob",
                decided_at=START + 1,
            )
            assert interventions.decide(tx, decided)
            assert interventions.by_id(tx, TEAM, one.id) == decided
            assert not interventions.acknowledge(tx, TEAM, one.id)
            assert interventions.waiting(tx, TEAM, task.id) is None
            closed, opened = InterventionState.CLOSED, InterventionState.OPEN
            assert interventions.listed(tx, TEAM, None, None, closed, limit=9) == [decided]
            assert interventions.listed(tx, TEAM, None, None, opened, limit=9) == []
            elsewhere = interventions.listed(tx, TEAM, "elsewhere", None, None, limit=9)
            assert elsewhere == []
            assert interventions.listed(tx, TEAM, None, "other", None, limit=9) == []

        database.write(work)

    def test_memories_are_counted_by_what_came_of_their_interventions(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            good, other = (
                records.plant_memory(tx, records.memory(None, f"memory {n}")) for n in range(2)
            )
            for number, outcome in enumerate(
                (
                    InterventionOutcome.HELPED,
                    InterventionOutcome.HELPED,
                    InterventionOutcome.HURT,
                    None,
                )
            ):
                one = intervention(records, task, cause=f"{number}")
                interventions.put(tx, one)
                interventions.put_context_memories(tx, TEAM, one.id, [good.id])
                interventions.put_context_memories(tx, TEAM, one.id, [good.id])
                if outcome:
                    interventions.decide(tx, replace(one, outcome=outcome))
                assert interventions.memories(tx, TEAM, one.id) == [good.id]
            found = interventions.record(tx, TEAM, [good.id, other.id])
            assert found == {good.id: Ratings(2, 1)}
            memories.delete(tx, TEAM, [good.id])
            assert interventions.record(tx, TEAM, [good.id]) == {}

        database.write(work)

    def test_a_channel_is_notified_of_an_open_intervention_once(self, database: Database) -> None:
        records = Records()

        def plant(tx: Transaction) -> list[Intervention]:
            task = records.plant_task(tx)
            made = [intervention(records, task, cause=f"{n}") for n in range(4)]
            for one in made:
                interventions.put(tx, one)
            interventions.acknowledge(tx, TEAM, made[3].id)
            return made[:3]

        raised = database.write(plant)

        def notify(channel: str, limit: int) -> list[Intervention]:
            def work(tx: Transaction) -> list[Intervention]:
                found = interventions.unnotified(tx, TEAM, channel, limit=limit)
                interventions.mark_notified(tx, TEAM, channel, found, START)
                interventions.mark_notified(tx, TEAM, channel, found, START)
                return found

            return database.write(work)

        assert notify("cli", 2) == raised[:2]
        assert notify("page", 9) == raised
        assert notify("cli", 9) == raised[2:]
        assert notify("cli", 9) == []

    def test_how_far_a_task_was_watched_is_written_over(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            assert interventions.watch(tx, TEAM, task.id) == (0, None)
            interventions.put_watch(tx, TEAM, task.id, 5, {"steps": [0.5]})
            interventions.put_watch(tx, TEAM, task.id, 9, {"steps": [0.0]})
            assert interventions.watch(tx, TEAM, task.id) == (9, {"steps": [0.0]})

        database.write(work)

    def test_an_opinion_is_taken_back_only_where_there_is_one(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            ratings.rate(tx, TEAM, "m", useful=True, now=START)
            assert not ratings.take_back(tx, TEAM, "m", useful=False, now=START)
            assert ratings.take_back(tx, TEAM, "m", useful=True, now=START)
            assert not ratings.take_back(tx, TEAM, "m", useful=True, now=START)
            assert ratings.of_sources(tx, TEAM, ["m"]) == {"m": Ratings(0, 0)}

        database.write(work)

    def test_memories_are_found_by_what_they_rest_on(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = [records.plant(tx, task, n, f"step {n}") for n in (1, 2)]
            one = records.plant_memory(tx, records.memory(None, "one"), (seen[0].id, seen[1].id))
            two = records.plant_memory(tx, records.memory(None, "two"), (seen[1].id,))
            found = memories.resting_on(tx, TEAM, [one.id for one in seen])
            assert found == [two.id, one.id]
            assert memories.resting_on(tx, TEAM, [seen[0].id]) == [one.id]

        database.write(work)
