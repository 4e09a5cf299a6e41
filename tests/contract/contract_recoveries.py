"""Contract of the store for steps between an error and its resolution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.records import Records
from memoranda.errors.recovery_step_table import before_failures, between, next_failures
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import Observation, ObservationType, Salience
from memoranda.store.database import Database, Transaction
from memoranda.tasks.model import Task

ERROR, FIX = ObservationType.ERROR, ObservationType.FIX


def resolved_error(
    tx: Transaction, records: Records, task: Task, *steps: dict[str, Any], start: int = 1
) -> list[Observation]:
    """Store an error, steps, and its resolution; return all of them."""
    error = records.plant(tx, task, start, "it fails", type=ERROR)
    made = [
        records.plant(tx, task, start + number, f"step {number}", **step)
        for number, step in enumerate(steps, 1)
    ]
    ended = {"type": FIX, "resolves": error.id}
    return [error, *made, records.plant(tx, task, start + len(steps) + 1, "it works", **ended)]


class RecoveryContract:
    """Only the steps between an error and its resolution are returned."""

    def test_steps_between_an_error_and_its_end_are_found_in_order(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx)
            records.plant(tx, task, 1, "before")
            first = resolved_error(tx, records, task, {}, {}, start=2)
            records.plant(tx, task, 6, "after")
            records.plant(tx, other, 3, "in another task")
            second = resolved_error(tx, records, other, {}, start=4)
            fixes = [first[-1].id, second[-1].id]
            assert between(tx, records.team, fixes, within=9, limit=9) == {
                first[-1].id: [one.id for one in first[1:-1]],
                second[-1].id: [second[1].id],
            }
            assert between(tx, records.team, fixes[:1], within=9, limit=9).keys() == {fixes[0]}
            assert between(tx, records.team, [], within=9, limit=9) == {}
            assert between(tx, records.team, [first[0].id, "none"], within=9, limit=9) == {}
            assert between(tx, "another team", fixes, within=9, limit=9) == {}

        database.write(work)

    def test_steps_between_two_failures_of_an_action_are_found(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            first, other, again = (
                replace(records.observation(task, number, "it fails", type=ERROR), target=target)
                for number, target in ((1, "make"), (2, "ls"), (4, "make"))
            )
            blobs.insert(tx, records.team, [Blob.of("it fails")])
            observations.insert(tx, [first, other])
            step = records.plant(tx, task, 3, "a step")
            observations.insert(tx, [again])
            ids = [one.observation.id for one in (first, other, again)]
            for team, found in ((records.team, {ids[0]: ids[2]}), ("another team", {})):
                assert next_failures(tx, team, ids) == found
                steps = before_failures(tx, team, ids, within=9, limit=9)
                assert steps == ({ids[2]: [step.id]} if found else {})
            assert next_failures(tx, records.team, []) == {}

        database.write(work)

    def test_unchanged_and_hidden_steps_are_omitted(self, database: Database) -> None:
        records = Records()
        left_out: list[dict[str, Any]] = [
            {"type": ERROR},
            {"tool": None},
            {"branch": "rewound"},
            {"salience": Salience.LOW},
            {"salience": Salience.QUARANTINED},
            *({"tags": ("python", tag)} for tag in ("read", "search", "plan", "web", "test")),
            {"tags": ("lint",)},
        ]
        kept: list[dict[str, Any]] = [
            {"tags": ("python",)},
            {"tags": ("test", "edit")},
            {"branch": "sidechain"},
            {"salience": Salience.FOLDED, "repeats": "an earlier one"},
            {"type": FIX},
        ]

        def work(tx: Transaction) -> None:
            made = resolved_error(tx, records, records.plant_task(tx), *left_out, *kept)
            found = between(tx, records.team, [made[-1].id], within=50, limit=50)
            result = made[len(left_out) + 1 : -1]
            assert found == {made[-1].id: [one.id for one in result]}
            assert len(result) == len(kept)

        database.write(work)

    def test_only_the_last_steps_are_looked_through(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            older = resolved_error(tx, records, task, *({} for _ in range(5)))
            newer = resolved_error(tx, records, task, *({} for _ in range(5)), start=8)
            fixes = [older[-1].id, newer[-1].id]
            found = between(tx, records.team, fixes, within=2, limit=9)
            last = [[one.id for one in made[4:6]] for made in (older, newer)]
            assert found == dict(zip(fixes, last, strict=True))
            found = between(tx, records.team, fixes, within=2, limit=3)
            assert found == {fixes[0]: last[0][1:], fixes[1]: last[1]}
            assert between(tx, records.team, fixes, within=2, limit=0) == {}

        database.write(work)
