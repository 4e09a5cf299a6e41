"""Import of an archive: everything is checked, then added in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from memoranda.archive.insertion import InsertResult, add
from memoranda.archive.kinds import (
    BLOCK_VERSIONS,
    BLOCKS,
    HOLDERS,
    KINDS,
    MEMORIES,
    OBSERVATIONS,
    RowKind,
)
from memoranda.archive.new_ids import IdPolicy, IdRenewal
from memoranda.archive.other_system_updates import UpdateResult
from memoranda.archive.preparation import PreparedRow, RowPreparer
from memoranda.archive.reader import RowSource, check, read
from memoranda.archive.rows import Row
from memoranda.archive.writer import Progress
from memoranda.capture.intake_report import ImportPreview
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.clock import Clock
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.mirror import table as mirrors
from memoranda.ports import TokenCounter
from memoranda.store.database import Database, Transaction

BATCH_ROWS = 200
BATCH_CHARACTERS = 4 << 20
"""Maximum number of rows, and of their characters, in a transaction.

The limit that is reached first applies.
"""
NAMED = 200
"""Maximum number of refused rows listed in a report; all refused rows are counted."""
OPERATION = "import archive"


@dataclass(frozen=True, slots=True)
class ArchiveImportOptions:
    """Options of an import."""

    ids: IdPolicy = IdPolicy.KEEP
    trust: bool = False
    """Whether approved, critical, protected and recognised states are kept.

    Only a person who made the archive can decide to keep these states.
    """
    dry_run: bool = False
    source: str = ""
    """Name of the system that the rows come from; empty for an archive."""


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that was refused; the existing data is unchanged."""

    kind: str
    id: str
    reason: str


@dataclass(slots=True)
class ArchiveImportReport:
    """Result of an import."""

    path: str
    digest: str
    """SHA-256 of the archive's contents."""
    dry_run: bool
    added: dict[str, int] = field(default_factory=dict)
    """Number of rows added, by kind; in a dry run, number of rows that would be added."""
    there: dict[str, int] = field(default_factory=dict)
    """Number of rows that already existed, by kind."""
    updated: dict[str, int] = field(default_factory=dict)
    """Number of memories and blocks that changed in the other system since the last import, by
    kind.
    """
    refused: dict[str, int] = field(default_factory=dict)
    refusals: list[RefusedRow] = field(default_factory=list)
    """The first refused rows, with the reasons for refusing them."""
    preview: ImportPreview = field(default_factory=ImportPreview)
    """Memories and blocks that would be added or changed; only in a dry run."""

    def count_parts(self, kind: RowKind, outcome: InsertResult) -> None:
        """Add the outcome of rows that belong to other rows."""
        refused = [row for row, _ in outcome.refused]
        counted = (self.added, outcome.added), (self.there, outcome.there), (self.refused, refused)
        for counts, rows in counted:
            total = sum(len(prepared_row.parts.get(kind.name, ())) for prepared_row in rows)
            counts[kind.name] = counts.get(kind.name, 0) + total

    def count(self, kind: RowKind, outcome: InsertResult) -> None:
        """Add the outcome of inserting rows of a kind."""
        counted = (self.added, outcome.added), (self.there, outcome.there)
        for counts, found in (*counted, (self.refused, outcome.refused)):
            counts[kind.name] = counts.get(kind.name, 0) + len(found)
        if self.dry_run and kind in (MEMORIES, BLOCKS):
            for row in outcome.added:
                self.preview.note(_SINGULAR[kind.name], _preview_text(row))
        for row, reason in outcome.refused:
            self.refuse(kind, "/".join(map(str, row.key(kind))), reason)

    def refuse(self, kind: RowKind, id: str, reason: str) -> None:
        """Add a refused row to the list, unless the list is full."""
        if len(self.refusals) < NAMED:
            self.refusals.append(RefusedRow(kind.name, id, reason))

    def count_updates(self, kind: RowKind, result: UpdateResult) -> None:
        """Add the outcome of records that already existed."""
        counted = (
            (self.updated, len(result.updated)),
            (self.there, result.unchanged),
            (self.refused, len(result.refused)),
        )
        for counts, number in counted:
            counts[kind.name] = counts.get(kind.name, 0) + number
        for id, reason in result.refused:
            self.refuse(kind, id, reason)
        for _, text in result.updated if self.dry_run else ():
            self.preview.note(_SINGULAR[kind.name], text, "update")


_SINGULAR = {MEMORIES.name: "memory", BLOCKS.name: "block"}


def _preview_text(prepared: PreparedRow) -> str:
    """Return the text of a memory, or a block's label and value."""
    if "content" in prepared.row:
        return str(prepared.row["content"])
    versions = prepared.parts.get(BLOCK_VERSIONS.name, [])
    value = versions[-1].row["value"] if versions else ""
    return f"{prepared.row['label']}: {value}"


@dataclass(frozen=True, slots=True)
class ImportServices:
    """Dependencies of an import."""

    sanitiser: TextSanitiser
    counter: TokenCounter
    clock: Clock
    ids: IdSource


def import_archive(
    database: Database,
    team: str,
    archive: RowSource,
    wishes: ArchiveImportOptions,
    tools: ImportServices,
    *,
    actor: str = "human",
    progress: Progress = lambda *_: None,
) -> ArchiveImportReport:
    """Import an archive into a team.

    The archive is read and validated completely before anything is written; then each batch is
    written in one transaction. Existing rows are unchanged, so a repeated import adds only what is
    missing.

    Raises:
        InvalidInput, CorruptData: the file is not an archive, or is damaged or malicious; nothing
            was changed, as with all errors except those of the store.
        StorageError: a batch could not be written; a repeated import continues from that batch.
    """
    contents = check(archive, progress)
    digest = archive.manifest.digest
    renewal = IdRenewal(wishes.ids, digest, contents.ids)
    preparing = RowPreparer(
        team,
        renewal,
        tools.sanitiser,
        tools.counter,
        trust=wishes.trust,
        source=wishes.source,
        at=tools.clock.now(),
    )
    report = ArchiveImportReport(str(archive.path), digest, wishes.dry_run)
    run = _ArchiveImport(database, team, tools, actor, report, archive.manifest.rows)
    for kind in KINDS:
        if kind not in (BLOCK_VERSIONS, HOLDERS):
            run.kind(kind, _batches(archive, kind, preparing), progress)
    run.end()
    return report


class _ArchiveImport:
    """One import in progress."""

    def __init__(
        self,
        database: Database,
        team: str,
        tools: ImportServices,
        actor: str,
        report: ArchiveImportReport,
        rows: int,
    ) -> None:
        self._database = database
        self._team = team
        self._tools = tools
        self._actor = actor
        self._report = report
        self._rows = rows
        self._begun = False
        self._refused: set[tuple[str, str]] = set()

    def kind(self, kind: RowKind, batches: Iterator[list[PreparedRow]], progress: Progress) -> None:
        """Import the rows of a kind."""
        done = 0
        for batch in batches:
            work = partial(self._add, kind=kind, batch=batch)
            dry = self._report.dry_run
            outcome = self._database.read(work) if dry else self._database.write(work)
            self._count(kind, outcome)
            done += len(batch)
            progress(kind.name, done)

    def end(self) -> None:
        """Record what the import did."""
        if self._report.dry_run:
            return
        added: dict[str, JsonValue] = {k: n for k, n in self._report.added.items() if n}
        refused: dict[str, JsonValue] = {k: n for k, n in self._report.refused.items() if n}
        detail: dict[str, JsonValue] = {"added": added, "refused": refused}
        self._database.write(lambda tx: self._journal(tx, detail))

    def _add(self, tx: Transaction, kind: RowKind, batch: Sequence[PreparedRow]) -> InsertResult:
        dry = self._report.dry_run
        outcome = add(tx, self._team, kind, batch, self._refused, dry_run=dry)
        if outcome.added and not dry:
            if not self._begun:  # the journal entry precedes the changes
                self._journal(tx, {"begun": True, "rows": self._rows})
            self._have_indexed(tx, kind, outcome.added)
        return outcome

    def _count(self, kind: RowKind, outcome: InsertResult) -> None:
        self._begun = self._begun or bool(outcome.added)
        self._refused |= {(kind.name, str(row.key(kind)[0])) for row, _ in outcome.refused}
        self._report.count(kind, outcome)
        if kind is BLOCKS:
            for part in (BLOCK_VERSIONS, HOLDERS):
                self._report.count_parts(part, outcome)

    def _have_indexed(self, tx: Transaction, kind: RowKind, added: Sequence[PreparedRow]) -> None:
        subjects: list[tuple[JobKind, str]] = []
        if kind is OBSERVATIONS:
            tasks = sorted({o.row["task"] for o in added})
            subjects = [(kind, id) for id in tasks for kind in (JobKind.INDEX_TASK, JobKind.DISTIL)]
        elif kind is MEMORIES:
            subjects = [(JobKind.INDEX_MEMORIES, "")]
        now = self._tools.clock.now()
        for what, subject in subjects:
            job = Job.waiting(self._team, self._tools.ids.new(), what, subject, now)
            jobs.enqueue(tx, job, now)
        mirrors.touch(tx, self._team, self._tools.ids.new(), now)

    def _journal(self, tx: Transaction, detail: dict[str, JsonValue]) -> None:
        now = self._tools.clock.now()
        note = journal.NewJournalEntry(now, self._actor, OPERATION, self._report.digest, detail)
        journal.append(tx, self._team, note)


def _batches(
    archive: RowSource, kind: RowKind, preparing: RowPreparer
) -> Iterator[list[PreparedRow]]:
    """Split the rows of a kind into transactions.

    A block is in the same batch as all rows that belong to it.
    """
    parts = {
        part: groupby(read(archive, part), key=lambda row: str(row["block"]))
        for part in ((BLOCK_VERSIONS, HOLDERS) if kind is BLOCKS else ())
    }
    waiting = {part: next(groups, None) for part, groups in parts.items()}
    batch: list[PreparedRow] = []
    size = 0
    for row in read(archive, kind):
        (prepared_row,) = preparing.rows(kind, [row])
        size += _weight(row)
        for part, groups in parts.items():
            found = waiting[part]
            if found and found[0] == row["id"]:
                rows = list(found[1])
                size += sum(map(_weight, rows))
                prepared_row.parts[part.name] = preparing.rows(part, rows)
                waiting[part] = next(groups, None)
        batch.append(prepared_row)
        if len(batch) == BATCH_ROWS or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _weight(row: Row) -> int:
    return sum(len(value) for value in row.values() if isinstance(value, str))
