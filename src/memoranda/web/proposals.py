"""A proposal as shown for a decision: changes, origin and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoranda.calls.conversion import read
from memoranda.exceptions import NotFound
from memoranda.lessons.model import GENERATOR
from memoranda.proposals.model import (
    IMPORTED_FROM,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.web.answers import Undo
from memoranda.web.page_request import PageRequest

UNKNOWN = "unknown"
"""Trust of a memory that is not visible to this person, such as an agent's private memory."""
DOUBT = "suspicious: "
NAMED = 5
"""Maximum number of observations of one proposal in a list."""
_SHOWN_APART = ("title", "content", "status")
"""Fields shown elsewhere on the page or implied by the kind of change."""


@dataclass(frozen=True, slots=True)
class ProposalDetail:
    """A field other than the text that would change."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """A proposal with everything that a person needs to decide."""

    proposal: Mapping[str, Any]
    hash: str
    """Hash to which a decision is bound."""
    trust: str
    confidence: float | None
    """Confidence of a new memory, 0 to 1."""
    evidence: tuple[str, ...]
    """Ids of observations."""
    now: str
    """Current state of the memory; empty if it is not shown."""

    @property
    def mark(self) -> str:
        """Return the proposal's value in a form: its id and the displayed hash."""
        return f"{self.proposal['id']}:{self.hash}"

    @property
    def adds(self) -> bool:
        """Return whether the proposal adds a new memory."""
        return bool(self.proposal["kind"] == ProposalKind.ADD)

    @property
    def title(self) -> str:
        """Return the title of the proposal's memory."""
        return str(self.proposal["after"]["title"])

    @property
    def author(self) -> str:
        """Return who made the proposal."""
        imported = str(self.proposal["reason"]).startswith(IMPORTED_FROM)
        return str(self.proposal["agent"] or ("an import" if imported else "a person"))

    @property
    def before(self) -> str:
        """Return the current text."""
        return "" if self.adds else str(self.proposal["before"]["content"])

    @property
    def after(self) -> str:
        """Return the proposed text."""
        archived = self.proposal["kind"] == ProposalKind.ARCHIVE
        return "" if archived else str(self.proposal["after"]["content"])

    @property
    def doubtful(self) -> bool:
        """Return whether the proposal or its evidence reads like an instruction."""
        return str(self.proposal["reason"]).startswith(DOUBT)

    @property
    def details(self) -> tuple[ProposalDetail, ...]:
        """Return the changed fields other than the text; all for a new memory."""
        before, after = self.proposal["before"], self.proposal["after"]
        return tuple(
            ProposalDetail(name.replace("_", " "), _plain(name, before[name]), _plain(name, value))
            for name, value in after.items()
            if name not in _SHOWN_APART
            and (value != before[name] or (self.adds and name in ("tags", "critical") and value))
        )


def show_proposal(request: PageRequest, proposal: Mapping[str, Any]) -> ShownProposal:
    """Return a proposal with what is known about its memory."""
    whole: Proposal = read(Proposal, dict(proposal))
    try:
        found = request.call("memories.evidence", id=proposal["memory"])
    except NotFound:
        found = None
    memory = found["memory"] if found else None
    adds = proposal["kind"] == ProposalKind.ADD
    return ShownProposal(
        proposal=proposal,
        hash=whole.hash,
        trust=_trust(proposal, found),
        confidence=memory["confidence"] if memory and adds else None,
        evidence=tuple(found["observations"]) if found else (),
        now=memory["status"] if memory else "",
    )


def refs(request: PageRequest, rows: Sequence[ShownProposal]) -> dict[str, str]:
    """Return the short name of each proposal's first evidence, by id."""
    ids = list(dict.fromkeys(id for row in rows for id in row.evidence[:NAMED]))
    ties = request.call("observations.backlinks", ids=ids) if ids else []
    return {tie["observation"]: tie["ref"] for tie in ties}


def find_proposal(request: PageRequest, id: str) -> ShownProposal:
    """Return one proposal.

    Raises:
        NotFound: there is no such proposal, or it belongs to another agent.
    """
    return show_proposal(request, request.call("proposals.show", id=id))


def undoing(request: PageRequest, proposal: Mapping[str, Any]) -> Undo | None:
    """Return how to undo a decision; None if that is not possible.

    Undoing is not possible if the memory has changed since, or there is nothing to undo.
    """
    if not request.may("memories.restore") or version_before(request, proposal) is None:
        return None
    id, status = proposal["id"], proposal["status"]
    if status == ProposalStatus.APPROVED:
        return Undo(f"/pending/{id}/undo", {}, "Undo")
    return Undo(f"/pending/{id}/undo", {}, "Approve it now")


def version_before(request: PageRequest, proposal: Mapping[str, Any]) -> int | None:
    """Return the memory's version before the decision, or None.

    None if the memory has changed since.
    """
    if proposal["status"] == ProposalStatus.PENDING:
        return None
    try:
        newest = request.call("memories.history", id=proposal["memory"], limit=1)["items"]
    except NotFound:
        return None
    if not newest or newest[0]["created_at"] != proposal["decided_at"]:
        return None
    number: int = newest[0]["version"]
    return number


def _trust(proposal: Mapping[str, Any], found: Any) -> str:
    """Return the trust of a change.

    A new memory has its own trust; another change has the trust of the proposer.
    """
    if found and proposal["kind"] == ProposalKind.ADD:
        return str(found["trust"])
    if proposal["agent"] not in (None, GENERATOR):
        return "agent"
    return "tool" if found else UNKNOWN


def _plain(name: str, value: Any) -> str:
    if name in ("critical", "protected"):
        return "yes" if value else "no"
    if name == "workspace":
        return "the whole team" if value is None else str(value)
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return "none" if value is None else str(value).replace("_", " ")
