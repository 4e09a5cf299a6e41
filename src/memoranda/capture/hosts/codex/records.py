"""Records and header of a Codex rollout, in one format for all versions.

Until the autumn of 2025 a rollout had bare items under a header without a type; since then each
record has ``type`` and ``payload``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from memoranda.capture.event import UNKNOWN, Checkout
from memoranda.capture.hosts.codex.typescript_sessions import ITEM_FIELDS, ITEMS
from memoranda.capture.hosts.event_fields import MAIN_AGENT, agent_name
from memoranda.capture.hosts.json_fields import Payload, mapping, string, written_moment
from memoranda.capture.hosts.transcript_lines import (
    LineCounts,
    TranscriptLine,
    line_entries,
    read_lines,
)
from memoranda.ids import is_uuid
from memoranda.json_data import JsonValue
from memoranda.workspaces.repositories import normalised_remote

ITEM, META = "response_item", "session_meta"
_HEADER_LINES = 20
_DEEPEST = 8
"""Maximum number of parents followed from a subagent to its session."""
_HEADER_FIELDS = frozenset(("id", "cwd", "cli_version"))
"""Fields that identify a header if its kind is damaged or unknown."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FOLDER = re.compile(r"<cwd>([^<\n]{1,1000})</cwd>|Current working directory: (\S.{0,999})")


@dataclass(frozen=True, slots=True)
class CodexRecord:
    """One record of a rollout: kind, content and time."""

    kind: str | None
    payload: Payload
    at: int | None


@dataclass(frozen=True, slots=True)
class CodexHeader:
    """Header of a rollout."""

    session: str
    """Session of the task; for a subagent, the main agent's session."""
    thread: str
    """Id of the rollout's own thread."""
    cwd: str | None = None
    started_at: int | None = None
    agent: str = MAIN_AGENT
    branch: str = "main"
    checkout: Checkout = UNKNOWN
    copied_from: str | None = None
    """Thread from which the first records may have been copied."""
    segment: str = ""
    """Id of this file if its thread has several files."""

    @property
    def key_prefix(self) -> str:
        """Prefix of keys that separates rollouts of the same session."""
        parts = ("" if self.thread == self.session else self.thread, self.segment)
        return "".join(f"{part}:" for part in parts if part)


def record_of(entry: Payload) -> CodexRecord:
    """Parse a decoded line; the kind is None if the line has none."""
    at, kind, payload = (
        written_moment(entry.get("timestamp")),
        entry.get("type"),
        entry.get("payload"),
    )
    if isinstance(payload, dict):
        return CodexRecord(kind if isinstance(kind, str) else None, payload, at)
    if isinstance(kind, str):
        return CodexRecord(ITEM if kind in ITEMS else kind, entry, at)
    if record_type := string(entry, "record_type"):
        return CodexRecord(f"record:{record_type}", entry, at)
    return CodexRecord(META if at is not None and "id" in entry else None, entry, at)


def is_bare_record(entry: Payload) -> bool:
    """Return whether an entry is an old-format record without ``payload``."""
    kind = entry.get("type")
    if isinstance(kind, str):
        return kind in ITEMS and not ITEM_FIELDS.isdisjoint(entry)
    return isinstance(entry.get("record_type"), str) or is_bare_header(entry)


def is_bare_header(entry: Payload) -> bool:
    """Return whether an entry is the header of an old-format rollout."""
    is_dated = written_moment(entry.get("timestamp")) is not None and bool(string(entry, "id"))
    return is_dated and "type" not in entry and ("instructions" in entry or "git" in entry)


def records(lines: Iterable[TranscriptLine]) -> Iterator[tuple[TranscriptLine, CodexRecord]]:
    """Yield the records of lines; lines that are not JSON objects are skipped."""
    for line, entry in line_entries(lines, LineCounts()):
        yield line, record_of(entry)


def read_header(
    lines: Iterable[TranscriptLine], stem: str, folder: Path | None = None
) -> CodexHeader:
    """Read the header of a rollout.

    A fork also contains a copy of its parent's header, further down. If the fork's own header is
    missing or damaged, thread and session are taken from the file name and other records, and the
    header of another thread is taken as the source of copied records. The parents of a subagent are
    looked up in ``folder``, the rollout's folder.
    """
    named, damaged, mention = _thread_in(stem), dict[str, JsonValue](), _Mention()
    copied = dict[str, JsonValue]()
    for line, record in records(lines):
        if not is_header(record):
            mention.note(record.payload)
            continue
        id = string(record.payload, "id")
        if id is None or not is_uuid(id):
            damaged = damaged or dict(record.payload)
        elif line.number == 1 or named in (None, id):
            return header_in(record.payload, stem, folder)
        else:
            copied = copied or {"forked_from_id": id, "cwd": record.payload.get("cwd")}
    thread = named or mention.thread or string(damaged, "id") or stem
    header = {**copied, **damaged, "id": thread, **mention.session(thread)}
    return header_in(header, stem, folder)


def header_of(path: Path) -> CodexHeader:
    """Read the header of a rollout."""
    return read_header(read_lines(path), path.stem, path.parent)


def is_header(record: CodexRecord) -> bool:
    """Return whether a record is the header of a rollout."""
    return record.kind == META or record.payload.keys() >= _HEADER_FIELDS


@dataclass(slots=True)
class _Mention:
    """Session and thread in records other than headers."""

    thread: str | None = None
    """Last thread mentioned, since a fork's own records follow the copied ones."""
    _sessions: dict[str, str] = field(default_factory=dict)

    def note(self, payload: Payload) -> None:
        """Collect the mentions in one record."""
        thread, session = string(payload, "thread_id"), string(payload, "session_id")
        if thread is None or not is_uuid(thread):
            return
        self.thread = thread
        if session is not None and is_uuid(session):
            self._sessions[thread] = session

    def session(self, thread: str) -> dict[str, JsonValue]:
        """Return the header fields that map a thread to its session."""
        session = self._sessions.get(thread, thread)
        if session == thread:
            return {}
        return {"session_id": session, "parent_thread_id": session}


_TREES = ("sessions", "archived_sessions")
"""Folders in which Codex keeps rollouts; archived ones are in the second."""


def rollout_of(thread: str, folder: Path) -> Path | None:
    """Find the rollout of a thread in a folder, or else in the whole tree."""
    return next(_found(f"{thread}.jsonl", folder), None) if is_uuid(thread) else None


def rollouts_of(thread: str, folder: Path) -> list[Path]:
    """Find a thread's files: its rollout and segments after undone turns."""
    if not is_uuid(thread):
        return []
    return list({path.resolve(): None for path in _found(f"{thread}*.jsonl", folder)})


def _found(ending: str, folder: Path) -> Iterator[Path]:
    yield from filter(Path.is_file, folder.glob(f"*{ending}"))
    trees = (path for path in (folder, *folder.parents) if path.name in _TREES)
    tree = next(trees, None)
    if tree is None:
        return
    for name in _TREES:
        yield from filter(Path.is_file, tree.with_name(name).rglob(f"rollout-*{ending}"))


def folder_in(text: str) -> str | None:
    """Parse the working directory from the environment text for the model."""
    match = _FOLDER.search(text)
    return (match[1] or match[2]).strip() if match else None


def header_in(meta: Payload, stem: str, folder: Path | None) -> CodexHeader:
    """Parse the payload of a header.

    ``stem`` is the file's name without its extension, or the thread's id.
    """
    thread = string(meta, "id") or stem
    cwd, at = string(meta, "cwd"), written_moment(meta.get("timestamp"))
    source = mapping(meta.get("source"))
    parent = _parent(meta)
    git = mapping(meta.get("git"))
    checkout = Checkout(normalised_remote(string(git, "repository_url")), string(git, "branch"))
    copied_from = string(meta, "forked_from_id") or parent
    if parent is None and "subagent" not in source:
        header = CodexHeader(thread, thread, cwd, at, checkout=checkout, copied_from=copied_from)
        return replace(header, segment=_segment_in(stem, thread))
    session = _root(string(meta, "session_id"), parent, thread, folder)
    agent = _agent(source.get("subagent"), meta, thread)
    header = CodexHeader(session, thread, cwd, at, agent, "sidechain", checkout, copied_from)
    return replace(header, segment=_segment_in(stem, thread))


def _parent(meta: Payload) -> str | None:
    spawned = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    parents = [string(place, "parent_thread_id") for place in (meta, spawned)]
    return next(filter(is_uuid, filter(None, parents)), next(filter(None, parents), None))


def _root(session: str | None, parent: str | None, thread: str, folder: Path | None) -> str:
    """Return a subagent's main session, as reported by hooks."""
    if session and session != thread and (is_uuid(session) or not parent):
        return session
    result, seen = parent or thread, {thread}
    for _ in range(_DEEPEST):
        path = rollout_of(result, folder) if folder and result not in seen else None
        seen.add(result)
        meta = meta_of(path) if path else {}
        above = string(meta, "session_id")
        if above and above != result:
            return above
        parent = _parent(meta)
        if parent is None:
            return result
        result = parent
    return result


def meta_of(path: Path) -> Payload:
    """Return the header payload of a rollout; empty if there is none."""
    head = islice(read_lines(path), _HEADER_LINES)
    return next((record.payload for _, record in records(head) if record.kind == META), {})


def _agent(kind: object, meta: Payload, thread: str) -> str:
    """Return a subagent's name as reported by hooks: role and thread."""
    if isinstance(kind, dict):
        spawned = mapping(kind.get("thread_spawn"))
        other = string(kind, "other")
        if other:
            return other
        role = string(spawned, "agent_role", "agent_type") or string(meta, "agent_role")
        return agent_name(role or "default", thread)
    if isinstance(kind, str) and kind:
        return kind
    return agent_name(string(meta, "agent_role") or "default", thread)


def _segment_in(stem: str, thread: str) -> str:
    _, _, segment = stem.partition(f"{thread}_")
    return segment


def _thread_in(stem: str) -> str | None:
    match = _UUID.search(stem)
    return match[0] if match else None
