"""Where everything is put together: the only module that names an engine or a provider."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.capture.spool import Spool
from memoranda.clock import Clock, SystemClock
from memoranda.config import Settings
from memoranda.errors import InvalidInput, StorageUnusable
from memoranda.ids import IdSource
from memoranda.learn.forgetting import Cleared, Forgetting
from memoranda.learn.memories import MemoryBook
from memoranda.models.tokens import ToktokCounter
from memoranda.recall.context import ContextBuilder
from memoranda.recall.disclosure import Disclosure
from memoranda.recall.prepared import PreparedContexts
from memoranda.recall.search import Search
from memoranda.store.database import Transaction
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.tables import jobs, workspaces
from memoranda.values.job import Job, JobKind, JobState
from memoranda.values.scope import Scope
from memoranda.worker import BackgroundWorker, Worker

if TYPE_CHECKING:
    from memoranda.capture.bus import HookBus
    from memoranda.capture.drain import Drain
    from memoranda.capture.importer import Importer
    from memoranda.capture.intake import Intake
    from memoranda.capture.redaction.redactor import Redactor


class Rooms:
    """Every service of one open store, built once from its settings."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        """Open the store and build the services on it.

        Raises:
            StorageUnusable: the data directory cannot be used.
            InvalidInput: a configured pattern or tokenizer is not acceptable.
        """
        self.settings = settings
        self.clock = clock or SystemClock()
        self.ids = IdSource(self.clock)
        self._key = _fingerprint_key(settings.key_path)
        self.counter = ToktokCounter(settings.tokenizer)
        self.database = SqliteDatabase(settings.database_path)
        self.spool = Spool(settings.spool_dir)
        self.search = Search(self.database)
        self.disclosure = Disclosure(self.database, self.counter, self.search)
        self.contexts = ContextBuilder(self.database, self.counter, self.search)
        self.prepared = PreparedContexts(
            self.contexts, settings.context_dir, settings.context_budget
        )
        self.forgetting = Forgetting(
            self.database, self.clock, self.ids, self._clear_outside_tables
        )
        owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        handlers: dict[str, Callable[[Job], None]] = {
            JobKind.RENDER_CONTEXT: self._render_context,
            JobKind.PURGE_TEXT: self._purge_text,
        }
        self.worker = Worker(self.database, settings.team, handlers, self.clock, owner)
        self.background = BackgroundWorker(self.worker)

    # What takes things in is built when the first thing comes in: its patterns cost a tenth of a
    # second, which a search from the command line need not pay.

    @cached_property
    def redactor(self) -> Redactor:
        """What takes secrets out."""
        from memoranda.capture.redaction.redactor import Redactor

        try:
            return Redactor(self._key, self.settings.redact_patterns)
        except ValueError as error:
            raise InvalidInput(f"redact_patterns: {error}") from error

    @cached_property
    def intake(self) -> Intake:
        """Where events become observations."""
        from memoranda.capture.intake import Intake
        from memoranda.capture.prepare import Preparer
        from memoranda.capture.redaction.cleaning import Cleaner
        from memoranda.capture.redaction.exclusion import Exclusion

        settings = self.settings
        exclusion = Exclusion(settings.exclude_paths, settings.exclude_commands)
        preparer = Preparer(Cleaner(self.redactor, exclusion), self.counter)
        return Intake(self.database, preparer, self.clock, self.ids, settings.team)

    @cached_property
    def importer(self) -> Importer:
        """What reads transcripts."""
        from memoranda.capture.importer import Importer

        return Importer(self.database, self.intake, self.clock, self.settings.team)

    @cached_property
    def drain(self) -> Drain:
        """What empties the spool."""
        from memoranda.capture.drain import Drain

        return Drain(self.spool, self.intake, self.redactor, self.settings.data_dir)

    @cached_property
    def bus(self) -> HookBus:
        """Who wants to know what happens."""
        from memoranda.capture.bus import HookBus

        return HookBus()

    @cached_property
    def memories(self) -> MemoryBook:
        """What people and agents state."""
        from memoranda.capture.redaction.cleaning import TextSanitiser

        sanitiser = TextSanitiser(self.redactor)
        return MemoryBook(self.database, self.counter, sanitiser, self.clock, self.ids)

    def close(self) -> None:
        """Do the jobs that are due, then let go of the store. Idempotent."""
        self.background.stop()
        self.database.close()

    def _render_context(self, job: Job) -> None:
        aliases = self.database.read(lambda tx: workspaces.aliases(tx, job.team, job.subject))
        self.prepared.render(Scope(job.team, workspace=job.subject), aliases)

    def _purge_text(self, job: Job) -> None:
        def purge(tx: Transaction) -> None:
            tx.text("observation").purge()
            tx.text("memory").purge()

        self.database.write(purge)

    def enqueue_rendering(self, workspace: str | None) -> None:
        """Have the prepared context of a workspace, or of all, made again."""

        def work(tx: Transaction) -> None:
            team, now = self.settings.team, self.clock.now()
            chosen = [workspace] if workspace else workspaces.ids(tx, team)
            for subject in chosen:
                pending = JobState.PENDING
                job = Job(
                    team, self.ids.new(), JobKind.RENDER_CONTEXT, subject, pending, 0, now, None
                )
                jobs.enqueue(tx, job, now)

        self.database.write(work)

    def _clear_outside_tables(self) -> Cleared:
        """Clear the places that a forgotten text could still lie in, beside the tables."""
        self.prepared.clear()
        self.enqueue_rendering(None)
        self.worker.run()
        places, missed = ["spool", "prepared contexts", "free pages"], list[str]()
        team = self.settings.team
        if self.database.read(lambda tx: jobs.waiting(tx, team, JobKind.PURGE_TEXT)):
            missed.append("the full-text index; its job waits: memoranda drain, memoranda doctor")
        else:
            places.append("full text")
        if self.database.reclaim():
            places.append("write-ahead log")
        else:
            missed.append("the write-ahead log, which another process is reading; forget again")
        if self.spool.state().rejected_bytes:
            missed.append(f"lines that were no events: {self.spool.rejected}")
        return Cleared(places, missed)


def _fingerprint_key(path: Path) -> bytes:
    """Read the key of this installation, making it (0600) at first use."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
        if not path.exists():
            file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with os.fdopen(file, "wb") as out:
                out.write(secrets.token_bytes(32))
            try:
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_bytes()
    except OSError as error:
        raise StorageUnusable(
            f"cannot use the data directory {path.parent}: {error.strerror}; "
            "choose another with --data-dir or MEMORANDA_DATA_DIR"
        ) from error
