"""Trust levels of text, which the server sets from the text's origin."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from memoranda.observations.model import Origin

if TYPE_CHECKING:
    from memoranda.memories.model import Memory

RULE = "rule:"
"""Prefix of the name of an approval rule, which distinguishes the rule from a person."""


class Trust(StrEnum):
    """Trust levels from least to most trusted, which compare in this order."""

    WEB = "web"
    TOOL = "tool"
    """Output of a program, or content of an archive."""
    AGENT = "agent"
    PERSON = "person"
    APPROVED = "approved"
    """A person approved exactly this text."""

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
"""Origins of text that was written neither by a person nor by the agent."""


def trust_of(memory: Memory) -> Trust:
    """Return the trust level of a memory."""
    if approved_by_person(memory):
        return Trust.APPROVED
    return BY_ORIGIN[memory.origin]


def approved_by_person(memory: Memory) -> bool:
    """Return whether a person, not a rule, approved a memory's text."""
    by = memory.approved_by
    return memory.status == "approved" and bool(by) and not str(by).startswith(RULE)


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the least trusted of several origins.

    This origin becomes the origin of derived text. In case of a tie, the first one is returned.
    """
    return min(origins, key=BY_ORIGIN.__getitem__)
