"""Reasons why an agent's proposal is suspicious, for those who decide."""

from __future__ import annotations

from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.proposals.model import MemoryState, Proposal
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.order_detection import suspicion
from memoranda.store.database import Transaction

READS_LIKE_AN_ORDER = "reads like an instruction to the agent"
RESTS_ON_ONE = "is based on quarantined content"


def suspicion_about(tx: Transaction, memory: Memory, after: MemoryState) -> str:
    """Return why a change to a memory is suspicious; empty if it is not.

    The reason is either the memory's text, or that the memory is based on a quarantined
    observation.
    """
    if by_words := suspicion_of_text(after):
        return by_words
    evidence = memories.evidence(tx, memory.team, memory.id)
    quarantined = (
        quarantine.quarantined_among(tx, memory.team, evidence) if evidence else set[str]()
    )
    return RESTS_ON_ONE if quarantined else ""


def suspicion_of_text(state: MemoryState) -> str:
    """Return why a memory's text is suspicious; empty if it is not."""
    found = suspicion("\n".join((state.title, state.content, *state.tags)))
    return f"{READS_LIKE_AN_ORDER} ({found.reason})" if found else ""


def with_suspicion(suspicion: str, reason: str) -> str:
    """Return a reason preceded by a warning for the person."""
    return "; ".join(
        part for part in (f"suspicious: {suspicion}" if suspicion else "", reason) if part
    )


def is_suspicious(proposal: Proposal) -> bool:
    """Return whether a proposal was suspicious when created, by its reason."""
    return proposal.reason.startswith("suspicious: ")
