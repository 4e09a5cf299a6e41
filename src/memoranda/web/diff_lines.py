"""Parser of a unified diff into the lines of a page."""

from __future__ import annotations

from memoranda.web.differences import DiffLine

_KINDS = {"-": "gone", "+": "new", " ": "same"}
_HEADS = ("--- ", "+++ ")
MOST_LINES = 2_000
LONGEST = 2_000
"""Maximum characters of a line."""


def lines(diff: str) -> tuple[DiffLine, ...]:
    """Return the lines of a diff: ``same``, ``gone`` or ``new``.

    ``gap`` between hunks.
    """
    found: list[DiffLine] = []
    for number, line in enumerate(diff.split("\n")[:MOST_LINES]):
        if number < len(_HEADS) and line.startswith(_HEADS[number]):
            continue
        kind = _KINDS.get(line[:1], "gap")
        if kind == "gap" and (line.startswith("@@") or not line):
            text = "later" if found and line else ""
        else:
            text = line if kind == "gap" else line[1:]
        if text or kind != "gap":
            found.append(DiffLine(kind, ((False, text[:LONGEST]),)))
    return tuple(found)
