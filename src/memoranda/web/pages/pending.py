"""Pending page: proposals with their differences, until a decision."""

from __future__ import annotations

from typing import Any

from memoranda.exceptions import MemorandaError
from memoranda.operation_declaration import SHOWN_PROPOSALS
from memoranda.proposals.model import ProposalStatus
from memoranda.web.answers import Answer, View
from memoranda.web.memory_views import grounds, places
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.proposals import (
    NAMED,
    ShownProposal,
    find_proposal,
    refs,
    show_proposal,
    undoing,
)
from memoranda.web.registry import MenuGroup, MenuPage, reads

PAGE = MenuPage(
    "/pending",
    "Pending",
    MenuGroup.KNOWLEDGE,
    3,
    roles=SHOWN_PROPOSALS,
    badge="proposals.count",
    styles=("pending.css",),
)
NEAR = 3
"""Number of similar memories shown next to a proposal."""
SIMILAR = 0.05
"""Minimum score of a similar memory."""
MAX_QUERY_LENGTH = 300
"""Maximum number of characters of a proposal in the query for similar memories."""


def listed(request: PageRequest) -> Answer:
    """Show pending or decided proposals."""
    status = request.text("status") or ProposalStatus.PENDING.value
    page = request.call(
        "proposals.list",
        workspace=request.workspace,
        status=status,
        cursor=request.cursor,
        limit=LIMIT,
    )
    rows = [show_proposal(request, item) for item in page["items"]]
    waits = status == ProposalStatus.PENDING
    values = {
        "status": status,
        "statuses": [proposal_status.value for proposal_status in ProposalStatus],
        "page": page,
        "rows": rows,
        "refs": refs(request, rows),
        "named": NAMED,
        "undoing": {} if waits else {row.hash: undoing(request, row.proposal) for row in rows},
        "contradicting": contradicting(request) if rows and waits else frozenset(),
        "count": request.call("proposals.count", workspace=request.workspace),
        "places": places(request),
        "at": request.text("at"),
    }
    return View("pending.html", values)


def one(request: PageRequest) -> Answer:
    """Show one complete proposal."""
    return card(request, find_proposal(request, request.named["id"]))


def card(request: PageRequest, row: ShownProposal, trouble: MemorandaError | None = None) -> View:
    """Return a proposal's page, with the error of a failed decision."""
    proposal = row.proposal
    waits = proposal["status"] == ProposalStatus.PENDING
    values = {
        "row": row,
        "waits": waits,
        "trouble": str(trouble) if trouble else "",
        "links": _links(request, row),
        "near": _similar(request, row) if waits else [],
        "evidence": grounds(request, row.evidence),
        "undo": undoing(request, proposal),
        "places": places(request),
    }
    return View("proposal.html", values, trouble.http_status if trouble else 200)


def contradicting(request: PageRequest) -> frozenset[str]:
    """Return the ids of memories that are known to contradict another one."""
    found = request.call("memories.conflicts", workspace=request.workspace, limit=100)["items"]
    return frozenset(end["id"] for item in found for end in (item["older"], item["newer"]))


def _links(request: PageRequest, row: ShownProposal) -> list[dict[str, Any]]:
    """Return the relations of the memory to other memories."""
    if not row.now:
        return []
    detail: dict[str, Any] = request.call("memories.show", id=row.proposal["memory"])
    result: list[dict[str, Any]] = detail["links"]
    return result


def _similar(request: PageRequest, row: ShownProposal) -> list[dict[str, Any]]:
    """Return existing memories that are similar to a proposal.

    The similar memories are shown so that a contradiction is noticed before approval.
    """
    query = (row.after or row.before)[:MAX_QUERY_LENGTH].strip()
    if not query:
        return []
    result = request.call(
        "search",
        query=query,
        workspace="all",
        where={"kinds": ["memory"]},
        limit=NEAR + 1,
        min_score=SIMILAR,
    )
    near = [hit for hit in result["hits"] if hit["id"] != row.proposal["memory"]]
    return near[:NEAR]


ROUTES = (reads("/pending", listed), reads("/pending/{id}", one))
