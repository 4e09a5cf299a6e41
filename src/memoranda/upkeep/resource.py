"""Use cases: status, statistics, journal, checks and backups."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memoranda.capture import live_table as live_outputs
from memoranda.capture.live_outputs import LiveSavings
from memoranda.exceptions import InvalidInput
from memoranda.journal import table as journal
from memoranda.journal.model import JournalCheck, JournalEntry
from memoranda.models.language_models import language_trouble
from memoranda.page import Page, checked_limit, page_of
from memoranda.resource import Resource, number
from memoranda.store.sqlite import upkeep
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.upkeep import Inspection
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.upkeep import doctor
from memoranda.upkeep.stats import Stats, StoreStatus, measure, store_status


class UpkeepResource(Resource):
    """Lists, the journal, checks and backups."""

    def tasks(
        self,
        *,
        workspace: str | None = None,
        status: TaskStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Task]:
        """Return tasks, those with the newest activity first."""
        checked_limit(limit)
        scope = self._within(workspace, None)
        before = _task_cursor(cursor) if cursor else tasks.NEWEST
        found = self._database.read(
            lambda tx: tasks.listed(
                tx,
                scope.team,
                workspace=scope.workspace,
                status=status,
                before=before,
                limit=limit + 1,
            )
        )
        return page_of(found, limit, lambda one: f"{one.last_event_at}:{one.id}")

    def journal(
        self,
        *,
        operation: str | None = None,
        subject: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[JournalEntry]:
        """Return journal entries, newest first."""
        checked_limit(limit)
        before = number(cursor) if cursor else journal.NEWEST
        found = self._database.read(
            lambda tx: journal.listed(
                tx,
                self._scope.team,
                operation=operation,
                subject=subject,
                before=before,
                limit=limit + 1,
            )
        )
        return page_of(found, limit, lambda one: str(one.sequence))

    def verify_journal(self) -> JournalCheck:
        """Verify the whole journal chain; return where it is not intact."""
        return self._database.read(lambda tx: journal.verify(tx, self._scope.team))

    def status(self, *, workspace: str | None = None) -> StoreStatus:
        """Return whether it works: recent captures, pending work and failures."""
        scope = self._within(workspace, None)
        settings, now = self._rooms.settings, self._rooms.clock.now()
        found = store_status(self._database, self._rooms.spool, scope, now)
        trouble = language_trouble(settings)
        return replace(found, language_model=settings.language_model, language_trouble=trouble)

    def stats(self, *, workspace: str | None = None, summaries: bool = True) -> Stats:
        """Return the amount of data, redactions and savings by summaries.

        Args:
            summaries: count the tokens of all summaries; it takes time for each of them.
        """
        scope = self._within(workspace, None)
        return measure(self._database, self._rooms.counter, scope, summaries=summaries)

    def live_report(self, *, workspace: str | None = None) -> list[LiveSavings]:
        """Return the savings by short forms that agents saw in live mode, by tool."""
        scope = self._within(workspace, None)
        return self._database.read(lambda tx: live_outputs.savings(tx, scope.team, scope.workspace))

    def doctor(self, *, quick: bool = False) -> list[doctor.Finding]:
        """Check everything; each finding says how to fix it.

        Args:
            quick: leave out what reads the whole store: integrity, full text, journal, model.
        """
        return doctor.examine(self._rooms, quick=quick)

    @property
    def _file(self) -> SqliteDatabase:
        """Return the embedded store.

        Raises:
            InvalidInput: the store is on a server, which has its own tools for this.
        """
        if isinstance(self._rooms.engine, SqliteDatabase):
            return self._rooms.engine
        raise InvalidInput("the store is on a server; back it up there: pg_dump --schema memoranda")

    def backup(self, target: str | Path) -> Inspection:
        """Write a consistent, verified copy of the store to a new file."""
        return upkeep.backup(self._file, Path(target))

    def restore(self, source: str | Path) -> Inspection:
        """Replace everything by the content of a verified backup."""
        found = upkeep.restore(Path(source), self._file)
        self._rooms.prepared.clear()
        self._rooms.enqueue_rendering(None)
        self._rooms.worker.run()
        return found


def _task_cursor(cursor: str) -> tuple[int, str]:
    at, _, id = cursor.partition(":")
    return number(at), id
