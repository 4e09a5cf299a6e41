"""Entries of the journal: the append-only, hash-chained operation record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue

GENESIS = "0" * 64
"""Hash that precedes a team's first entry."""

BUDGET_ALERT = "budget alert"
"""The month's cost of language models has exceeded the alert share of the budget."""
BUDGET_REFUSAL = "budget refusal"
"""A model call was refused because of the budget; recorded once a month."""
QUALITY_ALERT = "quality alert"
"""A summary keeps fewer of the critical facts than it should."""
SLOW_ALERT = "slow alert"
"""An operation took longer than the settings allow."""
ALERTS = frozenset({BUDGET_ALERT, BUDGET_REFUSAL, QUALITY_ALERT, SLOW_ALERT})
"""Operations in the journal that are alerts rather than changes."""

CONTEXT_GIVEN = "context given"
"""A session started, and the hook returned the context of the workspace.

The entry contains ids and counts, but no text.
"""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation, with ids and counts only, never text from a memory."""

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
    """Title of the entry's subject; for a memory, the title after the change. Empty if the subject
    is missing or not visible.
    """
    trace_id: str = ""
    """Id shared by the entries of one request or command; empty if there is none."""


@dataclass(frozen=True, slots=True)
class JournalCheck:
    """Result of verifying the chain."""

    entries: int
    head: str
    """Hash of the newest entry; if this hash is also stored elsewhere, a rewritten chain can be
    detected.
    """
    broken_at: int | None = field(metadata=VERBATIM)
    """Sequence number of the first entry that breaks the chain, or None."""
    reason: str | None

    @property
    def intact(self) -> bool:
        """Whether every entry matches its predecessor, and the last the head."""
        return self.broken_at is None
