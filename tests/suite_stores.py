"""What the suites take of the usual fixtures, which they do without otherwise: scripts/suites."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conftest import empty_store, postgres_server, postgres_stores  # noqa: F401 - fixtures
from engines import data_dir, engine  # noqa: F401 - fixtures
from memoranda import Memoranda
from memoranda.config import Settings


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:  # noqa: F811 - the fixture
    """Give an open, empty memory, on each engine."""
    with Memoranda.open(settings=engine) as opened:
        yield opened
