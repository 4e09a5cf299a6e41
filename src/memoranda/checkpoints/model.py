"""Checkpoints: what a task held at some moment, to come back to."""

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
"""How long the JSON text of a task's state may be."""
MOST = 1 << 53
"""Tokens, millionths of a dollar or milliseconds of one checkpoint."""


class TaskPhase(StrEnum):
    """What a task was at."""

    PLANNING = "planning"
    CODING = "coding"
    TESTING = "testing"
    FIXING = "fixing"
    REVIEWING = "reviewing"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Effort:
    """What was spent since the checkpoint before."""

    tokens: int = 0
    cost: int = 0
    """Millionths of a dollar."""
    duration_ms: int = 0

    def __post_init__(self) -> None:
        if not all(type(n) is int and 0 <= n <= MOST for n in self.parts):
            raise InvalidInput("tokens, cost and duration are whole numbers from 0 up")

    @property
    def parts(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.tokens, self.cost, self.duration_ms


@dataclass(frozen=True, slots=True)
class CheckpointBlock:
    """Which version of a block a checkpoint has."""

    block: str
    version: int
    limit: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One snapshot. Its blocks are named by version: values are kept once."""

    team: str
    id: str
    task: str
    sequence: int
    """1, 2, 3 … within the task; 0 until the store has given one."""
    parent: str | None
    """The checkpoint that the work went on from; of a fork, one of another task."""
    phase: TaskPhase
    description: str
    position: int
    """The sequence of the task's newest observation then."""
    effort: Effort
    agent: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A checkpoint with all it holds."""

    checkpoint: Checkpoint
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    blocks: tuple[CheckpointBlock, ...]


@dataclass(frozen=True, slots=True)
class TaskState:
    """What a task has noted of itself, and where its main line ends."""

    head: str | None
    """The newest checkpoint of the main line."""
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """A checkpoint in a list, with where it stands in the tree."""

    checkpoint: Checkpoint
    main: bool
    """Whether it is on the main line; otherwise on one that was left by a rollback."""
    head: bool


@dataclass(frozen=True, slots=True)
class Rollback:
    """What a rollback did."""

    checkpoint: Checkpoint
    """The one that was gone back to."""
    undo: Checkpoint
    """Holds what was there before: going back to it takes the rollback back."""
    blocks: tuple[str, ...]
    """Labels of the blocks that changed."""
    left_alone: tuple[str, ...]
    """Labels of read-only blocks, which an agent's rollback does not touch."""


@dataclass(frozen=True, slots=True)
class EffortTotal:
    """The effort of some checkpoints together."""

    name: str
    """What they have in common: a phase, a task or an agent."""
    checkpoints: int
    effort: Effort


@dataclass(frozen=True, slots=True)
class Resumption:
    """What somebody needs to go on with a task."""

    task: Task
    checkpoint: Checkpoint | None
    """Where the main line ends."""
    state: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    blocks: tuple[Block, ...]
    errors: tuple[Observation, ...]
    """Those that nothing has ended yet, newest first."""
    decisions: tuple[Observation, ...]
    """Those taken last, in order."""
    newest: tuple[Observation, ...]
    """What happened last, in order."""
    compaction: Compaction | None
    """What stands for the older part of its conversation, if some does."""


def checked_state(state: object) -> dict[str, JsonValue]:
    """Return a copy of a task's state.

    Raises:
        InvalidInput: it is no JSON object, or too large.
    """
    copy = checked_json(state)
    if not isinstance(copy, dict):
        raise InvalidInput("the state of a task is a JSON object")
    size = len(dump_json(copy).encode("utf-8", "surrogatepass"))
    if size > STATE_BYTES:
        raise InvalidInput(f"a state has at most {STATE_BYTES:,} bytes of JSON, not {size:,}")
    return copy
