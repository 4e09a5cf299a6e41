"""Decision on several proposals: selection, preview by trust, result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.operation_declaration import REVIEWERS
from memoranda.proposals.model import ProposalStatus
from memoranda.text import clip
from memoranda.web.answers import Answer, Done, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages.pending import PAGE
from memoranda.web.proposals import ShownProposal, find_proposal, undoing
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
ORDER = ("approved", "person", "agent", "tool", "web", "unknown")
"""Trust levels from most to least."""
NAMED = 60
"""Maximum number of characters of a title in a one-time message."""


@dataclass(frozen=True, slots=True)
class SkippedProposal:
    """A selected proposal that was not decided, and why."""

    id: str
    title: str
    reason: str


def preview(request: PageRequest) -> Answer:
    """Show the selection before the decision, with counts by trust."""
    chosen, left = _chosen(request, "on-page" if request.text("every") else "choose")
    if not chosen and not left:
        message = "Nothing was selected: select proposals, or the whole page."
        return Done(request.link("/pending", cursor=request.cursor), message, warn=True)
    counts = Counter(proposal.trust for proposal in chosen)
    values = {
        "rows": chosen,
        "left": left,
        "counts": [(trust, counts[trust]) for trust in ORDER if counts[trust]],
        "doubtful": sum(shown_proposal.doubtful for shown_proposal in chosen),
    }
    return View("pending-bulk.html", values)


def approve(request: PageRequest) -> Answer:
    """Approve what was shown; report the result of each proposal."""
    chosen, left = _chosen(request, "choose")
    done = request.call(
        "proposals.approve-all", shown=[dict(shown_proposal.proposal) for shown_proposal in chosen]
    )
    by_id = {proposal.proposal["id"]: proposal for proposal in chosen}
    for item in done["left"]:
        left.append(SkippedProposal(item["id"], by_id[item["id"]].title, item["reason"]))
    return _result(request, "approved", [by_id[id] for id in done["approved"]], left)


def reject(request: PageRequest) -> Answer:
    """Reject what was shown, all for the same reason."""
    chosen, left = _chosen(request, "choose")
    done = []
    for proposal in chosen:
        try:
            request.call("proposals.reject", id=proposal.proposal["id"], note=request.text("note"))
            done.append(proposal)
        except (Conflict, NotFound) as error:
            left.append(SkippedProposal(proposal.proposal["id"], proposal.title, str(error)))
    return _result(request, "rejected", done, left)


def decided(request: PageRequest) -> Answer:
    """Show the results of a bulk decision: decided and skipped proposals."""
    what = "rejected" if request.text("what") == "rejected" else "approved"
    rows = [*_existing(request, "id")]
    values = {
        "what": what,
        "rows": rows,
        "left": [*_existing(request, "left")],
        "undoing": {row.hash: undoing(request, row.proposal) for row in rows},
    }
    return View("pending-done.html", values)


def _result(
    request: PageRequest, what: str, done: Iterable[ShownProposal], left: list[SkippedProposal]
) -> Done:
    """Redirect to a page that can be reloaded.

    The reasons for skipped proposals are shown there once.
    """
    ids = [str(proposal.proposal["id"]) for proposal in done]
    there = request.link(
        "/pending/chosen/decided",
        what=what,
        id=ids,
        left=[skipped_proposal.id for skipped_proposal in left],
    )
    reasons = " ".join(f"“{clip(item.title, NAMED)}”: {item.reason}." for item in left)
    return Done(there, f"{len(ids)} {what}, {len(left)} left. {reasons}".strip(), warn=bool(left))


def _existing(request: PageRequest, name: str) -> Iterator[ShownProposal]:
    """Yield the proposals in the URL that exist."""
    for id in dict.fromkeys(request.texts(name)[:LIMIT]):
        with suppress(NotFound, InvalidInput):
            yield find_proposal(request, id)


def _chosen(request: PageRequest, name: str) -> tuple[list[ShownProposal], list[SkippedProposal]]:
    """Return the selected proposals as shown, and those changed since.

    Raises:
        Forbidden: the role may not decide on proposals.
    """
    if request.principal.role not in REVIEWERS:
        request.call("proposals.approve-all", shown=[])
    chosen, left = [], []
    for mark in dict.fromkeys(request.texts(name)[:LIMIT]):
        id, _, hash = mark.partition(":")
        try:
            row = find_proposal(request, id)
        except MemorandaError as error:
            left.append(SkippedProposal(id, id, str(error)))
            continue
        if row.proposal["status"] != ProposalStatus.PENDING:
            by = f"it was {row.proposal['status']} in the meantime by {row.proposal['decided_by']}"
            left.append(SkippedProposal(id, row.title, by))
        elif row.hash != hash:
            left.append(
                SkippedProposal(id, row.title, "the proposal changed after it was shown to you")
            )
        else:
            chosen.append(row)
    return chosen, left


ROUTES = (
    reads("/pending/chosen/decided", decided),
    acts("/pending/chosen", preview),
    acts("/pending/chosen/approve", approve),
    acts("/pending/chosen/reject", reject),
)
