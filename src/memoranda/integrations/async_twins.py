"""Async versions of synchronous methods, which run them in a thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from anyio.to_thread import run_sync

P = ParamSpec("P")
T = TypeVar("T")


def awaited(work: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return an awaitable variant of a function."""

    @wraps(work)
    async def twin(*args: P.args, **named: P.kwargs) -> T:
        return await run_sync(partial(work, *args, **named))

    return twin
