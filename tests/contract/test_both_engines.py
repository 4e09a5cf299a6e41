"""SQLite, PostgreSQL and the model of a store behave the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract.contract_machine import run_machine
from memoranda.store.database import Database
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import EmptyStores

pytestmark = pytest.mark.integration


@pytest.fixture
def databases(tmp_path: Path, postgres_stores: EmptyStores) -> Iterator[list[Database]]:
    embedded = SqliteDatabase(tmp_path / "store.db")
    try:
        with postgres_stores.opened() as server:
            yield [embedded, server]
    finally:
        embedded.close()


def test_both_engines_do_what_the_model_does(databases: list[Database]) -> None:
    tally = Counter[str]()
    run_machine(databases, examples=4, steps=30, tally=tally)
