"""Report of an intake: what was stored, or would be, and what was repeated."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memoranda.observations.model import Observation

KEPT = 1_000
"""Maximum number of entries that a preview lists; all are counted."""


@dataclass(frozen=True, slots=True)
class PreviewEntry:
    """Record that an import would add or change."""

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
        """Count an entry, and keep it if space remains."""
        self.counts[kind] += 1
        if len(self.entries) < KEPT:
            self.entries.append(PreviewEntry(kind, change, text))

    def add(self, other: ImportPreview) -> None:
        """Add the entries of another preview."""
        self.counts.update(other.counts)
        self.entries += other.entries[: KEPT - len(self.entries)]


@dataclass(slots=True)
class IntakeReport:
    """Counts of processed events."""

    events: int = 0
    observations: int = 0
    """Number of newly stored events."""
    duplicates: int = 0
    """Number of events that were already stored, or intentionally forgotten."""
    completed: int = 0
    """Number of stored events that were completed with new information."""
    folded: int = 0
    """Number of stored repetitions, which are not in the index."""
    redactions: Counter[str] = field(default_factory=Counter)
    """Number of removed items by rule."""
    tasks: set[str] = field(default_factory=set)
    last: Observation | None = None
    """The last newly stored observation, as stored."""
    preview: ImportPreview = field(default_factory=ImportPreview)
    """New events, if nothing was stored because of a dry run."""

    def add(self, other: IntakeReport) -> None:
        """Add another report's counts."""
        self.events += other.events
        self.observations += other.observations
        self.duplicates += other.duplicates
        self.completed += other.completed
        self.folded += other.folded
        self.redactions.update(other.redactions)
        self.tasks |= other.tasks
        self.last = other.last or self.last
        self.preview.add(other.preview)
