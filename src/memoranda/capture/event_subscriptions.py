"""Event handlers: code of users and plug-ins, isolated from capture.

Handlers are called in a separate thread after events are stored. Storing an event only enqueues it,
and no lock of the store or the spool is held while a handler runs.
"""

from __future__ import annotations

import inspect
import logging
import re
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memoranda.capture.event import Event, EventKind
from memoranda.capture.handler_failures import HandlerFailure
from memoranda.capture.handler_thread import HandlerHangs, HandlerThread
from memoranda.clock import Clock, SystemClock
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

logger = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[Event], Awaitable[None] | None]

ENTRY_POINTS = "memoranda.handlers"
"""Entry-point group of plug-ins.

Each entry point names a callable that receives a `Handlers` object and registers handlers with
`Handlers.on`.
"""

PATIENCE_SECONDS = 5.0
"""Time limit for one call; a handler that exceeds it is no longer called."""
REPORTED = 10
"""Number of a handler's first failures that are all reported; after these, every tenth is reported.
"""
QUEUED = 1_000
"""Maximum length of the event queue; `Handlers.emit` blocks while it is full."""


@dataclass(slots=True, eq=False)
class _Subscription:
    handler: Handler
    name: str
    version: str = ""
    failures: int = 0
    set_aside: bool = False


class Handlers:
    """Registered handlers, called for every event that this process stores.

    Events are delivered once, in the order of storing, to the handlers of their kind in the order
    of registration. A handler that raises is reported and called again for the next event; one that
    exceeds the time limit is reported and no longer called.
    """

    def __init__(
        self,
        patience_seconds: float = PATIENCE_SECONDS,
        report: Callable[[HandlerFailure], None] = lambda failure: None,
        clock: Clock | None = None,
        hangs: Callable[[str, str, int], bool] = lambda handler, version, now: False,
    ) -> None:
        """Create an object without handlers; ``report`` is called with failures.

        Args:
            hangs: function that returns whether a plug-in's handler (name, version, current time)
                is known to hang; such a handler is never called.
        """
        self._patience = patience_seconds
        self._clock = clock or SystemClock()
        self._report = report
        self._hangs = hangs
        self._subscriptions: dict[EventKind, list[_Subscription]] = {}
        self._inside = threading.local()
        self._loading = threading.Lock()
        self._plugins_loaded = threading.Event()
        self._plugin = self._version = ""
        self._changed = threading.Condition()
        self._queue: deque[Event] = deque()
        self._queued = self._done = 0
        self._thread: threading.Thread | None = None

    def on(self, kind: EventKind | str, handler: Handler) -> None:
        """Register a handler for events of a kind; repeated calls change nothing.

        Handlers are called in the order of their registration.

        Raises:
            InvalidInput: there is no such kind of event, or the handler cannot be called with an
                event.
        """
        event_kind = _kind(kind)
        _require_callable(handler)
        subscriptions = self._subscriptions.setdefault(event_kind, [])
        if all(subscription.handler != handler for subscription in subscriptions):
            name = f"{self._plugin}: {_name(handler)}" if self._plugin else _name(handler)
            subscriptions.append(self._subscription(handler, name))

    def _subscription(self, handler: Handler, name: str) -> _Subscription:
        """Create a subscription, disabled if the handler is known to hang."""
        known = bool(self._version) and self._hangs(name, self._version, self._clock.now())
        return _Subscription(handler, name, self._version, set_aside=known)

    def hears(self, kind: EventKind) -> bool:
        """Return whether there may be a handler for a kind of event.

        The result is True before plug-ins are loaded, since loading them here would delay the
        caller.
        """
        if not self._plugins_loaded.is_set():
            return True
        return any(not subscription.set_aside for subscription in self._subscriptions.get(kind, ()))

    def names(self) -> list[str]:
        """Return the names of all handlers, each once."""
        self.load_plugins()
        all_names = (
            subscription.name for some in self._subscriptions.values() for subscription in some
        )
        return list(dict.fromkeys(all_names))

    def emit(self, event: Event) -> None:
        """Enqueue an event for its handlers, if there may be any."""
        if not self.hears(event.kind):
            return
        with self._changed:
            if not self._is_inside():
                self._changed.wait_for(lambda: len(self._queue) < QUEUED)
            self._queue.append(event)
            self._queued += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._loop, name="memoranda-handlers", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until all queued events are delivered; return False on a timeout.

        Without ``seconds`` there is no timeout. The result is False immediately if this method is
        called from within a handler, whose own events are delivered after the current one.
        """
        if self._is_inside():
            return False
        with self._changed:
            due = self._queued
            return self._changed.wait_for(lambda: self._done >= due, seconds)

    def load_plugins(self) -> None:
        """Let installed packages register handlers, once. See `ENTRY_POINTS`."""
        if self._plugins_loaded.is_set() or self._is_inside():
            return
        with self._loading:
            if self._plugins_loaded.is_set():
                return
            for point in _plugins(_installed()):
                self._plugin = f"plug-in {point.name}"
                self._version = point.dist.version if point.dist else ""
                subscription = self._subscription(print, f"{self._plugin} ({point.value})")
                if subscription.set_aside:
                    continue
                caller = HandlerThread()
                self._make(caller, subscription, partial(self._register, point))
                caller.stop()
            self._plugin = self._version = ""
            self._plugins_loaded.set()

    def _register(self, point: EntryPoint) -> None:
        point.load()(self)

    def close(self) -> None:
        """Deliver the pending events, then end the threads. Idempotent."""
        self.settle()
        with self._changed:
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None and not self._is_inside():
            thread.join()

    def _loop(self) -> None:
        self.load_plugins()
        caller = HandlerThread()
        while (event := self._next()) is not None:
            for subscription in tuple(
                self._subscriptions.get(event.kind, ())
            ):  # handlers may register more handlers
                if subscription.set_aside:
                    continue
                if not self._make(caller, subscription, partial(subscription.handler, event)):
                    caller = HandlerThread()  # the previous thread hangs
            with self._changed:
                self._done += 1
                self._changed.notify_all()
        caller.stop()

    def _next(self) -> Event | None:
        """Wait for the next event; return None once this object is closed."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue) or self._thread is None)
            return self._queue.popleft() if self._queue else None

    def _make(
        self, caller: HandlerThread, one: _Subscription, work: Callable[[], Awaitable[None] | None]
    ) -> bool:
        """Make one call and report a failure; return False if it hangs."""

        def inside() -> Awaitable[None] | None:
            self._inside.here = True
            return work()

        try:
            error: BaseException | None = caller.call(inside, self._patience)
        except HandlerHangs as hanging:
            one.set_aside, error = True, hanging
        if error is not None:
            self._failed(one, error)
        return not one.set_aside

    def _failed(self, one: _Subscription, error: BaseException) -> None:
        """Log failure 1, 10, 100, …; report the first ten and every tenth."""
        one.failures += 1
        if one.failures > REPORTED and one.failures % REPORTED and not one.set_aside:
            return
        happened = "disabled" if one.set_aside else "failed"
        kind, now = type(error).__name__, self._clock.now()
        if str(one.failures).strip("0") == "1" or one.set_aside:
            trouble = f"{one.name}, {kind}: {error} (failure {one.failures})"
            named = {"handler": _LOGGED.sub("_", one.name)[-LOGGED:], "error": kind}
            logger.warning("handler %s: %s", happened, trouble, extra=named)
        self._report(HandlerFailure(one.name, kind, one.failures, one.set_aside, now, one.version))

    def _is_inside(self) -> bool:
        """Return whether the current thread is running a handler."""
        return getattr(self._inside, "here", False)


LOGGED = 80
"""Maximum number of characters of a handler's name in a log."""
_LOGGED = re.compile(r"[^\w./:-]+")
"""Characters that are removed from a handler's name in a log."""


def _installed() -> tuple[tuple[str, int], ...]:
    """Return the package folders, each with its modification time."""

    def changed(folder: str) -> int:
        try:
            return Path(folder).stat().st_mtime_ns
        except OSError:
            return 0

    return tuple((folder, changed(folder)) for folder in sys.path)


@lru_cache(maxsize=4)  # a process may open many memories; listing packages takes milliseconds
def _plugins(installed: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of installed plug-ins."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=ENTRY_POINTS))


def _kind(kind: EventKind | str) -> EventKind:
    try:
        return EventKind(kind)
    except ValueError:
        raise InvalidInput(f"{kind!r} is not a kind of event: {', '.join(EventKind)}") from None


def _require_callable(handler: Handler) -> None:
    if not callable(handler):
        raise InvalidInput(f"a handler must be a function that receives an event, not {handler!r}")
    try:
        inspect.signature(handler).bind(None)
    except TypeError:
        message = f"the handler {_name(handler)} must accept one argument, the event"
        raise InvalidInput(message) from None
    except ValueError:
        pass  # built-in function without a signature that could be checked


def _name(handler: Handler) -> str:
    """Return the module and name of a handler."""
    inner = handler.func if isinstance(handler, partial) else handler
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{getattr(named, '__module__', '')}.{named.__qualname__}"
