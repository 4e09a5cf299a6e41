"""Importer of claude-mem's database or of its export.

The database is ``~/.claude-mem/claude-mem.db``. Each session becomes a task with its prompts,
observations and summaries; a directive becomes a memory. Source for the tables: claude-mem's
``schema.sql`` as of its migration 35.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.archive.other_system_records import ImportedMemory
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.message_separation import is_envelope, separated
from memoranda.exceptions import InvalidInput
from memoranda.integrations.imports.claude_mem_export import is_export, opened_export
from memoranda.integrations.imports.imported_items import (
    ImportContext,
    ImportedEvent,
    ImportedItem,
    items_of,
    text_of,
    time_of,
)
from memoranda.integrations.imports.json_file import documents
from memoranda.integrations.imports.sqlite_file import columns, is_sqlite, opened, require, tables
from memoranda.memories.model import Category
from memoranda.observations.model import ObservationType, Origin

HOST = "claude-mem"
KNOWN = "claude-mem 5 to 13 (migrations up to 35)"
_TIMES = ("created_at_epoch",)
NEEDED = {
    "sdk_sessions": ("content_session_id", "memory_session_id", "project", "started_at_epoch"),
    "observations": ("memory_session_id", "project", "type", "title", "narrative", *_TIMES),
    "session_summaries": ("memory_session_id", "project", "learned", "completed", *_TIMES),
    "user_prompts": ("content_session_id", "prompt_text", *_TIMES),
}
_WITHOUT_SESSION = (
    "select memory_session_id, min(project), min(created_at_epoch) from observations "
    "where memory_session_id is null or memory_session_id not in "
    "(select memory_session_id from sdk_sessions where memory_session_id is not null) "
    "group by memory_session_id order by 3"
)
_TYPES = {"decision": ObservationType.DECISION, "bugfix": ObservationType.FIX}
_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


@dataclass(frozen=True, slots=True)
class _Session:
    id: str
    memory_id: str | None
    place: str | None
    began: int | None


def is_claude_mem(connection: sqlite3.Connection) -> bool:
    """Return whether a database is from claude-mem."""
    return {"sdk_sessions", "observations"} <= tables(connection)


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield sessions in order of their start, then directives."""
    if is_sqlite(path):
        with opened(path) as database:
            require(database, NEEDED, KNOWN)
            yield from _all(database, reading)
        return
    for document in documents(path, reading.skip):
        if not is_export(document):
            raise InvalidInput(f"{path} is neither a database nor an export of claude-mem")
        with opened_export(document, reading) as database:
            yield from _all(database, reading)


def _all(database: sqlite3.Connection, reading: ImportContext) -> Iterator[ImportedItem]:
    for row in database.execute("select * from sdk_sessions order by id"):
        yield from _session(database, row, reading)
    for id, project, began in database.execute(_WITHOUT_SESSION):
        place = reading.place(project)
        if text_of(id):
            yield from _session_events(database, _Session(id, id, place, time_of(began)))
        else:
            reading.skip("observations without a session")
    if "content" in columns(database, "directives"):
        yield from _directives(database, reading)


def _session(
    database: sqlite3.Connection, row: sqlite3.Row, reading: ImportContext
) -> Iterator[ImportedEvent]:
    id = text_of(row["content_session_id"])
    if not id:
        reading.skip("a session without an id")
        return
    place, began = reading.place(row["project"]), time_of(row["started_at_epoch"])
    session = _Session(id, row["memory_session_id"], place, began)
    prompt = text_of(_value(row, "user_prompt"))
    goal = text_of(_value(row, "custom_title")) or ("" if is_envelope(prompt) else prompt)
    yield _event(session, EventKind.TASK_START, "start", goal, began)
    yield from _session_events(database, session)
    if (status := text_of(_value(row, "status"))) and status != "active":
        ended = time_of(_value(row, "completed_at_epoch"))
        yield _event(session, EventKind.TASK_END, "end", "", ended)


def _session_events(database: sqlite3.Connection, session: _Session) -> Iterator[ImportedEvent]:
    """Yield the messages and observations of a session, in order."""
    events = [*_prompts(database, session), *_observations(database, session)]
    events += _summaries(database, session)
    yield from sorted(events, key=lambda event: event.event.occurred_at or 0)


def _prompts(database: sqlite3.Connection, session: _Session) -> Iterator[ImportedEvent]:
    for row in database.execute(
        "select * from user_prompts where content_session_id = ? order by id", (session.id,)
    ):
        if prompt := text_of(row["prompt_text"]):
            at = time_of(row["created_at_epoch"])
            key = f"prompt:{row['id']}"
            said = _event(session, EventKind.MESSAGE, key, prompt, at, origin=Origin.HUMAN)
            yield from (replace(said, event=part) for part in separated(said.event))


def _observations(database: sqlite3.Connection, session: _Session) -> Iterator[ImportedEvent]:
    for row in database.execute(
        "select * from observations where memory_session_id = ? order by id", (session.memory_id,)
    ):
        text = "\n".join(_observed(row))
        if text:
            yield _event(
                session,
                EventKind.MESSAGE,
                f"observation:{row['id']}",
                text,
                time_of(row["created_at_epoch"]),
                type=_TYPES.get(text_of(row["type"]), ObservationType.LEARNING),
            )


def _observed(row: sqlite3.Row) -> Iterator[str]:
    for name in ("title", "subtitle", "narrative", "text"):
        if text := text_of(_value(row, name)):
            yield text
    yield from (f"- {fact}" for fact in _listed(_value(row, "facts")))
    for name in ("files_modified", "files_read", "type", "concepts"):
        if listed := _listed(_value(row, name)):
            yield f"{name.replace('_', ' ')}: {', '.join(listed)}"


def _summaries(database: sqlite3.Connection, session: _Session) -> Iterator[ImportedEvent]:
    for row in database.execute(
        "select * from session_summaries where memory_session_id = ? order by id",
        (session.memory_id,),
    ):
        fields = [(name, text_of(_value(row, name))) for name in _SUMMARY]
        text = "\n".join(f"{name.replace('_', ' ')}: {item}" for name, item in fields if item)
        if text:
            at = time_of(row["created_at_epoch"])
            yield _event(session, EventKind.MESSAGE, f"summary:{row['id']}", text, at)


def _directives(database: sqlite3.Connection, reading: ImportContext) -> Iterator[ImportedMemory]:
    for row in database.execute("select * from directives where status = 'active' order by id"):
        if content := text_of(row["content"]):
            of_project = _value(row, "scope") != "global"
            yield ImportedMemory(
                key=f"directive:{row['id']}",
                content=content,
                category=Category.LEARNED_RULE,
                tags=("directive",),
                workspace=reading.place(_value(row, "project") if of_project else None),
                created_at=time_of(_value(row, "created_at_epoch")),
                updated_at=time_of(_value(row, "updated_at_epoch")),
            )


def _event(
    session: _Session,
    kind: EventKind,
    key: str,
    text: str,
    at: int | None,
    *,
    origin: Origin = Origin.GENERATED,
    type: ObservationType | None = None,
) -> ImportedEvent:
    event = Event(
        kind=kind,
        host=HOST,
        session=session.id,
        source=EventSource.TRANSCRIPT,
        key=key,
        origin=origin,
        occurred_at=at or session.began,
        text=text,
        type=type,
    )
    return ImportedEvent(event, session.place)


def _value(row: sqlite3.Row, name: str) -> object:
    """Return the value of a column that some versions do not have."""
    return row[name] if name in row.keys() else None  # noqa: SIM118 - a row is no mapping


def _listed(value: object) -> list[str]:
    """Return the items of a list stored as JSON, or the lines of plain text."""
    text = text_of(value)
    if not text:
        return []
    try:
        found: Iterable[object] = items_of(json.loads(text))
    except ValueError:
        found = text.split("\n")
    return [one for item in found if (one := text_of(item))]
