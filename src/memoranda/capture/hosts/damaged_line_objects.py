"""Whole JSON objects of a line that is not one JSON object.

Two writers at once, or one that was killed, leave several records on a line, or the beginning of a
record before the next one. Objects inside a truncated record are parts of it, never records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_DECODER = json.JSONDecoder()
_SEPARATOR = re.compile(r"[\s,]*")
_OBJECT = re.compile(r'\{\s*"')
_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\]|\\.)*")')
_REACH = 8
"""Number of characters around an error in which the next record starts; enough for the longest
escape.
"""
_ATTEMPTS = 64
"""Maximum number of positions tried for one truncated record."""


@dataclass(frozen=True, slots=True)
class LineObjects:
    """Whole objects of one line, as byte ranges."""

    ranges: list[tuple[int, int]]
    damaged: int
    """Number of ranges that are not part of any whole object."""
    end: int
    """Offset after the last whole object; 0 if there is none."""


def line_objects(raw: bytes, *, ended: bool = True) -> LineObjects:
    """Find the whole objects of a line.

    A line that is not ``ended`` may still be being written, so a possible part of an unfinished
    record is not treated as a record.
    """
    # One character per byte, so that offsets agree; bytes of JSON's structure are ASCII.
    text = raw.decode("latin-1").replace("\0", " ")
    ranges: list[tuple[int, int]] = []
    at = damaged = 0
    while True:
        between = _SEPARATOR.match(text, at)
        at = between.end() if between else at
        if at >= len(text):
            break
        end, failed_at = _object_end(text, at)
        if end is None:
            damaged += 1
            found = _next_record(text, at, failed_at, ended=ended)
            if found is None:
                break
            at, end = found
        ranges.append((at, end))
        at = end
    return LineObjects(ranges, damaged, ranges[-1][1] if ranges else 0)


def _object_end(text: str, at: int) -> tuple[int | None, int]:
    """Return the end of the object at an offset, or None and the error offset."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        return None, error.pos
    except (ValueError, RecursionError):
        return None, len(text)
    return (end, end) if isinstance(value, dict) and value else (None, at)


def _next_record(text: str, start: int, failed_at: int, *, ended: bool) -> tuple[int, int] | None:
    """Return the range of the first record after a truncated one."""
    key = _FIRST_KEY.match(text, start)
    for at in _candidates(text, start, failed_at, key):
        end, _ = _object_end(text, at)
        if end is None or text[end:].lstrip()[:1] not in ("", "{"):
            continue
        # Where JSON permits an object, the object may belong to the truncated record. Records of
        # one program begin with the same key.
        same = key is not None and _begins_with(text, at, key[1])
        if failed_at < end or (ended and same):
            return at, end
    return None


def _candidates(text: str, start: int, failed_at: int, key: re.Match[str] | None) -> Iterable[int]:
    near = _positions(_OBJECT, text, max(start + 1, failed_at - _REACH), failed_at + _REACH)
    alike = re.compile(r"\{\s*" + re.escape(key[1])) if key else _OBJECT
    further = _positions(alike, text, max(start + 1, 0 if key else failed_at), len(text))
    return dict.fromkeys([*near, *further])


def _positions(pattern: re.Pattern[str], text: str, first: int, last: int) -> Iterator[int]:
    for number, match in enumerate(pattern.finditer(text, first)):
        if match.start() > last or number >= _ATTEMPTS:
            return
        yield match.start()


def _begins_with(text: str, at: int, key: str) -> bool:
    match = _FIRST_KEY.match(text, at)
    return match is not None and match[1] == key
