"""Methods that export and import archives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoranda.archive.other_system_records import Imported
from memoranda.capture.redaction.model import SecretPolicy
from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import local
from memoranda.resource import Resource, member
from memoranda.store.database import Transaction
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.archive.importer import ArchiveImportOptions, ArchiveImportReport
    from memoranda.archive.kinds import RowKind
    from memoranda.archive.other_system_rows import ForeignRows, KnownRecords
    from memoranda.archive.reader import RowSource
    from memoranda.archive.writer import ExportReport, Progress
    from memoranda.json_data import JsonValue


class ArchiveResource(Resource):
    """``memory.archive``: archives, single files that any program can read."""

    @local("archive.export", alias=("export",))
    def export(
        self,
        path: str | Path,
        *,
        workspace: str | None = None,
        agent: str | None = None,
        observations: bool = True,
        force: bool = False,
        progress: Progress | None = None,
    ) -> ExportReport:
        """Export the data of the team, a workspace or an agent to one file.

        The data of an agent consists of its own memories and blocks, shared ones, and the tasks
        that it worked on.

        Args:
            observations: whether to include observations, with their full contents.
            force: replace an existing file.

        Raises:
            Conflict: a file with this name exists.
            InvalidInput: both a workspace and an agent are specified.
            NotFound: the workspace, agent or folder does not exist.
        """
        from memoranda.archive.format import ArchiveSelection
        from memoranda.archive.writer import export_archive

        place = self._within(workspace, None).workspace
        if place and agent and workspace:
            raise InvalidInput("specify a workspace or an agent, not both")
        who = normalise(agent) if agent else None
        chosen = ArchiveSelection(None if who else place, who, observations)
        report = export_archive(
            self._database,
            self._scope.team,
            chosen,
            Path(path),
            now=self._services.clock.now(),
            force=force,
            progress=progress or _silent,
        )
        detail: dict[str, JsonValue]
        detail = {"digest": report.digest, "rows": sum(report.rows.values())}
        self._note_copy("export", who or chosen.workspace or "", detail)
        return report

    @local("archive.import-archive", alias=("import-archive",))
    def import_archive(
        self,
        path: str | Path,
        *,
        ids: str = "keep",
        trust: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ArchiveImportReport:
        """Import an archive; all of it is checked before anything is written.

        Existing data is unchanged: a repeated import adds nothing. Memories are pending.

        Args:
            ids: keep the ids of the archive, or renew them, for a copy next to the original.
            trust: keep approved, critical, protected and recognised states of the source.
            dry_run: only report what would be done.

        Raises:
            NotFound: the file does not exist.
            InvalidInput: the file is not an archive, or a malicious one; nothing was changed.
            CorruptData: the archive is damaged; nothing was changed.
            SchemaTooNew: a newer Memoranda wrote the archive; nothing was changed.
        """
        from memoranda.archive.importer import ArchiveImportOptions
        from memoranda.archive.new_ids import IdPolicy
        from memoranda.archive.zip_archive import open_archive

        wishes = ArchiveImportOptions(member(IdPolicy, ids), trust, dry_run)
        with open_archive(Path(path)) as archive:
            return self._brought_in(archive, wishes, progress)

    def import_memories(
        self,
        records: Sequence[Imported],
        source: str,
        *,
        path: str | Path = "",
        trust: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ArchiveImportReport:
        """Import memories and blocks of another system.

        A repeated import adds what is new in the source, and updates what changed in the source.
        Records that were edited in this store are kept.

        Args:
            source: name of the system; a key identifies a record within it.
            path: file that was read, for the report.
            trust: approve memories immediately; otherwise they are pending.
            dry_run: only report what would be done.

        Raises:
            InvalidInput: one of the records is not acceptable; nothing was changed.
        """
        from memoranda.archive.importer import ArchiveImportOptions
        from memoranda.archive.other_system_rows import ForeignRowBuilder, name_of

        team, now = self._scope.team, self._services.clock.now()
        name = normalise(source)

        def work(tx: Transaction) -> tuple[ForeignRows, ForeignRowBuilder]:
            gathering = ForeignRowBuilder(tx, team, name, now)
            return gathering.gathered(Path(path), records), gathering

        gathered, gathering = self._database.read(work)
        known, new = gathering.known, gathering.new
        wishes = ArchiveImportOptions(trust=trust, dry_run=dry_run, source=name)
        report = self._brought_in(gathered, wishes, progress)
        report.refusals = [
            replace(refusal, id=name_of(new[refusal.id]) if refusal.id in new else refusal.id)
            for refusal in report.refusals
        ]
        self._update(known, name, wishes, report, progress or _silent)
        if not dry_run:
            self._add_metadata({**dict(known.memories), **new})
        return report

    def _add_metadata(self, found: Mapping[str, Imported]) -> None:
        """Store the metadata of imported memories that have none yet; by memory id."""
        from memoranda.archive.other_system_records import ImportedMemory
        from memoranda.documents.model import (
            MANY,
            MEMORY_METADATA,
            NewDocument,
            checked_document,
        )
        from memoranda.documents.table import SpaceAddress, under
        from memoranda.memories import table as memories

        team, store, now = self._scope.team, self._services.documents, self._services.clock.now()
        shelf = SpaceAddress(team, "", MEMORY_METADATA)
        documents = [
            self.memory.documents._checked(
                checked_document(NewDocument(id, record.metadata)), SecretPolicy.REDACT
            )
            for id, record in found.items()
            if isinstance(record, ImportedMemory) and record.metadata is not None
        ]
        for start in range(0, len(documents), MANY):
            batch = documents[start : start + MANY]

            def work(tx: Transaction, batch: Sequence[NewDocument] = batch) -> None:
                ids = [document.key for document in batch]
                stored = memories.of_any_agent(tx, team, ids).keys()
                lacking = stored - under(tx, shelf, ids, now).keys()
                store.put_within(tx, shelf, [one for one in batch if one.key in lacking])

            self._database.write(work)

    def _update(
        self,
        known: KnownRecords,
        source: str,
        wishes: ArchiveImportOptions,
        report: ArchiveImportReport,
        progress: Progress,
    ) -> None:
        """Apply changes of records that an earlier import stored."""
        from memoranda.archive.importer import BATCH_ROWS
        from memoranda.archive.kinds import BLOCKS, MEMORIES

        services, scope, dry = self._services, self._scope, wishes.dry_run
        kinds: tuple[tuple[RowKind, Sequence[Any], Any], ...] = (
            (MEMORIES, known.memories, services.foreign_updates(source, trust=wishes.trust)),
            (BLOCKS, known.blocks, services.foreign_block_updates(source)),
        )
        store = self._database.read if dry else self._database.write
        for kind, records, updates in kinds:
            for start in range(0, len(records), BATCH_ROWS):
                batch = records[start : start + BATCH_ROWS]
                work = partial(updates.update, scope=scope, known=batch, dry_run=dry)
                report.count_updates(kind, store(work))
                progress(kind.name, start + len(batch))
        report.there[MEMORIES.name] = report.there.get(MEMORIES.name, 0) + known.repeated
        if any(report.updated.values()) and not dry:
            services.enqueue_rendering(None)
            services.background.wake()

    def _brought_in(
        self, archive: RowSource, wishes: ArchiveImportOptions, progress: Progress | None
    ) -> ArchiveImportReport:
        from memoranda.archive.importer import ImportServices, import_archive

        services, team = self._services, self._scope.team
        tools = ImportServices(services.sanitiser, services.counter, services.clock, services.ids)
        shown = progress or _silent
        report = import_archive(
            self._database, team, archive, wishes, tools, actor=self._actor, progress=shown
        )
        if not wishes.dry_run:
            services.enqueue_rendering(None)
            services.worker.run(light=True)
        return report


def _silent(kind: str, rows: int) -> None:
    """Ignore the progress."""
