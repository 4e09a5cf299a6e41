"""Events to capture, and child processes that capture them."""

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
"""Import paths for the tests' child processes."""
START = 1_750_000_000_000_000
Child = Forked | subprocess.Popen[str]
CHILDREN: list[Child] = []
"""Child processes of the running test; the rest is ended with it."""


def message_event(key: str, text: str, **changes: Any) -> Event:
    """Return a message of a person, as a hook reports it."""
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
    """Return a shell command with its result, as a hook reports it."""
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
    """Return a child's environment, without user settings and embedder."""
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    ours = {"PYTHONPATH": f"{SOURCES}{os.pathsep}{HERE}", "MEMORANDA_EMBEDDER": "none"}
    return plain | ours | more


def start(code: str, *arguments: object) -> Forked:
    """Start code in a process that has Memoranda loaded, with pipes."""
    child = program(code, list(map(str, arguments)), environment())
    CHILDREN.append(child)
    return child


def killed(child: Child) -> str:
    """Kill a child; return its unread output.

    Lines that were read ahead are included, which `communicate` does not know of.
    """
    assert child.stdout is not None
    child.kill()
    left = child.stdout.read()
    child.wait()
    return left


def finish(process: Child, timeout: float = 60) -> str:
    """Wait for a child; return its output, or fail with its error output."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, f"exit {process.returncode}\n{out}\n{err}"
    return out


def run(code: str, *arguments: object) -> str:
    """Run code in a new interpreter and return its output."""
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
