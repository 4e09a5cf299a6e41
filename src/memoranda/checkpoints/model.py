"""Checkpoints: snapshots of a task's state and blocks, with their effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memoranda.blocks.model import Block
from memoranda.conversations.model import Compaction
from memoranda.exceptions import InvalidInput
from memoranda.json_data import VERBATIM, JsonValue, checked_json, dump_json
from memoranda.observations.model import Observation
from memoranda.tasks.model import Task

STATE_BYTES = 10_000_000
"""Maximum length in bytes of the JSON text of a task's state."""
MAXIMUM = 1 << 53
"""Maximum number of tokens, millionths of a dollar, or milliseconds per checkpoint."""


class TaskPhase(StrEnum):
    """Phase of a task."""

    PLANNING = "planning"
    CODING = "coding"
    TESTING = "testing"
    FIXING = "fixing"
    REVIEWING = "reviewing"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort since the previous checkpoint."""

    tokens: int = 0
    cost: int = 0
    """Cost in millionths of a dollar."""
    duration_ms: int = 0

    def __post_init__(self) -> None:
        if not all(type(n) is int and 0 <= n <= MAXIMUM for n in self.parts):
            raise InvalidInput("tokens, cost and duration must be non-negative integers")

    @property
    def parts(self) -> tuple[int, int, int]:
        """The three values."""
        return self.tokens, self.cost, self.duration_ms


@dataclass(frozen=True, slots=True)
class CheckpointBlock:
    """Version of a block in a checkpoint."""

    block: str
    version: int
    limit: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One snapshot; it refers to block versions, so values are stored once."""

    team: str
    id: str
    task: str
    sequence: int
    """Number within the task: 1, 2, 3, …; 0 until the store assigns one."""
    parent: str | None
    """Parent checkpoint; for a fork, a checkpoint of another task."""
    phase: TaskPhase
    description: str
    position: int
    """Sequence number of the task's newest observation at the time of the checkpoint."""
    effort: Effort
    agent: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A checkpoint with its state and blocks."""

    checkpoint: Checkpoint
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    blocks: tuple[CheckpointBlock, ...]


@dataclass(frozen=True, slots=True)
class TaskState:
    """State that a task has recorded, and the end of its main line."""

    head: str | None
    """Newest checkpoint of the main line."""
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """A checkpoint in a list, with its position in the tree."""

    checkpoint: Checkpoint
    main: bool
    """Whether the checkpoint is on the main line, not on a branch abandoned by a rollback."""
    head: bool


@dataclass(frozen=True, slots=True)
class Rollback:
    """Result of a rollback."""

    checkpoint: Checkpoint
    """Checkpoint that was restored."""
    undo: Checkpoint
    """Checkpoint of the state before the rollback; restoring it reverts the rollback."""
    blocks: tuple[str, ...]
    """Labels of the blocks that changed."""
    left_alone: tuple[str, ...]
    """Labels of the read-only blocks, which a rollback by an agent does not change."""


@dataclass(frozen=True, slots=True)
class EffortTotal:
    """Total effort of several checkpoints."""

    name: str
    """Common attribute of the checkpoints: a phase, a task or an agent."""
    checkpoints: int
    effort: Effort


@dataclass(frozen=True, slots=True)
class Resumption:
    """What is needed to continue a task."""

    task: Task
    checkpoint: Checkpoint | None
    """Newest checkpoint of the main line."""
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    blocks: tuple[Block, ...]
    errors: tuple[Observation, ...]
    """Unresolved errors, newest first."""
    decisions: tuple[Observation, ...]
    """Latest decisions, in chronological order."""
    newest: tuple[Observation, ...]
    """Latest observations, in chronological order."""
    compaction: Compaction | None
    """Summary of the older part of the task's conversation, if there is one."""


def checked_state(state: object) -> dict[str, JsonValue]:
    """Validate a task's state and return a copy.

    Raises:
        InvalidInput: the state is not a JSON object, or is too large.
    """
    copy = checked_json(state)
    if not isinstance(copy, dict):
        raise InvalidInput("the state of a task must be a JSON object")
    size = len(dump_json(copy).encode("utf-8", "surrogatepass"))
    if size > STATE_BYTES:
        raise InvalidInput(f"a state may have at most {STATE_BYTES:,} bytes of JSON, not {size:,}")
    return copy
