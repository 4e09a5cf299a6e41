"""Renders JSON in a text as unescaped lines of name and value."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memoranda.json_data import JsonValue
from memoranda.search.model import Excerpt
from memoranda.search.passage_splitter import LONG, TextPassage
from memoranda.text import normalise

MAX_LENGTH = 4 << 20
"""Maximum number of characters of a line that is parsed; longer lines are left unchanged."""
DEEPEST = 12
"""Maximum depth of rendered JSON; only the name of a deeper value is shown."""
_BEFORE = re.compile(r'(?:[\w.:@/-]{1,100} )?(?=\{\s*"|\[\s*\{\s*")')
"""Text before JSON on a line: the name of a tool or of a member of a result."""
_SIGN = r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.|[^\\])"
_LINE = re.compile(r"((?:[^\\]|\\[^n])+)|\\n")
"""A line inside a JSON string, including escapes, or a break between two lines."""
_PIECE = re.compile(rf"{_SIGN}{{1,{LONG}}}(?:(?! ){_SIGN}){{0,{LONG}}}", re.DOTALL)
_COMMANDS = ("command", "cmd", "argv")
_GAP = re.compile(r"[\s,:]*")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A readable line with the source characters that it represents."""

    start: int
    end: int
    text: str


def read_excerpt(text: str, passage: TextPassage) -> Excerpt:
    """Return a passage in readable form.

    Complete lines of JSON in the passage are rendered.
    """
    end = min(passage.start + passage.length, len(text))
    lines = _read_lines(text, passage.start, end)
    if lines is None:
        return Excerpt(passage.start, passage.length, text[passage.start : end])
    start = min((line.start for line in lines), default=passage.start)
    end = max((line.end for line in lines), default=end)
    return Excerpt(start, end - start, "\n".join(line.text for line in lines))


class ReadableText:
    """An entire text in readable form, with a mapping to the source text."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._lines = _read_lines(text, 0, len(text))
        self.text = text if self._lines is None else "\n".join(line.text for line in self._lines)

    def excerpt(self, passage: TextPassage) -> Excerpt:
        """Return part of a line of `text`, with its position in the source."""
        excerpt = self.text[passage.start : passage.start + passage.length]
        if self._lines is None:
            return Excerpt(passage.start, passage.length, excerpt)
        starts = list(accumulate((len(read_line.text) + 1 for read_line in self._lines), initial=0))
        index = bisect_right(starts, passage.start) - 1
        line = self._lines[index]
        if self._source[line.start : line.end] == line.text:
            return Excerpt(line.start + passage.start - starts[index], passage.length, excerpt)
        return Excerpt(line.start, line.end - line.start, excerpt)


def _read_lines(text: str, start: int, end: int) -> list[ReadLine] | None:
    """Return the readable lines of part of a text; None without JSON."""
    lines: list[ReadLine] = []
    is_plain = True
    at = text.rfind("\n", 0, start) + 1
    while at < end:
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        members = _members(text, at, stop)
        if members is None:
            first, last = max(at, start), min(stop, end)
            lines.append(ReadLine(first, last, text[first:last]))
        else:
            is_plain = False
            lines += [line for line in members if line.start < end and line.end > start]
        at = stop + 1
    return None if is_plain else [read_line for read_line in lines if read_line.text.strip()]


def _members(text: str, at: int, stop: int) -> Sequence[ReadLine] | None:
    """Return the lines of the JSON on a line; None if it is not valid JSON."""
    before = _BEFORE.match(text, at, stop)
    if before is None or stop - at > MAX_LENGTH:
        return None
    begun = before.end()
    try:
        value, end = _DECODER.raw_decode(text, begun)
    except (ValueError, RecursionError):
        return None
    if text[end:stop].strip():
        return None
    name = before[0].strip()
    head = [ReadLine(at, begun, name)] if name else []
    return [*head, *_JsonReader(text).lines(value, begun, "", DEEPEST)]


class _JsonReader:
    """Traverses JSON that is known to be valid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        """End position of the last value that was read."""

    def lines(self, value: JsonValue, at: int, name: str, depth: int) -> Iterator[ReadLine]:
        """Yield the lines of the value at a position."""
        if isinstance(value, str):
            yield from self._string(at, name)
        elif isinstance(value, list) and (text := _in_a_row(value, name)):
            self._end = _DECODER.raw_decode(self._text, at)[1]
            yield ReadLine(at, self._end, _named(name, text))
        elif isinstance(value, dict | list) and value and depth:
            yield from self._parts(value, at, name, depth)
        else:
            self._end = _DECODER.raw_decode(self._text, at)[1]
            if value not in (None, [], {}):
                text = "…" if isinstance(value, dict | list) else self._text[at : self._end]
                yield ReadLine(at, self._end, _named(name, text))

    def _parts(
        self, value: dict[str, JsonValue] | list[JsonValue], at: int, name: str, depth: int
    ) -> Iterator[ReadLine]:
        self._end = at + 1
        while self._text[at := self._next()] not in "]}":
            if isinstance(value, dict):
                name, self._end = _DECODER.raw_decode(self._text, at)
                at = self._next()
            part, _ = _DECODER.raw_decode(self._text, at)
            yield from self.lines(part, at, name, depth - 1)
        self._end = at + 1

    def _string(self, at: int, name: str) -> Iterator[ReadLine]:
        _, self._end = _DECODER.raw_decode(self._text, at)
        raw = self._text[at + 1 : self._end - 1]
        found = [
            (at + 1 + line.start() + piece.start(), piece[0])
            for line in _LINE.finditer(raw)
            for piece in _PIECE.finditer(line[1] or "")
        ]
        if len(found) > 1 and name:
            yield ReadLine(at, at + 1, f"{name}:")
        for start, piece in found:
            text = _unescaped(piece)
            shown = text if len(found) > 1 else _named(name, text)
            yield ReadLine(start, start + len(piece), shown)

    def _next(self) -> int:
        match = _GAP.match(self._text, self._end)
        return match.end() if match else self._end


def _in_a_row(values: list[JsonValue], name: str) -> str:
    """Return a short list of strings and numbers on one line, otherwise ""."""
    if not all(isinstance(value, str | int | float) for value in values):
        return ""
    texts = [item if isinstance(item, str) else json.dumps(item) for item in values]
    row = (" " if name in _COMMANDS else ", ").join(texts)
    return "" if "\n" in row or len(row) > LONG else normalise(row)


def _named(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text


def _unescaped(raw: str) -> str:
    return normalise(json.loads(f'"{raw}"', strict=False))
