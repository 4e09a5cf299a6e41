"""Asynchronous interface: every method of the memory runs in a thread.

It works with a local store and with a server.

    async with AsyncMemoranda.open() as memory:
        brief = await memory.context(budget=2000)
        block = await memory.blocks.show("plan")
        found = await memory.ask(Memoranda.search, "which database")

Both forms are equivalent; type checkers know the parameters and result of the ``ask`` form.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from memoranda.memory import Memoranda
from memoranda.resource_attributes import NOUNS

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
"""Maximum number of concurrent calls per memory; further calls wait."""


class AsyncMemoranda:
    """Open memory with awaitable methods; call `close` or use ``async with``.

    If a call is cancelled, its result is no longer awaited, but the call continues to its end and
    may still write. Iterators (`Memoranda.replay`) are collected in a list.
    """

    def __init__(self, memory: Memoranda, threads: int = THREADS) -> None:
        """Wrap an open memory, which is closed together with this object."""
        self._memory = memory
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="memoranda")

    @classmethod
    def open(cls, *arguments: Any, **named: Any) -> PendingMemory:
        """Open a memory; await the result, or use it in ``async with``.

        Takes the arguments of `Memoranda.open`.
        """
        return PendingMemory(partial(Memoranda.open, *arguments, **named))

    async def ask(
        self, method: Callable[Concatenate[Any, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Call a method and return its result.

        Examples are ``Memoranda.search`` and ``Memoranda.blocks.insert``.
        """
        noun = next((item for item in NOUNS if method is _method_of(item, method.__name__)), "")
        answer: T = await self._called(noun, method.__name__, *args, **named)
        return answer

    async def close(self) -> None:
        """Wait for calls in progress, then close the store or the connection.

        Idempotent.
        """
        await asyncio.to_thread(self._end)

    def __getattr__(self, name: str) -> Any:
        """Return an awaitable method, or a resource with awaitable methods."""
        if name in NOUNS:
            return AsyncResource(self, name)
        return self._awaitable("", getattr(Memoranda, name, None), name)

    async def __aenter__(self) -> AsyncMemoranda:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _awaitable(self, noun: str, described: Any, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_") or not callable(described):
            raise AttributeError(f"no method {name!r} to await")

        @wraps(described)
        async def method(*arguments: Any, **named: Any) -> Any:
            return await self._called(noun, name, *arguments, **named)

        return method

    async def _called(self, noun: str, name: str, *arguments: Any, **named: Any) -> Any:
        call = partial(self._carried_out, noun, name, *arguments, **named)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, call)

    def _carried_out(self, noun: str, name: str, *arguments: Any, **named: Any) -> Any:
        owner = getattr(self._memory, noun) if noun else self._memory
        answer = getattr(owner, name)(*arguments, **named)
        return list(answer) if isinstance(answer, Iterator) else answer

    def _end(self) -> None:
        self._threads.shutdown(wait=True)
        self._memory.close()


class AsyncResource:
    """Resource of an open memory, with awaitable methods."""

    def __init__(self, memory: AsyncMemoranda, noun: str) -> None:
        self._memory = memory
        self._noun = noun

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return an awaitable method of the resource."""
        described = getattr(getattr(Memoranda, self._noun), name, None)
        return self._memory._awaitable(self._noun, described, name)


def _method_of(noun: str, name: str) -> Any:
    return getattr(getattr(Memoranda, noun), name, None)


class PendingMemory:
    """A memory that is being opened in a thread."""

    def __init__(self, opened: Callable[[], Memoranda]) -> None:
        self._opened = opened
        self._memory: AsyncMemoranda | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemoranda]:
        return self._made().__await__()

    async def __aenter__(self) -> AsyncMemoranda:
        self._memory = await self._made()
        return self._memory

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._memory is not None:
            await self._memory.close()

    async def _made(self) -> AsyncMemoranda:
        return AsyncMemoranda(await asyncio.to_thread(self._opened))
