"""Blocks: labelled texts of limited size, always in an agent's context.

Agents may edit them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.text import one_line, visible

LIMIT = 5_000
"""Default limit of a block in characters."""
MAX_LIMIT = 1_000_000
"""Maximum limit of a block in characters."""
FILES = "/memories/"
"""Prefix of the labels of blocks that are files of a memory tool."""
FILE_LIMIT = 100_000
"""Default limit of a file in characters, and the maximum for agents."""
LABEL = 100
"""Maximum number of characters of a label."""


class Author(StrEnum):
    """Author of a change of a block."""

    SYSTEM = "system"
    AGENT = "agent"
    HUMAN = "human"


class BlockChangeKind(StrEnum):
    """Origin of a value."""

    CREATE = "create"
    REPLACE = "replace"
    INSERT = "insert"
    RETHINK = "rethink"
    PATCH = "patch"
    RESTORE = "restore"
    ROLLBACK = "rollback"


class PromptForm(StrEnum):
    """Format of blocks in a prompt."""

    XML = "xml"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Owner of a block: a team, workspace, task or agent."""

    workspace: str | None = None
    task: str | None = None
    agent: str | None = None
    """Agent that owns the block; the block is not visible to other agents."""
    shared: bool = False
    """Whether the block is visible only to agents that it is attached to."""


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
    """Limit in characters."""
    read_only: bool
    """Whether agents may not edit it; people always can."""
    version: int
    """Version number: 1 at creation, increased by each change of the value."""
    tokens: int
    author: Author
    """Author of the newest value."""
    created_at: int
    updated_at: int
    accessed_at: int
    deleted_at: int | None = None

    @property
    def size(self) -> int:
        """Number of characters of the value."""
        return len(self.value)

    @property
    def used(self) -> float:
        """Fraction of the limit in use; above 1 after the limit was lowered."""
        return round(self.size / self.limit, 4)


CROWDED = 0.75
"""Fraction of the limit above which compression of a block is proposed."""


@dataclass(frozen=True, slots=True)
class CompressedBlock:
    """A block with a shortened value, either stored or proposed."""

    block: Block
    """The block with its current value."""
    value: str
    tokens: int
    """Number of tokens in the shortened value."""
    diff: str
    """Changes from the earlier to the shortened value."""


@dataclass(frozen=True, slots=True)
class BlockVersion:
    """One version of a block's value."""

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
    """Whether each task has its own block; otherwise the tasks of a workspace share one block."""


DEFAULTS: Mapping[str, DefaultBlock] = {
    "persona": DefaultBlock("Who the agent is and how it behaves.", 3_000, read_only=True),
    "project": DefaultBlock("The project: language, framework, architecture, conventions.", 15_000),
    "task": DefaultBlock("Current work: goal, plan, progress, decisions.", 20_000, of_task=True),
    "learned": DefaultBlock("Patterns and fixes found while working.", 10_000),
}


def label_of(text: str) -> str:
    """Convert a text to a label."""
    return visible(one_line(text)).strip()


def checked_label(label: str) -> str:
    """Validate a label: one line, visible, without surrounding white space.

    Raises:
        InvalidInput: the label does not have 1 to 100 characters.
    """
    label = label_of(label)
    if not 1 <= len(label) <= LABEL:
        raise InvalidInput(f"a label must have 1 to {LABEL} characters, not {len(label)}")
    return label


def checked_limit_of(limit: int) -> int:
    """Validate the limit of a block.

    Raises:
        InvalidInput: the limit is not between 1 and 1,000,000 characters.
    """
    if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"the limit of a block must be between 1 and {MAX_LIMIT:,} characters")
    return limit
