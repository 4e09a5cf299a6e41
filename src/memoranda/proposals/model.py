"""Proposals: changes to memories that await a person's decision.

This module also contains the edits, versions and notifications of proposals.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum

from memoranda.json_data import VERBATIM, JsonValue, dump_json
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility


@dataclass(frozen=True, slots=True)
class MemoryState:
    """Mutable part of a memory."""

    title: str
    content: str
    category: Category
    tags: tuple[str, ...]
    workspace: str | None
    visibility: Visibility
    critical: bool
    protected: bool
    status: MemoryStatus
    valid_from: int | None = None
    valid_until: int | None = None
    superseded_by: str | None = None

    @classmethod
    def of(cls, memory: Memory) -> MemoryState:
        """Return the current state of a memory."""
        return cls(**{item.name: getattr(memory, item.name) for item in fields(cls)})

    @classmethod
    def read(cls, text: str) -> MemoryState:
        """Parse a state from JSON."""
        values = json.loads(text)
        return cls(
            values["title"],
            values["content"],
            Category(values["category"]),
            tuple(values["tags"]),
            values["workspace"],
            Visibility(values["visibility"]),
            values["critical"],
            values["protected"],
            MemoryStatus(values["status"]),
            values.get("valid_from"),
            values.get("valid_until"),
            values.get("superseded_by"),
        )

    def text(self) -> str:
        """Return the state as JSON; equal states give equal texts."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return dump_json(values | {"tags": list(self.tags)})


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """Requested changes to a memory; None leaves a field unchanged."""

    title: str | None = None
    content: str | None = None
    category: Category | None = None
    tags: tuple[str, ...] | None = None
    critical: bool | None = None
    protected: bool | None = None
    valid_from: int | None = None
    """New start of the memory's validity, in microseconds."""
    valid_until: int | None = None
    confidence: float | None = None
    """Confidence, 0 to 1; only people can set it, and only when editing a single memory."""
    unset: tuple[str, ...] = ()
    """Fields to be cleared: valid_from or valid_until."""

    def applied(self, state: MemoryState) -> MemoryState:
        """Return a state with the changes applied."""
        own = ("unset", "confidence")
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in own}
        changes = {name: value for name, value in values.items() if value is not None}
        return replace(state, **(changes | dict.fromkeys(self.unset)))


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One of several changes that are made together."""

    id: str
    """Full id of the memory."""
    edit: MemoryEdit | None = None
    archive: bool = False
    """Whether the memory is archived instead of edited."""
    metadata: JsonValue = field(default=None, metadata=VERBATIM)
    """Document to store in the space ``memory-metadata``, with the memory's id as the key.

    None leaves the document unchanged.
    """
    updated_at: int | None = None
    """Time of the memory's last change that the caller knows of; None for any."""


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """State of a memory before a change."""

    team: str
    memory: str
    version: int
    """Version number; 1 for the first state."""
    state: MemoryState
    actor: str
    """Author of the change."""
    reason: str
    created_at: int
    """Time of the change."""


IMPORTED_FROM = "it was imported from"
"""Beginning of the reason of a proposal that was created by an import."""


class ProposalKind(StrEnum):
    """Kind of change that is proposed."""

    ADD = "add"
    UPDATE = "update"
    PROMOTE = "promote"
    """Extend the memory's scope from its workspace to the whole team."""
    DEMOTE = "demote"
    """Limit the memory's scope from the whole team to one workspace."""
    ARCHIVE = "archive"


class ProposalStatus(StrEnum):
    """Status of a proposal; a decision is final."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Change to one memory, with the states before and after."""

    team: str
    id: str
    kind: ProposalKind
    memory: str
    workspace: str | None
    """Workspace of the memory."""
    agent: str | None
    task: str | None
    """Task in which the proposal was created."""
    reason: str
    before: MemoryState
    after: MemoryState
    status: ProposalStatus
    created_at: int
    decided_at: int | None
    decided_by: str | None
    note: str
    """Note on the decision."""
    number: int = 0
    """Number within the team: 1, 2, 3, …; assigned when the proposal is stored."""
    superseded: str = ""
    """A person's later statement that replaces the proposal, such as "replaced by 9#7"; computed.
    """
    hash: str = ""
    """SHA-256 of everything that is shown about the change; a person passes it to approve the
    change; computed.
    """

    def __post_init__(self) -> None:
        shown = f"{self.kind}\n{self.memory}\n{self.before.text()}\n{self.after.text()}"
        object.__setattr__(self, "hash", hashlib.sha256(shown.encode()).hexdigest())

    @property
    def author(self) -> str:
        """Return who made the proposal, as shown to people."""
        imported = self.reason.startswith(IMPORTED_FROM)
        return self.agent or ("an import" if imported else "a person")


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """Result of a request to change a memory."""

    memory: Memory
    proposal: Proposal | None
    """Pending proposal; None if the change was made immediately."""


@dataclass(frozen=True, slots=True)
class UndecidedProposal:
    """Proposal that remains undecided, with the reason."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """Result of deciding on several proposals at once."""

    approved: tuple[str, ...]
    left: tuple[UndecidedProposal, ...]


class NotificationKind(StrEnum):
    """Kind of notification about a proposal."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Notification:
    """Event that concerns a proposal, without text from a memory."""

    team: str
    id: str
    notice: NotificationKind
    proposal: str
    created_at: int
