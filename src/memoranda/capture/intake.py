"""Stores events as numbered and linked observations.

One transaction writes an observation's content, row, tags, full-text entry, redaction counts,
journal entry and the jobs that derive data from it. Nothing is acknowledged before the commit of
this transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TypeVar

from memoranda.capture import observation_completion_table as completions
from memoranda.capture.event import SILENT, Checkout, Event
from memoranda.capture.event_preparation import EventPreparer, PreparedEvent
from memoranda.capture.event_writer import SessionWriter
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.observation_completion import Completion
from memoranda.capture.stored_events import known_keys, known_messages
from memoranda.clock import Clock
from memoranda.ids import IdSource
from memoranda.instrumentation import UNMEASURED
from memoranda.ports import Telemetry
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.event_updates import begins_task
from memoranda.tasks.model import Task, TaskStatus, Workspace, own_name
from memoranda.tasks.reference import chosen_id
from memoranda.workspaces.recognition import WorkspaceIdentity, find_or_make_workspace, identify


def complete_copies(
    tx: Transaction, team: str, prepared: Sequence[PreparedEvent], ids: IdSource, now: int
) -> Iterator[tuple[Task, Completion]]:
    """Complete the copies of these events in other sessions' observations.

    Yields each changed task, which has already been written; the caller adds the journal entries.
    """
    copied = [event for event in prepared if event.event.lineage or event.event.is_late]
    keys = [key for prepared_event in copied for key in prepared_event.keys]
    stored = completions.by_event_keys(tx, team, keys) if keys else {}
    own = {(item.event.host, item.event.session) for item in prepared}
    for id in dict.fromkeys(observation.observation.task for observation in stored.values()):
        task = tasks.by_id(tx, team, id)
        if task is None or (task.host, task.session) in own:
            continue
        completion = Completion(tx, task, ids, now)
        changed = completion.complete(copied)
        if completion.completed:
            tasks.update(tx, changed)
            yield changed, completion


T = TypeVar("T")

BATCH_EVENTS = 256
BATCH_CHARACTERS = 4 << 20
"""Maximum number of characters per transaction; the number of events is also limited."""


class Intake:
    """Stores events. Idempotent and thread-safe."""

    def __init__(
        self,
        database: Database,
        preparer: EventPreparer,
        clock: Clock,
        ids: IdSource,
        team: str,
        telemetry: Telemetry = UNMEASURED,
        announce: Callable[[Sequence[Event]], None] = lambda events: None,
    ) -> None:
        """Create the service; ``announce`` is called with events after a commit."""
        self._database = database
        self._preparer = preparer
        self._clock = clock
        self._ids = ids
        self._team = team
        self._telemetry = telemetry
        self._announce = announce
        self._identities: dict[tuple[str, Checkout], WorkspaceIdentity] = {}
        # Preparation holds the interpreter lock, so it runs in one thread at a time; threads that
        # wait here do not slow down the thread that is writing.
        self._preparing = Lock()

    def name(self, name: str) -> str:
        """Return a name as it is stored: without secrets and private spans."""
        return self._preparer.name(name)

    def take(
        self, events: Iterable[Event], *, actor: str, workspace: str | None = None
    ) -> IntakeReport:
        """Store events in order, in transactions of bounded size.

        ``workspace`` names the workspace to which the events belong; by default it is determined by
        their folder. When this returns, everything that the result counts is durable.

        Raises:
            StorageError: a batch could not be written; earlier batches are stored, this one was
                rolled back, and a repeated call with the same events stores what is missing.
        """
        report = IntakeReport()
        with self._telemetry.span("capture") as span:
            for batch in _batches(events):
                report.add(self._take(batch, actor, workspace))
                span.add_figures(records=report.observations)
        return report

    def look(self, events: Iterable[Event], *, workspace: str | None = None) -> IntakeReport:
        """Return what `take` would return for these events, without storing them.

        Folded events and ids are not included in the result.
        """
        report = IntakeReport()
        seen: set[str] = set()
        for batch in _batches(events):
            with self._preparing:
                prepared = self._preparer.prepare(batch, self._identity(batch, workspace).root)
            for stored in (known_keys, known_messages):
                seen |= self._database.read(partial(stored, team=self._team, prepared=prepared))
            report.events += len(batch)
            for event in prepared:
                if event.event.kind in SILENT or event.emptied:
                    continue
                if seen.isdisjoint(event.keys):
                    report.observations += 1
                    report.redactions.update(event.removed)
                    report.preview.note(event.event.kind.value, event.readable())
                else:
                    report.duplicates += 1
                seen.add(event.event_key)
        return report

    def after_known(self, events: Sequence[Event]) -> list[Event]:
        """Return the events after the last stored one; none if none is stored.

        Messages that hooks reported without an id count only if no other event is stored.
        """
        found = self._after(events, known_keys)
        return (self._after(events, known_messages) if found is None else found) or []

    def _after(
        self, events: Sequence[Event], stored: Callable[..., set[str]]
    ) -> list[Event] | None:
        for end in range(len(events), 0, -BATCH_EVENTS):
            start = max(0, end - BATCH_EVENTS)
            with self._preparing:
                root = self._identity(events[start:end], None).root
                prepared = self._preparer.prepare(events[start:end], root)
            known = self._database.read(partial(stored, team=self._team, prepared=prepared))
            for number in reversed(range(start, end)):
                if not known.isdisjoint(prepared[number - start].keys):
                    return list(events[number + 1 :])
        return None

    def _take(self, batch: Sequence[Event], actor: str, workspace: str | None) -> IntakeReport:
        identity = self._identity(batch, workspace)
        with self._preparing:
            prepared = self._preparer.prepare(batch, identity.root)
        stored_events: list[Event] = []

        def work(tx: Transaction) -> IntakeReport:
            stored_events.clear()  # of a rolled-back attempt
            return self._store(tx, prepared, workspace, actor, stored_events)

        report = self._database.write(work)
        self._announce(stored_events)
        return report

    def record(
        self,
        event: Event,
        *,
        actor: str,
        workspace: str | None,
        then: Callable[[Transaction, str], T],
    ) -> T:
        """Store one event and run ``then`` in the same transaction.

        ``then`` receives the id of the event's observation.
        """
        with self._preparing:
            prepared = self._preparer.prepare([event], self._identity([event], workspace).root)

        stored_events: list[Event] = []

        def work(tx: Transaction) -> T:
            stored_events.clear()  # of a rolled-back attempt
            stored = self._store(tx, prepared, workspace, actor, stored_events)
            assert stored.last is not None  # the key of the event is new, and it has text
            return then(tx, stored.last.id)

        result = self._database.write(work)
        self._announce(stored_events)
        return result

    def content_hash(self, event: Event) -> str:
        """Return the hash of an event's content as it would be stored."""
        with self._preparing:
            return self._preparer.prepare([event])[0].blob.hash

    def place(self, event: Event) -> str:
        """Return the name of the workspace of an event's folder."""
        return self._identity([event], None).name

    def _identity(self, batch: Sequence[Event], workspace: str | None) -> WorkspaceIdentity:
        event = next((event for event in batch if event.cwd), None)
        identity = self._identified(event.cwd, event.checkout) if event and event.cwd else None
        if workspace is None:
            return identity or WorkspaceIdentity.named("default")
        return replace(WorkspaceIdentity.named(workspace), root=identity.root if identity else None)

    def _identified(self, folder: str, checkout: Checkout) -> WorkspaceIdentity:
        key = folder, checkout
        if key not in self._identities:
            self._identities[key] = identify(*key).renamed(self._preparer.name)
        return self._identities[key]

    def _store(
        self,
        tx: Transaction,
        batch: Sequence[PreparedEvent],
        workspace: str | None,
        actor: str,
        stored_events: list[Event],
    ) -> IntakeReport:
        report = IntakeReport(events=len(batch))
        sessions: dict[tuple[str, str], list[PreparedEvent]] = {}
        for item in batch:
            sessions.setdefault((item.event.host, item.event.session), []).append(item)
        workspace_identity = self._identity([event.event for event in batch], workspace)
        for (host, session), prepared in sessions.items():
            known_keys_found = known_keys(tx, self._team, prepared)
            writer = SessionWriter(tx, self._team, actor, self._clock, self._ids)
            for copied in complete_copies(tx, self._team, prepared, self._ids, self._clock.now()):
                report.completed += len(copied[1].completed)
                writer.record_completion(*copied)
            task = tasks.by_session(tx, self._team, host, session)
            if task is None and not begins_task(prepared, known_keys_found):
                report.duplicates += sum(
                    not known_keys_found.isdisjoint(prepared_event.keys)
                    for prepared_event in prepared
                )
                continue
            if new := task is None:
                # Not earlier: a session that changes its folder remains in its first workspace.
                own = [one.event for one in prepared if one.event.cwd]
                identity = self._identity(own, workspace) if own else workspace_identity
                task = self._new_task(tx, self._workspace(tx, identity), prepared[0].event)
            stored, announced = writer.write(task, prepared, known_keys_found, new=new)
            report.add(stored)
            stored_events += announced
        return report

    def _workspace(self, tx: Transaction, identity: WorkspaceIdentity) -> Workspace:
        return find_or_make_workspace(tx, self._team, identity, self._ids, self._clock.now())

    def _new_task(self, tx: Transaction, workspace: Workspace, event: Event) -> Task:
        now = self._clock.now()
        at = min(event.occurred_at or now, now)
        task = Task(
            team=self._team,
            id=chosen_id(tx, self._team, own_name(event.host, event.session)) or self._ids.new(),
            number=0,
            workspace=workspace.id,
            agent=event.host,
            goal="",
            status=TaskStatus.ACTIVE,
            host=event.host,
            session=event.session,
            started_at=at,
            last_event_at=at,
            ended_at=None,
            observations=0,
        )
        return tasks.insert(tx, task)


def _batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Split a stream into transactions; a change of folder starts a new one."""
    batch: list[Event] = []
    size = 0
    for event in events:
        full = len(batch) >= BATCH_EVENTS or size >= BATCH_CHARACTERS
        if batch and (full or (event.cwd and event.cwd != batch[0].cwd)):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += len(event.text) + _weight(event.output)
    if batch:
        yield batch


def _weight(output: object) -> int:
    if isinstance(output, str):
        return len(output)
    if isinstance(output, dict):
        return sum(map(_weight, output.values()))
    if isinstance(output, list):
        return sum(map(_weight, output))
    return 1
