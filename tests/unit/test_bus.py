"""Handlers: failures, hanging and order, without effects on the caller."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.event_subscriptions import Handlers
from memoranda.capture.handler_failures import SKIPPED, HandlerFailure, HandlerFailures
from memoranda.clock import SystemClock
from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin


def event(kind: EventKind = EventKind.MESSAGE, key: str = "k") -> Event:
    return Event(
        kind=kind, host="h", session="s", source=EventSource.API, key=key, origin=Origin.HUMAN
    )


@pytest.fixture
def failures() -> list[HandlerFailure]:
    return []


@pytest.fixture
def bus(failures: list[HandlerFailure]) -> Iterator[Handlers]:
    handlers = Handlers(report=failures.append)
    yield handlers
    handlers.close()


@pytest.fixture
def hasty_bus(failures: list[HandlerFailure]) -> Iterator[Handlers]:
    handlers = Handlers(patience_seconds=0.05, report=failures.append)
    yield handlers
    handlers.close()


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Return the event that releases a hanging handler, set after the test."""
    event = threading.Event()
    yield event
    event.set()


def emitted(bus: Handlers, *keys: str) -> None:
    """Emit messages and wait for their handlers."""
    for key in keys or ("k",):
        bus.emit(event(key=key))
    assert bus.settle(10)


def test_handlers_receive_the_events_of_their_kind_in_order(bus: Handlers) -> None:
    heard: list[str] = []
    bus.on(EventKind.MESSAGE, lambda e: heard.append(f"first {e.key}"))
    bus.on("message", lambda e: heard.append(f"second {e.key}"))
    bus.on(EventKind.ERROR, lambda e: heard.append("wrong"))
    emitted(bus, "1", "2")
    assert heard == ["first 1", "second 1", "first 2", "second 2"]


def test_a_handler_registered_twice_is_called_once(bus: Handlers) -> None:
    heard: list[Event] = []
    bus.on(EventKind.MESSAGE, heard.append)
    bus.on("message", heard.append)
    emitted(bus)
    assert len(heard) == 1


def test_events_without_handlers_are_no_problem(bus: Handlers) -> None:
    emitted(bus)
    assert not bus.hears(EventKind.MESSAGE)


@pytest.mark.parametrize("kind", ["nonsense", "", "MESSAGE", None, 3])
def test_kinds_that_do_not_exist_are_refused(bus: Handlers, kind: Any) -> None:
    with pytest.raises(InvalidInput, match=r"not a kind of event: task_start, .*task_end"):
        bus.on(kind, print)


@pytest.mark.parametrize("handler", [None, "print", 3, lambda: None, lambda one, two: None])
def test_what_cannot_be_called_with_an_event_is_refused(bus: Handlers, handler: Any) -> None:
    with pytest.raises(
        InvalidInput, match=r"a handler must be a function|must accept one argument"
    ):
        bus.on(EventKind.ERROR, handler)


def test_anything_that_accepts_an_event_is_a_handler(bus: Handlers) -> None:
    heard: list[str] = []

    class Listener:
        def __call__(self, e: Event, more: str = "object") -> None:
            heard.append(more)

    kinds: list[Callable[[Event], None]] = [Listener(), partial(Listener(), more="part"), print]
    for one in kinds:
        bus.on(EventKind.MESSAGE, one)
    emitted(bus)
    assert heard == ["object", "part"]


@pytest.mark.parametrize(
    "error",
    [ValueError("broken"), SystemExit(3), RecursionError(), asyncio.CancelledError()],
)
def test_a_failing_handler_is_named_and_the_next_one_is_called(
    bus: Handlers,
    failures: list[HandlerFailure],
    error: BaseException,
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[str] = []

    def fails(_: Event) -> None:
        raise error

    bus.on(EventKind.MESSAGE, fails)
    bus.on(EventKind.MESSAGE, lambda e: heard.append(e.key))
    emitted(bus, "1", "2")
    assert {(one.error, one.set_aside) for one in failures} == {(type(error).__name__, False)}
    assert failures[0].handler.endswith("fails")
    assert heard == ["1", "2"]
    assert f"fails, {type(error).__name__}: {error}" in caplog.text


def test_of_many_failures_few_are_logged(
    bus: Handlers, failures: list[HandlerFailure], caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: Event) -> None:
        raise KeyError("text of an event")

    bus.on(EventKind.MESSAGE, fails)
    emitted(bus, *map(str, range(120)))
    assert [one.count for one in failures] == [*range(1, 11), *range(20, 121, 10)]
    assert len(caplog.records) == 3
    assert "text of an event" not in repr(failures)


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_handler_that_hangs_is_set_aside(
    hasty_bus: Handlers,
    failures: list[HandlerFailure],
    release: threading.Event,
    is_coroutine: bool,
) -> None:
    calls: list[str] = []
    heard: list[str] = []

    def hangs(e: Event) -> None:
        calls.append(e.key)
        release.wait(5)

    async def awaits(e: Event) -> None:
        calls.append(e.key)
        while not release.is_set():
            await asyncio.sleep(0.01)

    hasty_bus.on(EventKind.MESSAGE, awaits if is_coroutine else hangs)
    hasty_bus.on(EventKind.MESSAGE, lambda e: heard.append(e.key))
    emitted(hasty_bus, "1", "2", "3")
    assert (calls, heard) == (["1"], ["1", "2", "3"])
    assert [one.described()[:41] for one in failures] == [
        "hangs, and is disabled; last HandlerHangs"
    ]


def test_who_emits_does_not_wait_for_a_slow_handler(
    bus: Handlers, release: threading.Event
) -> None:
    bus.on(EventKind.MESSAGE, lambda e: release.wait(5) and None)
    bus.emit(event())
    assert not bus.settle(0)
    release.set()
    assert bus.settle(5)


def test_what_is_queued_is_called_out_at_the_end(bus: Handlers) -> None:
    heard: list[str] = []
    bus.on(EventKind.MESSAGE, lambda e: heard.append(e.key))
    for number in range(2_000):  # more than the queue holds
        bus.emit(event(key=str(number)))
    bus.close()
    assert heard == [str(number) for number in range(2_000)]


def test_coroutines_are_awaited(bus: Handlers) -> None:
    heard: list[str] = []

    async def hears(e: Event) -> None:
        await asyncio.sleep(0)
        heard.append(e.key)

    async def fails(_: Event) -> None:
        raise KeyError("inside")

    async def agent() -> None:
        emitted(bus)  # from within a running loop

    bus.on(EventKind.MESSAGE, fails)
    bus.on(EventKind.MESSAGE, hears)
    asyncio.run(agent())
    assert heard == ["k"]


def test_a_handler_may_cause_and_register_more(bus: Handlers) -> None:
    heard: list[str] = []

    def causes(e: Event) -> None:
        heard.append(e.key)
        bus.on(EventKind.ERROR, lambda e: heard.append(f"error {e.key}"))
        bus.emit(event(EventKind.ERROR, f"after {e.key}"))
        assert not bus.settle()  # which would wait for itself

    bus.on(EventKind.MESSAGE, causes)
    bus.emit(event())
    bus.close()
    assert heard == ["k", "error after k"]


def test_plugins_are_loaded_and_a_broken_one_is_passed_over(
    bus: Handlers,
    failures: list[HandlerFailure],
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "good_plugin.py").write_text(
        "from memoranda.capture.event import EventKind\n"
        "heard = []\n"
        "def register(bus):\n"
        "    bus.on(EventKind.MESSAGE, lambda event: heard.append(event.key))\n"
    )
    (tmp_path / "bad_plugin.py").write_text("def register(bus):\n    raise OSError('no')\n")
    metadata = tmp_path / "plugins-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugins\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[memoranda.handlers]\n"
        "a_bad = bad_plugin:register\n"
        "b_missing = no_such_module:register\n"
        "c_good = good_plugin:register\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    emitted(bus)
    bus.load_plugins()  # a second time
    emitted(bus)
    assert sys.modules["good_plugin"].heard == ["k", "k"]
    assert [(one.handler, one.error) for one in failures] == [
        ("plug-in a_bad (bad_plugin:register)", "OSError"),
        ("plug-in b_missing (no_such_module:register)", "ModuleNotFoundError"),
    ]
    assert bus.names() == ["plug-in c_good: good_plugin.register.<locals>.<lambda>"]


def test_a_plug_in_that_is_installed_meanwhile_is_found_by_the_next_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "meanwhile_plugin.py").write_text(
        "def register(bus):\n    bus.on('message', print)\n"
    )
    assert Handlers().names() == []
    metadata = tmp_path / "meanwhile-1.0.dist-info"
    metadata.mkdir()
    points = "[memoranda.handlers]\nsoon = meanwhile_plugin:register\n"
    (metadata / "entry_points.txt").write_text(points)
    assert Handlers().names() == ["plug-in soon: builtins.print"]


class Later(SystemClock):
    """A clock that is ahead."""

    ahead = 0

    def now(self) -> int:
        """Return the time of the clock."""
        return super().now() + self.ahead


HANGING = """
import time
calls = []
def hangs(event):
    calls.append("event")
    time.sleep(2)
def register(bus):
    bus.on("message", hangs)
def never_registers(bus):
    calls.append("register")
    time.sleep(2)
"""


def test_a_plug_in_that_hung_is_skipped_by_later_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hanging_plugin.py").write_text(HANGING)
    metadata = tmp_path / "hanging-1.0.dist-info"
    metadata.mkdir()
    points = "slow = hanging_plugin:register\nstuck = hanging_plugin:never_registers\n"
    (metadata / "entry_points.txt").write_text(f"[memoranda.handlers]\n{points}")
    monkeypatch.syspath_prepend(tmp_path)
    known, clock = HandlerFailures(tmp_path), Later()

    def called(version: str) -> list[str]:
        """Return the handler calls of a process that stores a message."""
        text = f"Metadata-Version: 2.1\nName: hanging\nVersion: {version}\n"
        (metadata / "METADATA").write_text(text)
        process = Handlers(0.05, known.note, clock, known.hangs)
        before = len(sys.modules["hanging_plugin"].calls) if "hanging_plugin" in sys.modules else 0
        emitted(process)
        process.close()
        return list(sys.modules["hanging_plugin"].calls[before:])

    both = ["register", "event"]
    assert (called("1.0"), called("1.0")) == (both, [])
    assert all("skipped until" in one.described() for one in known.since(clock.now()))
    assert (called("1.1"), called("1.1")) == (both, [])
    clock.ahead = SKIPPED
    assert (called("1.1"), called("1.1")) == (both, [])
