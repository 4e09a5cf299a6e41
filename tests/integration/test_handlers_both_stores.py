"""Handlers: failures, repeats and unknown kinds; what is stored, on both engines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hooking import hook

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import Settings
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.observations.model import Origin
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    settings = replace(engine, embedder="none")
    with Memoranda.open(settings=settings, workspace="shop") as opened:
        yield opened


def message_event(key: str, text: str = "the port is 8443") -> Event:
    return Event(
        host="h", session="s", source=EventSource.API, key=key, kind=EventKind.MESSAGE,
        origin=Origin.HUMAN, text=text,
    )  # fmt: skip


def breaks(error: type[BaseException], _: Event) -> None:
    raise error("as it happens")


@pytest.mark.parametrize("error", [ValueError, KeyError, MemoryError, StopIteration, OSError])
def test_a_handler_that_raises_stops_neither_the_store_nor_the_others(
    memory: Memoranda, error: type[Exception]
) -> None:
    heard: list[str] = []
    memory.capture.on("message", partial(breaks, error))
    memory.capture.on("message", lambda event: heard.append(event.key))
    memory.capture.take(
        [
            message_event("a"),
            message_event("b", "the port is 9"),
            message_event("c", "the port is 10"),
        ]
    )
    memory.observe("and one more", task="t", key="d")
    assert sorted(heard) == ["a", "b", "c", "d"]
    assert memory.store.stats().observations == 4
    (failure,) = memory.store.status().handlers
    assert failure.error == error.__name__
    shown = [one for one in memory.store.doctor(quick=True) if one.check == "handlers"]
    assert f"; last {error.__name__}" in shown[0].detail
    assert "as it happens" not in shown[0].detail


def test_a_coroutine_that_raises_is_shown_as_a_function_is(memory: Memoranda) -> None:
    heard: list[str] = []

    async def fails(event: Event) -> None:
        await asyncio.sleep(0)
        heard.append(event.key)
        raise LookupError

    memory.capture.on("message", fails)
    memory.capture.take([message_event("a")])
    assert heard == ["a"]
    (failure,) = memory.store.status().handlers
    assert (failure.error, failure.handler.endswith("fails")) == ("LookupError", True)


def test_failures_of_two_handlers_are_two(memory: Memoranda) -> None:
    def first(event: Event) -> None:
        raise ValueError

    def second(event: Event) -> None:
        raise TypeError

    memory.capture.on("message", first)
    memory.capture.on("message", second)
    memory.capture.take([message_event("a")])
    found = {one.handler.rpartition(".")[2]: one.error for one in memory.store.status().handlers}
    assert found == {"first": "ValueError", "second": "TypeError"}


def test_a_handler_that_is_registered_twice_is_called_once(memory: Memoranda) -> None:
    heard: list[str] = []

    def hears(event: Event) -> None:
        heard.append(event.kind.value)

    for kind in ("message", "message", EventKind.MESSAGE, "error"):
        memory.capture.on(kind, hears)
    memory.capture.take([message_event("a")])
    memory.observe("it broke", task="t", type="error")
    assert sorted(heard) == ["error", "message"]


def test_a_later_handler_gets_no_stored_event(memory: Memoranda) -> None:
    heard: list[str] = []
    memory.capture.take([message_event("a")])
    memory.capture.on("message", lambda event: heard.append(event.key))
    memory.capture.take([message_event("a"), message_event("b", "the port is 9")])
    assert heard == ["b"]


@each("kind", ["", "mesage", "MESSAGE", " message", "*", "observation", "stage_begin", 7, None])
def test_a_kind_that_there_is_not_is_refused_with_those_there_are(
    memory: Memoranda, kind: Any
) -> None:
    with pytest.raises(InvalidInput, match="message"):
        memory.capture.on(kind, print)


@pytest.mark.parametrize(
    "handler",
    [None, "print", 3, lambda: None, lambda one, two: None, lambda *, event: None],
    ids=["none", "text", "number", "no argument", "two arguments", "named argument"],
)
def test_what_cannot_be_called_with_an_event_is_refused(memory: Memoranda, handler: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.capture.on("message", handler)
    memory.capture.take([message_event("a")])
    assert not memory.store.status().handlers


class Counts:
    """A handler with a method."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def hears(self, event: Event, extra: int = 0) -> None:
        self.heard.append(event.text)


@pytest.mark.parametrize("of", [lambda one: one.hears, lambda one: partial(one.hears, extra=1)])
def test_methods_and_partials_can_be_handlers(
    memory: Memoranda, of: Callable[[Counts], Any]
) -> None:
    counts = Counts()
    memory.capture.on("message", of(counts))
    memory.capture.take([message_event("a")])
    assert counts.heard == ["the port is 8443"]


@pytest.mark.engines("sqlite", "postgres")
def test_spooled_events_are_handled_by_the_first_of_two_openings(memory: Memoranda) -> None:
    heard: list[str] = []
    memory.capture.on("message", lambda event: heard.append(event.text))
    record = {"kind": "message", "session": "s9", "id": "m1", "origin": "human", "text": "hello"}
    for _ in range(2):
        assert hook(memory.settings.data_dir, record, "spool", "generic").silent
        memory.capture.drain()
    with Memoranda.open(settings=memory.settings) as other:
        other.capture.on("message", lambda event: heard.append(event.text))
        other.capture.drain()
    assert heard == ["hello"]


@pytest.mark.engines("sqlite", "postgres")
def test_the_ends_of_stages_and_tasks_are_handled(memory: Memoranda) -> None:
    heard: list[str] = []
    for kind in EventKind:
        memory.capture.on(kind, lambda event: heard.append(event.kind.value))
    memory.observe("the till rounds up", task="t")
    memory.checkpoints.create("t", "coding", "half way")
    memory.errors.record("a jam", type="tool", task="t")
    memory.tasks.end("t", "failed")
    with pytest.raises(Conflict, match="already ended"):
        memory.tasks.end("t", "failed")
    assert [one for one in heard if one != "stage_end"] == [
        "task_start", "message", "checkpoint", "error", "task_end",
    ]  # fmt: skip
