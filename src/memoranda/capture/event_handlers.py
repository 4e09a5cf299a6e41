"""Hook bus: runs registered handlers on events, isolated from capture.

A handler that raises an exception or exceeds its time limit is reported and does not stop capture.
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from memoranda.capture.event import Event, EventKind

logger = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[Event], Awaitable[None] | None]

ENTRY_POINTS = "memoranda.handlers"
"""Entry-point group of plugins.

Each names a callable that receives the bus and registers handlers.
"""

PATIENCE_SECONDS = 5.0
"""Timeout of one handler, after which it is abandoned."""


class Handlers:
    """Notifies registered handlers of events.

    A handler that raises or hangs is logged and abandoned: it stops neither the agent nor the other
    handlers. Handlers may be plain functions or coroutines.
    """

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._handlers: dict[EventKind, list[Handler]] = {}
        self._patience = patience_seconds

    def on(self, kind: EventKind, handler: Handler) -> None:
        """Register a handler for events of a kind.

        It is called after those registered before.
        """
        self._handlers.setdefault(kind, []).append(handler)

    def emit(self, event: Event) -> list[str]:
        """Notify all handlers of the event's kind; return errors, one line each."""
        troubles: list[str] = []
        for handler in tuple(self._handlers.get(event.kind, ())):  # which may grow meanwhile
            trouble = self._call(handler, event)
            if trouble:
                name = getattr(handler, "__qualname__", repr(handler))
                logger.warning("handler failed", extra={"handler": name, "trouble": trouble})
                troubles.append(f"{name}: {trouble}")
        return troubles

    def load_plugins(self) -> None:
        """Let installed packages register handlers through the entry-point group."""
        from importlib.metadata import entry_points

        for point in entry_points(group=ENTRY_POINTS):
            try:
                point.load()(self)
            except Exception as error:
                logger.warning(
                    "plugin failed", extra={"plugin": point.name, "trouble": repr(error)}
                )

    def _call(self, handler: Handler, event: Event) -> str | None:
        trouble: list[str] = []

        def run() -> None:
            try:
                result = handler(event)
                if inspect.isawaitable(result):
                    import asyncio  # a tenth of a second that most processes never need

                    asyncio.run(_completed(result))
            except (Exception, SystemExit) as error:
                trouble.append(f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=run, name="memoranda-handler", daemon=True)
        thread.start()
        thread.join(self._patience)
        if thread.is_alive():
            return f"still running after {self._patience} seconds"
        return trouble[0] if trouble else None


async def _completed(result: Awaitable[None]) -> None:
    await result
