"""Tracks the stages of tasks, which can also be set or ended manually."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memoranda.clock import Clock
from memoranda.compression.task_passages import pages
from memoranda.exceptions import Conflict, CorruptData, NotFound
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.observations import content as contents, table as observations
from memoranda.page import MAX_LIMIT, Page, checked_limit, number_of, page_of
from memoranda.ports import Sanitiser
from memoranda.scope import Scope
from memoranda.stages import table as stages
from memoranda.stages.detector import StageTracker
from memoranda.stages.model import Stage, StageMode, StageName, StageSource, Transition
from memoranda.stages.observed_steps import step_of
from memoranda.stages.state import StageState
from memoranda.stages.step import StageSignal, Step
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.text import clip

T = TypeVar("T")

REASON = 200
"""Maximum number of characters of a reason."""
MAIN = "main"
"""The main branch; subagents and reverted work do not indicate the stage."""
STATED = (StageSource.HAND, StageSource.SUPERVISOR, StageSource.MARKER)
"""Sources of explicit statements.

A stage that began because of an explicit statement has at least one observation, whatever its
actions indicate.
"""
READ_AT_ONCE = 500
"""Number of observations that one transaction processes."""


class StageMonitor:
    """Tracks the stages of tasks. Each change of stages is one transaction."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        sanitiser: Sanitiser,
        mode: StageMode = StageMode.AUTOMATIC,
    ) -> None:
        """Create the service; the mode determines the effect of detected changes."""
        self._database = database
        self._clock = clock
        self._sanitiser = sanitiser
        self._tracker = StageTracker(mode=mode)

    def follow(self, scope: Scope, task: str) -> list[Stage]:
        """Process a task's new observations; end its last stage with the task.

        Returns the stages that were ended; each of them is returned to only one caller.
        """
        if not self._database.read(lambda tx: _is_due(tx, scope.team, task)):
            return []  # without a write transaction, so that readers do not wait for writers
        ended: list[Stage] = []
        more = True
        while more:
            more, now = self._ending(scope, task, lambda tx: self._followed(tx, scope.team, task))
            ended += now
        return ended

    def position(self, scope: Scope, task: str) -> int:
        """Return the sequence number of the last processed observation."""
        return self._database.read(lambda tx: stages.tracking(tx, scope.team, task)[0])

    def suggestion(self, scope: Scope, task: str) -> StageName | None:
        """Return the detected stage that has not begun, if it is still detected."""
        tracked = self._database.read(lambda tx: stages.tracking(tx, scope.team, task)[1])
        return _state(tracked).suggested

    def list(
        self, scope: Scope, task: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[Stage]:
        """Return the stages of a task, in order."""
        checked_limit(limit)
        after = number_of(cursor, first=0)
        found = self._database.read(
            lambda tx: stages.listed(tx, scope.team, task, after=after, limit=limit + 1)
        )
        return page_of(found, limit, lambda stage: stage.number)

    def stage(self, scope: Scope, task: str, number: int | None = None) -> Stage:
        """Return a stage of a task: the stage with a number, or the current one.

        Raises:
            NotFound: there is no such stage.
        """

        def work(tx: Transaction) -> Stage | None:
            if number is None:
                return stages.newest(tx, scope.team, task)
            return stages.by_number(tx, scope.team, task, number)

        stage = self._database.read(work)
        if stage is None:
            which = "no stage yet" if number is None else f"no stage {number}"
            raise NotFound(f"the task has {which}; `memoranda stage list` lists the stages")
        return stage

    def begin(
        self, scope: Scope, task: str, name: StageName, source: StageSource, reason: str
    ) -> tuple[Stage, Sequence[Stage]]:
        """Start a stage with the next observation; end the previous one.

        The previous stage ends with the last observation. If the current stage is named, nothing
        changes. Returns the current stage, and the stages that this call ended.
        """
        clean_reason = self._clean(reason) or f"set by {scope.agent or 'a person'}"

        def work(tx: Transaction) -> Stage:
            found = self._up_to_date(tx, scope.team, task)
            before = stages.newest(tx, found.team, found.id)
            if before and before.name is name and before.ended is None:
                return before
            position, tracked = stages.tracking(tx, found.team, found.id)
            at = found.observations + 1
            now = self._clock.now()
            signal = Step(
                sequence=at, created_at=now, signal=StageSignal(name, source, clean_reason)
            )
            state = self._tracker.take(_state(tracked), signal).state
            stages.put_tracking(tx, found.team, found.id, position, state.as_json())
            begun = self._begun(tx, found, Transition(name, at, clean_reason, 1.0, source), now)
            self._journal(tx, scope, f"stage {name}", found.id, begun.number)
            return begun

        return self._ending(scope, task, work)

    def complete(self, scope: Scope, task: str, reason: str = "") -> tuple[Stage, Sequence[Stage]]:
        """End the current stage of a task with its last observation.

        A stage that has already ended remains unchanged. Returns the stage, and the stages that
        this call ended.

        Raises:
            NotFound: the task has no stage yet.
            Conflict: the stage has no observations yet.
        """
        clean_reason = self._clean(reason)

        def work(tx: Transaction) -> Stage:
            found = self._up_to_date(tx, scope.team, task)
            stage = stages.newest(tx, found.team, found.id)
            if stage is None:
                raise NotFound(
                    "the task has no stage yet, because none of its steps indicates one; start one"
                    " with `memoranda stage set`"
                )
            if stage.ended is not None:
                return stage
            if stage.began > found.observations:
                raise Conflict(f"there are no observations in stage {stage.number} yet")
            ended = self._ended(tx, stage, found.observations, clean_reason)
            stages.put_tracking(
                tx, found.team, found.id, found.observations, StageState().as_json()
            )
            self._journal(tx, scope, "stage complete", found.id, ended.number)
            return ended

        return self._ending(scope, task, work)

    def _ending(
        self, scope: Scope, task: str, work: Callable[[Transaction], T]
    ) -> tuple[T, Sequence[Stage]]:
        """Run a transaction; return its result and the stages that it ended."""

        def watched(tx: Transaction) -> tuple[T, Sequence[Stage]]:
            before = stages.newest(tx, scope.team, task)
            result = work(tx)
            after = before.number - (before.ended is None) if before else 0
            found = stages.listed(tx, scope.team, task, after=after, limit=MAX_LIMIT)
            return result, [stage for stage in found if stage.ended is not None]

        return self._database.write(watched)

    # ------------------------------------------------------------------ inside a transaction

    def _up_to_date(self, tx: Transaction, team: str, task: str) -> Task:
        while self._followed(tx, team, task):
            pass
        result = tasks.by_id(tx, team, task)
        if result is None:
            raise NotFound(f"no task {task!r}; `memoranda task list` lists the tasks")
        return result

    def _followed(self, tx: Transaction, team: str, id: str) -> bool:
        """Process some observations; return whether there are more."""
        task = tasks.by_id(tx, team, id)
        if task is None:
            return False
        position, tracking_state = stages.tracking(tx, team, id)
        state, first = _state(tracking_state), position
        for found in pages(tx, team, id, position + 1, observations.END):
            texts = contents.texts(tx, team, [observation.id for observation in found])
            for item in found:
                if item.branch != MAIN:
                    continue
                step = step_of(item, texts[item.id])
                tracked = self._tracker.take(state, step)
                state = tracked.state
                if tracked.transition:
                    self._begun(tx, task, tracked.transition, item.created_at)
            position = found[-1].sequence
            if position - first >= READ_AT_ONCE:
                break
        if position > first:
            stages.put_tracking(tx, team, id, position, state.as_json())
            self._relabel(tx, task, position)
        more = position - first >= READ_AT_ONCE
        if not more and task.status is not TaskStatus.ACTIVE:
            self._end_with(tx, task, state)
        return more

    def _begun(self, tx: Transaction, task: Task, transition: Transition, at: int) -> Stage:
        """Store the stage that a transition opens, and end the previous stage."""
        before = stages.newest(tx, task.team, task.id)
        number, began = (before.number + 1, _start(before, transition)) if before else (1, 1)
        if before and before.ended is None:
            if began > before.began:
                self._ended(tx, before, began - 1, "")
            else:
                # the previous stage has no observations left, so it is replaced
                number = before.number
        stage = Stage(
            team=task.team,
            task=task.id,
            number=number,
            name=transition.stage,
            began=began,
            ended=None,
            source=transition.source,
            confidence=transition.confidence,
            reason=clip(transition.reason, REASON),
            started_at=at,
            ended_at=None,
        )
        stages.put(tx, stage)
        return stage

    def _ended(self, tx: Transaction, stage: Stage, last: int, reason: str) -> Stage:
        text = clip(f"{stage.reason}; ended: {reason}", REASON) if reason else stage.reason
        ended = replace(stage, ended=last, ended_at=self._clock.now(), reason=text)
        stages.put(tx, ended)
        stages.label(tx, stage.team, stage.task, (stage.began, last), stage.name)
        return ended

    def _end_with(self, tx: Transaction, task: Task, state: StageState) -> None:
        """End the last stage of a task that has ended."""
        last = self._tracker.finish(state, self._clock.now())
        if last.transition:
            self._begun(tx, task, last.transition, task.last_event_at)
        stage = stages.newest(tx, task.team, task.id)
        if stage and stage.ended is None and stage.began <= task.observations:
            self._ended(tx, stage, task.observations, "")

    def _relabel(self, tx: Transaction, task: Task, position: int) -> None:
        stage = stages.newest(tx, task.team, task.id)
        if stage and stage.ended is None:
            stages.label(tx, task.team, task.id, (stage.began, position), stage.name)

    def _clean(self, reason: str) -> str:
        return clip(self._sanitiser.clean(reason).strip(), REASON) if reason.strip() else ""

    def _journal(
        self, tx: Transaction, scope: Scope, operation: str, subject: str, number: int
    ) -> None:
        now = self._clock.now()
        note = journal.NewJournalEntry(now, scope.actor, operation, subject, {"stage": number})
        journal.append(tx, scope.team, note)


def _start(before: Stage, transition: Transition) -> int:
    """Return the sequence number at which the stage after another one begins."""
    if before.ended is not None:
        return before.ended + 1
    stated_extra = before.source in STATED and transition.source not in STATED
    return max(transition.starts_at_sequence, before.began + stated_extra)


def _state(stored: Mapping[str, JsonValue] | None) -> StageState:
    """Return the stored state, or a new state if it cannot be read."""
    try:
        return StageState.from_json(dict(stored)) if stored else StageState()
    except CorruptData:
        return StageState()


def _is_due(tx: Transaction, team: str, id: str) -> bool:
    """Return whether a task needs processing.

    This is the case if the task has unprocessed observations, or has ended while a stage was open.
    """
    task, newest = tasks.by_id(tx, team, id), stages.newest(tx, team, id)
    if task is None:
        return False
    position, _ = stages.tracking(tx, team, id)
    over = task.status is not TaskStatus.ACTIVE
    open_ = newest is not None and newest.ended is None
    return position < task.observations or (over and open_)
