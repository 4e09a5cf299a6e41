"""Entries of the journal: the append-only, hash-chained operation record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue

GENESIS = "0" * 64
"""Predecessor hash of a team's first entry."""

BUDGET_ALERT = "budget alert"
"""The month's language model cost passed the alert share of the budget."""
BUDGET_REFUSAL = "budget refusal"
"""A model call was not made as the budget does not cover it; once a month."""
QUALITY_ALERT = "quality alert"
"""A summary keeps fewer of the critical facts than it should."""
SLOW_ALERT = "slow alert"
"""An operation took longer than the settings allow."""
ALERTS = frozenset({BUDGET_ALERT, BUDGET_REFUSAL, QUALITY_ALERT, SLOW_ALERT})
"""Operations of the journal that are alerts, not changes."""

CONTEXT_GIVEN = "context given"
"""A session began and its hook returned the context of its workspace.

The entry has ids and counts, no text.
"""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation; stored are ids and counts only, never text from a memory."""

    team: str
    sequence: int
    at: int
    actor: str
    operation: str
    subject: str
    detail: Mapping[str, JsonValue]
    previous: str
    hash: str
    title: str = ""
    """Title of its subject, that of a memory after the entry; empty if it is gone or unseen."""
    trace_id: str = ""
    """Id that the entries of one request or command share; empty if it had none."""


@dataclass(frozen=True, slots=True)
class JournalCheck:
    """Result of verifying the chain."""

    entries: int
    head: str
    """Hash of the newest entry; stored elsewhere it shows a rewritten chain."""
    broken_at: int | None = field(metadata=VERBATIM)
    """Sequence of the first entry that does not fit, or None."""
    reason: str | None

    @property
    def intact(self) -> bool:
        """Whether every entry fits its predecessor and the head."""
        return self.broken_at is None
