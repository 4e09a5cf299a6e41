"""What holds for every test."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import pytest
from hypothesis import HealthCheck, settings

from made_stores import import_example, made_once
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import EmptyStores
from servers import PostgresServer

# A slow or busy machine is no defect of the code; speed is measured in benchmarks. Each run draws
# other examples, so that few of them are enough; --hypothesis-profile=deep draws many.
settings.register_profile(
    "tests", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", settings.get_profile("tests"), max_examples=1_000)
settings.load_profile("tests")

# The model costs seconds of a processor; the tests that are about it ask for it.
os.environ["MEMORANDA_EMBEDDER"] = "none"

# What mem0 would otherwise send to its makers, and write into the home of whoever tests.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = str(Path(gettempdir()) / f"mem0-of-tests-{os.getpid()}")

DISK = Path("/var/tmp")
"""Where what outlives a restart lies; scripts/test may put all other files into memory."""

collect_ignore = ["suites"]
"""Tests of adapters whose frameworks have environments of their own: scripts/suites."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage meanwhile, nor among what was collected: all of it stays, and to search it
    takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """An empty folder; on the disk if the test is marked so, wherever others have theirs."""
    if request.node.get_closest_marker("disk") is None:
        yield tmp_path
        return
    with TemporaryDirectory(prefix="memoranda-disk-", dir=DISK) as place:
        yield Path(place)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store to copy, which is many times faster than to make its tables."""
    path = tmp_path_factory.mktemp("empty") / "memoranda.db"
    SqliteDatabase(path).close()
    return path


@pytest.fixture(scope="session")
def imported_example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the example session in the workspace `parcel`, to copy."""
    return made_once(tmp_path_factory, "imported-example", import_example)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Start one server for all tests of the run that need one."""
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres_stores(postgres_server: PostgresServer) -> Iterator[EmptyStores]:
    """Give a database with the schema on that server."""
    stores = EmptyStores(postgres_server)
    yield stores
    stores.close()
