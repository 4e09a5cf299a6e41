"""What is never captured: files and commands whose very purpose is to hold secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate

import re2

from memoranda.errors import InvalidInput
from memoranda.values.event import Event
from memoranda.values.json import JsonValue

_WORD = re.compile(r"[^\s'\"|;&<>()=]+")

_WILD = re.compile(r"\*+/?|\?|\[[^\]]*\]")
_MEMBERS = ("file_path", "path", "notebook_path", "command", "cmd")


class Exclusion:
    """Decides whether an event's content may be kept at all."""

    def __init__(self, paths: Sequence[str], commands: Sequence[str]) -> None:
        """Compile globs (``**/.env``) and RE2 patterns.

        Raises:
            InvalidInput: a pattern is not acceptable.
        """
        self._paths = re.compile("|".join(translate(glob) for glob in paths) or r"(?!)")
        self._traces = tuple({max(_WILD.split(glob), key=len) for glob in paths})
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
        return any(self._covers(given.get(name)) for name in _MEMBERS)

    def _covers(self, value: JsonValue) -> bool:
        """Tell whether a word of the value, seen as a path from the root, is excluded.

        What holds the longest fixed part of no pattern matches none, which settles nearly all.
        """
        if not isinstance(value, str) or not any(trace in value for trace in self._traces):
            return False
        words = _WORD.findall(value[:20_000])
        return any(self._paths.match(f"/{word.lstrip('/')}") for word in words)
