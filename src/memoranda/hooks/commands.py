"""Builds and recognises the shell commands that hosts run at each event."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHELL = "/bin/sh"
_GUARDED = re.compile(r"^\{ (?P<command>.+); \} 2>/dev/null \|\| :$", re.DOTALL)
_HOOK = re.compile(
    r"[/\\]memoranda[/\\]hook\.py['\"]*"
    r" (?P<mode>(?:spool|context)(?: [\w-]+)?|live [\w-]+ \d+)\s*$"
)


@dataclass(frozen=True, slots=True)
class HookCommand:
    """Command that starts the hook of some installation of Memoranda."""

    interpreter: Path
    script: Path
    mode: tuple[str, ...]
    data_dir: Path | None
    """Data directory named in the command; None for the default directory."""
    guarded: bool
    """Whether the command exits with 0 even if the interpreter or the script is missing."""


def guarded(words: Sequence[str], data_dir: Path | None) -> str:
    """Return a command that starts the hook and always exits with 0.

    The guard is outside the script, since a missing or broken interpreter cannot run the script.
    Startup errors are hidden; standard output is passed on. The shell is named explicitly because
    hosts use different shells: Codex uses the user's login shell, which may not be a POSIX shell.
    """
    command = shlex.join(words)
    if data_dir is not None:
        command = f"MEMORANDA_DATA_DIR={shlex.quote(str(data_dir))} {command}"
    return shlex.join([SHELL, "-c", silenced(command)])


def silenced(command: str) -> str:
    """Return a POSIX shell command with its errors hidden and exit code 0."""
    return f"{{ {command}; }} 2>/dev/null || :"


def hook_command(command: str) -> HookCommand | None:
    """Parse a hook command of any installation; None for any other command."""
    inner, is_guarded = _unguarded(command)
    match = _HOOK.search(inner)
    if match is None:
        return None
    words = _words(inner)
    named = words[0].partition("=") if words[0].startswith("MEMORANDA_DATA_DIR=") else None
    words = words[1:] if named else words
    mode = tuple(match["mode"].split())
    return HookCommand(
        Path(words[0]),
        Path(words[-len(mode) - 1]),
        mode,
        Path(named[2]) if named else None,
        is_guarded,
    )


def hook_file() -> Path:
    """Return the path of the hook in this installation."""
    return Path(__file__).resolve().parents[1] / "hook.py"


def _unguarded(command: str) -> tuple[str, bool]:
    """Return the command within the guard, and whether there is a guard."""
    words = _words(command)
    if len(words) == 3 and words[:2] == [SHELL, "-c"]:
        match = _GUARDED.match(words[2])
        if match:
            return match["command"], True
    return command, False


def _words(command: str) -> list[str]:
    """Split a command into words; keep the backslashes of a Windows command."""
    try:
        return shlex.split(command.replace("\\", "\\\\") if ":\\" in command else command)
    except ValueError:  # an unterminated quote, so it is not Memoranda's command
        return command.split()
