"""Preview of an import: what it would add or change, with the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KEPT = 1_000
"""Maximum number of entries that a preview lists; all are counted."""


@dataclass(frozen=True, slots=True)
class PreviewEntry:
    """One record that an import would add or change."""

    kind: str
    """Kind of the event, ``memory`` or ``block``."""
    change: str
    """``add`` or ``update``."""
    text: str
    """Text as it would be stored: without secrets and private spans."""


@dataclass(slots=True)
class ImportPreview:
    """Entries in the order of the file; the first ones are kept."""

    counts: Counter[str] = field(default_factory=Counter)
    """Number of entries by kind."""
    entries: list[PreviewEntry] = field(default_factory=list)

    def note(self, kind: str, text: str, change: str = "add") -> None:
        """Count an entry; keep it if there is space."""
        self.counts[kind] += 1
        if len(self.entries) < KEPT:
            self.entries.append(PreviewEntry(kind, change, text))

    def add(self, other: ImportPreview) -> None:
        """Add the entries of another preview."""
        self.counts.update(other.counts)
        self.entries += other.entries[: KEPT - len(self.entries)]
