"""Stores that integration tests work on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import CHILDREN

from memoranda import Memoranda


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    yield
    while CHILDREN:
        child = CHILDREN.pop()
        child.kill()
        child.communicate()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    """An open, empty memory."""
    with Memoranda.open(data_dir) as opened:
        yield opened
