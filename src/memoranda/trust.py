"""How far what is said may be relied on: set by the server from whose words they are."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from memoranda.observations.model import Origin

if TYPE_CHECKING:
    from memoranda.memories.model import Memory

RULE = "rule:"
"""How the name of a rule begins that approves in nobody's place."""


class Trust(StrEnum):
    """From least to most; they compare by it."""

    WEB = "web"
    TOOL = "tool"
    """What a program printed or made, and what came in an archive."""
    AGENT = "agent"
    PERSON = "person"
    APPROVED = "approved"
    """A person looked at these very words and approved them."""

    def __lt__(self, other: str) -> bool:
        return self._place < Trust(other)._place

    def __le__(self, other: str) -> bool:
        return self._place <= Trust(other)._place

    def __gt__(self, other: str) -> bool:
        return self._place > Trust(other)._place

    def __ge__(self, other: str) -> bool:
        return self._place >= Trust(other)._place

    @property
    def _place(self) -> int:
        return _ORDER[self.value]


_ORDER = {trust.value: place for place, trust in enumerate(Trust)}


BY_ORIGIN = {
    Origin.HUMAN: Trust.PERSON,
    Origin.AGENT: Trust.AGENT,
    Origin.TOOL: Trust.TOOL,
    Origin.GENERATED: Trust.TOOL,
    Origin.IMPORT: Trust.TOOL,
    Origin.WEB: Trust.WEB,
}
OUTSIDE = frozenset(origin for origin, trust in BY_ORIGIN.items() if trust <= Trust.TOOL)
"""Words that neither a person nor the agent said."""


def trust_of(memory: Memory) -> Trust:
    """Return how far a memory may be relied on."""
    if approved_by_person(memory):
        return Trust.APPROVED
    return BY_ORIGIN[memory.origin]


def approved_by_person(memory: Memory) -> bool:
    """Say whether a person approved what a memory says; a rule that did is no person."""
    by = memory.approved_by
    return memory.status == "approved" and bool(by) and not str(by).startswith(RULE)


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the origin of what is derived from several: the least trusted; of equally trusted
    ones the first."""
    return min(origins, key=BY_ORIGIN.__getitem__)
