"""Failures for the stories of the web page: causes that recur, follow each other and were ended,
a task that goes in circles, words that mean harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from made_store import HOSTILE, WORKSPACE

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.observations.model import Origin

DAY = 86_400_000_000
MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'wick'"
DENIED = "Traceback (most recent call last):\nPermissionError: [Errno 13] denied: 'oil.txt'"
UNREAD = "File has not been read yet. Read it first before writing to it."
ABSENT = "sh: 1: snuffer: command not found"
TASKS, EACH = 12, 20


def opened(folder: Path, **names: str) -> Memoranda:
    """Open a memory as its owner, or as an agent."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    return Memoranda.open(settings=settings, workspace=WORKSPACE, **names)


def fail(memory: Memoranda) -> None:
    """Let things fail in many ways, over some days."""
    now = memory._services.clock.now()
    for number in range(TASKS):
        at = now - (TASKS - number) * 2 * DAY
        events = [_failed("a", "python lamp.py", MISSING), _failed("b", "python fill.py", DENIED)]
        events += [_ran(f"x{step}", f"cat part_{step}.py", f"x = {step}") for step in range(EACH)]
        if number % 3 == 0:
            events.append(_failed("z", "snuffer", ABSENT))
        if number % 2:
            events += [_ran("i", "pip install wick", "Successfully installed wick"),
                       _ran("l", "python lamp.py", "the lamp is on")]  # fmt: skip
        names = (replace(one, session=f"lamp {number}", occurred_at=at) for one in events)
        unread = replace(
            _failed("e", "", UNREAD),
            session=f"edit {number}",
            tool="Edit",
            input={"file_path": f"/srv/lamp_{number}.py"},
            occurred_at=at + DAY,
        )
        memory.capture.take([*names, unread], workspace=WORKSPACE)
    for step in range(3):
        memory.observe(MISSING, task="circle", tool="Bash", input={"command": "python lamp.py"},
                       failed=True)  # fmt: skip
        memory.observe(f"looked at part {step}", task="circle")
    memory.capture.drain(wait=True)
    memory.errors.record(HOSTILE[:480], type="hallucination", context=HOSTILE[:1_900])
    memory.errors.record("\u05e9\u05d2\u05d9\u05d0\u05d4 \u6570\u636e\u5e93 failed",
                        type="context_degradation", recovery="said it again")  # fmt: skip
    memory.capture.drain(wait=True)


def _ran(key: str, command: str, output: str) -> Event:
    return Event(
        kind=EventKind.TOOL_RESULT, host="claude-code", session="", source=EventSource.HOOK,
        key=key,
        origin=Origin.TOOL, tool="Bash", input={"command": command}, output=output,
    )  # fmt: skip


def _failed(key: str, command: str, output: str) -> Event:
    return replace(_ran(key, command, output), failed=True)
