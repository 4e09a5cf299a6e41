"""Session writer, which stores a session's new events in a transaction.

It writes contents, rows, tags, redaction counts, the task's progress, the journal entry, and the
jobs that derive data from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoranda.capture.event import SILENT, Event, makes_checkpoint
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.handler_delivery import announced_events
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.observation_builder import Sequencer
from memoranda.capture.observation_completion import Completion
from memoranda.clock import Clock
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.mirror import table as mirrors
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.quarantine import table as quarantine
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.event_updates import advanced_task, goal, is_over
from memoranda.tasks.model import Task, TaskStatus


@dataclass(frozen=True, slots=True)
class _SortedEvents:
    """Events of a session, separated into new and stored ones."""

    fresh: list[PreparedEvent]
    repeated: list[PreparedEvent]


@dataclass(frozen=True, slots=True)
class SessionWriter:
    """Writes the events of a session within a transaction."""

    tx: Transaction
    team: str
    actor: str
    clock: Clock
    ids: IdSource

    def write(
        self, task: Task, prepared: Sequence[PreparedEvent], known: set[str], *, new: bool
    ) -> tuple[IntakeReport, list[Event]]:
        """Store the new events; return the counts and the events to announce.

        ``known`` contains the keys of stored events; the keys of new events are added to it.
        ``new`` states whether the task was created for these events.
        """
        numbering = Sequencer(self.tx, task, prepared, self.ids, self.clock.now())
        events = _sorted(prepared, known, numbering)
        self._insert(task, numbering)
        completion = Completion(self.tx, numbering.task, self.ids, self.clock.now())
        added = [new_observation.observation.id for new_observation in numbering.accepted]
        current = completion.complete(events.repeated, added, numbering.ids_of_twins)
        changed = self._progress(current, prepared, events.fresh)
        if changed != task or completion.completed:
            self._update(task, changed)
        if added:
            self._record(
                task, [observation.observation.sequence for observation in numbering.accepted]
            )
            self._request_checkpoints(events.fresh, added)
        if completion.completed:
            self.record_completion(task, completion)
        report = _report(task, numbering, len(events.repeated), len(completion.completed))
        return report, announced_events(task, changed, events.fresh, events.repeated, new=new)

    def record_completion(self, task: Task, completion: Completion) -> None:
        """Add a completion to the journal; enqueue the jobs that derive data."""
        detail = {"count": len(completion.completed), "kept": completion.kept}
        self._note("observe complete", task, detail)
        self._derive(task)

    def _insert(self, task: Task, numbering: Sequencer) -> None:
        blobs.insert(self.tx, self.team, numbering.blobs)
        observations.insert(self.tx, numbering.accepted)
        quarantine.insert(self.tx, self.team, numbering.quarantined)
        observation_totals.count_redactions(self.tx, self.team, task.id, numbering.removed)

    def _progress(
        self, task: Task, prepared: Sequence[PreparedEvent], fresh: Sequence[PreparedEvent]
    ) -> Task:
        changed = advanced_task(task, fresh, self.clock.now())
        over = is_over(changed, prepared, self.clock.now())
        if over and not observations.has_hook_events(self.tx, self.team, task.id):
            return replace(changed, status=TaskStatus.COMPLETED)
        return changed

    def _update(self, task: Task, changed: Task) -> None:
        tasks.update(self.tx, changed)
        if changed.status is not TaskStatus.ACTIVE:
            self._enqueue((JobKind.RENDER_CONTEXT, task.workspace))
        if changed.ended_at is not None:
            self._enqueue((JobKind.TASK_ENDED, task.id))
        mirrors.touch(self.tx, self.team, self.ids.new(), self.clock.now())

    def _record(self, task: Task, numbers: list[int]) -> None:
        detail = {"count": len(numbers), "first": numbers[0], "last": numbers[-1]}
        self._note("observe", task, detail)
        self._derive(task)

    def _request_checkpoints(self, fresh: Sequence[PreparedEvent], added: Sequence[str]) -> None:
        """Enqueue requested checkpoints; ``added`` contains observation ids."""
        stored = [
            prepared_event.event
            for prepared_event in fresh
            if prepared_event.event.kind not in SILENT
        ]
        for event, id in zip(stored, added, strict=True):
            if makes_checkpoint(event):
                self._enqueue((JobKind.CHECKPOINT, id))

    def _note(self, operation: str, task: Task, detail: dict[str, int]) -> None:
        entry = journal.NewJournalEntry(self.clock.now(), self.actor, operation, task.id, detail)
        journal.append(self.tx, self.team, entry)

    def _derive(self, task: Task) -> None:
        render = JobKind.RENDER_CONTEXT, task.workspace
        self._enqueue(render, (JobKind.INDEX_TASK, task.id), (JobKind.DISTIL, task.id))

    def _enqueue(self, *wanted: tuple[JobKind, str]) -> None:
        now = self.clock.now()
        for kind, subject in wanted:
            jobs.enqueue(self.tx, Job.waiting(self.team, self.ids.new(), kind, subject, now), now)


def _sorted(
    prepared: Sequence[PreparedEvent], known: set[str], numbering: Sequencer
) -> _SortedEvents:
    events = _SortedEvents([], [])
    is_known = bool(known)
    for event in prepared:
        if event.emptied:
            continue
        if event.event.kind in SILENT:
            if not (is_known and goal(event.event)):  # a repeated goal may have been forgotten
                events.fresh.append(event)
        elif not known.isdisjoint(event.keys) or not numbering.accept(event):
            events.repeated.append(event)
        else:
            known.add(event.event_key)
            events.fresh.append(event)
    return events


def _report(task: Task, numbering: Sequencer, repeated: int, completed: int) -> IntakeReport:
    news = numbering.accepted
    report = IntakeReport(tasks={task.id}, duplicates=repeated, completed=completed)
    report.observations = len(news)
    report.folded = sum(1 for new in news if new.observation.repeats)
    report.redactions.update(numbering.removed)
    report.last = news[-1].observation if news else None
    return report
