"""Decision on one proposal: approve, edit, reject, undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, ProfileFull, Stale
from memoranda.memories.model import Category
from memoranda.proposals.model import ProposalKind, ProposalStatus
from memoranda.text import clip
from memoranda.web.answers import Answer, Done, View
from memoranda.web.memory_views import in_context
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.pending import PAGE, card
from memoranda.web.proposals import ShownProposal, find_proposal, undoing, version_before
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
NOW = "now"
"""Redirect target for a decision on the start page."""
NAMED = 80
"""Maximum number of characters of a title in a one-time message."""
CHANGED = "It changed after it was shown to you; nothing was decided. This is its current state."


def approve(request: PageRequest) -> Answer:
    """Approve the proposal if it is unchanged since it was shown."""
    try:
        decided = request.call(
            "proposals.approve", id=request.named["id"], shown=request.text("shown")
        )
    except (Conflict, ProfileFull) as error:
        return card(request, find_proposal(request, request.named["id"]), _explained(error))
    return _decided(request, decided, "Approved")


def edit(request: PageRequest) -> Answer:
    """Show a form for editing the text of a proposal."""
    row = find_proposal(request, request.named["id"])
    return _editing(row, _typed_of(row.proposal["after"]))


def approve_edited(request: PageRequest) -> Answer:
    """Approve the person's text instead of the proposed text."""
    id, typed = request.named["id"], _typed(request)
    row = find_proposal(request, id)
    try:
        if row.hash != request.text("shown"):
            raise Stale(CHANGED)
        edit = _changed_fields(row, typed)
        decided = request.call(
            "proposals.approve", id=id, shown=row.hash, note=request.text("note"), edit=edit or None
        )
    except (Conflict, ProfileFull, InvalidInput) as error:
        return _editing(find_proposal(request, id), typed, error)
    return _decided(request, decided, "Approved with your text" if edit else "Approved")


def refuse(request: PageRequest) -> Answer:
    """Show a form for rejecting a proposal, with a field for the reason."""
    return View("pending-reject.html", {"row": find_proposal(request, request.named["id"])})


def reject(request: PageRequest) -> Answer:
    """Reject a proposal; the memory remains unchanged."""
    try:
        decided = request.call(
            "proposals.reject", id=request.named["id"], note=request.text("note")
        )
    except Conflict as error:
        return card(request, find_proposal(request, request.named["id"]), error)
    return _decided(request, decided, "Rejected")


def undo(request: PageRequest) -> Answer:
    """Undo a decision if the memory has not changed since."""
    proposal = request.call("proposals.show", id=request.named["id"])
    there = request.link(f"/pending/{proposal['id']}")
    version = version_before(request, proposal)
    if version is None:
        message = "The memory has changed since; you can restore any version from its history."
        return Done(there, f"Nothing changed. {message}", warn=True)
    approved = proposal["status"] == ProposalStatus.APPROVED
    id, why = proposal["memory"], "the approval was undone"
    if approved and proposal["kind"] == ProposalKind.ADD:
        request.call("memories.archive", id=id, reason=why)
        return Done(there, "Undone: the memory is archived, and no context includes it.")
    why = why if approved else "approved later"
    request.call("memories.restore", id=id, version=version, reason=why)
    message = "Undone: the memory is restored." if approved else "Approved."
    return Done(there, message)


def _decided(request: PageRequest, proposal: Mapping[str, Any], what: str) -> Done:
    """Redirect to the start page, or to the next row of the list."""
    there = request.link("/pending", cursor=request.cursor, at=request.text("next"))
    if request.text("back") == NOW:
        there = request.link("/")
    message = f"{what}: {clip(proposal['after']['title'], NAMED)}"
    memory = request.call("memories.show", id=proposal["memory"])["memory"]
    return Done(there, message, undoing(request, proposal), see=in_context(request, memory))


def _explained(error: MemorandaError) -> MemorandaError:
    return Stale(CHANGED) if isinstance(error, Stale) else error


def _editing(
    row: ShownProposal, typed: Mapping[str, str], trouble: MemorandaError | None = None
) -> View:
    values = {
        "row": row,
        "typed": typed,
        "trouble": str(trouble) if trouble else "",
        "stale": isinstance(trouble, Stale),
        "waits": row.proposal["status"] == ProposalStatus.PENDING,
        "categories": [category.value for category in Category],
    }
    return View("pending-edit.html", values, trouble.http_status if trouble else 200)


def _typed_of(state: Mapping[str, Any]) -> dict[str, str]:
    """Return a state as form fields."""
    return {
        "title": state["title"],
        "content": state["content"],
        "category": state["category"],
        "tags": ", ".join(state["tags"]),
        "critical": "yes" if state["critical"] else "",
    }


def _typed(request: PageRequest) -> dict[str, str]:
    names = ("title", "content", "category", "tags", "critical")
    return {name: request.text(name).replace("\r\n", "\n") for name in names}


def _changed_fields(row: ShownProposal, typed: Mapping[str, str]) -> dict[str, Any]:
    """Return the form fields that differ from the proposal."""
    proposed = _typed_of(row.proposal["after"])
    changed = {name: value for name, value in typed.items() if value != proposed[name]}
    wanted: dict[str, Any] = dict(changed)
    if "tags" in changed:
        wanted["tags"] = [tag.strip() for tag in changed["tags"].split(",") if tag.strip()]
    if "critical" in changed:
        wanted["critical"] = bool(changed["critical"])
    return wanted


ROUTES = (
    acts("/pending/{id}/approve", approve),
    reads("/pending/{id}/edit", edit),
    acts("/pending/{id}/edit", approve_edited),
    reads("/pending/{id}/reject", refuse),
    acts("/pending/{id}/reject", reject),
    acts("/pending/{id}/undo", undo),
)
