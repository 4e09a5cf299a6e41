"""The hook and the command line, as a host and a person start them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from happenings import SOURCES, environment

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
"""What Claude Code sends when somebody typed something."""


@dataclass(frozen=True)
class Ended:
    """What a host sees of a hook."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    @property
    def silent(self) -> bool:
        """Whether nobody would have noticed it."""
        return (self.code, self.out, self.err) == (0, b"", b"")


def hook(
    data_dir: Path | str | None,
    payload: Any,
    *arguments: str,
    cwd: Path | None = None,
    **variables: str,
) -> Ended:
    """Run the hook as the host does; bytes are sent as they are, anything else as JSON."""
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
    """A payload of Claude Code after a shell command; never one that starts a drain."""
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
    """The words that start a command."""
    return [sys.executable, "-m", "memoranda", "--data-dir", str(data_dir), *arguments]


def command(data_dir: Path, *arguments: str) -> str:
    """Run a command; return what it printed, or fail with what it complained of."""
    done = subprocess.run(
        cli(data_dir, *arguments),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def without_drain(data_dir: Path) -> None:
    """Keep hooks from starting drains: they cannot mark that they did."""
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, parents=True, exist_ok=True)
    data_dir.chmod(0o700)
    (spool / ".drain").unlink(missing_ok=True)
    (spool / ".drain").mkdir()
