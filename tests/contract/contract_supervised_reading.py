"""Contract of the store for supervision's fast queries.

They must return the same as reading everything.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from contract.clock import START
from contract.contract_stages import compression
from contract.contract_supervision import error_note
from contract.records import Records
from memoranda.compression import table as compressions
from memoranda.errors import note_table as error_notes
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType
from memoranda.observations.table import ObservationFilter, ResolvedError
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus

TEAM = Records().team
SEEDS = (1, 2, 3)


class SupervisedReadingContract:
    """Fast queries return the same as the plain ones."""

    @pytest.mark.parametrize("seed", SEEDS)
    def test_resolved_errors_equal_those_of_a_full_read(
        self, database: Database, seed: int
    ) -> None:
        def work(tx: Transaction) -> None:
            task, other = _resolved_tasks(tx, random.Random(seed))
            for place in (task.workspace, other.workspace, None):
                for limit in (1, 7, 500):
                    found = observations.ended(tx, TEAM, place, limit=limit)
                    assert found == _ended_slowly(tx, place, limit)
            assert observations.ended(tx, TEAM, "elsewhere", limit=9) == []
            assert observations.ended(tx, "another", task.workspace, limit=9) == []
            assert observations.ended(tx, "another", None, limit=9) == []

        database.write(work)

    def test_fixes_of_unknown_errors_are_omitted(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task = records.plant_task(tx)
            error = records.plant(tx, task, 1, type=ObservationType.ERROR, tags=("test",))
            fixing = {"type": ObservationType.FIX}
            fix = records.plant(tx, task, 2, "it ran", resolves=error.id, **fixing)
            records.plant(tx, task, 3, "it ran too", resolves="forgotten", **fixing)
            records.plant(tx, task, 4, "it ran as well", **fixing)
            (found,) = observations.ended(tx, TEAM, task.workspace, limit=3)
            assert (found.fix, found.error, found.tags) == (fix.id, error.id, ("test",))
            assert (found.done, found.summary) == ("it ran", "ran the tests")
            assert observations.ended(tx, TEAM, task.workspace, limit=2) == []

        database.write(work)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_tasks_of_a_workspace_are_those_among_all(self, database: Database, seed: int) -> None:
        def work(tx: Transaction) -> None:
            dice, records = random.Random(seed), Records()
            made = [_begun(tx, records, dice) for _ in range(60)]
            everything = tasks.listed(tx, TEAM, limit=100)
            assert len(everything) == len(made)
            for place in {one.workspace for one in made}:
                for status in (None, *TaskStatus):
                    wanted = [
                        one.id
                        for one in everything
                        if one.workspace == place and status in (None, one.status)
                    ]
                    assert _paged(tx, place, status) == wanted

        database.write(work)

    def test_a_task_counts_its_own_captures_only(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            one, two = records.plant_task(tx), records.plant_task(tx)
            tasks.update(tx, replace(one, tokens=5))
            tasks.update(tx, replace(two, tokens=7))
            assert tasks.captured(tx, TEAM, one.workspace, one.id) == 5
            assert tasks.captured(tx, TEAM, None, two.id) == 7
            assert tasks.captured(tx, TEAM, one.workspace, None) == 12
            assert tasks.captured(tx, TEAM, "elsewhere", one.id) == 0
            assert tasks.captured(tx, "another", None, one.id) == 0

        database.write(work)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_summaries_are_the_same_in_parts_and_in_full(
        self, database: Database, seed: int
    ) -> None:
        def work(tx: Transaction) -> None:
            dice = random.Random(seed)
            task = Records().plant_task(tx)
            assert compressions.agreement(tx, TEAM, task.id) == 1.0
            for number in dice.sample(range(40), 15):
                facts = dice.randrange(5)
                kept, against = dice.randint(0, facts), dice.randrange(3)
                made = compression(task, number, tokens=dice.randrange(1, 900), facts=facts)
                compressions.put(tx, replace(made, kept=kept, contradictions=against))
            whole = compressions.listed(tx, TEAM, task.id)
            sizes = compressions.sizes(tx, TEAM, task.id)
            assert list(sizes.items()) == [(one.stage, one.tokens) for one in whole]
            shares = [one.retention / (1 + one.contradictions) for one in whole]
            assert compressions.agreement(tx, TEAM, task.id) == min(shares)
            chosen = dice.sample(range(40), 20)
            some = compressions.of_stages(tx, TEAM, task.id, chosen)
            assert some == [one for one in whole if one.stage in chosen]
            assert compressions.agreement(tx, "another", task.id) == 1.0

        database.write(work)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_memories_are_linked_to_their_evidence(self, database: Database, seed: int) -> None:
        def work(tx: Transaction) -> None:
            dice, records = random.Random(seed), Records()
            task = records.plant_task(tx)
            seen = [records.plant(tx, task, n, f"step {n}").id for n in range(1, 13)]
            rests = {}
            for number in range(20):
                evidence = tuple(dice.sample(seen, dice.randrange(4)))
                made = records.memory(None, f"memory {number}")
                rests[records.plant_memory(tx, made, evidence).id] = set(evidence)
            for _ in range(10):
                sample = dice.sample(seen, dice.randrange(6))
                wanted = [id for id, evidence in rests.items() if evidence & set(sample)]
                assert memories.resting_on(tx, TEAM, sample) == sorted(wanted, reverse=True)

        database.write(work)

    def test_a_note_on_a_captured_error_is_stored_with_it_only(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            seen = records.plant(tx, task, 1, type=ObservationType.ERROR)
            about = error_note(records, task, observation=seen.id, position=0)
            errors = [error_note(records, task) for _ in range(3)]
            over = error_note(records, task, recovery="read the help")
            for one in (about, *errors, over, error_note(records, other)):
                error_notes.put(tx, one)
            standing = error_notes.still_open(tx, TEAM, task.id, limit=9)
            assert [one.id for one in standing] == [one.id for one in reversed(errors)]
            since = error_notes.since(tx, TEAM, task.id, errors[0].id, limit=9)
            assert [one.id for one in since] == [errors[1].id, errors[2].id, over.id]

        database.write(work)


def _resolved_tasks(tx: Transaction, dice: random.Random) -> tuple[Task, Task]:
    """Store steps of two workspaces, some failed, some resolving failures."""
    records = Records()
    places = (records.plant_task(tx), records.plant_task(tx, "elsewhere"))
    failed: list[str] = []
    kinds = (ObservationType.ERROR, ObservationType.FIX, ObservationType.TOOL_CALL)
    for sequence in range(1, 60):
        kind, task = dice.choice(kinds), dice.choice(places)
        fixing = kind is ObservationType.FIX and failed
        made = records.plant(
            tx,
            task,
            sequence,
            f"step {sequence} \u2192 came of it\nline {sequence}",
            type=kind,
            tags=tuple(dice.sample(("test", "import_error", "edit"), dice.randrange(3))),
            resolves=dice.choice([*failed, None, "forgotten"]) if fixing else None,
            repeats=dice.choice([None, None, failed[0]]) if fixing else None,
        )
        if kind is ObservationType.ERROR:
            failed.append(made.id)
    return places


def _ended_slowly(tx: Transaction, place: str | None, limit: int) -> list[ResolvedError]:
    fixed = ObservationFilter(type=ObservationType.FIX)
    fixes = observations.recent(tx, TEAM, place, where=fixed, limit=limit)
    errors = observations.by_ids(tx, TEAM, [one.resolves for one in fixes if one.resolves])
    return [_ended(fix, errors[fix.resolves]) for fix in fixes if fix.resolves in errors]


def _ended(fix: Observation, error: Observation) -> ResolvedError:
    reported = error.id, error.tags, error.summary
    return ResolvedError(
        fix.id, fix.ref, fix.task, fix.origin, fix.summary, fix.created_at, *reported
    )


def _begun(tx: Transaction, records: Records, dice: random.Random) -> Task:
    """Store a task of one of two workspaces; many have equal progress."""
    task = records.plant_task(tx, dice.choice(("shop", "elsewhere")))
    made = replace(task, status=dice.choice([*TaskStatus]), last_event_at=START + dice.randrange(8))
    tasks.update(tx, made)
    return made


def _paged(tx: Transaction, place: str, status: TaskStatus | None) -> list[str]:
    """Read pages of two and three, each from the last row of the one before."""
    found: list[str] = []
    before = tasks.NEWEST
    while page := tasks.listed(
        tx, TEAM, workspace=place, status=status, before=before, limit=2 + len(found) % 2
    ):
        found += [one.id for one in page]
        before = (page[-1].last_event_at, page[-1].id)
    return found
