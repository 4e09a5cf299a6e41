"""Methods for the store: status, checks, backups and retention."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.instrumentation import measured
from memoranda.models.factory import language_model_problem
from memoranda.operation_declaration import ADMINS, local, read, write
from memoranda.resource import Resource
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.leftover_copies import copies
from memoranda.upkeep.stats import Stats, StoreStatus, measure, store_status

if TYPE_CHECKING:
    from memoranda.memories.removal import RemovalReceipt
    from memoranda.ports import Figures
    from memoranda.store.sqlite.inspection_and_backup import Inspection
    from memoranda.upkeep.doctor import Finding
    from memoranda.upkeep.host_hooks import HostHooks


def _removed(receipt: RemovalReceipt) -> Figures:
    return {"records": 0 if receipt.dry_run else receipt.observations + receipt.memories}


class StoreResource(Resource):
    """``memory.store``: the store as one unit."""

    @read("store.status", alias=("status",))
    def status(self, *, workspace: str | None = None) -> StoreStatus:
        """Show whether the store works: captures, pending work, failures."""
        scope = self._within(workspace, None)
        settings, now = self._services.settings, self._services.clock.now()
        status = store_status(self._database, self._services.spool, scope, now)
        trouble = language_model_problem(settings)
        if settings.language_model and not trouble:
            trouble = self._services.ledger.trouble(scope.team)
        return replace(
            status,
            handlers=tuple(self._services.handler_failures.since(now)),
            language_model=settings.language_model,
            language_trouble=trouble,
            copies=copies(settings.database_path),
        )

    @read("store.stats", alias=("stats",))
    def stats(self, *, workspace: str | None = None, summaries: bool = True) -> Stats:
        """Show the amount of data, redactions, and savings by summaries.

        Args:
            summaries: also count the tokens of all summaries, which takes longer.
        """
        scope = self._within(workspace, None)
        services = self._services
        now = services.clock.now()
        return measure(self._database, services.counter, scope, now, summaries=summaries)

    @read("store.doctor", roles=ADMINS, alias=("doctor",))
    def doctor(self, *, quick: bool = False) -> list[Finding]:
        """Check the complete installation, and show how to fix problems.

        Args:
            quick: omit the slow checks, which read the complete store or the model: integrity, full
                text, journal, model.
        """
        from memoranda.upkeep.doctor import examine

        return examine(self._services, quick=quick)

    def hooks(self, *, trial: bool = True) -> list[HostHooks]:
        """Return whether each coding agent on this machine has working hooks.

        Args:
            trial: start the interpreters that the user's settings name, to see that they run.
        """
        from memoranda.upkeep.host_hooks import host_hooks

        return host_hooks(self._services, trial=trial)

    @local("store.backup", alias=("backup",))
    def backup(self, target: str | Path) -> Inspection:
        """Write a consistent, verified copy to a new file, while in use."""
        from memoranda.store.sqlite import inspection_and_backup as maintenance

        inspection = maintenance.backup(self._file, Path(target))
        self._note_copy("backup", "", {"bytes": inspection.size_bytes})
        return inspection

    @local("store.restore", alias=("restore",))
    def restore(self, source: str | Path, *, keep: str | Path | None = None) -> Inspection:
        """Replace all data with a verified backup.

        Args:
            keep: new file to which the current data is backed up first; no write can occur between
                backup and replacement.
        """
        from memoranda.store.sqlite import inspection_and_backup as maintenance

        copy = Path(keep) if keep is not None else None
        inspection = maintenance.restore(Path(source), self._file, copy)
        self._services.prepared.clear()
        self._services.enqueue_rendering(None)
        self._services.worker.run()
        return inspection

    @write("store.retention", roles=ADMINS, alias=("retention",))
    @measured("forget", _removed)
    def retention(
        self,
        until: int,
        *,
        workspace: str | None = None,
        routine_only: bool = False,
        dry_run: bool = True,
    ) -> RemovalReceipt:
        """Permanently delete observations recorded before a given time.

        By default, the observations are only counted. The time is in microseconds.
        """
        from memoranda.memories.removal import RemovalSelection

        chosen = RemovalSelection(until=until, routine_only=routine_only)
        scope = self._within(workspace, None)
        return self._services.forgetting.forget(scope, chosen, "retention", dry_run=dry_run)

    @property
    def _file(self) -> SqliteDatabase:
        """Return the embedded store.

        Raises:
            InvalidInput: the store is on a database server, which has its own tools for this.
        """
        if isinstance(self._services.engine, SqliteDatabase):
            return self._services.engine
        raise InvalidInput(
            "the store is on a database server; back it up there: pg_dump --schema memoranda"
        )
