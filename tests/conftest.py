"""What holds for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from postgres_stores import EmptyStores
from servers import PostgresServer

# A slow or busy machine is no defect of the code; speed is measured in benchmarks.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

# The model costs seconds of a processor; the tests that are about it ask for it.
os.environ["MEMORANDA_EMBEDDER"] = "none"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Start one server for all tests of the run that need one."""
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres_stores(postgres_server: PostgresServer) -> EmptyStores:
    """Give a database with the schema on that server."""
    return EmptyStores(postgres_server)
