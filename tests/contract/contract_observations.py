"""Contract of the store for observations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from contract.clock import START
from contract.contract_transactions import THREADS, together
from contract.records import Records
from memoranda.errors import table as failures
from memoranda.exceptions import StorageError
from memoranda.memories import tombstone_table as tombstones
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import (
    ContentFormat,
    Observation,
    ObservationType,
    Origin,
    Salience,
)
from memoranda.store.database import Database, TextQuery, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task


class ObservationContract:
    """Observations are returned unchanged, and are gone when deleted."""

    def test_an_observation_comes_back_field_by_field(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        made = records.observation(
            task,
            1,
            "raised ValueError\nin parse",
            type=ObservationType.FIX,
            origin=Origin.AGENT,
            tool=None,
            tags=("test", 'odd "tag"', "名"),
            files=("src/a b.py",),
            constraints=("never touch main",),
            salience=Salience.CRITICAL,
            tokens_used=1 << 40,
            duration_ms=0,
            stage="plan",
            branch="sidechain",
            resolves="an earlier one",
            redactions=2,
            created_at=-1,
        )
        database.write(lambda tx: observations.insert(tx, [made]))

        def look(tx: Transaction) -> None:
            found = made.observation
            team, id = records.team, found.id
            assert observations.by_ids(tx, team, [id, "unknown"]) == {id: found}
            assert observations.by_event(tx, team, made.event_key) == found
            assert observations.matching_name(tx, team, found.ref) == [id]
            assert observations.matching_name(tx, team, id[:8]) == [id]
            assert observations.by_event_prefix(tx, team, made.event_key[:9]) == [id]
            assert observations.by_event_prefix(tx, team, "other") == []
            assert observations.content_format(tx, team, id) is ContentFormat.TEXT
            assert observations.in_task(tx, team, task.id, limit=10) == [found]
            assert observations.recent(tx, team, None, limit=10) == [found]
            assert observations.critical(tx, team, task.id) == [found]

        database.read(look)

    def test_the_same_event_key_or_number_cannot_be_written_twice(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        first = database.write(lambda tx: records.plant(tx, task, 1))
        with pytest.raises(StorageError):
            database.write(lambda tx: records.plant(tx, task, 1))
        assert database.read(lambda tx: observations.in_task(tx, task.team, task.id, limit=9)) == [
            first
        ]

    def test_threads_number_the_observations_of_a_task_without_a_gap(
        self, database: Database
    ) -> None:
        records = Records()
        task = database.write(records.plant_task)

        def add(tx: Transaction) -> None:
            now = tasks.by_id(tx, task.team, task.id)
            assert now is not None
            made = records.plant(tx, now, now.observations + 1)
            tasks.update(tx, replace(now, observations=made.sequence))

        def run(number: int) -> None:
            for _ in range(5):
                database.write(add)

        together(run)
        found = database.read(lambda tx: observations.in_task(tx, task.team, task.id, limit=100))
        assert [o.sequence for o in found] == list(range(1, 5 * THREADS + 1))

    def test_forgetting_removes_rows_filters_and_text_and_buries_keys(
        self, database: Database
    ) -> None:
        records = Records()

        def fill(tx: Transaction) -> tuple[Task, list[Observation], list[str]]:
            task = records.plant_task(tx)
            made = [
                records.observation(task, n, f"zebra {n}", tags=("t",), files=("f",))
                for n in (1, 2, 3)
            ]
            blobs.insert(tx, records.team, [Blob.of(f"zebra {n}") for n in (1, 2, 3)])
            observations.insert(tx, made)
            return task, [new.observation for new in made], [new.event_key for new in made]

        task, made, keys = database.write(fill)
        ids = [made[0].id, made[2].id, "unknown"]
        removed = database.write(lambda tx: observations.delete(tx, records.team, ids, START))
        assert (removed.observations, removed.tasks) == (2, (task.id,))
        assert set(removed.hashes) == {made[0].content_hash, made[2].content_hash}

        def look(tx: Transaction) -> None:
            team = records.team
            assert list(observations.by_ids(tx, team, [o.id for o in made])) == [made[1].id]
            assert observations.known_keys(tx, team, [*keys, "unseen"]) == set(keys)
            assert tombstones.with_tombstone(tx, team, [*keys, "unseen"]) == {keys[0], keys[2]}
            query = TextQuery(team, ["zebra"], ["zebra"])
            assert [hit.id for hit in tx.text("observation").search(query)] == [made[1].id]
            refs = tx.fetch("select distinct observation from observation_ref", {})
            assert refs == [(made[1].id,)]
            assert observations.has_observations(tx, team, task.id)

        database.read(look)
        again = database.write(lambda tx: observations.delete(tx, records.team, ids, START))
        assert (again.observations, again.hashes, again.tasks) == (0, (), ())

    def test_repeats_of_a_forgotten_observation_stand_alone(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> tuple[Observation, Observation]:
            task = records.plant_task(tx)
            first = records.plant(tx, task, 1, "same")
            second = records.plant(tx, task, 2, "same", repeats=first.id, salience=Salience.FOLDED)
            observations.delete(tx, records.team, [first.id], START)
            return first, second

        _, second = database.write(fill)
        found = database.read(lambda tx: observations.by_ids(tx, second.team, [second.id]))
        assert found[second.id].repeats is None

    def test_errors_are_open_until_resolved(self, database: Database) -> None:
        records = Records()
        team = records.team

        def fill(tx: Transaction) -> None:
            task = records.plant_task(tx)
            wide = records.plant(tx, task, 1, "suite fails", type=ObservationType.ERROR)
            narrow = records.plant(tx, task, 2, "one test fails", type=ObservationType.ERROR)
            other = records.plant(tx, task, 3, "build fails", type=ObservationType.ERROR)
            for made, target in ((wide, "pytest"), (narrow, "pytest a.py"), (other, "pytestish")):
                observations.open_error(tx, team, task.id, target, made.id)
            standing = {"pytest": wide.id, "pytest a.py": narrow.id, "pytestish": other.id}
            assert observations.standing_errors(tx, team, task.id) == standing
            observations.close_error(tx, team, task.id, "pytest")
            observations.close_error(tx, team, task.id, "pytest a.py")
            assert observations.open_errors(tx, team, task.id, 10) == [other]
            observations.delete(tx, team, [other.id], START)
            assert observations.open_errors(tx, team, task.id, 10) == []

        database.write(fill)

    def test_a_task_gets_the_open_errors_of_earlier_tasks(self, database: Database) -> None:
        records = Records()
        team = records.team

        def fill(tx: Transaction) -> None:
            before, other, now = (records.plant_task(tx, name) for name in ("a", "b", "a"))
            for number, task in enumerate((before, before, other, now), 1):
                made = records.plant(tx, task, number, type=ObservationType.ERROR)
                observations.open_error(tx, team, task.id, str(number), made.id)
            later = replace(now, started_at=before.last_event_at + 1)
            found = observations.errors_left(tx, later, 9)
            assert [(task, target) for task, target, _ in found] == [
                (before.id, "2"),
                (before.id, "1"),
            ]
            assert observations.errors_left(tx, later, 1) == found[:1]
            assert observations.has_open_errors_elsewhere(tx, team, now.workspace, now.id)
            assert not observations.has_open_errors_elsewhere(tx, team, "none", now.id)
            assert not observations.has_open_errors_elsewhere(tx, team, other.workspace, other.id)
            at_once = replace(now, started_at=before.last_event_at)
            assert observations.errors_left(tx, at_once, 9) == []
            ids = [id for _, _, id in found]
            assert failures.still_open(tx, team, [*ids, "none"]) == set(ids)
            observations.close_error(tx, team, before.id, "2")
            assert failures.still_open(tx, team, ids) == {ids[1]}

        database.write(fill)

    def test_equal_contents_of_a_task_are_found_newest_first(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> list[str]:
            task, other = records.plant_task(tx), records.plant_task(tx)
            made = [records.plant(tx, task, n, "same").id for n in range(1, 11)]
            records.plant(tx, task, 11, "different")
            records.plant(tx, other, 1, "same")
            same, unseen = Blob.of("same").hash, Blob.of("unseen").hash
            twins = observations.same_content(tx, records.team, task.id, [same, unseen, same])
            assert [twin.id for twin in twins[same]] == made[::-1]
            assert twins[unseen] == []
            return made

        database.write(fill)

    def test_redactions_add_up_and_measures_count(self, database: Database) -> None:
        records = Records()
        team = records.team

        def fill(tx: Transaction) -> None:
            task = records.plant_task(tx)
            first = records.plant(tx, task, 1, "same", tokens=10, redactions=2)
            records.plant(tx, task, 2, "same", tokens=10, repeats=first.id)
            count = partial(observation_totals.count_redactions, tx, team, task.id)
            count({"aws": 1, "jwt": 2})
            count({"aws": 4})
            assert observation_totals.redactions(tx, team, task.workspace) == {"aws": 5, "jwt": 2}
            measured = observation_totals.measures(tx, team, None, task.id)
            assert (measured.observations, measured.folded, measured.tokens) == (2, 1, 20)
            assert observations.summaries(tx, team, None) == ["same"]
            assert observation_totals.by_type(tx, team, None) == {"tool_call": 2}

        database.write(fill)
