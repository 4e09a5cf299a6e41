"""How many SQL statements a search runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from happenings import message_event, ran

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.integration

MOST = 26
"""Statements of a search of observations and memories, by words and vectors, that finds some."""


@pytest.fixture
def traced() -> Iterator[list[str]]:
    """Yield the statements of all connections that are opened in this test."""
    statements: list[str] = []

    def note(event: dict[str, object]) -> None:
        sql = str(event["sql"])
        if sql.startswith(("select", "with")):  # those of FTS5 itself are in capital letters
            statements.append(sql)

    def hook(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, note)

    apsw.connection_hooks.append(hook)
    yield statements
    apsw.connection_hooks.remove(hook)


def test_a_search_runs_few_statements(traced: list[str], tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "local"}, {})
    with Memoranda.open(settings=settings) as memory:
        memory.capture.take(
            [
                message_event("1", "Totals are rounded half up before tax is added."),
                message_event("2", "Totals are no longer rounded before tax is added."),
                ran("3", "cat tax.md", "Tax is added to rounded totals of each parcel."),
            ]
        )
        memory.remember("Totals are rounded half up.", workspace="shop")
        memory.remember("The tax of a parcel is 19 percent.", workspace="shop")
        memory.capture.drain(wait=True)
        memory.index.reembed()
        memory.search("first use loads the model", limit=5)
        traced.clear()
        found = memory.search("how are totals rounded before tax?", limit=5)
        assert found.hits
        assert len(traced) <= MOST, "\n".join(traced)
