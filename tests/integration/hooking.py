"""Helpers that run the hook as a host, and commands as a person."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from happenings import SOURCES, environment

import forked_processes

HOOK = Path(SOURCES) / "memoranda" / "hook.py"
HOOKS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "hooks.json").read_text("utf-8")
)["events"]

PROMPT = {
    "session_id": "s1",
    "hook_event_name": "UserPromptSubmit",
    "cwd": "/srv/shop",
    "prompt": "Fix the cart total.",
}
"""Claude Code's payload for a prompt."""


@dataclass(frozen=True)
class Ended:
    """The result of a hook as the host sees it."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    @property
    def silent(self) -> bool:
        """Whether the hook had exit code 0 and no output."""
        return (self.code, self.out, self.err) == (0, b"", b"")


def hook(
    data_dir: Path | str | None,
    payload: Any,
    *arguments: str,
    cwd: Path | None = None,
    **variables: str,
) -> Ended:
    """Run the hook as a host; bytes are sent unchanged, other input as JSON."""
    values = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    environ = environment(**variables)
    if data_dir is not None:
        environ["MEMORANDA_DATA_DIR"] = str(data_dir)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), *(arguments or ("spool",))],
        input=values,
        capture_output=True,
        env=environ,
        cwd=cwd,
        timeout=30,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


def tool_used(session: str, number: int, **more: Any) -> dict[str, Any]:
    """Return a payload for a shell command that never starts a drain."""
    return {
        "session_id": session,
        "hook_event_name": "PostToolUse",
        "cwd": "/srv/shop",
        "tool_name": "Bash",
        "tool_input": {"command": f"echo {session} {number}"},
        "tool_response": {"stdout": f"{session} {number}", "stderr": ""},
        "tool_use_id": f"toolu_{session}_{number}",
        **more,
    }


def cli(data_dir: Path, *arguments: str) -> list[str]:
    """Return the arguments that start a command."""
    return [sys.executable, "-m", "memoranda", "--data-dir", str(data_dir), *arguments]


def command(data_dir: Path, *arguments: str) -> str:
    """Run a command; return its output, or fail with its error output."""
    words = ["--data-dir", str(data_dir), *arguments]
    done = forked_processes.run(words, environment(), Path.cwd(), seconds=60)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, f"exit {done.returncode}\n{out}\n{err}"
    return out


def without_drain(data_dir: Path) -> None:
    """Keep hooks from starting drains, as they cannot mark the start."""
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, parents=True, exist_ok=True)
    data_dir.chmod(0o700)
    (spool / ".drain").unlink(missing_ok=True)
    (spool / ".drain").mkdir()
