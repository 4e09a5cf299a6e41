"""The hook bus: what handlers do stays with them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.event_handlers import Handlers
from memoranda.observations.model import Origin


def event(kind: EventKind = EventKind.MESSAGE, key: str = "k") -> Event:
    return Event(
        kind=kind, host="h", session="s", source=EventSource.API, key=key, origin=Origin.HUMAN
    )


@pytest.fixture
def bus() -> Handlers:
    return Handlers()


@pytest.fixture
def hasty_bus() -> Handlers:
    return Handlers(patience_seconds=0.05)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """What a hanging handler waits for; it comes when the test is over."""
    event = threading.Event()
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name == "memoranda-handler":
            thread.join()


def test_handlers_hear_the_events_of_their_kind_in_order(bus: Handlers) -> None:
    heard: list[str] = []
    bus.on(EventKind.MESSAGE, lambda e: heard.append(f"first {e.key}"))
    bus.on(EventKind.MESSAGE, lambda e: heard.append(f"second {e.key}"))
    bus.on(EventKind.ERROR, lambda e: heard.append("wrong"))
    assert bus.emit(event(key="1")) == []
    assert bus.emit(event(key="2")) == []
    assert heard == ["first 1", "second 1", "first 2", "second 2"]


def test_nobody_listening_is_no_trouble(bus: Handlers) -> None:
    assert bus.emit(event()) == []


@pytest.mark.parametrize(
    "error", [ValueError("broken"), AssertionError("wrong"), SystemExit(3), RecursionError()]
)
def test_a_failing_handler_is_named_and_the_next_one_is_called(
    bus: Handlers, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def fails(_: Event) -> None:
        raise error

    bus.on(EventKind.MESSAGE, fails)
    bus.on(EventKind.MESSAGE, lambda e: heard.append(e.key))
    troubles = bus.emit(event())
    assert len(troubles) == 1
    assert "fails" in troubles[0]
    assert type(error).__name__ in troubles[0]
    assert heard == ["k"]
    assert "handler failed" in caplog.text


def test_a_handler_that_hangs_is_left_behind(hasty_bus: Handlers, release: threading.Event) -> None:
    heard = threading.Event()

    def hangs(_: Event) -> None:
        release.wait()

    hasty_bus.on(EventKind.MESSAGE, hangs)
    hasty_bus.on(EventKind.MESSAGE, lambda e: heard.set())
    troubles = hasty_bus.emit(event())
    assert "hangs" in troubles[0]
    assert "still running" in troubles[0]
    assert heard.wait(5)


def test_coroutines_are_awaited(bus: Handlers) -> None:
    heard: list[str] = []

    async def hears(e: Event) -> None:
        await asyncio.sleep(0)
        heard.append(e.key)

    bus.on(EventKind.MESSAGE, hears)
    assert bus.emit(event()) == []
    assert heard == ["k"]


def test_a_coroutine_may_fail_like_any_handler(bus: Handlers) -> None:
    async def fails(_: Event) -> None:
        raise KeyError("inside")

    bus.on(EventKind.MESSAGE, fails)
    assert "KeyError" in bus.emit(event())[0]


def test_a_coroutine_may_hang_like_any_handler(
    hasty_bus: Handlers, release: threading.Event
) -> None:
    async def hangs(_: Event) -> None:
        while not release.is_set():
            await asyncio.sleep(0.01)

    hasty_bus.on(EventKind.MESSAGE, hangs)
    assert "still running" in hasty_bus.emit(event())[0]


def test_handlers_may_be_called_from_within_a_running_loop(bus: Handlers) -> None:
    heard: list[str] = []

    async def hears(e: Event) -> None:
        heard.append(e.key)

    async def agent() -> list[str]:
        return bus.emit(event())

    bus.on(EventKind.MESSAGE, hears)
    assert asyncio.run(agent()) == []
    assert heard == ["k"]


def test_a_handler_that_registers_another_is_called_once(bus: Handlers) -> None:
    calls: list[int] = []

    def registers(_: Event) -> None:
        calls.append(len(calls))
        if len(calls) < 50:
            bus.on(EventKind.MESSAGE, registers)

    bus.on(EventKind.MESSAGE, registers)
    bus.emit(event())
    assert calls == [0]


def test_plugins_are_loaded_and_a_broken_one_is_passed_over(
    bus: Handlers, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
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
    bus.load_plugins()
    assert bus.emit(event()) == []
    assert sys.modules["good_plugin"].heard == ["k"]
    assert caplog.text.count("plugin failed") == 2
