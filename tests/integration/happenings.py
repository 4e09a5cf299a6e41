"""Events to take in, and processes of their own to take them in with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import memoranda
from forked_processes import Forked, program
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.observations.model import Origin

SOURCES = str(Path(memoranda.__file__).parents[1])
HERE = os.pathsep.join(str(folder) for folder in Path(__file__).parents[:2])
"""Where processes of these tests find what they import of them."""
START = 1_750_000_000_000_000
Child = Forked | subprocess.Popen[str]
CHILDREN: list[Child] = []
"""Processes that the running test has started; those left over are ended with it."""


def message_event(key: str, text: str, **changes: Any) -> Event:
    """A message of a person, as a hook reports it."""
    arguments: dict[str, Any] = {
        "kind": EventKind.MESSAGE,
        "host": "claude-code",
        "session": "one",
        "source": EventSource.HOOK,
        "key": key,
        "origin": Origin.HUMAN,
        "occurred_at": START,
        "text": text,
    }
    return Event(**(arguments | changes))


def ran(key: str, command: str, output: Any = "done", **changes: Any) -> Event:
    """A shell command with its result, as a hook reports it."""
    arguments: dict[str, Any] = {
        "kind": EventKind.TOOL_RESULT,
        "host": "claude-code",
        "session": "one",
        "source": EventSource.HOOK,
        "key": key,
        "origin": Origin.TOOL,
        "occurred_at": START,
        "tool": "Bash",
        "input": {"command": command},
        "output": output,
    }
    return Event(**(arguments | changes))


def environment(**more: str) -> dict[str, str]:
    """The environment of a child process, without settings of whoever runs the tests, and without
    the model."""
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    ours = {"PYTHONPATH": f"{SOURCES}{os.pathsep}{HERE}", "MEMORANDA_EMBEDDER": "none"}
    return plain | ours | more


def start(code: str, *arguments: object) -> Forked:
    """Start a piece of code in a process that has Memoranda loaded, with pipes for what it says."""
    child = program(code, list(map(str, arguments)), environment())
    CHILDREN.append(child)
    return child


def killed(child: Child) -> str:
    """Kill a child; return what it had printed that nobody read, what lines were read ahead with
    those that somebody did included, which `communicate` knows nothing of."""
    assert child.stdout is not None
    child.kill()
    left = child.stdout.read()
    child.wait()
    return left


def finish(process: Child, timeout: float = 60) -> str:
    """Wait for a child; return what it printed, or fail with what it complained of."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, f"exit {process.returncode}\n{out}\n{err}"
    return out


def run(code: str, *arguments: object) -> str:
    """Run a new interpreter on a piece of code and return what it printed."""
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
