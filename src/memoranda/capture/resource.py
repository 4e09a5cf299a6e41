"""Methods that capture events: observe, import, drain and handlers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.tool_origin import tool_origin
from memoranda.exceptions import CorruptData, InvalidInput, NotFound, StorageError
from memoranda.jobs.model import HEAVY, READ_WITHOUT
from memoranda.json_data import JsonValue
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.resource import Resource, member, one_place
from memoranda.tasks import table as tasks
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.capture.drain import DrainReport
    from memoranda.capture.event_handlers import Handler
    from memoranda.capture.intake import IntakeReport
    from memoranda.capture.transcript_importer import Progress, TranscriptImportReport


SETTLING_SECONDS = 0.5
"""How long a reader waits for jobs of another process."""
POLL_SECONDS = 0.02


class CaptureResource(Resource):
    """Methods that capture events."""

    def observe(
        self,
        content: str,
        *,
        type: ObservationType | str = ObservationType.LEARNING,
        task: str = "default",
        workspace: str | None = None,
        tool: str | None = None,
        input: JsonValue = None,
        failed: bool = False,
        key: str | None = None,
    ) -> Observation:
        """Store one observation; return it once it is durable.

        ``task`` is the id of a task, or a caller-defined name of one, separate in each workspace.
        The same ``key`` in the same task is stored once: the second call returns the first
        observation.

        Raises:
            InvalidInput: there is no text, the type is unknown, or a name reads like a secret.
        """
        host, session = self._session(task, self._label(workspace))
        kind = member(ObservationType, type)
        if not tool and not content.strip():
            raise InvalidInput("an observation needs some text")
        event = Event(
            kind=EventKind.TOOL_RESULT if tool else EventKind.MESSAGE,
            host=host,
            session=session,
            source=EventSource.API,
            key=key or self._rooms.ids.new(),
            origin=tool_origin(tool) if tool else Origin.AGENT,
            occurred_at=self._rooms.clock.now(),
            agent=self._scope.agent or "main",
            tool=tool,
            input=input,
            output=content if tool else None,
            text="" if tool else content,
            failed=failed or kind is ObservationType.ERROR,
            type=None if tool and kind is ObservationType.LEARNING else kind,
        )
        self.take([event], workspace=workspace)
        return self._stored(event)

    def take(
        self, events: Sequence[Event], *, workspace: str | None = None, actor: str = "api"
    ) -> IntakeReport:
        """Store events in order, then notify registered handlers of them."""
        name = self._label(workspace)
        report = self._rooms.intake.take(events, actor=actor, workspace=name)
        for event in events:
            self._rooms.bus.emit(event)
        self._rooms.background.wake()
        return report

    def look(self, events: Sequence[Event], *, workspace: str | None = None) -> IntakeReport:
        """Return how many of these events are stored already; store nothing."""
        return self._rooms.intake.look(events, workspace=self._label(workspace))

    def on(self, kind: EventKind, handler: Handler) -> None:
        """Register a function or coroutine for events of a kind.

        It is called for every one that `take` stores.
        """
        self._rooms.bus.on(kind, handler)

    def load_plugins(self) -> None:
        """Let installed packages register handlers.

        The entry-point group is ``memoranda.handlers``.
        """
        self._rooms.bus.load_plugins()

    def import_transcript(
        self,
        path: str | Path,
        *,
        workspace: str | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> TranscriptImportReport:
        """Import a coding agent's transcript; repeatable and resumable.

        A ``dry_run`` reports what would be imported, by kind and workspace, and stores nothing.
        """
        report = self._rooms.importer.run(
            Path(path),
            workspace=self._label(workspace),
            again=again,
            dry_run=dry_run,
            progress=progress,
        )
        if not dry_run:
            self._rooms.worker.run(light=True)
        return report

    def drain(self, *, wait: bool = False, light: bool = False) -> DrainReport:
        """Store what hooks have left in the spool, and do the following jobs.

        ``light`` skips those that take long. Background work of this process is completed then,
        too.
        """
        report = self._rooms.drain.run(wait=wait)
        with self._rooms.background.resting():
            while self._rooms.worker.run(light=light):
                pass
            left = self._rooms.worker.backlog()
        report.jobs, report.retried = left.unfinished, sum(left.retried.values())
        return report

    def catch_up(self, seconds: float) -> bool:
        """Store what hooks have left before a read, and do the light jobs.

        It waits some seconds for a drain of another process, and half a second for such jobs of
        others. False: it took longer, and more may be added.

        Raises:
            StorageError: the store could not take the events; they stay in the spool.
        """
        rooms = self._rooms
        if rooms.spool.waits():
            if rooms.drain.run(wait=True, limit=seconds).busy:
                return False
            with rooms.background.resting():
                while rooms.worker.run(light=True):
                    pass
        try:
            return self._settled()
        except (StorageError, CorruptData):
            return True  # what is read next says so, if it is hindered too

    def _settled(self) -> bool:
        """Do the jobs that affect a reader; return whether all are done.

        It waits for those of others for half a second. False: some are left, or a long one is
        running.
        """
        worker, end = self._rooms.worker, time.monotonic() + SETTLING_SECONDS
        with self._rooms.background.resting():
            while (left := worker.backlog().without(READ_WITHOUT)).unfinished:
                light = left.without(HEAVY)
                if not light.unfinished:
                    return not left.running
                if time.monotonic() > end:
                    return False
                if not worker.run(1, light=True, without=READ_WITHOUT):
                    time.sleep(POLL_SECONDS)
        return True

    def _label(self, workspace: str | None) -> str | None:
        """Return the workspace name to store under.

        An id is converted to its name, a new name is unchanged.
        """
        wanted = normalise(workspace or self._scope.workspace or "")
        if not one_place(wanted):
            return None
        found = self._known(wanted)
        if found is None:
            self._rooms.sanitiser.checked_name("the name of a workspace", wanted)
        return found.name if found else wanted

    def _session(self, task: str, workspace: str | None) -> tuple[str, str]:
        task = normalise(task)
        found = self._database.read(lambda tx: tasks.by_id(tx, self._scope.team, task))
        if found:
            return found.host, found.session
        self._rooms.sanitiser.checked_name("the name of a task", task)
        return "api", f"{task}@{quote(workspace)}" if workspace else task

    def _stored(self, event: Event) -> Observation:
        from memoranda.capture.event_preparation import event_key

        found = self._database.read(
            lambda tx: observations.by_event(tx, self._scope.team, event_key(event))
        )
        if found is None:
            raise NotFound("this event was forgotten before and is not stored again")
        return found
