"""Index of the files that Claude Code itself reads as instructions.

The files are CLAUDE.md with its imports, the rules, and Claude Code's own memory. They are only
read, never written. Each section is stored as an observation of one task of the workspace, marked
as text that the host itself puts into its agent's context: a search finds the section, but no
context repeats it. The index follows the files: a changed section is stored again, and a removed
one is forgotten.

Sources: Claude Code's documentation pages on memory, as of autumn 2026.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.message_separation import ENVELOPE
from memoranda.integrations.imports.front_matter import split_front_matter
from memoranda.integrations.imports.imported_items import ImportContext, is_excluded
from memoranda.integrations.imports.markdown import ENDINGS, LARGEST, sections
from memoranda.memories.removal import RemovalSelection
from memoranda.memory import Memoranda
from memoranda.observations.model import Origin
from memoranda.observations.table import ObservationFilter
from memoranda.page import every
from memoranda.private_folders import lies_in
from memoranda.tasks.model import READ_BY_ITSELF, Task, Workspace
from memoranda.text_encoding import decoded

READER = "claude-code"
HOST = READ_BY_ITSELF
GOAL = "What Claude Code reads by itself: CLAUDE.md, its rules, its own memory"
OWN = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
DEPTH = 4
"""Maximum depth of imports, as in Claude Code."""
MAXIMUM = 200
"""Maximum number of files per folder."""
_IMPORT = re.compile(r"(?:^|(?<=\s))@(~?[\w./-]+)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _FileSection:
    text: str
    """Text as it will be stored, without secrets."""
    changed_at: int


def follow(memory: Memoranda, tasks: Collection[str], home: Path) -> bool:
    """Update the file index of the tasks' workspaces; return if it changed.

    Args:
        tasks: ids of tasks with new events; tasks of other hosts than Claude Code are ignored.
        home: Claude Code's own folder, ~/.claude.
    """
    found = (memory.tasks.show(id) for id in tasks)
    newest = {task.workspace: task for task in found if task.host == READER}
    changed = False
    for workspace in every(memory.workspaces.list, limit=500) if newest else ():
        if workspace.root and workspace.id in newest:
            changed |= _follow(memory, workspace, Path(workspace.root), newest[workspace.id], home)
    return changed


def files_of(root: Path, home: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that Claude Code reads in a repository.

    Each file is yielded once, with a short name.
    """
    paths: set[Path] = set()
    rules = sorted((root / ".claude" / "rules").rglob("*.md"))[:MAXIMUM]
    for path in (*(root / name for name in OWN), *rules):
        for file in _with_imports(path, (root, home), paths):
            inside = file.is_relative_to(root)
            yield (file.relative_to(root).as_posix() if inside else str(file)), file
    own = home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / "memory"
    for file in sorted(own.rglob("*.md"))[:MAXIMUM]:
        if lies_in(file, own):
            yield f"memory/{file.relative_to(own).as_posix()}", file


def _with_imports(
    path: Path, places: Sequence[Path], seen: set[Path], depth: int = 0
) -> Iterator[Path]:
    """Yield a file and its imports, as far as they are in one of the folders.

    Neither a path nor a link in an untrusted repository can cause other files to be read.
    """
    text = _read(path) if any(lies_in(path, place) for place in places) else None
    if text is None or path.resolve() in seen:
        return
    seen.add(path.resolve())
    yield path
    if depth < DEPTH:
        for named in _IMPORT.findall(_CODE.sub("", text)):
            target = _named(path.parent, named)
            if target and target.suffix.lower() in ENDINGS:
                yield from _with_imports(target, places, seen, depth + 1)


def _named(folder: Path, name: str) -> Path | None:
    try:
        return folder / Path(name).expanduser()
    except RuntimeError:  # no home directory of this user
        return None


def _read(path: Path) -> str | None:
    try:
        small = path.is_file() and path.stat().st_size <= LARGEST
        return decoded(path.read_bytes()) if small else None
    except (OSError, RuntimeError):  # not readable, or links that form a cycle
        return None


def _sections(memory: Memoranda, root: Path, home: Path) -> dict[str, _FileSection]:
    """Return the sections of the files, keyed by their hash."""
    result: dict[str, _FileSection] = {}
    for name, path in files_of(root, home):
        if any(is_excluded(memory, item) for item in (path, path.resolve())):
            continue
        changed = path.stat().st_mtime_ns // 1_000
        front, page = split_front_matter((_read(path) or "").replace("\r\n", "\n"))
        for imported_memory in sections(
            page, key=name, title=name, tags=front.tags, reading=ImportContext()
        ):
            parts = filter(
                None,
                (imported_memory.title, "\n".join(imported_memory.tags), imported_memory.content),
            )
            cleaned = memory.capture.privacy_test("\n\n".join(parts))
            if cleaned.text and not cleaned.excluded:
                digest = hashlib.sha256(cleaned.text.encode()).hexdigest()
                result[digest] = _FileSection(cleaned.text, changed)
    return result


def _follow(memory: Memoranda, place: Workspace, root: Path, task: Task, home: Path) -> bool:
    wanted = _sections(memory, root, home)
    where = ObservationFilter(agent=HOST, with_repeats=True)
    observations = list(every(memory.observations.list, workspace=place.id, where=where, limit=500))
    gone = [
        observation.id
        for observation in observations
        if wanted.pop(observation.content_hash, None) is None
    ]
    if gone:
        memory.forget(RemovalSelection(ids=gone), confirm=True)
    at = task.started_at - 1  # so that indexed files never count as the last activity
    events = [_event(root, EventKind.TASK_START, "start", GOAL, at)]
    for hash, section in wanted.items():
        # The key contains the file's time, so that a forgotten section is not added again until the
        # file changes.
        key, when = f"{hash}@{section.changed_at}", min(at, section.changed_at)
        events.append(_event(root, EventKind.MESSAGE, key, section.text, when))
    taken = memory.capture.take(events, actor="hook").observations if wanted else 0
    return bool(gone or taken)


def _event(root: Path, kind: EventKind, key: str, text: str, at: int) -> Event:
    return Event(
        kind=kind,
        host=HOST,
        session=str(root),
        source=EventSource.API,
        key=key,
        origin=Origin.GENERATED,
        occurred_at=at,
        agent=HOST,
        cwd=str(root),
        text=text,
        tags=(ENVELOPE,),
    )
