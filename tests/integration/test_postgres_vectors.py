"""PostgreSQL vector searches use the query plan that the code chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest

from contract.contract_vectors import VectorCorpus, directions, nearest, plant
from contract.records import Records
from memoranda.store.database import Parameters, Row, Transaction, VectorQuery
from memoranda.store.postgres import vectors
from memoranda.store.postgres.counts import CachedCounts
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.postgres.vectors import SQL, PassageVectors
from postgres_stores import DATABASE, EmptyStores
from servers import PostgresServer

pytestmark = pytest.mark.integration

SIZE = 384
WANTED = directions(4, SIZE, seed=1)
VISIBLE = """select bool_and(relallvisible = relpages) from pg_class where oid in
  (select inhrelid from pg_inherits where inhparent = 'memoranda.passage'::regclass)"""


@pytest.fixture(scope="module")
def database(postgres_stores: EmptyStores) -> Iterator[PostgresDatabase]:
    with postgres_stores.opened(pool_size=1) as database:
        yield database


@pytest.fixture(scope="module")
def two_places(database: PostgresDatabase) -> list[VectorCorpus]:
    """Return the records of two workspaces; a third has five times as many. They are read only."""
    made = directions(1_050, SIZE)
    parts = (("shop", made[:150]), ("mill", made[150:300]), ("yard", made[300:]))

    def fill(tx: Transaction) -> list[VectorCorpus]:
        records = Records()
        return [plant(tx, records, part, workspace=place) for place, part in parts]

    return database.write(fill)


class Explained:
    """A transaction that records the query plans."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.plans: list[str] = []

    def execute(self, sql: str, parameters: Parameters) -> int:
        return self._transaction.execute(sql, parameters)

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        if "set_config" not in sql:
            rows = self._transaction.fetch(f"explain {sql}", parameters)
            self.plans.append("\n".join(row[0] for row in rows))
        return self._transaction.fetch(sql, parameters)


def plans(database: PostgresDatabase, query: VectorQuery) -> list[str]:
    """Return the plans of a search."""

    def look(tx: Transaction) -> list[str]:
        explained = Explained(tx)
        PassageVectors(explained, CachedCounts()).nearest(query)
        return explained.plans

    return database.read(look)


def settings(tx: Transaction) -> Sequence[Any]:
    return tx.fetch("select current_setting('enable_sort')", {})[0]


def test_among_many_the_graph_is_walked_whatever_the_server_knows_of_the_table(
    database: PostgresDatabase, two_places: list[VectorCorpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 100)
    for workspace, task in ((None, None), ("shop", None), ("shop", "some")):
        counted, walked = plans(database, VectorQuery("local", "m", WANTED[0], workspace, task))
        assert "<=>" not in counted
        assert "Order By: ((vector)::halfvec(384) <=>" in walked
        assert "Sort" not in walked


def test_among_few_everything_is_compared(
    database: PostgresDatabase, two_places: list[VectorCorpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(**scope: Any) -> bool:
        *_, last = plans(database, VectorQuery("local", "m", WANTED[0], **scope))
        return "Order By" not in last and "Sort" in last

    assert compared()
    monkeypatch.setattr(vectors, "COMPARED", 200)
    assert compared(workspace="shop")
    assert compared(among=two_places[0].sources)
    assert not compared()
    monkeypatch.setattr(vectors, "GRAPHS", frozenset({SIZE + 1}))
    assert compared()


def test_passages_of_a_workspace_are_compared_without_a_table_scan(
    database: PostgresDatabase, two_places: list[VectorCorpus], postgres_stores: EmptyStores
) -> None:
    _vacuum(postgres_stores.server)

    def look(tx: Transaction) -> str:
        for way in ("enable_seqscan", "enable_bitmapscan"):  # faster with so few rows on few pages
            tx.fetch("select set_config(:way, 'off', true)", {"way": way})
        explained = Explained(tx)
        PassageVectors(explained, CachedCounts()).nearest(
            VectorQuery("local", "m", WANTED[0], "shop")
        )
        return explained.plans[-1]

    assert "Index Only Scan using passage_" in database.read(look)


def _vacuum(server: PostgresServer) -> None:
    """Vacuum: shrink indexes after other tests, and mark all pages visible.

    The server's own analysis would keep a vacuum from the second.
    """
    with psycopg.connect(server.url(DATABASE), autocommit=True) as connection:
        connection.execute("reindex table memoranda.passage")
        for _ in range(500):
            connection.execute("vacuum analyze memoranda.passage")
            if connection.execute(VISIBLE).fetchone() == (True,):
                return
    pytest.fail("the table has pages that somebody may not see")


def test_walking_finds_nearly_what_comparing_finds(
    database: PostgresDatabase, two_places: list[VectorCorpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 10)
    for place, stored in zip(("shop", "mill", "yard"), two_places, strict=False):
        for wanted in WANTED:
            stored.check(nearest(database, wanted, workspace=place, limit=60), wanted, 60)


def test_where_the_walk_ends_too_early_everything_is_compared(
    database: PostgresDatabase, two_places: list[VectorCorpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 10)
    monkeypatch.setitem(SQL, "prepare", SQL["prepare"].replace("relaxed_order", "off"))
    for wanted in WANTED:
        hits = nearest(database, wanted, workspace="shop", limit=60)
        two_places[0].check(hits, wanted, 60, part=1.0)


def test_a_search_leaves_the_settings_of_its_transaction_as_they_were(
    database: PostgresDatabase, two_places: list[VectorCorpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 10)
    before = database.read(settings)

    def look(tx: Transaction) -> Sequence[Any]:
        assert tx.vectors().nearest(VectorQuery("local", "m", WANTED[0]))
        return settings(tx)

    assert database.read(look) == before
    assert database.read(settings) == before
    assert ("200",) not in database.read(
        lambda tx: tx.fetch("select current_setting('hnsw.ef_search', true)", {})
    )
