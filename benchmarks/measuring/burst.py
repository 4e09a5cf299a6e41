"""Run many hooks at once and one drain; check what was stored, in order."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from measuring.processes import Command, start
from memoranda.json_data import JsonValue
from memoranda.memory import Memoranda
from memoranda.observations.table import ObservationFilter

SMALL_PAYLOAD = 2_048
EVERYTHING = ObservationFilter(with_repeats=True)


def settle(data_dir: Path) -> None:
    """Mark the spool as drained just now, so that no hook starts a drain."""
    spool = data_dir / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    mark = spool / ".drain"
    mark.touch()
    later = time.time() + 3_600
    os.utime(mark, (later, later))


@dataclass(frozen=True, slots=True)
class Drained:
    """Result of a drain."""

    stored: int
    disordered: int
    """Pairs in one session stored in the reverse of their order of execution."""
    seconds: float


@dataclass(slots=True)
class Burst:
    """Concurrent hooks of several sessions, up to a limit on their number."""

    data_dir: Path
    hooks: int
    sessions: int
    failed: int = 0
    _spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    """(start, end) of the hook of each tool call."""

    def write(self, payload: Callable[[str, int], dict[str, JsonValue]]) -> None:
        """Write the events that the hooks will read to files."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        for number in range(self.hooks):
            name = f"call-{number}"
            event = payload(name, SMALL_PAYLOAD)
            event["session_id"] = f"session-{number % self.sessions}"
            self._file(name).write_text(json.dumps(event), "utf-8")

    def run(self, command: Command, environ: Mapping[str, str], at_once: int) -> float:
        """Run all hooks, at most ``at_once`` in parallel; return the seconds."""
        began = time.perf_counter()
        running: dict[int, tuple[str, float]] = {}
        for number in range(self.hooks):
            while len(running) >= at_once:
                self._reap(running)
            name, started = f"call-{number}", time.perf_counter()
            running[start(command, environ, stdin=self._file(name))] = (name, started)
        while running:
            self._reap(running)
        return time.perf_counter() - began

    def drain(self) -> Drained:
        """Drain once, then compare the store with the executed hooks."""
        with Memoranda.open(self.data_dir) as memory:
            began = time.perf_counter()
            memory.capture.drain()
            seconds = time.perf_counter() - began
            stored = disordered = 0
            for task in memory.tasks.list(limit=self.sessions + 1):
                page = memory.observations.list(task=task.id, where=EVERYTHING, limit=1000)
                calls = [_call(memory.observations.show(found.id).content) for found in page]
                stored += len(calls)
                disordered += sum(
                    self._spans[after][1] < self._spans[before][0]
                    for before, after in combinations(calls, 2)
                )
        return Drained(stored, disordered, seconds)

    def _file(self, name: str) -> Path:
        return self.data_dir / f"{name}.json"

    def _reap(self, running: dict[int, tuple[str, float]]) -> None:
        pid, status = os.waitpid(-1, 0)
        name, started = running.pop(pid)
        self.failed += status != 0
        self._spans[name] = (started, time.perf_counter())


def _call(content: str) -> str:
    """Return the call's name from an observation's first line."""
    return content.split("tests/", 1)[1].split(".py", 1)[0]
