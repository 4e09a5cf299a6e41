"""Concurrent and killed drains store every event once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from happenings import environment, finish, start
from hooking import command, hook, tool_used, without_drain

import forked_processes
from memoranda import Memoranda
from memoranda.capture.spool import Spool, spooled_lines
from memoranda.hook_event import spool

pytestmark = [pytest.mark.disk, pytest.mark.integration]

APPENDING = """
import json, sys, time
from hooking import tool_used
from memoranda.hook_event import spool


folder, name, end, number = sys.argv[1], sys.argv[2], time.monotonic() + float(sys.argv[3]), 0
pause = float(sys.argv[4])
while time.monotonic() < end:
    session = name if pause == 0 else f"{name}{number % 3}"
    payload = json.dumps(tool_used(session, number, mark=sys.argv[5]))
    spool(folder, "claude-code", payload.encode())
    number += 1
    time.sleep(pause)
print(number)
"""

DRAINING = """
import sys, time
from memoranda import Memoranda

end, stored = time.monotonic() + float(sys.argv[2]), 0
with Memoranda.open(sys.argv[1]) as memory:
    while time.monotonic() < end:
        stored += memory.capture.drain().intake.observations
print(stored)
"""


def stored(data_dir: Path) -> Counter[str]:
    """Return how often each call is stored; the sequence must have no gap."""
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain(wait=True)
        assert not report.busy
        assert [f for f in memory.store.doctor() if f.verdict == "failure"] == []
        found: Counter[str] = Counter()
        for task in memory.tasks.list():
            cursor: str | None = "0"
            last = 0
            while cursor is not None:
                page = memory.observations.list(task=task.id, cursor=cursor, limit=1_000)
                for observation in page:
                    assert observation.sequence == last + 1
                    last = observation.sequence
                    found[observation.summary.split("\n")[0]] += 1
                cursor = page.cursor
    return found


def test_hooks_and_drains_at_the_same_time_lose_and_double_nothing(data_dir: Path) -> None:
    seconds = 3.0
    drains = [start(DRAINING, data_dir, seconds) for _ in range(2)]
    appending = [start(APPENDING, data_dir, name, seconds, 0.004, 0) for name in "ab"]
    sent: list[str] = []

    def run_hooks(name: str) -> None:
        end, number = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            payload = tool_used(f"hook-{name}", number)
            assert hook(data_dir, payload).silent
            sent.append(payload["tool_use_id"])
            number += 1

    with ThreadPoolExecutor(3) as crowd:
        list(crowd.map(run_hooks, "xyz"))
    appended = sum(int(finish(process)) for process in appending)
    drained = sum(int(finish(process)) for process in drains)
    assert appended > 50
    assert len(sent) > 10
    assert drained > 0, "the drains met no hook"
    found = stored(data_dir)
    assert sum(found.values()) == len(found) == appended + len(sent)
    left = [path.name for path in (data_dir / "spool").iterdir() if not path.name.startswith(".")]
    assert left == []


def test_no_line_falls_between_writing_and_taking(data_dir: Path) -> None:
    without_drain(data_dir)
    spool = Spool(data_dir / "spool")
    seen: set[tuple[str, str]] = set()

    def take() -> None:
        for path in spool.take():
            for line in spooled_lines(path):
                payload = json.loads(line)["p"]
                seen.add((payload["mark"], payload["tool_use_id"]))
            path.unlink()

    appending = [start(APPENDING, data_dir, "s", 1, 0, mark) for mark in range(3)]
    while any(process.poll() is None for process in appending):
        take()
    take()
    written = sum(int(finish(process)) for process in appending)
    assert written > 500
    assert len(seen) == written


def test_a_line_written_into_a_file_that_was_just_taken_is_written_again(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file may even have the number of the taken one."""
    without_drain(data_dir)
    path = data_dir / "spool" / "s1.jsonl"
    write, close = os.write, os.close
    taken = False

    def write_too_late(file: int, line: bytes) -> int:
        if not taken:
            path.rename(path.with_suffix(".draining"))
            path.with_suffix(".draining").unlink()
        return write(file, line)

    def another_hook_comes(file: int) -> None:
        nonlocal taken
        close(file)
        if not taken:
            taken = True
            path.touch()

    monkeypatch.setattr(os, "write", write_too_late)
    monkeypatch.setattr(os, "close", another_hook_comes)
    spool(str(data_dir), "claude-code", json.dumps(tool_used("s1", 1)).encode())
    monkeypatch.undo()
    assert "toolu_s1_1" in path.read_text("utf-8")


def test_a_drain_killed_at_any_moment_loses_and_doubles_nothing(data_dir: Path) -> None:
    dice = random.Random(8)
    without_drain(data_dir)
    number = killed = 0
    for _ in range(10):
        for _ in range(40):
            payload = tool_used(f"s{number % 3}", number)
            spool(str(data_dir), "claude-code", json.dumps(payload).encode())
            number += 1
        words = ["--data-dir", str(data_dir), "drain", "--quiet", "--wait"]
        process = forked_processes.command(words, environment())
        wanted = dice.choice([".draining", "database", "time"])
        end = time.monotonic() + 10
        while time.monotonic() < end and process.poll() is None:
            if wanted == "time" and dice.random() < 0.02:
                break
            if wanted == ".draining" and list((data_dir / "spool").glob("*.draining")):
                time.sleep(dice.random() * 0.02)
                break
            if wanted == "database" and (data_dir / "memoranda.db-wal").exists():
                time.sleep(dice.random() * 0.02)
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        process.close()
    assert killed > 2
    found = stored(data_dir)
    assert sum(found.values()) == len(found) == number


def test_what_a_killed_drain_left_is_taken_by_the_next_command(data_dir: Path) -> None:
    assert hook(data_dir, tool_used("s", 1)).silent
    path = data_dir / "spool" / "s.jsonl"
    path.rename(path.with_name("s.1.draining"))
    listed = run_command(data_dir, "observation", "list", "--format", "json")
    assert len(listed["items"]) == 1


def run_command(data_dir: Path, *words: str) -> dict[str, Any]:
    """Run a command that prints JSON."""
    answer: dict[str, Any] = json.loads(command(data_dir, *words))
    return answer


def test_only_one_drain_works_at_a_time(data_dir: Path) -> None:
    assert hook(data_dir, tool_used("s", 1)).silent
    with Memoranda.open(data_dir) as memory:
        with memory._services.spool.exclusively(wait=False) as mine:
            assert mine
            assert run_command(data_dir, "drain", "--no-wait", "--format", "json")["busy"] is True
            words = ["--data-dir", str(data_dir), "drain", "--wait", "--format", "json"]
            waiting = forked_processes.command(words, environment(), stderr=2)
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(timeout=1)
        out, _ = waiting.communicate(timeout=60)
        assert json.loads(out)["observations"] == 1
