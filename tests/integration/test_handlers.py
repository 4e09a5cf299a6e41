"""Handlers receive every stored record once, through any door."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hooking import hook

from memoranda import Memoranda
from memoranda.api.server.log_lines import JsonLine
from memoranda.api.service import Service
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind

SECRET = "AKIAIOSFODNN7EXAMPLE"
SPOOLED: list[dict[str, Any]] = [
    {"kind": "task_start", "session": "s9", "text": "make the tests pass"},
    {"kind": "message", "session": "s9", "id": "m1", "origin": "human", "text": "the port is 8"},
    {"kind": "agent_start", "session": "s9", "id": "r", "agent": "reviewer"},
    {"kind": "tool_result", "session": "s9", "id": "c1", "tool": "Bash", "output": "fine"},
    {"kind": "error", "session": "s9", "id": "e1", "text": "connection lost"},
    {"kind": "checkpoint", "session": "s9", "id": "p1", "text": "before the merge"},
    {"kind": "task_end", "session": "s9", "text": "done"},
]
CALLED_OUT = [
    "agent_start", "checkpoint", "error", "message", "task_end", "task_start", "tool_result",
]  # fmt: skip


class Listener:
    """Registers for all kinds, and stores what it receives."""

    def __init__(self, memory: Memoranda, *without: EventKind) -> None:
        self.events: list[Event] = []
        for kind in EventKind:
            if kind not in without:
                memory.capture.on(kind, self)

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def heard(self) -> list[str]:
        """Return the kinds received since the last call."""
        kinds = [event.kind.value for event in self.events]
        self.events.clear()
        return kinds


def message(key: str, **arguments: Any) -> Event:
    plain: dict[str, Any] = {"kind": EventKind.MESSAGE, "origin": Origin.HUMAN, "text": key}
    source = EventSource.API
    return Event(host="h", session="s", source=source, key=key, **(plain | arguments))


def spool(memory: Memoranda, *records: dict[str, Any]) -> None:
    for record in records:
        assert hook(memory.settings.data_dir, record, "spool", "generic").silent


def test_every_call_is_handled_once_by_its_kind(memory: Memoranda) -> None:
    listener = Listener(memory)

    def heard(act: Callable[[], object]) -> list[str]:
        act()
        return listener.heard()

    def observe(text: str, **value: Any) -> Callable[[], object]:
        return lambda: memory.observe(text, task="t", workspace="shop", **value)

    assert heard(observe("hello", key="a")) == ["task_start", "message"]
    assert heard(observe("hello", key="a")) == []
    assert heard(observe("it broke", type="error")) == ["error"]
    assert heard(observe("ok", tool="Bash", type="tool_call")) == ["tool_result"]
    assert heard(lambda: memory.checkpoints.create("1", "coding", "one")) == ["checkpoint"]
    assert heard(lambda: memory.checkpoints.rollback("1", "1", dry_run=True)) == []
    assert heard(lambda: memory.checkpoints.rollback("1", "1")) == ["checkpoint", "rollback"]
    expected = {"type": "tool", "workspace": "shop", "task": "1"}
    assert heard(lambda: memory.errors.record("it is lost", **expected)) == ["error"]
    assert heard(lambda: memory.stages.complete("1")) == ["stage_end"]
    assert heard(lambda: memory.stages.complete("1")) == []
    assert heard(lambda: memory.checkpoints.fork("1", "1", "again")) == ["task_start"]
    assert heard(lambda: memory.tasks.end("1", "failed")) == ["task_end"]
    assert heard(lambda: memory.conversations.add("hi", session="c")) == [
        "task_start",
        "message",
    ]


def test_spooled_events_are_handled_at_the_drain_and_never_again(memory: Memoranda) -> None:
    listener = Listener(memory)
    spool(memory, *SPOOLED)
    memory.capture.drain()
    texts = {event.kind: event.text for event in listener.events}
    assert texts[EventKind.TASK_START] == "make the tests pass"
    assert sorted(listener.heard()) == sorted([*CALLED_OUT, "stage_end"])
    spool(memory, SPOOLED[1], SPOOLED[3], SPOOLED[5], SPOOLED[6])
    memory.capture.drain()
    assert listener.heard() == []
    made = memory.checkpoints.list("1").items
    assert [one.checkpoint.description for one in made] == ["Checkpoint: before the merge (#4)"]


def test_an_import_is_handled_once(memory: Memoranda, tmp_path: Path) -> None:
    listener, file = Listener(memory, EventKind.STAGE_END), tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, SPOOLED)))
    memory.capture.import_transcript(file, dry_run=True)
    assert listener.heard() == []
    memory.capture.import_transcript(file)
    assert sorted(listener.heard()) == CALLED_OUT
    memory.capture.import_transcript(file, again=True)
    assert listener.heard() == []
    assert not memory.checkpoints.list("1").items  # the state at that time is unknown


def test_a_reader_that_drains_calls_handlers_too(memory: Memoranda) -> None:
    listener = Listener(memory)
    spool(memory, SPOOLED[1])
    memory.capture.catch_up(10)
    memory.close()
    assert listener.heard() == ["task_start", "message"]


def test_each_event_of_many_threads_is_handled_once(memory: Memoranda) -> None:
    keys: list[str] = []
    memory.capture.on("message", lambda event: keys.append(event.key))
    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            for _ in range(2):
                pool.submit(memory.observe, f"n {number}", task="t", key=str(number))
    memory.close()
    assert sorted(keys) == sorted(map(str, range(40)))


def test_handlers_are_passed_what_is_stored(memory: Memoranda) -> None:
    listener = Listener(memory)
    memory.observe(f"the key is {SECRET}", task="t")
    texts = " ".join(event.text for event in listener.events)
    assert "the key is" in texts
    assert SECRET not in texts


def test_a_handler_may_read_and_write_during_a_drain(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory._services.bus, "_patience", 30)  # a slow machine is no deadlock
    found: list[list[str]] = []
    events = SearchFilter(kinds=[HitKind.OBSERVATION])  # records of the task's end may be there too

    def reacts(event: Event) -> None:
        memory.capture.catch_up(10)
        hits = memory.search("port", mode="words", where=events).hits
        found.append([hit.title for hit in hits])
        memory.observe("the port was named", task="notes", type="decision", key=event.key)

    memory.capture.on("tool_result", reacts)
    spool(memory, *SPOOLED)
    memory.capture.drain()
    assert found == [["the port is 8"]]
    assert memory.search("the port was named", mode="words").hits[0].title == "the port was named"


def test_a_session_that_is_spooled_after_its_import_starts_no_agent_again(
    memory: Memoranda, tmp_path: Path
) -> None:
    listener = Listener(memory)
    records = [*SPOOLED[:3], SPOOLED[2] | {"kind": "agent_end", "text": "Two calls."}, SPOOLED[6]]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    memory.capture.import_transcript(path)
    assert listener.heard().count("agent_start") == 1
    spool(memory, *records)
    memory.capture.drain()
    assert listener.heard() == []


def test_failures_of_several_processes_are_counted_and_named_in_the_log(
    memory: Memoranda, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(event: Event) -> None:
        raise ValueError(event.text)

    for first in (0, 3):
        with Memoranda.open(settings=memory.settings) as other:
            other.capture.on("message", fails)
            for number in range(first, first + 3):
                other.observe(f"number {number}", task="t", workspace="shop")
    (failure,) = memory.store.status().handlers
    assert failure.count == 6
    assert "failed 6 times" in failure.described()
    logged = [JsonLine().format(record) for record in caplog.records]
    assert any("fails" in json.loads(line).get("handler", "") for line in logged)


def test_a_handler_that_fails_loses_no_event_and_is_shown(memory: Memoranda) -> None:
    def fails(event: Event) -> None:
        raise ValueError(f"cannot read {event.text}")

    memory.capture.on("message", fails)
    assert memory.observe("kept all the same", task="t").summary == "kept all the same"
    (failure,) = memory.store.status().handlers
    assert failure.handler.endswith("fails")
    assert failure.error == "ValueError"
    shown = [one for one in memory.store.doctor(quick=True) if one.check == "handlers"]
    assert "fails failed once; last ValueError" in shown[0].detail
    assert "kept" not in shown[0].detail


@pytest.mark.parametrize("kind", ["intervention", "rollback", "stage_end"])
def test_what_memoranda_reports_cannot_be_stored(memory: Memoranda, kind: str) -> None:
    with pytest.raises(InvalidInput, match=f"{kind} events are created by Memoranda"):
        memory.capture.take([message("x", kind=EventKind(kind))])
    spool(memory, {"kind": kind, "session": "s9", "text": "x"})
    assert memory.capture.drain().ignored == 1
    assert memory.store.stats().observations == 0


def test_a_call_of_a_tool_is_stored_as_one(memory: Memoranda) -> None:
    call = message("c", kind=EventKind.TOOL_CALL, tool="Bash", input={"command": "make"}, text="")
    memory.capture.take([call])
    (stored,) = memory.observations.list().items
    assert stored.type == "tool_call"
    assert memory.observations.show(stored.id).content == "$ make"


def test_a_checkpoint_event_makes_its_checkpoint_before_the_call_returns(
    memory: Memoranda,
) -> None:
    listener = Listener(memory)
    point = message("p", kind=EventKind.CHECKPOINT, text="half way")
    memory.capture.take([message("m"), point])
    memory.capture.take([point])
    memory.capture.drain()
    assert len(memory.checkpoints.list("1").items) == 1
    assert sorted(listener.heard()) == ["checkpoint", "message", "task_start"]


def test_a_plug_in_receives_events_that_a_server_drains(
    memory: Memoranda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package"
    metadata = package / "audit-1.0.dist-info"
    metadata.mkdir(parents=True)
    (package / "audit_of_tests.py").write_text(
        "heard = []\ndef register(handlers):\n    handlers.on('message', heard.append)\n"
    )
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: audit\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[memoranda.handlers]\naudit = audit_of_tests:register\n"
    )
    monkeypatch.syspath_prepend(package)
    spool(memory, SPOOLED[1])
    assert "audit_of_tests" not in sys.modules  # the hook loads none
    with closing(Service(load_settings({"data_dir": memory.settings.data_dir}))) as service:
        service.import_spool(service.settings.team)
    heard = sys.modules.pop("audit_of_tests").heard
    assert [event.text for event in heard] == ["the port is 8"]
