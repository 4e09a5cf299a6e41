"""Approval rule: which proposals are approved without a person's review."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryState, Proposal, ProposalKind

TRUST = (Origin.HUMAN, Origin.AGENT, Origin.TOOL, Origin.GENERATED, Origin.IMPORT, Origin.WEB)
"""Origins from most to least trusted."""
PREFIX = "rule:"
"""Prefix of the name of a rule that decides instead of a person."""


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """Rule for immediate approval; other proposals remain pending."""

    team: str
    id: str
    source: MemorySource | None
    """Required source of the memory; None for any."""
    category: Category | None
    confidence: float
    """Minimum confidence, 0 to 1."""
    origin: Origin
    """Minimum trust."""
    agents: bool
    """Whether the rule also applies to agents' proposals.

    Otherwise, the rule applies only to proposals that Memoranda derived from the record.
    """
    workspace: str | None
    """Workspace to which the rule applies; None for all workspaces."""
    enabled: bool
    created_by: str
    created_at: int

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:  # excludes NaN
            raise InvalidInput(f"confidence must be between 0 and 1, not {self.confidence}")

    @property
    def name(self) -> str:
        """Return the rule's name as the decider of a proposal."""
        return f"{PREFIX}{self.id}"

    def admits(self, proposal: Proposal, memory: Memory) -> bool:
        """Return whether a proposal may be approved immediately.

        Only an unmodified new memory may be approved in this way: not a critical or protected
        memory, a change to an existing memory, or a memory outside the rule's workspace.
        """
        return self.enabled and _is_plain(proposal, memory) and self._names(memory)

    def _names(self, memory: Memory) -> bool:
        return (
            self.source in (None, memory.source)
            and self.category in (None, memory.category)
            and self.workspace in (None, memory.workspace)
            and memory.confidence >= self.confidence
            and TRUST.index(memory.origin) <= TRUST.index(self.origin)
            and (self.agents or memory.origin is Origin.GENERATED)
        )


def _is_plain(proposal: Proposal, memory: Memory) -> bool:
    """Return whether a proposal only approves a new, unmodified memory."""
    state = MemoryState.of(memory)
    added = proposal.kind is ProposalKind.ADD and state.status is MemoryStatus.PENDING
    approved = proposal.after.status is MemoryStatus.APPROVED
    as_written = proposal.before == state and _unlike_in_status(proposal.after, state)
    return added and approved and as_written and not (memory.critical or memory.protected)


def _unlike_in_status(after: MemoryState, before: MemoryState) -> bool:
    return replace(after, status=before.status) == before
