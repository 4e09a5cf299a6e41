"""Thread that calls handlers, so that a hang does not block the process."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from queue import Empty, SimpleQueue

THREAD = "memoranda-handler"


class HandlerHangs(Exception):
    """A call exceeded its time limit; its thread is abandoned."""


class HandlerThread:
    """Thread that runs one call at a time.

    The thread must not be reused after a hang.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], Awaitable[None] | None] | None] = SimpleQueue()
        self._results: SimpleQueue[BaseException | None] = SimpleQueue()
        threading.Thread(target=self._loop, name=THREAD, daemon=True).start()

    def call(
        self, work: Callable[[], Awaitable[None] | None], seconds: float
    ) -> BaseException | None:
        """Make a call and wait until it ends; return its exception, if any.

        Raises:
            HandlerHangs: the time limit is exceeded; this thread must not be used again.
        """
        self._calls.put(work)
        try:
            return self._results.get(timeout=seconds)
        except Empty:
            self.stop()
            raise HandlerHangs(f"still running after {seconds:g} seconds") from None

    def stop(self) -> None:
        """Let the thread end after its current call."""
        self._calls.put(None)

    def _loop(self) -> None:
        while (work := self._calls.get()) is not None:
            self._results.put(_raised(work))


def _raised(work: Callable[[], Awaitable[None] | None]) -> BaseException | None:
    """Make a call; return the exception that it raised, if any."""
    try:
        result = work()
        if inspect.isawaitable(result):
            import asyncio  # slow to import, and most processes do not need asyncio

            asyncio.run(_completed(result))
    except BaseException as error:  # a cancelled coroutine raises no subclass of Exception
        return error
    return None


async def _completed(result: Awaitable[None]) -> None:
    await result
