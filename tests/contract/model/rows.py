"""The content of the model as the rows that every engine must hold."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from contract.model.content import Content, Model
from memoranda.json_data import dump_json
from memoranda.memories.table import folded
from memoranda.store.database import Row
from memoranda.store.table_catalogue import MEMORY, OBSERVATION, TABLES, Table


def rows(model: Model, team: str) -> dict[str, list[Row]]:
    """Return all rows of a team by table, in the order of the key."""
    content = model.of(team)
    return {
        table.name: sorted(
            (tuple(map(_plain, (team, *row))) for row in _rows(content, table)), key=table.key_of
        )
        for table in TABLES
    }


def _rows(content: Content, table: Table) -> Iterable[Row]:
    """Return the rows of one table without their team."""
    if table.name in _VALUES:
        names = table.columns[1:]
        stored = _VALUES[table.name](content)
        return (tuple(getattr(value, name) for name in names) for value in stored.values())
    return _OTHERS[table.name](content)


def _observations(content: Content) -> Iterable[Row]:
    kept = ("format", "source", "event_key", "target")
    for new in content.observations.values():
        own = (name for name in OBSERVATION.columns[1:] if name not in kept)
        of_store = tuple(getattr(new, name) for name in kept)
        yield tuple(getattr(new.observation, name) for name in own) + of_store


def _refs(content: Content) -> Iterable[Row]:
    for one in (new.observation for new in content.observations.values()):
        yield from {("tag", tag, one.id) for tag in one.tags}
        yield from {("file", file, one.id) for file in one.files}


def _memories(content: Content) -> Iterable[Row]:
    for one in content.memories.values():
        digest = hashlib.sha256(folded(one.content).encode()).hexdigest()
        names = MEMORY.columns[1:]
        yield tuple(digest if name == "content_hash" else getattr(one, name) for name in names)


def _working(content: Content) -> Iterable[Row]:
    for one in content.working.values():
        yield one.task, one.key, dump_json(one.value), one.written_at, one.expires_at


def _head(content: Content) -> Iterable[Row]:
    newest = content.journal.get(len(content.journal))
    return [(newest.sequence, newest.hash)] if newest else []


_VALUES: Mapping[str, Callable[[Content], Mapping[Any, object]]] = {
    "workspace": lambda content: content.workspaces,
    "task": lambda content: content.tasks,
    "blob": lambda content: content.blobs,
    "journal": lambda content: content.journal,
    "job": lambda content: content.jobs,
}
"""Tables whose columns are the fields of a value."""

_OTHERS: Mapping[str, Callable[[Content], Iterable[Row]]] = {
    "workspace_alias": lambda content: content.aliases.items(),
    "observation": _observations,
    "observation_ref": _refs,
    "open_error": lambda content: ((*key, id) for key, id in content.errors.items()),
    "redaction": lambda content: ((*key, count) for key, count in content.redactions.items()),
    "tombstone": lambda content: content.tombstones.items(),
    "memory": _memories,
    "memory_evidence": lambda content: content.evidence,
    "memory_unread": lambda content: ((one.id,) for one in content.memories.values()),
    "entry": lambda content: (),
    "passage": lambda content: (),
    "rating": lambda content: (),
    "retrieval_count": lambda content: (),
    "speaker": lambda content: (),
    "document": lambda content: (),  # nothing is stored there
    "working": _working,
    **dict.fromkeys(
        (
            "agent",
            "block",
            "block_version",
            "block_holder",
            "checkpoint",
            "checkpoint_block",
            "task_state",
            "compaction",
            "stage",
            "stage_tracking",
            "compression",
            "live_output",
            "quarantine",
            "model_call",
            "model_budget",
            "model_answer",
            "memory_encoding",
            "memory_link",
            "memory_reference",
            "memory_version",
            "proposal",
            "notification",
            "delivery",
            "profile_change",
            "profile_step",
            "task_archive",
            "lesson",
            "lesson_task",
            "approval_rule",
            "feedback",
            "feedback_effect",
            "suggestion",
            "suggestion_answer",
            "hearing",
            "error_note",
            "task_watch",
            "intervention",
            "intervention_memory",
            "intervention_told",
            "mirror",
            "mirror_file",
            "credential",
            "token_revocation",
            "kept_answer",
        ),
        lambda content: (),
    ),
    "journal_head": _head,
    "transcript": lambda content: ((path, *row) for path, row in content.transcripts.items()),
}


def _plain(value: Any) -> Any:
    """Return a field in its column form."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        return dump_json(list(value))
    return dump_json(dict(value)) if isinstance(value, Mapping) else value
