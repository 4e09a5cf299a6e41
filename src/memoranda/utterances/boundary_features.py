"""Features of each gap between words, where a part may end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoranda.utterances.ngrams import bucket

GAP_BUCKETS = 8_192
HEAD, TAIL = 4_000, 2_000
"""Number of characters that are read at the start and at the end of a long message."""
_VALUE = 0.5
"""Value of each feature that applies to a gap."""
_LENGTHS = (0, 1, 2, 3, 5, 8, 12)
_MARKS = "\u3002\uff01\uff1f\uff0c\u3001\uff1b\u2026\u22ef\uff5e\uff09\u300d"
_GAP = re.compile(rf"\s+|(?<=[{_MARKS}])(?=[^\s{_MARKS}])")
"""White space, or the position after a mark in scripts without spaces."""
_ITEM_MARK = re.compile(r"[-*+\u2022\u2013]|\d{1,3}[.)]")
_ENDS = re.compile("[.!?\u3002\uff01\uff1f]$")
_MARK = re.compile(r"\W$")
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class UtteranceWord:
    """A word of a message with adjacent marks, and whether it ends a line."""

    start: int
    end: int
    text: str
    ends_line: bool


def words_of(text: str) -> list[UtteranceWord]:
    """Return the words of a message in order.

    The middle of a long message is left out.
    """
    if len(text) <= HEAD + TAIL:
        return list(_words(text, 0, len(text)))
    return [*_words(text, 0, HEAD), *_words(text, len(text) - TAIL, len(text))]


def _words(text: str, start: int, end: int) -> Iterator[UtteranceWord]:
    at = start
    for gap in _GAP.finditer(text, start, end):
        if gap.start() > at:
            yield UtteranceWord(at, gap.start(), text[at : gap.start()], "\n" in gap[0])
        at = gap.end()
    if at < end:
        yield UtteranceWord(at, end, text[at:end], True)


def gap_rows(words: Sequence[UtteranceWord]) -> list[tuple[int, ...]]:
    """Return feature buckets for the gap after each word except the last."""
    cores = [_core(word.text) for word in words]
    strong = [word.ends_line or _ENDS.search(word.text) is not None for word in words]
    marked = [word.ends_line or _MARK.search(word.text) is not None for word in words]
    around = zip(_since(strong), _until(strong), _since(marked), _until(marked), strict=True)
    rows = []
    for at, distances in enumerate(list(around)[:-1]):
        names = _names(words, cores, at, *map(_length, distances))
        rows.append(tuple(sorted({bucket(name, GAP_BUCKETS) for name in names})))
    return rows


def item_gaps(words: Sequence[UtteranceWord]) -> list[bool]:
    """Return for each gap whether a list item follows it on a new line."""
    return [
        left.ends_line and _ITEM_MARK.fullmatch(right.text) is not None
        for left, right in pairwise(words)
    ]


def row_value() -> float:
    """Return the value of each bucket in a gap's features."""
    return _VALUE


def _names(
    words: Sequence[UtteranceWord],
    cores: Sequence[str],
    at: int,
    since: str,
    until: str,
    run: str,
    rest: str,
) -> Iterator[str]:
    """Yield the names of the features around a gap.

    The lengths are those of the adjacent sentences and clauses.
    """
    kind = _kind(words[at], words[at + 1])
    left, right = cores[at], cores[at + 1]
    before = cores[at - 1] if at else "^"
    second, third = (cores[at + far] if at + far < len(cores) else "$" for far in (2, 3))
    yield kind
    yield f"{kind} {_shape(words[at + 1].text[0])}"
    yield f"{kind} {since} {until}"
    yield f"{kind} {run} {rest} clause"
    for name in (f"right {right}", f"left {left}", f"second {second}", f"third {third}"):
        yield f"{kind} {name}"
    yield f"right {right}"
    yield f"right {right} {second}"
    yield f"left {left}"
    yield f"{kind} right {right} {second}"
    yield f"{kind} both {left} {right}"
    yield f"{kind} before {before}"
    yield f"begins {right[:3]}"
    yield f"{kind} ends {right[-2:]}"
    yield f"{kind} second ends {second[-2:]}"
    yield f"left ends {words[at].text[-3:].lower()}"
    yield f"{kind} {left} first" if at == 0 else "later"


def _kind(left: UtteranceWord, right: UtteranceWord) -> str:
    last = left.text[-1]
    mark = "\u2026" if left.text.endswith("...") else "w" if last.isalnum() else last
    return ("line" if left.ends_line else "space" if right.start > left.end else "none") + mark


def _shape(first: str) -> str:
    if first.isupper():
        return "capital"
    if first.islower():
        return "small"
    return "digit" if first.isdigit() else "letter" if first.isalpha() else first


def _core(text: str) -> str:
    low = text.lower().replace("\u2019", "'")
    return _EDGES.sub("", low) or low


def _since(ends: Sequence[bool]) -> list[int]:
    """Return for each gap the number of words since the previous end."""
    result, count = [], 0
    for end in ends:
        count += 1
        result.append(count)
        count = 0 if end else count
    return result


def _until(ends: Sequence[bool]) -> list[int]:
    """Return for each gap the number of words until the next end."""
    found, count = [0], 0
    for end in reversed(ends[1:]):
        count = 1 if end else count + 1
        found.append(count)
    return found[::-1]


def _length(count: int) -> str:
    return str(next((most for most in _LENGTHS if count <= most), "more"))
