"""Blocks: labelled texts of limited size that an agent always has at hand and may edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.text import one_line, visible

LIMIT = 5_000
"""Characters of a block when nothing else is said."""
LONGEST = 1_000_000
"""Characters that a limit can allow."""
LABEL = 100
"""Characters of a label."""


class Author(StrEnum):
    """Who changed a block."""

    SYSTEM = "system"
    AGENT = "agent"
    HUMAN = "human"


class BlockChangeKind(StrEnum):
    """How a value came to be."""

    CREATE = "create"
    REPLACE = "replace"
    INSERT = "insert"
    RETHINK = "rethink"
    PATCH = "patch"
    RESTORE = "restore"
    ROLLBACK = "rollback"


class PromptForm(StrEnum):
    """How blocks look in a prompt."""

    XML = "xml"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Where a block belongs: to a team, a workspace, a task, or an agent in any of them."""

    workspace: str | None = None
    task: str | None = None
    agent: str | None = None
    """Whose own it is; no other agent sees it."""
    shared: bool = False
    """Seen by the agents that hold it, and by no other agent."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block with its newest value. Times are microseconds since the epoch."""

    team: str
    id: str
    label: str
    place: BlockPlace
    description: str
    value: str
    limit: int
    """Characters."""
    read_only: bool
    """For agents; people can always edit."""
    version: int
    """1 when it is made, one more with each change of the value."""
    tokens: int
    author: Author
    """Who wrote the newest value."""
    created_at: int
    updated_at: int
    accessed_at: int
    deleted_at: int | None = None

    @property
    def size(self) -> int:
        """Characters of the value."""
        return len(self.value)

    @property
    def used(self) -> float:
        """Share of the limit that the value takes up; above 1 after the limit was lowered."""
        return round(self.size / self.limit, 4)


CROWDED = 0.75
"""Share of the limit from which on a block is offered for compression."""


@dataclass(frozen=True, slots=True)
class CompressedBlock:
    """A block in fewer words, as it is or as it would be."""

    block: Block
    """As it stands now."""
    value: str
    tokens: int
    """Of the shorter value."""
    diff: str
    """From what stood there to the shorter value."""


@dataclass(frozen=True, slots=True)
class BlockVersion:
    """One value that a block has or had."""

    block: str
    version: int
    value: str
    tokens: int
    change: BlockChangeKind
    author: Author
    agent: str | None
    reason: str
    created_at: int


@dataclass(frozen=True, slots=True)
class BlockHolder:
    """An agent that a shared block is attached to."""

    agent: str
    role: str
    attached_at: int


@dataclass(frozen=True, slots=True)
class DefaultBlock:
    """A block that every task has."""

    description: str
    limit: int
    read_only: bool = False
    of_task: bool = False
    """Whether each task has one of its own; otherwise those of a workspace share it."""


DEFAULTS: Mapping[str, DefaultBlock] = {
    "persona": DefaultBlock("Who the agent is and how it behaves.", 3_000, read_only=True),
    "project": DefaultBlock("The project: language, framework, architecture, conventions.", 15_000),
    "task": DefaultBlock(
        "The work at hand: goal, plan, progress, decisions.", 20_000, of_task=True
    ),
    "learned": DefaultBlock("Patterns and fixes found while working.", 10_000),
}


def label_of(text: str) -> str:
    """Return a text as a label would be written."""
    return visible(one_line(text)).strip()


def checked_label(label: str) -> str:
    """Return a label as it is kept: one line, visible, without space around it.

    Raises:
        InvalidInput: it does not have 1 to 100 characters.
    """
    label = label_of(label)
    if not 1 <= len(label) <= LABEL:
        raise InvalidInput(f"a label has 1 to {LABEL} characters, not {len(label)}")
    return label


def checked_limit_of(limit: int) -> int:
    """Return a limit of a block.

    Raises:
        InvalidInput: it does not lie between 1 and 1,000,000 characters.
    """
    if type(limit) is not int or not 1 <= limit <= LONGEST:
        raise InvalidInput(f"the limit of a block lies between 1 and {LONGEST:,} characters")
    return limit
