"""Filter of journal entries, with the names that users know operations by."""

from __future__ import annotations

import re
from dataclasses import dataclass

MEMORY_CHANGE = "memory change"
"""Stored operation of all changes of memories; the detail's ``act`` is the kind of change."""
BARE_ACTS = frozenset({"promote", "demote"})
"""Changes of memories that lists show without a noun."""
_NOUNS = {"memories": "memory", "proposals": "pending", "proposal": "pending"}
_OF_MEMORIES = ("memory", "pending")
_SEPARATORS = re.compile(r"[\s._/:-]+")


@dataclass(frozen=True, slots=True)
class JournalFilter:
    """Filter of journal entries."""

    operation: str | None = None
    """Operation as stored, as a list shows it, or as a method: ``memory edit``, ``blocks.insert``.
    """
    subject: str | None = None
    actor: str | None = None
    since: int | None = None
    """Start in microseconds since the epoch, inclusive."""
    until: int | None = None
    """End in microseconds since the epoch, exclusive."""

    @property
    def operations(self) -> tuple[str, ...]:
        """The stored operations that the name may mean."""
        if self.operation is None:
            return ()
        words = self._words
        singular = [words[0].removesuffix("s"), *words[1:]]
        return tuple(dict.fromkeys([self.operation, " ".join(words), " ".join(singular)]))

    @property
    def act(self) -> str | None:
        """The change of a memory that the name means, if any."""
        noun, *rest = self._words
        if [noun, *rest] == MEMORY_CHANGE.split():
            return None
        if noun in _OF_MEMORIES and rest and all(map(str.isalpha, rest)):
            return " ".join(rest)
        return noun if noun in BARE_ACTS and not rest else None

    @property
    def _words(self) -> list[str]:
        noun, *rest = _SEPARATORS.split((self.operation or "").strip().lower())
        return [_NOUNS.get(noun, noun), *rest]
