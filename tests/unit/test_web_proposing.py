"""The presentation of a proposal: changed text and other changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memoranda.json_data import as_json
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.proposals.model import MemoryState, Proposal, ProposalKind, ProposalStatus
from memoranda.web.proposals import ProposalDetail, ShownProposal, _trust
from tables import each

STATE = MemoryState(
    "Port", "It is 8080.", Category.INSIGHT, (), "w", Visibility.WORKSPACE,
    critical=False, protected=False, status=MemoryStatus.PENDING,
)  # fmt: skip
WAITS = Proposal(
    "local", "p", ProposalKind.ADD, "m", "w", "bob", None, "", STATE,
    replace(STATE, status=MemoryStatus.APPROVED), ProposalStatus.PENDING, 1, None, None, "",
)  # fmt: skip


def shown(proposal: Proposal) -> ShownProposal:
    value: Any = as_json(proposal)
    return ShownProposal(value, proposal.hash, "agent", None, (), "pending")


def test_a_new_memory_has_no_old_state_and_lists_its_attributes() -> None:
    after = replace(WAITS.after, tags=("net", "port"), critical=True)
    row = shown(replace(WAITS, after=after))
    assert (row.before, row.after, row.title) == ("", "It is 8080.", "Port")
    assert set(row.details) == {
        ProposalDetail("tags", "none", "net, port"),
        ProposalDetail("critical", "no", "yes"),
    }
    assert shown(WAITS).details == ()


def test_a_change_lists_the_changed_attributes() -> None:
    after = replace(
        STATE, content="It is 9090.", category=Category.LEARNED_RULE, workspace=None,
        visibility=Visibility.TEAM,
    )  # fmt: skip
    row = shown(replace(WAITS, kind=ProposalKind.PROMOTE, after=after))
    assert (row.before, row.after) == ("It is 8080.", "It is 9090.")
    assert set(row.details) == {
        ProposalDetail("category", "insight", "learned rule"),
        ProposalDetail("workspace", "w", "the whole team"),
        ProposalDetail("visibility", "workspace", "team"),
    }


def test_what_is_archived_has_no_after() -> None:
    row = shown(replace(WAITS, kind=ProposalKind.ARCHIVE))
    assert (row.before, row.after) == ("It is 8080.", "")


def test_a_mark_is_of_one_proposal_as_it_was_shown() -> None:
    other = replace(WAITS, after=replace(WAITS.after, content="It is 9090."))
    assert shown(WAITS).mark == f"p:{WAITS.hash}"
    assert shown(WAITS).mark != shown(other).mark


def test_doubt_is_derived_from_its_reason() -> None:
    assert shown(replace(WAITS, reason="suspicious: reads like an order")).doubtful
    assert not shown(replace(WAITS, reason="not suspicious")).doubtful


@each(
    ("kind", "agent", "status", "trust"),
    [
        (ProposalKind.ADD, "bob", "pending", "web"),
        (ProposalKind.UPDATE, "bob", "approved", "agent"),
        (ProposalKind.UPDATE, "memoranda", "approved", "tool"),
        (ProposalKind.UPDATE, None, "approved", "tool"),
        (ProposalKind.ADD, "bob", "approved", "web"),
        (ProposalKind.ADD, "bob", None, "agent"),
        (ProposalKind.ADD, None, None, "unknown"),
    ],
)
def test_a_change_is_trusted_as_who_wants_it_and_a_new_memory_by_itself(
    kind: ProposalKind, agent: str | None, status: str | None, trust: str
) -> None:
    proposal: Any = as_json(replace(WAITS, kind=kind, agent=agent))
    found = {"memory": {"status": status}, "trust": "web"} if status else None
    assert _trust(proposal, found) == trust
