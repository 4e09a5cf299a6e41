"""PostgreSQL meets the contract with a role under row-level security."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import pytest

from contract.contract_scope import ScopeContract
from contract.contract_transactions import TransactionContract
from contract.records import Records
from contract.scope_calls import NOTHING, READS, hold
from contract.store_contract import StoreContract
from memoranda.exceptions import StorageError
from memoranda.json_data import dump_json
from memoranda.store.postgres import transaction
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.postgres.transaction import in_dialect
from memoranda.workspaces import table as workspaces
from postgres_stores import APP, DATABASE, EmptyStores, KeptOpen
from servers import PostgresServer

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def kept_open(postgres_stores: EmptyStores) -> Iterator[KeptOpen]:
    kept = KeptOpen(postgres_stores)
    yield kept
    kept.close()


class TestPostgres(StoreContract):
    @pytest.fixture
    def database(self, kept_open: KeptOpen) -> Iterator[PostgresDatabase]:  # type: ignore[override]
        with kept_open.emptied_afterwards() as database:
            yield database

    def test_the_server_hides_other_teams_regardless_of_the_statement(
        self, database: PostgresDatabase
    ) -> None:
        north = database.of("north").write(partial(hold, team="north"))
        for name, read in READS.items():
            for stranger in ("south", "north ", ""):
                found = database.of(stranger).read(lambda tx, read=read: read(tx, "north", north))
                assert "north" not in repr(found), name
                assert found in NOTHING, name

    @pytest.mark.parametrize("count", [1, 500])
    def test_rows_of_another_team_are_refused_however_many_come_at_once(
        self, database: PostgresDatabase, count: int
    ) -> None:
        insert = (
            "insert into transcript (team, path, head_hash, read_offset, read_at) "
            "values (:team, :path, '', 0, 0)"
        )
        if count > 1:  # so that they are copied, each column must be a parameter
            insert = insert.replace("'', 0, 0", ":hash, :at, :at")
        row = {"team": "north", "hash": "", "at": 0}
        rows = [row | {"path": str(number)} for number in range(count)]
        with pytest.raises(StorageError):
            database.of("south").write(lambda tx: tx.many(insert, rows))
        sql = "select path from transcript where team = 'north'"
        assert database.of("north").read(lambda tx: tx.fetch(sql, {})) == []


@pytest.fixture(scope="session")
def standby(
    postgres_server: PostgresServer, postgres_stores: EmptyStores
) -> Iterator[PostgresServer]:
    """Return a streaming replica of the server."""
    server = PostgresServer(standby_of=postgres_server, settings=("hot_standby_feedback=on",))
    yield server
    server.close()


@pytest.fixture
def replicated(postgres_stores: EmptyStores, standby: PostgresServer) -> Iterator[PostgresDatabase]:
    with postgres_stores.opened(read_url=standby.url(DATABASE, APP)) as database:
        yield database


@pytest.fixture(scope="module")
def kept_replicated(postgres_stores: EmptyStores, standby: PostgresServer) -> Iterator[KeptOpen]:
    kept = KeptOpen(postgres_stores, read_url=standby.url(DATABASE, APP))
    yield kept
    kept.close()


class TestPostgresWithReplica(TransactionContract, ScopeContract):
    """Tests of reads on a replica: every table, and reads after a write.

    The statements are those of the class above.
    """

    @pytest.fixture
    def database(  # type: ignore[override]
        self,
        kept_replicated: KeptOpen,
        postgres_server: PostgresServer,
        standby: PostgresServer,
    ) -> Iterator[PostgresDatabase]:
        with kept_replicated.emptied_afterwards() as database:
            # The last test's rows were deleted by another connection, for which no read waits.
            written = postgres_server.rows("select pg_current_wal_insert_lsn()::text")[0][0]
            wait_until_replayed(standby, written)
            yield database


def wait_until_replayed(standby: PostgresServer, position: str) -> None:
    while not standby.rows("select pg_last_wal_replay_lsn() >= %s::pg_lsn", (position,))[0][0]:
        time.sleep(0.005)


def answered(database: PostgresDatabase) -> int:
    assert database._replica is not None
    return database._replica.answered


def names(database: PostgresDatabase) -> int:
    return len(database.read(partial(workspaces.ids, team="local")))


def test_an_up_to_date_replica_answers_reads(
    replicated: PostgresDatabase, standby: PostgresServer
) -> None:
    place = Records().workspace()
    replicated.write(partial(workspaces.insert, workspace=place, aliases=[]))
    written = replicated._replica._expected  # type: ignore[union-attr]
    wait_until_replayed(standby, written)
    before = answered(replicated)
    assert [names(replicated) for _ in range(5)] == [1] * 5
    assert answered(replicated) == before + 5


def test_what_was_written_is_read_however_far_the_replica_is_behind(
    replicated: PostgresDatabase, standby: PostgresServer
) -> None:
    standby.execute("select pg_wal_replay_pause()")
    try:
        for count in range(1, 6):
            place = Records(seed=count).workspace(f"shop {count}")
            replicated.write(partial(workspaces.insert, workspace=place, aliases=[]))
            assert names(replicated) == count
    finally:
        standby.execute("select pg_wal_replay_resume()")


def test_a_replica_that_is_gone_is_not_missed(
    replicated: PostgresDatabase, standby: PostgresServer
) -> None:
    names(replicated)
    standby.stop("immediate")
    try:
        place = Records().workspace()
        replicated.write(partial(workspaces.insert, workspace=place, aliases=[]))
        assert names(replicated) == 1
        before = answered(replicated)
        assert names(replicated) == 1
        assert answered(replicated) == before
    finally:
        standby.start()


@pytest.mark.parametrize(
    ("portable", "written"),
    [
        ("a = :b", "a = %(b)s"),
        ("a in :b[]", "a = any(array(select jsonb_array_elements_text(%(b)s::jsonb)))"),
        (
            "a not in :b[] and c in :d[int]",
            "a <> all(array(select jsonb_array_elements_text(%(b)s::jsonb))) and c = any(array("
            "select jsonb_array_elements_text(%(d)s::jsonb)::bigint))",
        ),
        ("select ':b', x::text, '%' where y = :b", "select ':b', x::text, '%%' where y = %(b)s"),
        ("'it''s :b' || :c", "'it''s :b' || %(c)s"),
    ],
)
def test_a_parameter_is_written_for_the_driver_and_nothing_else(
    portable: str, written: str
) -> None:
    assert in_dialect(portable) == written


def test_of_few_values_the_plan_knows_each() -> None:
    portable = "a in :b[] and c not in :d[int] and e in :f[]"
    assert in_dialect(portable, frozenset({"b", "d"})) == (
        "a = any(%(b[])s::text[]) and c <> all(%(d[])s::bigint[]) and "
        "e = any(array(select jsonb_array_elements_text(%(f)s::jsonb)))"
    )


@pytest.mark.parametrize("most", [0, 10], ids=["none", "few"])
def test_a_list_means_the_same_however_it_is_written(
    kept_open: KeptOpen, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(transaction, "FEW", most)
    texts = ["", "a", "NULL", "null", '"', "{}", "a,b", "it's", "back\\slash", "100%", "na\u00efve"]
    query = "select :x in :in[], :x not in :out[], :n in :ns[int], :n not in :ns[int]"
    with kept_open.emptied_afterwards() as database:
        for number, text in enumerate(texts):
            arguments = {
                "x": text,
                "in": dump_json([text]),
                "out": dump_json([*texts[:number], "?"]),
            }
            arguments |= {"n": number, "ns": dump_json([number, 1 << 40])}
            found = database.read(lambda tx, arguments=arguments: tx.first(query, arguments))
            assert found == (True, True, True, False), text
