"""What is chosen or left out: a sentence, a clause of one, or a line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.compression.model import PassageSpeaker


class UnitKind(StrEnum):
    """What sort of text a unit is."""

    PROSE = "prose"
    HEADING = "heading"
    LOG = "log"
    DATA = "data"
    """A piece of a long line of JSON and the like."""
    CODE = "code"


RECORDS = frozenset({UnitKind.LOG, UnitKind.DATA})
"""Kinds whose values say more than their words."""


@dataclass(frozen=True, slots=True)
class UnitSource:
    """Where units are from; all of one source stand together."""

    place: int
    """Its number among all that is read."""
    ref: str
    speaker: PassageSpeaker


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a source that is taken whole."""

    source: UnitSource
    kind: UnitKind
    text: str
    number: int = 0
    """Of its sentence in the source; clauses of one sentence share it."""
    sentence: str = ""
    """The whole sentence that a clause is of."""
    start: int = 0
    """Where the clause begins in it."""
    pinned: bool = False
    outdated: bool = False
    """An earlier result said that a later line says otherwise."""
    times: int = 1
    """How many lines like it an earlier result saw."""
    carried: bool = False
    """It was chosen before."""

    @property
    def end(self) -> int:
        """Where the clause ends in its sentence."""
        return self.start + len(self.text)
