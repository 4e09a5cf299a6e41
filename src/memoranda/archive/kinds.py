"""Kinds of archive rows: their fields, keys and references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.archive.fields import (
    CONTENT,
    COUNT,
    COUNTS,
    FLAG,
    ID,
    MAXIMUM,
    MEMORY_STATE,
    ORDINAL,
    SHARE,
    STATE,
    TIME,
    Field,
    integer,
    member,
    optional,
    rows,
    several,
    text,
)
from memoranda.blocks.model import MAX_LIMIT, Author, BlockChangeKind
from memoranda.checkpoints.model import TaskPhase
from memoranda.memories.model import Category, MemoryKind, MemorySource, MemoryStatus, Visibility
from memoranda.memories.tombstone_table import TASK
from memoranda.observations.model import ContentFormat, ObservationType, Origin, Salience
from memoranda.settings import CompactionMode
from memoranda.stages.model import StageName, StageSource
from memoranda.store.table_catalogue import TABLES, Table
from memoranda.tasks.model import TaskStatus

NUMBERS = 9_999_999
"""Highest task number that a person can type."""

LISTS = frozenset({"tags", "files", "constraints"})
"""Columns that hold a list as JSON."""
FLAGS = frozenset({"critical", "protected", "shared", "read_only"})
"""Columns that hold 0 or 1."""


@dataclass(frozen=True, slots=True, eq=False)
class RowKind:
    """One kind of row: a member of the archive and a table of the store."""

    name: str
    table: Table
    fields: Mapping[str, Field]
    compared: tuple[str, ...] = ()
    """Columns that distinguish an existing row from another with the same key."""
    content: tuple[str, str] | None = None
    """Field with the full content, and the column with the hash of the content."""
    inside: Mapping[str, str] = field(default_factory=dict)
    """Fields that refer to a row of another kind, which the archive must contain."""
    around: Mapping[str, str] = field(default_factory=dict)
    """Fields that may refer to a row outside the archive."""

    @property
    def key(self) -> tuple[str, ...]:
        """Columns by which the rows are sorted."""
        return self.table.key

    @property
    def member(self) -> str:
        """Name of the file with the rows in the archive."""
        return f"{self.name}.jsonl"


_TABLES = {table.name: table for table in TABLES}
_NAMED = text()
_NAME = optional(_NAMED)
_EVENT_KEY = Field(
    lambda value: text(least=1).fits(value) and not str(value).startswith(TASK),
    f"a text that does not begin with '{TASK}'",
)

WORKSPACES = RowKind(
    "workspaces",
    _TABLES["workspace"],
    {"id": ID, "name": _NAMED, "root": _NAME, "created_at": TIME, "aliases": several(_NAMED)},
    compared=("created_at",),
)
AGENTS = RowKind(
    "agents",
    _TABLES["agent"],
    {"id": text(least=1), "name": _NAMED, "created_at": TIME, "last_seen_at": TIME},
)
TASKS = RowKind(
    "tasks",
    _TABLES["task"],
    {
        "id": ID, "number": integer(1, NUMBERS), "workspace": ID, "agent": _NAMED, "goal": _NAMED,
        "status": member(TaskStatus), "host": _NAMED, "session": _NAMED, "started_at": TIME,
        "last_event_at": TIME, "ended_at": optional(TIME), "observations": COUNT,
        "tokens": COUNT, "redactions": COUNTS,
    },
    compared=("workspace", "agent", "host", "session", "started_at"),
    inside={"workspace": "workspaces"},
)  # fmt: skip
STAGES = RowKind(
    "stages",
    _TABLES["stage"],
    {
        "task": ID, "number": ORDINAL, "name": member(StageName), "began": ORDINAL,
        "ended": optional(ORDINAL), "source": member(StageSource), "confidence": SHARE,
        "reason": _NAMED, "started_at": TIME, "ended_at": optional(TIME),
    },
    compared=("name", "began"),
    inside={"task": "tasks"},
)  # fmt: skip
STAGE_TRACKING = RowKind(
    "stage_tracking",
    _TABLES["stage_tracking"],
    {"task": ID, "position": COUNT, "state": STATE},
    inside={"task": "tasks"},
)
OBSERVATIONS = RowKind(
    "observations",
    _TABLES["observation"],
    {
        "id": ID, "task": ID, "sequence": ORDINAL, "type": member(ObservationType),
        "origin": member(Origin), "agent": _NAMED, "tool": _NAME, "summary": _NAMED,
        "tags": several(_NAMED), "files": several(_NAMED), "constraints": several(_NAMED),
        "salience": member(Salience), "tokens": COUNT, "tokens_used": optional(COUNT),
        "duration_ms": optional(COUNT), "stage": _NAME, "branch": _NAMED, "resolves": optional(ID),
        "repeats": optional(ID), "redactions": COUNT, "created_at": TIME, "recorded_at": TIME,
        "format": member(ContentFormat), "source": _NAMED, "event_key": _EVENT_KEY,
        "target": _NAME, "open": several(_NAMED), "content": text(CONTENT),
    },
    compared=("task", "sequence", "type", "agent", "content_hash", "created_at"),
    content=("content", "content_hash"),
    inside={"task": "tasks"},
    around={"resolves": "observations", "repeats": "observations"},
)  # fmt: skip
MEMORIES = RowKind(
    "memories",
    _TABLES["memory"],
    {
        "id": ID, "workspace": optional(ID), "agent": _NAME, "visibility": member(Visibility),
        "title": _NAMED, "content": text(least=1), "kind": member(MemoryKind),
        "category": member(Category), "tags": several(_NAMED), "origin": member(Origin),
        "confidence": SHARE, "critical": FLAG, "critical_reason": _NAME, "protected": FLAG,
        "status": member(MemoryStatus), "tokens": COUNT, "created_at": TIME, "updated_at": TIME,
        "source": member(MemorySource), "approved_by": _NAME, "valid_from": optional(TIME),
        "valid_until": optional(TIME), "superseded_by": optional(ID), "uses": COUNT,
        "last_used": optional(TIME), "evidence": several(ID),
    },
    compared=(
        "workspace", "agent", "visibility", "title", "content", "kind", "category", "tags",
        "created_at",
    ),
    inside={"workspace": "workspaces"},
    around={"evidence": "observations", "superseded_by": "memories"},
)  # fmt: skip
MEMORY_VERSIONS = RowKind(
    "memory_versions",
    _TABLES["memory_version"],
    {
        "memory": ID, "version": ORDINAL, "state": MEMORY_STATE, "actor": _NAMED,
        "reason": _NAMED, "created_at": TIME,
    },
    compared=("state", "actor", "reason", "created_at"),
    inside={"memory": "memories"},
)  # fmt: skip
BLOCKS = RowKind(
    "blocks",
    _TABLES["block"],
    {
        "id": ID, "label": text(least=1), "workspace": optional(ID), "task": optional(ID),
        "agent": _NAME, "shared": FLAG, "description": _NAMED, "size_limit": integer(1, MAX_LIMIT),
        "read_only": FLAG, "version": ORDINAL, "created_at": TIME, "updated_at": TIME,
        "accessed_at": TIME, "deleted_at": optional(TIME),
    },
    compared=(
        "workspace", "task", "agent", "shared", "description", "size_limit", "read_only",
        "version", "deleted_at",
    ),
    inside={"workspace": "workspaces", "task": "tasks"},
)  # fmt: skip
BLOCK_VERSIONS = RowKind(
    "block_versions",
    _TABLES["block_version"],
    {
        "block": ID, "version": ORDINAL, "value": text(2 * MAX_LIMIT), "tokens": COUNT,
        "kind": member(BlockChangeKind), "source": member(Author), "agent": _NAME, "reason": _NAMED,
        "created_at": TIME,
    },
    compared=("value_hash", "kind", "source", "agent", "reason", "created_at"),
    content=("value", "value_hash"),
    inside={"block": "blocks"},
)  # fmt: skip
HOLDERS = RowKind(
    "holders",
    _TABLES["block_holder"],
    {"block": ID, "agent": text(least=1), "role": _NAMED, "attached_at": TIME},
    inside={"block": "blocks"},
)
CHECKPOINTS = RowKind(
    "checkpoints",
    _TABLES["checkpoint"],
    {
        "id": ID, "task": ID, "sequence": ORDINAL, "parent": optional(ID),
        "phase": member(TaskPhase), "description": _NAMED, "position": COUNT, "tokens": COUNT,
        "cost": COUNT, "duration_ms": COUNT, "agent": _NAME, "created_at": TIME,
        "state": text(CONTENT),
        "blocks": rows({"block": ID, "version": ORDINAL, "size_limit": integer(1, MAXIMUM)}),
    },
    compared=(
        "task", "sequence", "parent", "phase", "description", "position", "tokens", "cost",
        "duration_ms", "agent", "created_at", "state_hash",
    ),
    content=("state", "state_hash"),
    inside={"task": "tasks"},
    around={"parent": "checkpoints"},
)  # fmt: skip
TASK_STATES = RowKind(
    "task_states",
    _TABLES["task_state"],
    {"task": ID, "head": optional(ID), "state": text(CONTENT), "updated_at": TIME},
    compared=("head", "state_hash", "updated_at"),
    content=("state", "state_hash"),
    inside={"task": "tasks", "head": "checkpoints"},
)
COMPACTIONS = RowKind(
    "compactions",
    _TABLES["compaction"],
    {
        "task": ID, "agent": _NAMED, "until_sequence": COUNT, "summary": text(CONTENT),
        "tokens": COUNT, "source_tokens": COUNT, "mode": member(CompactionMode),
        "created_at": TIME,
    },
    compared=("summary_hash", "mode", "created_at"),
    content=("summary", "summary_hash"),
    inside={"task": "tasks"},
)  # fmt: skip

KINDS: tuple[RowKind, ...] = (
    WORKSPACES, AGENTS, TASKS, STAGES, STAGE_TRACKING, OBSERVATIONS, MEMORIES,
    MEMORY_VERSIONS, BLOCKS, BLOCK_VERSIONS, HOLDERS, CHECKPOINTS, TASK_STATES, COMPACTIONS,
)  # fmt: skip
"""All kinds, ordered so that references precede the rows that use them.

Stages precede the rows from which the stages would otherwise be derived.
"""
