"""Contract of the store for atomicity, isolation and the `Database` API."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from contract.records import Records
from memoranda.exceptions import InvalidInput, StorageError
from memoranda.json_data import dump_json
from memoranda.memories import table as memories
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces

THREADS = 8


def together(work: Callable[[int], None], count: int = THREADS) -> None:
    """Run functions on threads that start together; raise an error of one."""
    ready = threading.Barrier(count)
    failures: list[BaseException] = []

    def run(number: int) -> None:
        ready.wait()
        try:
            work(number)
        except BaseException as error:  # raised again below, on the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class TransactionContract:
    """Writes are complete or absent, reads see one moment."""

    def test_a_write_that_raises_leaves_nothing_and_raises_its_own_error(
        self, database: Database
    ) -> None:
        records = Records()
        place = records.workspace()

        def work(tx: Transaction) -> None:
            workspaces.insert(tx, place, ["path:/srv/shop"])
            raise InvalidInput("changed my mind")

        with pytest.raises(InvalidInput, match="changed my mind"):
            database.write(work)
        assert database.read(lambda tx: workspaces.ids(tx, records.team)) == []
        database.write(lambda tx: workspaces.insert(tx, place, []))
        assert database.read(lambda tx: workspaces.ids(tx, records.team)) == [place.id]

    def test_a_write_gives_back_what_its_work_returned(self, database: Database) -> None:
        assert database.write(lambda tx: 42) == 42

    def test_threads_writing_at_once_fail_each_alone(self, database: Database) -> None:
        records = Records()
        places = [[records.workspace(f"{n}-{turn}") for turn in range(6)] for n in range(THREADS)]
        refused: list[str] = []

        def insert(tx: Transaction, place: Workspace, fails: bool) -> None:
            workspaces.insert(tx, place, [])
            if fails:
                raise InvalidInput(place.id)

        def run(number: int) -> None:
            for turn, place in enumerate(places[number]):
                fails = (number + turn) % 3 == 0
                try:
                    database.write(partial(insert, place=place, fails=fails))
                except InvalidInput as error:
                    refused.append(str(error))

        together(run)
        kept = set(database.read(lambda tx: workspaces.ids(tx, records.team)))
        everything = {place.id for row in places for place in row}
        assert kept == everything - set(refused)
        assert len(refused) == 16

    def test_threads_that_read_then_write_lose_no_update(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)

        def count_up(tx: Transaction) -> None:
            now = tasks.by_id(tx, task.team, task.id)
            assert now is not None
            tasks.update(tx, replace(now, observations=now.observations + 1))

        def run(number: int) -> None:
            for _ in range(10):
                database.write(count_up)

        together(run)
        final = database.read(lambda tx: tasks.by_id(tx, task.team, task.id))
        assert final is not None
        assert final.observations == 10 * THREADS

    def test_a_read_sees_one_moment_while_others_write(self, database: Database) -> None:
        records = Records()
        places = [records.workspace(str(number)) for number in range(2)]
        database.write(lambda tx: workspaces.insert(tx, places[0], []))

        def add(_: int) -> None:
            database.write(lambda tx: workspaces.insert(tx, places[1], []))

        def look(tx: Transaction) -> tuple[list[str], list[str]]:
            before = workspaces.ids(tx, records.team)
            together(add, count=1)
            return before, workspaces.ids(tx, records.team)

        before, after = database.read(look)
        assert before == after == [places[0].id]
        assert len(database.read(lambda tx: workspaces.ids(tx, records.team))) == 2

    def test_a_write_is_seen_by_the_next_read_of_every_thread(self, database: Database) -> None:
        records = Records()

        def run(number: int) -> None:
            for turn in range(5):
                place = records.workspace(f"{number}-{turn}")
                database.write(partial(workspaces.insert, workspace=place, aliases=[]))
                look = partial(workspaces.by_id, team=records.team, id=place.id)
                assert database.read(look) == place

        together(run)

    def test_a_read_cannot_write(self, database: Database) -> None:
        records = Records()
        with pytest.raises(StorageError):
            database.read(lambda tx: workspaces.insert(tx, records.workspace(), []))
        assert database.read(lambda tx: workspaces.ids(tx, records.team)) == []

    def test_a_second_row_with_the_same_key_is_a_storage_error(self, database: Database) -> None:
        records = Records()
        place = records.workspace()
        database.write(lambda tx: workspaces.insert(tx, place, []))

        def again(tx: Transaction) -> None:
            workspaces.insert(tx, records.workspace("other"), [])
            workspaces.insert(tx, replace(place, name="third"), [])

        with pytest.raises(StorageError):
            database.write(again)
        assert database.read(lambda tx: workspaces.ids(tx, records.team)) == [place.id]

    def test_of_threads_writing_the_same_key_at_once_one_succeeds(self, database: Database) -> None:
        place = Records().workspace()
        outcomes: list[str] = []

        def run(number: int) -> None:
            named = replace(place, name=f"name {number}")
            try:
                database.write(partial(workspaces.insert, workspace=named, aliases=[]))
                outcomes.append("stored")
            except StorageError:
                outcomes.append("refused")

        together(run)
        assert sorted(outcomes) == ["refused"] * (THREADS - 1) + ["stored"]

    def test_a_row_that_points_nowhere_is_a_storage_error(self, database: Database) -> None:
        records = Records()
        with pytest.raises(StorageError):
            database.write(lambda tx: tasks.insert(tx, records.task("nowhere")))

    @pytest.mark.parametrize("size", [0, 1, 2, 5_000])
    def test_a_list_parameter_takes_any_number_of_values(
        self, database: Database, size: int
    ) -> None:
        records = Records()
        odd = ["", "it's", '"', "a,b", "]", "\\", "%", "名前", "null"]
        wanted = (odd + [f"n{number}" for number in range(size)])[:size]

        def fill(tx: Transaction) -> None:
            for alias in (*odd, "n1", "n4990"):
                place = records.workspace(alias or "empty")
                workspaces.insert(tx, place, [alias])

        database.write(fill)
        sql = "select alias from workspace_alias where team = :team and alias in :wanted[]"
        bindings = {"team": records.team, "wanted": dump_json([*wanted])}
        found = {row[0] for row in database.read(lambda tx: tx.fetch(sql, bindings))}
        assert found == {*odd, "n1", "n4990"} & set(wanted)

    def test_execute_counts_the_rows_of_its_own_statement_alone(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> list[str]:
            task = records.plant_task(tx)
            evidence = tuple(records.plant(tx, task, n).id for n in (1, 2, 3))
            first, second = (records.memory(task.workspace, text) for text in ("one", "two"))
            records.plant_memory(tx, first, evidence)
            records.plant_memory(tx, second)
            return [first.id, second.id]

        ids = database.write(fill)
        assert database.write(lambda tx: memories.delete(tx, records.team, ids)) == 2
        assert database.write(lambda tx: memories.delete(tx, records.team, ids)) == 0

    def test_first_gives_the_first_row_or_none(self, database: Database) -> None:
        def look(tx: Transaction) -> tuple[object, object]:
            found = tx.first("select 1 where 1 = :one", {"one": 1})
            return found, tx.first("select 1 where 1 = :one", {"one": 2})

        assert database.read(look) == ((1,), None)

    def test_a_closed_store_raises_and_closes_twice(self, database: Database) -> None:
        database.close()
        database.close()
        with pytest.raises(StorageError):
            database.read(lambda tx: None)
        with pytest.raises(StorageError):
            database.write(lambda tx: None)

    @pytest.mark.parametrize("count", [1, 199, 200, 1_001])
    def test_many_rows_are_written_whole_or_not_at_all(
        self, database: Database, count: int
    ) -> None:
        awkward = "tab\t, line\n, back\\slash, quote', \\N, %s, {brace}, 数据 🚀"
        rows = [
            {"team": "local", "path": f"{number} {awkward}", "hash": "", "at": number}
            for number in range(count)
        ]
        insert = (
            "insert into transcript (team, path, head_hash, read_offset, read_at) "
            "values (:team, :path, :hash, :at, :at) on conflict do nothing"
        )

        def fail(tx: Transaction) -> None:
            tx.many(insert, rows)
            raise InvalidInput("changed my mind")

        def stored() -> list[tuple[str, int]]:
            sql = "select path, read_at from transcript where team = :team order by read_at"
            found = database.read(lambda tx: tx.fetch(sql, {"team": "local"}))
            return [(path, at) for path, at in found]

        with pytest.raises(InvalidInput):
            database.write(fail)
        assert stored() == []
        database.write(lambda tx: tx.many(insert, rows))
        database.write(lambda tx: tx.many(insert, rows))
        assert stored() == [(str(row["path"]), row["at"]) for row in rows]

    def test_of_equal_rows_the_last_is_stored(self, database: Database) -> None:
        upsert = (
            "insert into transcript (team, path, head_hash, read_offset, read_at) "
            "values (:team, :path, :hash, :at, :at) "
            "on conflict (team, path) do update set read_at = excluded.read_at"
        )
        rows = [
            {"team": "local", "path": path, "hash": "50 %; '", "at": at}
            for at, path in enumerate(["a", "b", "a", "c", "a"])
        ]
        database.write(lambda tx: tx.many(upsert, rows))
        sql = "select path, read_at from transcript where team = :team order by path"
        found = database.read(lambda tx: tx.fetch(sql, {"team": "local"}))
        assert [tuple(row) for row in found] == [("a", 4), ("b", 1), ("c", 3)]
