"""Finds a coding agent's recent sessions that are not in the store.

A hook can record nothing while the program is missing, the disk is full or the data directory is
read-only. The transcripts that the agent itself writes still show that there was a session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.assembly.services import Services
from memoranda.clock import MICROSECONDS
from memoranda.hooks.hosts import CLAUDE_CODE, CODEX, Host, InstallScope
from memoranda.ids import is_uuid
from memoranda.tasks import table as tasks

DAYS = 7
"""Age in days up to which a session counts as recent."""
_DAY = 86_400 * MICROSECONDS
_FOLDERS: Mapping[str, str] = {CLAUDE_CODE.name: "projects", CODEX.name: "sessions"}
"""Folder of transcripts inside the folder of the agent's settings."""
_UUID = 36
"""Number of characters of a session id, with which the name of a transcript ends."""


@dataclass(frozen=True, slots=True)
class MissingSessions:
    """Recent sessions that are not in the store."""

    count: int
    folder: Path
    """Folder to import in order to add the sessions."""


def missing_sessions(services: Services, host: Host) -> MissingSessions | None:
    """Return a host's recent local sessions that are not stored, or None.

    Only names and times of its transcripts are compared with the sessions in the store. Sessions
    before the first stored one are not expected in it. A session whose transcript was imported is
    not missing, even if nothing of it was stored. Sessions that pending events may belong to are
    not missing either, nor are those for which capture was switched off.
    """
    if host.name not in _FOLDERS:
        return None
    settings = host.settings_file(InstallScope.USER, Path("/"), os.environ)
    folder, team = settings.parent / _FOLDERS[host.name], services.settings.team
    first = services.database.read(lambda tx: tasks.first_start(tx, team, host.name))
    if first is None:
        return None
    now, oldest = services.clock.now(), services.spool.state().oldest_at
    since, until = max(first, now - DAYS * _DAY), now if oldest is None else oldest - MICROSECONDS
    recent = {
        session: path
        for place in _places(host, folder, since, now)
        for session, path in _recent(place, since, until)
    }
    absent = _absent(services, host, recent) if recent else []
    return MissingSessions(len(absent), folder) if absent else None


def _absent(services: Services, host: Host, recent: Mapping[str, Path]) -> list[str]:
    """Return the sessions without a task and without an imported transcript."""
    team = services.settings.team
    stored = services.database.read(lambda tx: tasks.sessions(tx, team, host.name, list(recent)))
    unrecorded = services.unrecorded
    absent = [id for id in recent if id not in stored and not unrecorded.has(id)]
    if not absent:
        return []
    from memoranda.capture import transcript_table as transcripts  # rarely needed

    names = {id: services.intake.name(str(recent[id].resolve())) for id in absent}
    imported = services.database.read(lambda tx: transcripts.imported(tx, team, [*names.values()]))
    absent = [id for id in absent if names[id] not in imported]
    if host is CODEX:  # in Codex, a subagent has a separate transcript
        return [id for id in absent if _session_of(recent[id]) == id]
    return absent


def _places(host: Host, folder: Path, since: int, now: int) -> Iterator[Path]:
    """Yield the folders that may contain transcripts of sessions after a time."""
    if host is CODEX:  # Codex has a folder for each day
        for day in range(since, now + _DAY, _DAY):
            yield folder / time.strftime("%Y/%m/%d", time.localtime(day // MICROSECONDS))
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and _written(entry) >= since:  # a new file changes the folder's time
                yield Path(entry.path)


def _recent(folder: Path, since: int, until: int) -> Iterator[tuple[str, Path]]:
    """Yield sessions whose transcript was last written between two times."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            session = entry.name.removesuffix(".jsonl")[-_UUID:]
            is_transcript = entry.name.endswith(".jsonl") and is_uuid(session)
            if is_transcript and since <= _written(entry) <= until:
                yield session, Path(entry.path)


def _written(entry: os.DirEntry[str]) -> int:
    return entry.stat().st_mtime_ns // 1_000


def _session_of(path: Path) -> str:
    from memoranda.capture.hosts.codex.records import header_in, meta_of

    return header_in(meta_of(path), path.stem[-_UUID:], path.parent).session
