"""Proposals whose statement a person has since replaced or revoked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from memoranda.context.later_statements import EarlierStatement, replacements
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.proposals.model import Proposal, ProposalKind, ProposalStatus
from memoranda.scope import Scope
from memoranda.store.database import Transaction

STATING = frozenset({ProposalKind.ADD, ProposalKind.UPDATE})
"""Kinds of proposals that contain a statement."""


def with_replacements(
    tx: Transaction, team: str, found: Sequence[Proposal], now: int
) -> list[Proposal]:
    """Return proposals, marked with what replaces their statement."""
    by_place = defaultdict[str, list[Proposal]](list)
    for proposal in found:
        stated = proposal.kind in STATING and proposal.status is ProposalStatus.PENDING
        if stated and proposal.workspace:  # a revocation applies to only one workspace
            by_place[proposal.workspace].append(proposal)
    marks: dict[str, str] = {}
    for workspace, waiting in by_place.items():
        times = _stated_at(tx, team, waiting)
        earlier = [
            EarlierStatement(one.id, one.after.content, times[one.id], one.task or "")
            for one in waiting
        ]
        marks |= replacements(tx, Scope(team=team, workspace=workspace), earlier, now)
    return [
        replace(item, superseded=marks[item.id]) if item.id in marks else item for item in found
    ]


def _stated_at(tx: Transaction, team: str, found: Sequence[Proposal]) -> dict[str, int]:
    """Return the time of each proposal's newest evidence, or of its memory."""
    evidence = {proposal.id: memories.evidence(tx, team, proposal.memory) for proposal in found}
    seen = observations.by_ids(tx, team, [id for ids in evidence.values() for id in ids])
    made = memories.of_any_agent(tx, team, [item.memory for item in found])
    return {
        one.id: max(
            (seen[id].counted_at for id in evidence[one.id] if id in seen),
            default=made[one.memory].created_at if one.memory in made else one.created_at,
        )
        for one in found
    }
