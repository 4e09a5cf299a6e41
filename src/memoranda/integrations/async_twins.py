"""Async versions of synchronous methods, which run them in a thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from anyio.to_thread import run_sync

P = ParamSpec("P")
T = TypeVar("T")


def awaited(
    work: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Return an awaitable variant of a method that respects overrides."""

    @wraps(work)
    async def twin(self: Any, /, *args: P.args, **named: P.kwargs) -> T:
        return await run_sync(partial(getattr(self, work.__name__), *args, **named))

    return twin
