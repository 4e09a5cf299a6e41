"""Fixtures with stores for integration tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest
from happenings import CHILDREN

from engines import data_dir, engine  # noqa: F401 - fixtures
from memoranda import Memoranda
from servers import ValkeyProcess


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on the engines that it or its module names, or else on each."""
    named = metafunc.definition.get_closest_marker("engines")
    if named and "engine" in metafunc.fixturenames:
        chosen = pytest.mark.parametrize("engine", named.args, indirect=True)
        metafunc.definition.add_marker(chosen)


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    yield
    while CHILDREN:
        child = CHILDREN.pop()
        child.kill()
        child.communicate()


@pytest.fixture
def memory(data_dir: Path, empty_store: Path) -> Iterator[Memoranda]:  # noqa: F811 - the fixture
    """Return an open, empty memory."""
    data_dir.mkdir(mode=0o700)
    copy(empty_store, data_dir)
    with Memoranda.open(data_dir) as opened:
        yield opened


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyProcess]:
    """Start a server for a module; a test that stops it restarts it."""
    server = ValkeyProcess()
    yield server
    server.close()
