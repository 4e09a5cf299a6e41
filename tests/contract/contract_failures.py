"""Contract of the store for lists and counts of errors and calls.

The queries read few columns.
"""

from __future__ import annotations

from itertools import islice

import pytest

from contract.records import Records
from memoranda.errors import table as failures
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType
from memoranda.store.database import Database, Transaction
from memoranda.tasks.model import Task
from memoranda.tools import call_table as calls

ERROR, FIX = ObservationType.ERROR, ObservationType.FIX
DAY = 86_400_000_000


def failed(tx: Transaction, records: Records, task: Task, count: int) -> list[Observation]:
    """Store errors with a step before each; return them, newest first."""
    made = []
    for number in range(count):
        records.plant(tx, task, 2 * number + 1, f"step {number}")
        made.append(records.plant(tx, task, 2 * number + 2, f"fails {number}", type=ERROR))
    return made[::-1]


class FailureContract:
    """Errors are found by place, newest first, with their resolution."""

    @pytest.mark.parametrize("size", [1, 2, 3, 99])
    def test_errors_are_yielded_newest_first_in_every_scope(
        self, database: Database, monkeypatch: pytest.MonkeyPatch, size: int
    ) -> None:
        monkeypatch.setattr(failures, "AT_FIRST", size)
        monkeypatch.setattr(failures, "THEN", size)
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx, "yard")
            mine, others = failed(tx, records, task, 5), failed(tx, records, other, 3)
            everywhere = [one.id for one in [*others, *mine]]
            for place, found in (
                ((None, None), everywhere),
                ((task.workspace, None), [o.id for o in mine]),
                ((other.workspace, other.id), [o.id for o in others]),
                (("elsewhere", None), []),
            ):
                seen = failures.newest(tx, records.team, *place, limit=99)
                assert [one.id for one in seen] == found
            some = failures.newest(tx, records.team, None, before=others[1].id, limit=3)
            assert [one.id for one in some] == everywhere[2:5]
            assert list(failures.newest(tx, "another team", None, limit=9)) == []

        database.write(work)

    def test_an_error_has_the_fields_of_its_observation(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            step = records.plant(tx, task, 1, "no error")
            more = {"tags": ("network", "slow"), "stage": "execution", "tool": None}
            error = records.plant(tx, task, 2, "it fails", type=ERROR, **more)
            (seen,) = failures.newest(tx, records.team, None, limit=9)
            for name in seen.__slots__:
                assert getattr(seen, name) == getattr(error, name)
            ids = [step.id, error.id, "none"]
            assert failures.by_ids(tx, records.team, ids) == {error.id: seen}

        database.write(work)

    def test_a_resolution_is_returned_with_its_error(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            other, error = failed(tx, records, task, 2)
            fix = records.plant(tx, task, 5, "it works", type=FIX, resolves=error.id)
            folded = {"type": FIX, "resolves": other.id, "repeats": fix.id}
            records.plant(tx, task, 6, "it works", **folded)
            found = failures.ended(tx, records.team, [error.id, other.id, "none"])
            assert found == {error.id: failures.ErrorResolution(fix.id, "it works")}
            assert failures.ended(tx, records.team, []) == {}
            assert failures.ended(tx, "another team", [error.id]) == {}

        database.write(work)

    def test_days_count_errors_and_open_errors(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx, "yard")
            for number in range(6):
                at = 20_000 * DAY + number * DAY // 2
                error = records.plant(tx, task, number + 1, type=ERROR, created_at=at)
                if number < 5:
                    observations.open_error(tx, records.team, task.id, str(number), error.id)
            records.plant(tx, other, 1, type=ERROR, created_at=20_005 * DAY - 1)
            whole = {20_000: (2, 2, 0), 20_001: (2, 2, 0), 20_002: (2, 1, 0), 20_004: (1, 0, 0)}
            assert failures.by_day(tx, records.team, None) == whole
            of_task = failures.by_day(tx, records.team, task.workspace, task.id)
            assert of_task == {day: whole[day] for day in (20_000, 20_001, 20_002)}
            assert failures.by_day(tx, records.team, other.workspace) == {20_004: (1, 0, 0)}
            assert failures.by_day(tx, "another team", None) == {}

        database.write(work)

    def test_calls_are_those_among_the_newest_steps(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx, "yard")
            tools = [None, "Bash"]
            made = [
                records.plant(tx, task, number, f"call {number}", tool=tools[number % 2])
                for number in range(1, 8)
            ]
            last = records.plant(tx, other, 1, "elsewhere", tool="Read")
            found = calls.newest(tx, records.team, task.workspace, limit=4)
            assert [one.id for one in found] == [made[6].id, made[4].id]
            for name in found[0].__slots__:
                assert getattr(found[0], name) == getattr(made[6], name)
            everywhere = calls.newest(tx, records.team, None, limit=2)
            assert [one.id for one in everywhere] == [last.id, made[6].id]
            assert calls.newest(tx, "another team", None, limit=9) == []

        database.write(work)

    def test_no_more_errors_are_read_than_requested(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            failed(tx, records, task, 4)
            found = failures.newest(tx, records.team, None, limit=2)
            assert len(list(found)) == 2
            assert len(list(islice(failures.newest(tx, records.team, None, limit=9), 1))) == 1

        database.write(work)
