"""Applies a person's decision on a proposal to the quoted feedback.

A message may be recognised as feedback, and its lasting sentences may be proposed as memories when
its task ends; a person should not have to decide on the same sentence twice.
"""

from __future__ import annotations

from dataclasses import replace

from memoranda.feedback import table as feedback
from memoranda.feedback.model import EffectTarget, Feedback, FeedbackEffect, FeedbackState
from memoranda.memories import table as memories
from memoranda.memories.model import MemoryStatus
from memoranda.proposals.model import Proposal, ProposalKind, ProposalStatus
from memoranda.store.database import Transaction
from memoranda.text import one_line

_STATES = {
    ProposalStatus.APPROVED: FeedbackState.PROCESSED,
    ProposalStatus.REJECTED: FeedbackState.DISMISSED,
}


def decide_feedback(tx: Transaction, decided: Proposal) -> None:
    """Decide on the unconfirmed feedback that a decided proposal quotes.

    The feedback remains unconfirmed while another proposal from the same message is pending.
    """
    if decided.kind is not ProposalKind.ADD:
        return
    team, now = decided.team, decided.decided_at
    quoted = one_line(decided.before.content)
    sources = memories.evidence(tx, team, decided.memory)
    for item in feedback.pending_about(tx, team, sources) if sources else ():
        if quoted not in one_line(item.text) or _others_wait(tx, item, decided.memory):
            continue
        settled = replace(item, state=_STATES[decided.status], confirmed=True, processed_at=now)
        if feedback.settle(tx, item, settled):
            note = f"{decided.status} as proposal {decided.number}"
            effect = FeedbackEffect(item.revision, EffectTarget.REINFORCED, decided.memory, note)
            feedback.add_effects(tx, team, item.id, [effect])


def _others_wait(tx: Transaction, one: Feedback, memory: str) -> bool:
    """Return whether another pending memory is based on the same message."""
    ids = memories.resting_on(tx, one.team, [one.observation or ""])
    others = memories.of_any_agent(tx, one.team, [id for id in ids if id != memory])
    return any(other.status is MemoryStatus.PENDING for other in others.values())
