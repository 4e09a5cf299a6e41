"""An ASGI application that is created at its first request.

Thus the server is ready without loading rarely used interfaces.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from anyio import to_thread
from starlette.types import Receive, Scope, Send


class RunnableApp(Protocol):
    """Application that responds only while it is running."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Process requests until the context exits."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process one request."""
        ...


class LazyApp:
    """Placeholder for an application that is created at the first request.

    The first request waits until the application has been created, in a thread.
    """

    def __init__(self, make: Callable[[], RunnableApp]) -> None:
        self._make = make
        self._opening: asyncio.Task[None] | None = None
        self._door: asyncio.Future[RunnableApp] | None = None
        self._ending = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Process requests until the context exits; then end the application too."""
        try:
            yield
        finally:
            self._ending.set()
            if self._opening is not None:
                await self._opening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process one request."""
        if self._door is None:
            self._door = asyncio.get_running_loop().create_future()
            self._opening = asyncio.create_task(self._live(self._door))
        door = await asyncio.shield(self._door)
        await door(scope, receive, send)

    async def _live(self, opened: asyncio.Future[RunnableApp]) -> None:
        """Create and run the application in a single task.

        The application's context must be entered and exited by the same task.
        """
        try:
            door = await to_thread.run_sync(self._make)
            async with door.running():
                opened.set_result(door)
                await self._ending.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)  # every caller gets this error
