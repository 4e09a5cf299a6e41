"""PostgreSQL outages lose and repeat no acknowledged write."""

from __future__ import annotations

import threading
import time
from collections import Counter
from functools import partial

import psycopg
import pytest

from contract.contract_transactions import together
from contract.records import Records
from memoranda.exceptions import InvalidInput, StorageBusy, StorageUnusable
from memoranda.journal import table as journal
from memoranda.journal.table import NewJournalEntry
from memoranda.store.database import Transaction
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.workspaces import table as workspaces
from postgres_stores import DATABASE, EmptyStores

pytestmark = pytest.mark.integration

WRITERS = 8


def append(database: PostgresDatabase, subject: str) -> None:
    note = NewJournalEntry(0, "test", "observe", subject, {})
    database.write(partial(journal.append, team="local", note=note))


def subjects(database: PostgresDatabase) -> Counter[str]:
    rows = database.read(
        lambda tx: tx.fetch("select subject from journal where team = 'local'", {})
    )
    return Counter(row[0] for row in rows)


@pytest.mark.parametrize("outage", ["kill", "immediate"])
def test_writers_come_through_an_outage(postgres_stores: EmptyStores, outage: str) -> None:
    server, acknowledged = postgres_stores.server, list[str]()
    over = threading.Event()

    def write(number: int) -> None:
        turn = 0
        try:
            while not over.is_set():
                append(database, f"{number}-{turn}")
                acknowledged.append(f"{number}-{turn}")
                turn += 1
        finally:
            over.set()

    def disturb() -> None:
        for _ in range(3):
            before = len(acknowledged)
            while len(acknowledged) < before + 20 and not over.is_set():
                time.sleep(0.01)
            if outage == "kill":
                server.kill_backends(DATABASE)
            else:
                server.stop("immediate")
                server.start()
        over.set()

    with postgres_stores.opened() as database:
        together(lambda n: disturb() if n == WRITERS else write(n), count=WRITERS + 1)
        stored = subjects(database)
        assert set(acknowledged) - set(stored) == set()
        assert [subject for subject, times in stored.items() if times > 1] == []
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries) == (True, len(stored))


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_whose_answer_was_lost_is_looked_up(
    postgres_stores: EmptyStores, committed: bool
) -> None:
    """The connection is cut right before, or right after, the commit."""
    runs: list[int] = []
    with postgres_stores.opened() as database:
        original = database._commit

        def cut(connection: psycopg.Connection[object]) -> None:
            if not runs[1:]:
                if committed:
                    connection.execute("commit")
                pid = connection.info.backend_pid
                postgres_stores.server.execute(f"select pg_terminate_backend({pid}, 5000)")
            original(connection)

        database._commit = cut  # type: ignore[method-assign,assignment]

        def work(tx: Transaction) -> str:
            runs.append(1)
            journal.append(
                tx, "local", NewJournalEntry(0, "test", "observe", f"run {len(runs)}", {})
            )
            return f"run {len(runs)}"

        assert database.write(work) == ("run 1" if committed else "run 2")
        assert subjects(database) == {"run 1" if committed else "run 2": 1}


def test_a_server_that_stays_away_is_an_error_after_a_while(postgres_stores: EmptyStores) -> None:
    with postgres_stores.opened(recovery_seconds=0.5) as database:
        postgres_stores.server.stop("fast")
        try:
            with pytest.raises((StorageUnusable, StorageBusy)):
                append(database, "lost")
        finally:
            postgres_stores.server.start()
        append(database, "kept")
        assert subjects(database) == {"kept": 1}


def test_more_callers_than_connections_wait_for_their_turn(postgres_stores: EmptyStores) -> None:
    with postgres_stores.opened(pool_size=2) as database:
        together(lambda number: append(database, str(number)), count=12)
        assert len(subjects(database)) == 12


def test_a_connection_comes_back_clean_whatever_happened_on_it(
    postgres_stores: EmptyStores,
) -> None:
    """One connection, many teams: errors and cancellations leave no state."""
    place = Records("north").workspace()
    with postgres_stores.opened(pool_size=1) as database:
        north, south = database.of("north"), database.of("south")
        north.write(partial(workspaces.insert, workspace=place, aliases=[]))

        def fail(tx: Transaction) -> None:
            tx.fetch("select 1 / 0", {})

        def change_mind(tx: Transaction) -> None:
            raise InvalidInput("no")

        def slow(tx: Transaction) -> None:
            tx.fetch("set local statement_timeout = 50; select pg_sleep(5)", {})

        for trouble in (fail, change_mind, slow):
            with pytest.raises(Exception, match=r"zero|no|timeout"):
                north.write(trouble)
            assert south.read(partial(workspaces.ids, team="north")) == []
            seen = south.read(lambda tx: tx.fetch("select current_setting('memoranda.team')", {}))
            assert seen == [("south",)]
        with database._pool.connection() as bare:
            assert bare.execute("select count(*) from memoranda.workspace").fetchone() == (0,)


def test_a_slow_statement_is_cancelled(postgres_stores: EmptyStores) -> None:
    with postgres_stores.opened() as database, pytest.raises(StorageBusy, match="timeout"):
        database.read(
            lambda tx: tx.fetch("set local statement_timeout = 50; select pg_sleep(9)", {})
        )


def test_a_value_of_more_than_100_megabytes_is_stored_or_refused_whole(
    postgres_stores: EmptyStores,
) -> None:
    sql = "insert into blob (team, hash, codec, size, data) values ('local', :h, 'plain', 1, :d)"
    with postgres_stores.opened() as database:
        database.write(lambda tx: tx.execute(sql, {"h": "big", "d": bytes(110 << 20)}))
        size = database.read(lambda tx: tx.first("select length(data) from blob", {}))
        assert size == (110 << 20,)
        with pytest.raises(InvalidInput, match="cannot hold"):
            database.write(lambda tx: tx.execute(sql, {"h": "x\0y", "d": b""}))
        assert database.read(lambda tx: tx.first("select count(*) from blob", {})) == (1,)
