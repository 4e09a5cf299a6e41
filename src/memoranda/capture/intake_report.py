"""Intake report: how many events were stored, repeated or redacted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memoranda.capture.import_preview import ImportPreview


@dataclass(slots=True)
class IntakeReport:
    """Counts of processed events."""

    events: int = 0
    observations: int = 0
    """Number of newly stored events."""
    duplicates: int = 0
    """Number of events that were stored before, or forgotten intentionally."""
    completed: int = 0
    """Number of stored events that were completed with new information."""
    folded: int = 0
    """Number of stored repetitions, which are not indexed."""
    redactions: Counter[str] = field(default_factory=Counter)
    """Number of removed items, by rule."""
    tasks: set[str] = field(default_factory=set)
    last_id: str | None = None
    preview: ImportPreview = field(default_factory=ImportPreview)
    """New events, where nothing was stored: in a dry run."""

    def add(self, other: IntakeReport) -> None:
        """Add another report's counts."""
        self.events += other.events
        self.observations += other.observations
        self.duplicates += other.duplicates
        self.completed += other.completed
        self.folded += other.folded
        self.redactions.update(other.redactions)
        self.tasks |= other.tasks
        self.last_id = other.last_id or self.last_id
        self.preview.add(other.preview)
