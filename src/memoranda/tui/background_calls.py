"""Runs slow calls in separate threads, outside the drawing thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from memoranda.exceptions import MemorandaError
from memoranda.tui.terminal_text import line

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run a function in a separate thread and return its result.

    The thread ends with the process: a store that stays locked for half a minute must not delay the
    person's exit.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        settle: Callable[[], None]
        try:
            settle = partial(answer.set_result, work())
        except Exception as error:
            settle = partial(answer.set_exception, error)
        with suppress(RuntimeError):  # the dashboard has been closed
            loop.call_soon_threadsafe(_unless_left, answer, settle)

    threading.Thread(target=run, name="memoranda-tui", daemon=True).start()
    return await answer


def _unless_left(answer: asyncio.Future[T], settle: Callable[[], None]) -> None:
    if not answer.done():
        settle()


def failure_line(error: Exception) -> str:
    """Return on one line what failed and what to do."""
    if isinstance(error, MemorandaError):
        return line(f"{error.code}: {error}")
    return line(f"{type(error).__name__}: {error}; `memoranda doctor` shows the cause")
