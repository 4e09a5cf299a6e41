"""Atoms: values of a text such as paths, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Atom(NamedTuple):
    """One value of a text."""

    kind: str
    value: str
    start: int


WEIGHTS = {
    "code": 2.5,
    "mail": 2.5,
    "address": 2.5,
    "path": 2.0,
    "version": 2.0,
    "hash": 2.0,
    "money": 2.0,
    "time": 1.8,
    "date": 1.8,
    "url": 1.5,
    "mixed": 1.5,
    "number": 1.2,
    "identifier": 1.0,
    "name": 1.0,
    "quoted": 0.8,
    "acronym": 0.5,
}
"""Weight of one atom of a kind in a log or in data."""
IDENTIFYING = frozenset({"path", "mail", "hash", "code", "version", "address", "url", "mixed"})
NUMERIC = frozenset({"number", "money", "time", "date", "version", "address", "mixed"})
SPECIFIC = IDENTIFYING | NUMERIC | {"name"}

_VALUES = r"""
 (?P<url>https?://[^\s"')>\]]+)
|(?P<mail>\b[\w.+-]{1,64}@[\w-]+\.[\w.]+\b)
|(?P<path>(?<![\w/.])~?(?:/[\w.@+%-]+){2,}/?|\b[\w.-]{1,99}/[\w./-]+\.\w{1,6}\b|\b[A-Z]:\\[\w\\.-]+
  |\b[\w-]{1,99}\.(?:py|js|ts|json|ya?ml|toml|md|txt|csv|log|sh|cfg|ini|sql|html|css|xml|go|rs|java
  |deb|whl|so)\b)
|(?P<date>\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)
|(?P<version>\bv?\d+\.\d+\.\d+[\w.+~-]*)
|(?P<hash>\b(?=[0-9a-f-]{0,99}\d)(?=[0-9a-f-]{0,99}[a-f])[0-9a-f]{7,64}(?:-[0-9a-f]{4,12})*\b)
|(?P<code>\b[A-Z][A-Z0-9]+[-_][A-Z0-9_-]*\d[A-Z0-9_-]*\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b
  |\b[A-Z]\w{0,99}(?:Error|Exception|Warning|Killed|BackOff|Failure)\b|\bE[A-Z]{3,}\b)
|(?P<mixed>\b(?=\w{0,99}\d)(?=\w{0,99}[A-Za-z])\w+(?:[-/]\w+)*\b|\b[A-Za-z]+[-/][\w-]{0,99}\d[\w-]*\b)
|(?P<money>[$\u20ac\u00a3]\s?\d[\d,.]*\d?[kKmM]?)
|(?P<time>\b\d{1,2}:\d{2}(?::\d\d)?(?:\s?[ap]\.?m\b)?)
|(?P<number>\b\d[\d,]*(?:\.\d+)?%?)
|(?P<identifier>\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b
  |\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b)
|(?P<name>\b[A-Z][a-z\u00e0-\u024f]+(?:['\u2019-][A-Za-z]+)?\b)
|(?P<acronym>\b[A-Z]{2,}s?\b)
"""
_QUOTED = r"""
|(?P<quoted>"[^"\n]{2,60}"|\u201c[^\u201d\n]{2,60}\u201d|`[^`\n]{2,60}`)
"""
_START = r"(?<!\w)(?=[\w~/$\u20ac\u00a3\"\u201c`])"
"""Positions where an atom may start, so that most letters are skipped."""
_VALUE = re.compile(f"{_START}(?:{_VALUES})", re.VERBOSE)
_VALUE_OR_QUOTED = re.compile(f"{_START}(?:{_VALUES}{_QUOTED})", re.VERBOSE)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_TAIL = ".,:;"


def atoms(text: str, *, quoted: bool = True) -> Iterator[Atom]:
    """Yield the atoms of a text in order.

    Every capitalised word is treated as a name. With ``quoted`` a quotation is one atom; without,
    as in data, its content is searched.
    """
    for match in (_VALUE_OR_QUOTED if quoted else _VALUE).finditer(text):
        kind, value = match.lastgroup or "", match[0].rstrip(_TAIL)
        if kind == "version" and _ADDRESS.fullmatch(value):
            kind = "address"
        yield Atom(kind, value, match.start())
