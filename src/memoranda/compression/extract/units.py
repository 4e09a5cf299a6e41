"""Units that are selected or omitted: a sentence, a clause or a line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.compression.model import PassageSpeaker


class UnitKind(StrEnum):
    """Type of a unit's text."""

    PROSE = "prose"
    HEADING = "heading"
    LOG = "log"
    DATA = "data"
    """A piece of a long line of data, such as JSON."""
    CODE = "code"


RECORDS = frozenset({UnitKind.LOG, UnitKind.DATA})
"""Kinds whose values matter more than their words."""


@dataclass(frozen=True, slots=True)
class UnitSource:
    """Origin of units; all units of one source stay together."""

    place: int
    """Position of the source among all sources read."""
    ref: str
    speaker: PassageSpeaker


@dataclass(frozen=True, slots=True)
class Unit:
    """Part of a source that is selected as a whole."""

    source: UnitSource
    kind: UnitKind
    text: str
    number: int = 0
    """Number of the unit's sentence in the source, shared by the sentence's clauses."""
    sentence: str = ""
    """Whole sentence that contains the clause."""
    start: int = 0
    """Start of the clause in the sentence."""
    pinned: bool = False
    outdated: bool = False
    """Whether an earlier result marked it as contradicted by a later line."""
    times: int = 1
    """Number of similar lines that an earlier result represented."""
    carried: bool = False
    """Whether the unit was selected before."""

    @property
    def end(self) -> int:
        """Return the end of the clause in its sentence."""
        return self.start + len(self.text)
