"""Methods that create, compare, roll back and fork checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoranda.capture.event import EventKind
from memoranda.observations import table as observations
from memoranda.operation_declaration import read, write
from memoranda.page import Page, checked_limit, number_of, page_of
from memoranda.resource import Resource, member
from memoranda.tasks.reference import TaskReference

if TYPE_CHECKING:
    from memoranda.checkpoints.model import (
        Checkpoint,
        CheckpointSummary,
        Effort,
        Rollback,
        Snapshot,
        TaskPhase,
    )
    from memoranda.json_data import JsonValue
    from memoranda.observations.model import Observation
    from memoranda.tasks.model import Task


class CheckpointsResource(Resource):
    """``memory.checkpoints``: checkpoints, by number within the task or by id."""

    @write("checkpoints.create", alias=("checkpoint.create",))
    def create(
        self,
        task: TaskReference,
        phase: TaskPhase | str,
        description: str = "",
        *,
        state: Mapping[str, JsonValue] | None = None,
        effort: Effort | None = None,
    ) -> Checkpoint:
        """Save a checkpoint of a task: its blocks and its state.

        Args:
            state: the task's new recorded state; by default it is unchanged.
            effort: effort since the previous checkpoint.

        Raises:
            NotFound: there is no such task.
            InvalidInput: the state is not a JSON object, or is too large.
        """
        from memoranda.checkpoints.model import TaskPhase

        scope = self._within(None, task)
        checkpoint = self._services.checkpoints.create(
            scope, member(TaskPhase, phase), description, state, effort
        )
        self._services.chores.announce_checkpoint(checkpoint)
        self._wait_for_handlers()
        return checkpoint

    @read("checkpoints.list", alias=("checkpoint.list",))
    def list(
        self, task: TaskReference, *, cursor: str | None = None, limit: int = 50
    ) -> Page[CheckpointSummary]:
        """List the checkpoints of a task, newest first.

        Each checkpoint in the list states whether it is on the main line.
        """
        return self._services.checkpoints.list(self._within(None, task), cursor=cursor, limit=limit)

    @read("checkpoints.show", alias=("checkpoint.show",))
    def show(self, task: TaskReference, checkpoint: str) -> Snapshot:
        """Show a checkpoint with its state and block versions."""
        return self._services.checkpoints.snapshot(self._within(None, task), checkpoint)

    @read("checkpoints.diff", alias=("checkpoint.diff",))
    def diff(self, task: TaskReference, old: str, new: str) -> dict[str, str]:
        """Show the changes between two checkpoints: blocks and state.

        Args:
            old: a checkpoint, or ``now`` for the current state of the task.
            new: a checkpoint, or ``now``.
        """
        return self._services.checkpoints.diff(self._within(None, task), old, new)

    @write("checkpoints.rollback", alias=("checkpoint.rollback",))
    def rollback(self, task: TaskReference, checkpoint: str, *, dry_run: bool = False) -> Rollback:
        """Roll a task back to a checkpoint after saving the current state.

        The rollback is done completely or not at all. The saved state can be restored.

        Args:
            dry_run: report what the rollback would change, but change nothing.

        Raises:
            NotFound: the task has no such checkpoint.
            Conflict: the label of a block to be restored is in use.
        """
        scope = self._within(None, task)
        done = self._services.checkpoints.rollback(scope, checkpoint, dry_run=dry_run)
        if not dry_run:
            self._services.chores.announce_checkpoint(done.undo)
            self._services.announcements.of_task(
                EventKind.ROLLBACK,
                scope.task,
                key=done.checkpoint.id,
                text=done.checkpoint.description,
                agent=scope.agent or "",
            )
            self._wait_for_handlers()
        return done

    @write("checkpoints.fork", alias=("checkpoint.fork",))
    def fork(self, task: TaskReference, checkpoint: str, goal: str = "") -> Task:
        """Start a new task from a checkpoint of another task."""
        result = self._services.forks.fork(self._within(None, task), checkpoint, goal)
        self._services.announcements.of_task(
            EventKind.TASK_START, result.id, key=result.id, text=result.goal, agent=result.agent
        )
        self._wait_for_handlers()
        return result

    @read("checkpoints.replay", alias=("checkpoint.replay",))
    def replay(
        self, task: TaskReference, checkpoint: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[Observation]:
        """Replay the observations of a task after a checkpoint.

        Only the observations that are already stored are replayed.
        """
        scope = self._within(None, task)
        position = self._services.checkpoints.snapshot(scope, checkpoint).checkpoint.position
        span = (max(position, number_of(cursor, first=position)), observations.END)
        most, id = checked_limit(limit) + 1, str(scope.task)
        found = self._database.read(
            lambda tx: observations.in_task(tx, scope.team, id, span=span, limit=most)
        )
        return page_of(found, limit, lambda observation: observation.sequence)
