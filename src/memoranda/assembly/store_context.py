"""The open store, and the dependencies that every service shares."""

from __future__ import annotations

import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.capture.spool import Spool
from memoranda.clock import Clock, SystemClock
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.ids import IdSource
from memoranda.instrumentation import UNMEASURED, measured_database
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.models.factory import embedder, require_settings
from memoranda.models.tokens import ToktokCounter
from memoranda.private_folders import private_folder
from memoranda.scope import NEW_FOLDER
from memoranda.store.engine_selection import opened
from memoranda.workspaces import table as workspaces

if TYPE_CHECKING:
    from memoranda.capture.event_subscriptions import Handlers
    from memoranda.capture.handler_delivery import Announcements
    from memoranda.capture.handler_failures import HandlerFailures
    from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
    from memoranda.capture.redaction.redactor import Redactor
    from memoranda.config import Settings
    from memoranda.ports import Embedder, Telemetry
    from memoranda.store.database import Database, Transaction


class StoreContext:
    """An open store with its clock, ids, token counter and embedder."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, sharing: StoreContext | None = None
    ) -> None:
        """Open the store.

        With ``sharing``, the context of another team, the new context uses the same store and
        models.
        """
        self.settings = settings
        self.home: StoreContext = sharing.home if sharing else self
        self.clock = clock or SystemClock()
        self.ids = IdSource(self.clock)
        require_data_directory(settings.data_dir)
        self.counter = ToktokCounter(settings.tokenizer)
        self.engine: Database = sharing.engine.of(settings.team) if sharing else opened(settings)
        # after opening the store, because the existence of the store shows whether the key is in
        # use
        self._key = _fingerprint_key(settings.key_path)
        self.telemetry: Telemetry = sharing.telemetry if sharing else self._configured_telemetry()
        self.database = measured_database(self.engine, self.telemetry)
        self.spool = Spool(settings.spool_dir)
        require_settings(settings, "embedder", "reranker")
        self._lent = sharing is not None

    def _configured_telemetry(self) -> Telemetry:
        """Return the configured telemetry; load its modules only if it is on."""
        if self.settings.telemetry == "none":
            return UNMEASURED
        from memoranda.telemetry.exporters import telemetry

        return telemetry(self.settings, self.engine.dialect)

    @cached_property
    def embedder(self) -> Embedder | None:
        """Embedder configured in the settings, shared by the teams of a store."""
        return self.home.embedder if self._lent else embedder(self.settings)

    @cached_property
    def redactor(self) -> Redactor:
        """Redactor of secrets."""
        from memoranda.capture.redaction.redactor import Redactor

        try:
            return Redactor(self._key, self.settings.redact_patterns)
        except ValueError as error:
            raise InvalidInput(f"redact_patterns: {error}") from error

    @property
    def encrypted(self) -> bool:
        """Whether the stored data is encrypted."""
        chosen = self.settings.encryption_key_file or self.settings.encryption_keyring
        return bool(chosen) and self.engine.dialect == "sqlite"

    @cached_property
    def sanitiser(self) -> TextSanitiser:
        """Sanitiser of texts that callers submit."""
        from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser

        return TextSanitiser(self.redactor)

    @cached_property
    def bus(self) -> Handlers:
        """Event handlers; plug-ins are loaded at the first event."""
        from memoranda.capture.event_subscriptions import Handlers

        failures = self.handler_failures
        return Handlers(report=failures.note, clock=self.clock, hangs=failures.hangs)

    @cached_property
    def handler_failures(self) -> HandlerFailures:
        """File that records handler failures of all processes."""
        from memoranda.capture.handler_failures import HandlerFailures

        return HandlerFailures(self.settings.data_dir)

    @cached_property
    def announcements(self) -> Announcements:
        """Notifier that reports changes in tasks to event handlers."""
        from memoranda.capture.handler_delivery import Announcements

        return Announcements(self.database, lambda: self.bus, self.clock, self.settings.team)

    def enqueue(self, kind: JobKind, *subjects: str) -> None:
        """Enqueue one job of a kind for each subject."""

        def work(tx: Transaction) -> None:
            team, now = self.settings.team, self.clock.now()
            for subject in subjects:
                id = self.ids.new()
                job = Job.waiting(team, id, kind, subject, now)
                jobs.enqueue(tx, job, now)

        self.database.write(work)

    def enqueue_rendering(self, workspace: str | None) -> None:
        """Enqueue the rendering of the prepared contexts of one or all workspaces.

        "All" includes the context for folders without captured sessions.
        """
        team, chosen = self.settings.team, [workspace] if workspace else []
        chosen = chosen or [*self.database.read(lambda tx: workspaces.ids(tx, team)), NEW_FOLDER]
        self.enqueue(JobKind.RENDER_CONTEXT, *chosen)


def require_data_directory(path: Path) -> None:
    """Create the data directory if it does not exist.

    Raises:
        StorageUnusable: the directory cannot be used.
    """
    try:
        private_folder(path)
    except OSError as error:
        raise _unusable(path, error) from error


def _fingerprint_key(path: Path) -> bytes:
    """Read the key of this installation; create it (mode 0600) on first use."""
    try:
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.draft")
        if not path.exists():
            try:
                file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
                with os.fdopen(file, "wb") as out:
                    out.write(secrets.token_bytes(32))
                os.link(draft, path)
            except FileExistsError:
                pass  # another process created it first
            finally:
                draft.unlink(missing_ok=True)
        return path.read_bytes()
    except OSError as error:
        raise _unusable(path.parent, error) from error


def _unusable(folder: Path, error: OSError) -> StorageUnusable:
    return StorageUnusable(
        f"cannot use the data directory {folder}: {error.strerror}; "
        "choose another with --data-dir or MEMORANDA_DATA_DIR"
    )
