"""Sample of a text that is too long: its ends, and dissimilar lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

MAXIMUM = 200_000
"""Number of characters read of one passage, about 50,000 tokens."""
IN_ALL = 2_000_000
"""Number of characters read of all passages together, if they are of similar length."""
MINIMUM = 400
_END_SHARE, _TROUBLE_SHARE = 0.3, 0.1
"""Fraction of the limit for each end, and for lines about problems."""
_MAX_LINE_LENGTH = 1_000
_PATTERNS = 100_000
"""Maximum number of line patterns that are distinguished."""
_LINE = re.compile(r"[^\n]{1,1000}")
_VARIES = re.compile(r"[\d\s]+")
_TROUBLE = re.compile(r"[Ee]rror|ERROR|[Ff]ail|FAIL|[Ee]xception|Traceback|FATAL|[Ff]atal|panic")


def sample_limit(passages: int) -> int:
    """Return how many characters to read of each of several passages."""
    return min(MAXIMUM, max(MINIMUM, IN_ALL // max(1, passages)))


def sampled(text: str, most: int) -> str:
    """Return a text, or the ends and sampled lines of a longer one.

    The lines are in order. The middle is represented by lines about problems and one line of each
    pattern, thinned evenly if there are too many. Time is proportional to the length of the text,
    memory to ``most``.
    """
    if len(text) <= most:
        return text
    end = int(most * _END_SHARE)
    head = _line_start(text, end)
    tail = _line_start(text, len(text) - end)
    room = most - 2 * end
    troubles = list(_problem_spans(text, head, tail, int(most * _TROUBLE_SHARE)))
    room -= sum(stop - begin for begin, stop in troubles)
    spans = sorted([*troubles, *_thinned(_patterns(text, head, tail), room)])
    return "\n".join([text[:head], *_span_texts(text, spans, head), text[tail:]])


def _line_start(text: str, at: int) -> int:
    """Return the start of the next line, or the position in a long line."""
    found = text.find("\n", at, at + _MAX_LINE_LENGTH)
    return found + 1 if found >= 0 else at


def _problem_spans(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the first lines about problems, up to a limit."""
    match = _TROUBLE.search(text, start, end)
    while match and most > 0:
        begin = max(
            text.rfind("\n", start, match.start()) + 1, match.start() - _MAX_LINE_LENGTH, start
        )
        stop = text.find("\n", match.end(), min(end, match.end() + _MAX_LINE_LENGTH))
        stop = stop if stop >= 0 else min(end, match.end() + _MAX_LINE_LENGTH)
        yield begin, stop
        most -= stop - begin
        match = _TROUBLE.search(text, stop, end)


def _patterns(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the span of the first line of each pattern.

    Lines of one pattern differ only in numbers and white space.
    """
    seen: set[int] = set()
    result = []
    for line in _LINE.finditer(text, start, end):
        pattern = hash(_VARIES.sub("#", line[0]))
        if pattern not in seen and len(seen) < _PATTERNS:
            seen.add(pattern)
            result.append(line.span())
    return result


def _thinned(spans: list[tuple[int, int]], room: int) -> list[tuple[int, int]]:
    """Return evenly spaced spans, as many as fit."""
    size = sum(stop - begin + 1 for begin, stop in spans)
    step = max(1, math.ceil(size / max(1, room)))
    return spans[::step]


def _span_texts(text: str, spans: list[tuple[int, int]], start: int) -> Iterator[str]:
    """Yield the text of spans, without overlaps."""
    for begin, stop in spans:
        if stop > start:
            yield text[max(begin, start) : stop]
            start = stop
