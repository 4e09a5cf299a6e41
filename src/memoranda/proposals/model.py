"""Proposals: changes of memories that wait for a person."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum

from memoranda.json_data import VERBATIM, JsonValue, dump_json
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility


@dataclass(frozen=True, slots=True)
class MemoryState:
    """What can change of a memory."""

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
        """Return what a memory is now."""
        return cls(**{one.name: getattr(memory, one.name) for one in fields(cls)})

    @classmethod
    def read(cls, text: str) -> MemoryState:
        """Return the state that a text is of."""
        held = json.loads(text)
        return cls(
            held["title"],
            held["content"],
            Category(held["category"]),
            tuple(held["tags"]),
            held["workspace"],
            Visibility(held["visibility"]),
            held["critical"],
            held["protected"],
            MemoryStatus(held["status"]),
            held.get("valid_from"),
            held.get("valid_until"),
            held.get("superseded_by"),
        )

    def text(self) -> str:
        """Return it as JSON; equal states give equal texts."""
        held = {name: getattr(self, name) for name in self.__slots__}
        return dump_json(held | {"tags": list(self.tags)})


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """What somebody wants different in a memory; None leaves it as it is."""

    title: str | None = None
    content: str | None = None
    category: Category | None = None
    tags: tuple[str, ...] | None = None
    critical: bool | None = None
    protected: bool | None = None
    valid_from: int | None = None
    """Since when it holds, in microseconds."""
    valid_until: int | None = None
    unset: tuple[str, ...] = ()
    """Fields that are to have no value: valid_from, valid_until."""

    def applied(self, state: MemoryState) -> MemoryState:
        """Return a state with what is wanted in it."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "unset"}
        changes = {name: value for name, value in values.items() if value is not None}
        return replace(state, **(changes | dict.fromkeys(self.unset)))


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One change of several that are made together."""

    id: str
    """The whole id of the memory."""
    edit: MemoryEdit | None = None
    archive: bool = False
    """Whether it is taken out of use, in place of an edit."""
    metadata: JsonValue = field(default=None, metadata=VERBATIM)
    """The document to keep under its id in the space ``memory-metadata``; None: as it is."""
    updated_at: int | None = None
    """When it was last changed as the caller saw it; None: whatever it is now."""


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """What a memory was before a change."""

    team: str
    memory: str
    version: int
    """1 for what it was at first."""
    state: MemoryState
    actor: str
    """Who changed it."""
    reason: str
    created_at: int
    """When it was changed."""


class ProposalKind(StrEnum):
    """What is to become of the memory."""

    ADD = "add"
    UPDATE = "update"
    PROMOTE = "promote"
    """From its workspace to the whole team."""
    DEMOTE = "demote"
    """From the whole team to one workspace."""
    ARCHIVE = "archive"


class ProposalStatus(StrEnum):
    """Where a proposal stands; once decided it stays so."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one memory, with what it was and what it would be."""

    team: str
    id: str
    kind: ProposalKind
    memory: str
    workspace: str | None
    """Where the memory is."""
    agent: str | None
    task: str | None
    """In which it came up."""
    reason: str
    before: MemoryState
    after: MemoryState
    status: ProposalStatus
    created_at: int
    decided_at: int | None
    decided_by: str | None
    note: str
    """What was said when it was decided."""

    @property
    def hash(self) -> str:
        """What a decision is bound to: SHA-256 of all that a person is shown of the change."""
        shown = f"{self.kind}\n{self.memory}\n{self.before.text()}\n{self.after.text()}"
        return hashlib.sha256(shown.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What became of a wish to change a memory."""

    memory: Memory
    proposal: Proposal | None
    """What waits for a person now; None where the change was made at once."""


@dataclass(frozen=True, slots=True)
class UndecidedProposal:
    """A proposal that stays as it is, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """What came of deciding several proposals at once."""

    approved: tuple[str, ...]
    left: tuple[UndecidedProposal, ...]


class NotificationKind(StrEnum):
    """What there is to be told of a proposal."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that happened to a proposal. It has no text of a memory."""

    team: str
    id: str
    notice: NotificationKind
    proposal: str
    created_at: int
