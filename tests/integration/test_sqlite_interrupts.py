"""Ctrl-C or a timeout inside a transaction leaves the SQLite store usable."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from memoranda.store.database import Transaction
from memoranda.store.sqlite import engine
from memoranda.store.sqlite.engine import SqliteDatabase


def _interrupted(call: Callable[[], object], line: int) -> bool:
    """Run a call, interrupted before the n-th line of the engine.

    A signal never arrives at ``try`` or on leaving a ``with``, where a trace can interrupt.
    """
    seen = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_filename != engine.__file__:
            return None
        source = linecache.getline(engine.__file__, frame.f_lineno).lstrip()
        if event == "line" and not source.startswith(("with ", "try:")):
            seen += 1
            if seen == line:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def _add(tx: Transaction) -> None:
    tx.execute("create table if not exists interrupted (number integer)", {})
    tx.execute("insert into interrupted values (1)", {})


def _count(tx: Transaction) -> int:
    ((found,),) = tx.fetch("select count(*) from interrupted", {})
    return int(found)


@pytest.mark.parametrize("writes", [False, True], ids=["read", "write"])
def test_an_interrupt_at_any_line_leaves_the_store_usable(tmp_path: Path, writes: bool) -> None:
    database = SqliteDatabase(tmp_path / "interrupted.db")
    database.write(_add)
    call = partial(database.write, _add) if writes else partial(database.read, _count)
    line = 1
    while _interrupted(call, line):
        before = database.read(_count)
        database.write(_add)
        assert database.read(_count) > before, f"line {line}"
        line += 1
    assert line > 10
    database.close()
