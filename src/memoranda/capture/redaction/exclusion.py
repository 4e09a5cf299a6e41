"""What is never captured: files and commands whose very purpose is to hold secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate

import re2

from memoranda.errors import InvalidInput
from memoranda.values.event import Event

_WORD = re.compile(r"[^\s'\"|;&<>()=]+")


class Exclusion:
    """Decides whether an event's content may be kept at all."""

    def __init__(self, paths: Sequence[str], commands: Sequence[str]) -> None:
        """Compile globs (``**/.env``) and RE2 patterns.

        Raises:
            InvalidInput: a pattern is not acceptable.
        """
        self._paths = re.compile("|".join(translate(glob) for glob in paths) or r"(?!)")
        try:
            self._commands = re2.compile("|".join(f"(?:{c})" for c in commands) or r"[^\s\S]")
        except re2.error as error:
            raise InvalidInput(f"exclude_commands is not a valid RE2 pattern: {error}") from error

    def applies(self, event: Event) -> bool:
        """Tell whether the event reads or writes something that is excluded."""
        given = event.input
        if not isinstance(given, dict):
            return False
        command = given.get("command") or given.get("cmd")
        if isinstance(command, str) and self._commands.search(command):
            return True
        return any(self._paths.match(path) for path in _paths(event))


def _paths(event: Event) -> Iterator[str]:
    """Every word of the input that could name a file, as an absolute path would look."""
    given = event.input if isinstance(event.input, dict) else {}
    for name in ("file_path", "path", "notebook_path", "command", "cmd"):
        value = given.get(name)
        if isinstance(value, str):
            for word in _WORD.findall(value[:20_000]):
                yield word if word.startswith("/") else f"/{word}"
