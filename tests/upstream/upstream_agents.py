"""Puts Memoranda's session in the place of the Agents SDK's own, for the SDK's own tests.

A plug-in of pytest; scripts/suites loads it. What is a database to a test is a space here.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from pathlib import Path
from typing import Any

import agents
import agents.extensions.memory.advanced_sqlite_session  # stays what it is
import agents.extensions.memory.encrypt_session  # asks whether a session is of the SDK itself
import agents.memory
import agents.memory.session
import agents.memory.sqlite_session
import pytest
from upstream_reasons import SUBSTITUTED, Substituted, opened

from memoranda.integrations.openai_session import MemorandaSession

_numbers = itertools.count()
_test = ""


class Session(Substituted, MemorandaSession):
    """In the place of ``SQLiteSession``."""

    def __init__(
        self,
        session_id: str,
        db_path: str | Path = ":memory:",
        sessions_table: str = "",
        messages_table: str = "",
        session_settings: Any = None,
    ) -> None:
        Substituted.__init__(self)
        database = str(db_path)
        if database == ":memory:":
            database = f"memory-{next(_numbers)}"
        database = f"{database}/{sessions_table}/{messages_table}"
        space = f"{_test}-{hashlib.sha256(database.encode()).hexdigest()[:16]}"
        settings = session_settings
        MemorandaSession.__init__(
            self, session_id, opened(), space=space, session_settings=settings
        )

    def close(self) -> None:
        """There is nothing of its own to close."""


if SUBSTITUTED:
    for _module in (agents, agents.memory, agents.memory.sqlite_session):
        _module.SQLiteSession = Session  # type: ignore[misc]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let each test begin with empty databases."""
    global _test
    _test = str(next(_numbers))


def _items(session: Any) -> list[Any]:
    return [one.value for one in reversed(session.inside._newest(None))]


def _begin(session: Any, session_id: str = "test", history: list[Any] | None = None) -> None:
    session.session_id = session_id
    session.inside = Session(session_id)
    session._ignore_ids_for_matching = False
    if history:
        session.inside._append(history)


async def _get_items(session: Any, limit: int | None = None) -> list[Any]:
    return await session.inside.get_items(limit)


async def _add_items(session: Any, items: list[Any]) -> None:
    await session.inside.add_items(items)


async def _pop_item(session: Any) -> Any:
    return await session.inside.pop_item()


async def _clear_session(session: Any) -> None:
    await session.inside.clear_session()


def pytest_collection() -> None:
    """Have the session of a list, which the SDK's tests use, keep its items here. What a test
    reads of the list are copies."""
    if not SUBSTITUTED:
        return
    with contextlib.suppress(ImportError):
        from tests.utils.simple_session import SimpleListSession

        SimpleListSession.__init__ = _begin
        SimpleListSession.get_items, SimpleListSession.add_items = _get_items, _add_items
        SimpleListSession.pop_item, SimpleListSession.clear_session = _pop_item, _clear_session
        SimpleListSession._items = SimpleListSession.saved_items = property(_items)
