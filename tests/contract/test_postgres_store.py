"""PostgreSQL keeps the store contract, for a role that row-level security holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.testing.store_contract import StoreContract
from postgres_stores import EmptyStores

pytestmark = pytest.mark.integration


class TestPostgres(StoreContract):
    @pytest.fixture
    def database(self, postgres_stores: EmptyStores) -> Iterator[PostgresDatabase]:  # type: ignore[override]
        with postgres_stores.opened() as database:
            yield database
