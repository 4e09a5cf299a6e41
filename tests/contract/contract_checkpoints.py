"""Contract of the store for checkpoints and state of tasks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.contract_transactions import together
from contract.contract_working import json_values
from contract.records import Records
from memoranda.checkpoints import table as checkpoints
from memoranda.checkpoints.model import (
    MAXIMUM,
    Checkpoint,
    CheckpointBlock,
    Effort,
    EffortTotal,
    Snapshot,
    TaskPhase,
    TaskState,
)
from memoranda.exceptions import StorageError
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

TEAM = Records().team


def checkpoint(records: Records, task: Task, **changes: Any) -> Checkpoint:
    """Make a checkpoint without a number."""
    made = Checkpoint(
        team=task.team,
        id=records.ids.new(),
        task=task.id,
        sequence=0,
        parent=None,
        phase=TaskPhase.CODING,
        description=f"of {task.team}",
        position=3,
        effort=Effort(5, 7, 11),
        agent=None,
        created_at=START,
    )
    return replace(made, **changes)


def plant_checkpoint(tx: Transaction, records: Records, task: Task, **changes: Any) -> Checkpoint:
    """Store an empty checkpoint."""
    return checkpoints.insert(tx, Snapshot(checkpoint(records, task, **changes), {}, ()))


class CheckpointContract:
    """A checkpoint never changes, and has a unique number in its task."""

    @given(value=json_values)
    @_few
    def test_a_checkpoint_comes_back_as_it_was_taken(
        self, database: Database, value: JsonValue
    ) -> None:
        records = new_team()
        stored = (CheckpointBlock("a", 1, 9), CheckpointBlock("b", 7, MAXIMUM))

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            made = checkpoint(records, task, agent="critic", parent="elsewhere",
                              phase=TaskPhase.FIXING, effort=Effort(*[MAXIMUM] * 3))  # fmt: skip
            added = checkpoints.insert(tx, Snapshot(made, {"": value}, stored[::-1]))
            assert added == replace(made, sequence=1)
            found = checkpoints.snapshot(tx, task.team, made.id)
            assert found is not None
            assert (found.checkpoint, found.blocks) == (added, stored)
            assert dump_json(dict(found.state)) == dump_json({"": value})
            assert checkpoints.by_id(tx, task.team, made.id) == added
            assert checkpoints.by_sequence(tx, task.team, task.id, 1) == added
            assert checkpoints.by_prefix(tx, task.team, task.id, made.id[:13]) == [added]
            assert checkpoints.snapshot(tx, task.team, "none") is None

        database.of(records.team).write(work)

    def test_each_task_numbers_its_own(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = records.plant_task(tx), records.plant_task(tx)
            made = [plant_checkpoint(tx, records, task) for task in (one, two, one, one, two)]
            assert [each.sequence for each in made] == [1, 1, 2, 3, 2]
            listed = checkpoints.listed(tx, TEAM, one.id, limit=9)
            assert [each.sequence for each in listed] == [3, 2, 1]
            assert checkpoints.listed(tx, TEAM, one.id, before=3, limit=1) == [made[2]]
            assert checkpoints.by_sequence(tx, TEAM, two.id, 3) is None
            assert checkpoints.by_prefix(tx, TEAM, two.id, made[0].id) == []
            prefix = made[0].id[:8]
            assert checkpoints.by_prefix(tx, TEAM, one.id, prefix) == [made[0], made[2], made[3]]

        database.write(work)

    def test_writers_at_once_get_numbers_without_a_gap(self, database: Database) -> None:
        task = database.write(Records().plant_task)

        def run(number: int) -> None:
            records = Records(seed=100 + number)
            for _ in range(5):
                database.write(partial(plant_checkpoint, records=records, task=task))

        together(run, count=3)
        listed = database.read(lambda tx: checkpoints.listed(tx, TEAM, task.id, limit=99))
        assert [one.sequence for one in listed] == list(range(15, 0, -1))

    def test_the_tree_names_the_parent_of_each(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            first = plant_checkpoint(tx, records, task).id
            left, right = (plant_checkpoint(tx, records, task, parent=first).id for _ in range(2))
            plant_checkpoint(tx, records, records.plant_task(tx), parent=left)
            tree = {first: None, left: first, right: first}
            assert checkpoints.parents(tx, TEAM, task.id) == tree

        database.write(work)

    def test_a_task_note_is_overwritten(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx)
            assert checkpoints.state(tx, TEAM, task.id) == TaskState(None, {})
            for state in (TaskState(None, {"n": 1}, 5), TaskState("head", {"n": [2.0]}, 6)):
                checkpoints.put_state(tx, TEAM, task.id, state)
                assert checkpoints.state(tx, TEAM, task.id) == state
            assert checkpoints.state(tx, TEAM, other.id) == TaskState(None, {})

        database.write(work)

    def test_effort_is_added_up_by_what_it_has_in_common(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = records.plant_task(tx), records.plant_task(tx, "barn")
            for task, phase, agent, tokens in (
                (one, TaskPhase.CODING, "critic", 1),
                (one, TaskPhase.TESTING, None, 2),
                (one, TaskPhase.CODING, "critic", 4),
                (two, TaskPhase.CODING, "scribe", MAXIMUM),
            ):
                plant_checkpoint(
                    tx, records, task, phase=phase, agent=agent, effort=Effort(tokens, 2 * tokens)
                    if tokens < MAXIMUM else Effort(tokens)
                )  # fmt: skip

            def spent(by: str, workspace: str | None = None, task: str | None = None) -> list[Any]:
                found = checkpoints.spent(tx, TEAM, by, workspace=workspace, task=task)
                assert all(isinstance(one, EffortTotal) for one in found)
                return [(one.name, one.checkpoints, *one.effort.parts[:2]) for one in found]

            assert spent("phase", task=one.id) == [("coding", 2, 5, 10), ("testing", 1, 2, 4)]
            assert spent("agent", one.workspace) == [("", 1, 2, 4), ("critic", 2, 5, 10)]
            assert spent("task", two.workspace) == [(two.id, 1, MAXIMUM, 0)]
            assert len(spent("task")) == 2
            assert spent("phase", two.workspace, one.id) == []

        database.write(work)

    def test_a_task_that_goes_takes_its_checkpoints_along(self, database: Database) -> None:
        records = Records()
        shared: dict[str, JsonValue] = {"of": "both"}
        own: dict[str, JsonValue] = {"of": "one"}
        digests = [Blob.of(dump_json(state)).hash for state in (shared, own)]

        def work(tx: Transaction) -> None:
            gone, kept = records.plant_task(tx), records.plant_task(tx)
            for task, state in ((gone, own), (gone, shared), (kept, shared)):
                made = checkpoint(records, task)
                checkpoints.insert(tx, Snapshot(made, state, (CheckpointBlock("a", 1, 9),)))
                checkpoints.put_state(tx, TEAM, task.id, TaskState(made.id, state))
            assert blobs.delete_unused(tx, TEAM, digests) == 0
            assert sorted(tasks.contents(tx, TEAM, gone.id)) == sorted(digests)
            tasks.delete(tx, TEAM, gone.id)
            assert checkpoints.listed(tx, TEAM, gone.id, limit=9) == []
            assert checkpoints.state(tx, TEAM, gone.id) == TaskState(None, {})
            assert blobs.delete_unused(tx, TEAM, digests) == 1
            assert checkpoints.state(tx, TEAM, kept.id).state == shared

        database.write(work)

    def test_a_checkpoint_needs_its_task(self, database: Database) -> None:
        records = Records()
        nowhere = records.task("nowhere")
        with pytest.raises(StorageError):
            database.write(lambda tx: plant_checkpoint(tx, records, nowhere))
        with pytest.raises(StorageError):
            database.write(
                lambda tx: checkpoints.put_state(tx, TEAM, nowhere.id, TaskState(None, {}))
            )
