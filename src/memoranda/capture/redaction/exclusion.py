"""Exclusion of files and commands whose purpose is to store secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate

import re2

from memoranda.capture.analysis.patches import patched_files
from memoranda.capture.analysis.tool_families import PATH_MEMBERS, command_line, member
from memoranda.capture.event import Event
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue
from memoranda.language.shell import parse

_WORD = re.compile(r"[^\s'\"|;&<>()=]+")

_PART = re.compile(r"[^:,{}*?]+")
"""Possible paths in an argument: ``HEAD:.env``, ``.env*``, ``{.env,x}``."""
_SUBSTITUTED = re.compile(r"\$\(([^()`]*)|`([^`]*)`")

_WILD = re.compile(r"\*+/?|\?|\[[^\]]*\]")
_MEMBERS = (*PATH_MEMBERS, "relative_path", "paths", "files", "include", "glob")
_MAXIMUM = 1_000
"""Maximum number of paths in a list that are checked."""


class Exclusion:
    """Decides whether an event's content may be stored at all."""

    def __init__(self, paths: Sequence[str], commands: Sequence[str]) -> None:
        """Compile globs (``**/.env``) and RE2 patterns.

        Raises:
            InvalidInput: a pattern is invalid.
        """
        globs = "|".join(translate(glob) for glob in paths)
        # ignore case, like some file systems
        self._paths = re.compile(globs or r"(?!)", re.IGNORECASE)
        self._traces = tuple({max(_WILD.split(glob), key=len).lower() for glob in paths})
        try:
            self._commands = re2.compile("|".join(f"(?:{c})" for c in commands) or r"[^\s\S]")
        except re2.error as error:
            raise InvalidInput(f"exclude_commands is not a valid RE2 pattern: {error}") from error

    def applies(self, event: Event) -> bool:
        """Return whether the event accesses an excluded file or command."""
        arguments = event.input
        line = command_line(event) or member(arguments, "command", "cmd")
        if line and (self._runs(line) or self._covers(line)):
            return True
        named: list[JsonValue] = [*patched_files(arguments)]
        if isinstance(arguments, dict):
            named += [arguments.get(name) for name in _MEMBERS]
        return any(map(self._covers, named))

    def _runs(self, line: str) -> bool:
        """Return whether the line contains an excluded command.

        The command may be alone, in a chain, after sudo or an assignment, or in a command
        substitution.
        """
        if self._commands.search(line):
            return True
        inner = [match[1] or match[2] or "" for match in _SUBSTITUTED.finditer(line)]
        steps = (step for text in (line, *inner) for step in parse(text).steps)
        return any(self._commands.search(" ".join(step.words)) for step in steps)

    def _covers(self, value: JsonValue) -> bool:
        """Return whether the value contains an excluded path.

        Paths are resolved from the root. A value without the longest fixed part of any pattern is
        skipped immediately, which covers nearly all cases.
        """
        if isinstance(value, list):
            return any(map(self._covers, value[:_MAXIMUM]))
        if not isinstance(value, str):
            return False
        lower = value.lower()
        if not any(trace in lower for trace in self._traces):
            return False
        words = [value[:4_096], *_WORD.findall(value[:20_000])]  # a path may have spaces
        return any(
            self._paths.match(f"/{part.lstrip('/')}")
            for word in words
            for part in (word, *_PART.findall(word))
        )
