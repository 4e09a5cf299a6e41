"""Rendering of the selected parts as text, in the order of their sources.

The first line of a source starts with the source's name; all others begin with a space, so that no
text can be mistaken for a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from memoranda.compression.extract.units import Unit, UnitSource
from memoranda.compression.model import CompressedLine

METHOD = "extract"
"""Name of the method that uses only the source's own words."""
GAP = " \u2026 "
"""Separator of two parts of a sentence that are not adjacent."""
OUTDATED = "[outdated] "
VALUES = "values: "


def label(of: UnitSource | CompressedLine) -> str:
    """Return the label at the start of a source's first line."""
    return f"{of.ref} {of.speaker}: "


def marked(one: Unit | CompressedLine) -> str:
    """Return the text of a unit or line with its marks."""
    mark = OUTDATED if one.outdated else ""
    times = f" (\u00d7{one.times})" if one.times > 1 else ""
    return f"{mark}{one.text}{times}"


def lines(chosen: Sequence[tuple[Unit, float]]) -> list[CompressedLine]:
    """Return the lines of units with their worth, in order.

    Clauses of one sentence are on one line.
    """
    grouped = groupby(chosen, lambda one: (one[0].source.place, one[0].number, one[0].outdated))
    return [_line(list(group)) for _, group in grouped]


def rendered(found: Sequence[CompressedLine], values: Sequence[str]) -> str:
    """Format lines and values as text."""
    shown = list(_rendered(found))
    if values:
        shown.append(VALUES + " ".join(values))
    return "\n".join(shown)


def _line(together: Sequence[tuple[Unit, float]]) -> CompressedLine:
    first = together[0][0]
    return CompressedLine(
        first.source.ref,
        first.source.speaker,
        _joined([unit for unit, _ in together]),
        outdated=first.outdated,
        worth=min(1.0, max(score for _, score in together)),
        pinned=first.pinned,
        times=first.times,
    )


def _rendered(found: Sequence[CompressedLine]) -> Iterator[str]:
    before: tuple[str, str] | None = None
    for line in found:
        origin = (line.ref, line.speaker)
        opening = " " if origin == before else label(line)
        yield opening + marked(line)
        before = origin


def _joined(units: Sequence[Unit]) -> str:
    """Join clauses with the text between them in the sentence, or a gap."""
    text = units[0].text
    for before, unit in pairwise(units):
        between = unit.sentence[before.end : unit.start]
        text += (between if len(between) <= 3 else GAP) + unit.text
    return text
