"""Runs an import, which reads the source once and stores it in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from memoranda.archive.importer import ArchiveImportReport, RefusedRow
from memoranda.archive.kinds import BLOCKS, MEMORIES
from memoranda.archive.other_system_records import Imported
from memoranda.capture.event import Event
from memoranda.capture.intake_report import ImportPreview, IntakeReport
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.integrations.imports.format_detection import READERS, form_of, reader_of
from memoranda.integrations.imports.imported_items import (
    ImportContext,
    ImportedEvent,
    ImportedItem,
    is_excluded,
)
from memoranda.memory import Memoranda

BATCH = 512
"""Number of events per batch."""

Progress = Callable[[int, int], None]
"""Called with the number of items read, and later with the number of stored memories and the total
number of memories.

While the file is being read, the total is unknown and is passed as 0.
"""


@dataclass(slots=True)
class ForeignReport:
    """Result of importing a file from another system."""

    path: str
    form: str
    dry_run: bool
    files: int = 1
    """Number of files that were read."""
    workspaces: set[str] = field(default_factory=set)
    """Names of the workspaces of the records."""
    pending: int = 0
    """Number of added memories that are pending approval."""
    intake: IntakeReport = field(default_factory=IntakeReport)
    """Counts for the imported events."""
    added: dict[str, int] = field(default_factory=dict)
    """Memories and blocks by kind; in a dry run, those that would be added."""
    updated: dict[str, int] = field(default_factory=dict)
    """Memories and blocks that changed in the source since an earlier import, by kind."""
    there: dict[str, int] = field(default_factory=dict)
    """Memories and blocks that are unchanged since an earlier import, by kind."""
    refused: int = 0
    """Number of rejected memories and blocks."""
    refusals: list[RefusedRow] = field(default_factory=list)
    """First rejected records, with the reasons."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Items that could not be imported, by reason."""
    failures: dict[str, str] = field(default_factory=dict)
    """Files in a folder that could not be read, with the reason."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Number of events by kind."""
    preview: ImportPreview = field(default_factory=ImportPreview)
    """Entries that would be added or changed; only in a dry run."""

    def count(self, stored: ArchiveImportReport) -> None:
        """Add the outcome of the memories and blocks."""
        self.added, self.updated, self.there, refused = (
            {kind: counts[kind] for kind in _SHOWN if kind in counts}
            for counts in (stored.added, stored.updated, stored.there, stored.refused)
        )
        self.refused = sum(refused.values())
        self.refusals = stored.refusals
        self.preview.add(stored.preview)


_SHOWN = (MEMORIES.name, BLOCKS.name)


def import_foreign(
    memory: Memoranda,
    path: Path,
    *,
    form: str | None = None,
    workspace: str | None = None,
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ForeignReport:
    """Import the memories of another system.

    A repeated import adds what is new in the file and updates what has changed there; after an
    interruption it continues. The file is only read, never changed.

    Args:
        form: one of `forms.READERS`; None to detect the format from the file.
        workspace: workspace for all items, whatever the file specifies.
        trust: memories are approved at once; otherwise they are pending until a person decides.
        dry_run: only report what would be done.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the file has no known format, or the settings exclude it.
        CorruptData: the file is damaged; what was read before the damage is stored.
    """
    if form is not None and not path.exists():
        raise NotFound(f"no file {path}")
    require_admitted(memory, path)
    format_name = form or form_of(path)
    if format_name is None:
        raise InvalidInput(f"{path} has an unknown format; known: {', '.join(READERS)}")
    report = ForeignReport(str(path), format_name, dry_run)
    reading = ImportContext(
        workspace, report.left_out, report.failures, excluded=partial(is_excluded, memory)
    )
    records: list[Imported] = []
    material = _watched(reader_of(format_name)(path, reading), progress)
    for place, events in _batches(material, records):
        result = memory.capture.look(events, workspace=place) if dry_run else memory.capture.take(
            events, workspace=place, actor="import"
        )  # fmt: skip
        report.intake.add(result)
        report.kinds.update(event.kind.value for event in events)
        report.workspaces |= {place} if place else set()
    report.preview.add(report.intake.preview)
    report.files = len(reading.files) or 1
    if records:
        stored = memory.archive.import_memories(
            records,
            format_name,
            path=path,
            trust=trust,
            dry_run=dry_run,
            progress=_stored(len(records), progress),
        )
        report.count(stored)
        report.pending = 0 if trust or dry_run else report.added.get(MEMORIES.name, 0)
        report.workspaces |= {record.workspace for record in records if record.workspace}
    return report


def require_admitted(memory: Memoranda, path: Path) -> None:
    """Refuse a file if the settings exclude its own or its resolved name.

    Raises:
        InvalidInput: the file is excluded, empty, or not a regular file but, for example, a pipe;
            no part of it was read.
    """
    if is_excluded(memory, path) or is_excluded(memory, path.resolve()):
        raise InvalidInput(f"{path} is excluded by exclude_paths; it was not read")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(f"{path} is not a regular file; write it to a file and import that")
    if path.is_file() and not path.stat().st_size:
        raise InvalidInput(f"{path.name} is empty")


def _batches(
    items: Iterator[ImportedItem], records: list[Imported]
) -> Iterator[tuple[str | None, list[Event]]]:
    """Yield events of one workspace together; add other items to ``records``."""
    place: str | None = None
    batch: list[Event] = []
    for item in items:
        if not isinstance(item, ImportedEvent):
            records.append(item)
            continue
        if batch and (item.workspace != place or len(batch) == BATCH):
            yield place, batch
            batch = []
        place = item.workspace
        batch.append(item.event)
    if batch:
        yield place, batch


def _watched(items: Iterator[ImportedItem], progress: Progress | None) -> Iterator[ImportedItem]:
    for number, item in enumerate(items, 1):
        if progress:
            progress(number, 0)
        yield item


def _stored(total: int, progress: Progress | None) -> Callable[[str, int], None] | None:
    """Return the progress of storing, not of checks and other rows."""
    if progress is None:
        return None
    return lambda kind, done: progress(done, total) if kind == MEMORIES.name else None
