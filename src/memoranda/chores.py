"""The derived work of each kind of job: what is done by whoever has time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memoranda.store.database import Transaction
from memoranda.store.tables import observations, tasks, workspaces
from memoranda.values.job import Job, JobKind
from memoranda.values.scope import Scope
from memoranda.values.task import Task, TaskStatus

if TYPE_CHECKING:
    from memoranda.values.stage import Stage
    from memoranda.wiring import Rooms

EMBEDDED_AT_ONCE = 256
"""Passages of one job: some seconds of work, well within its lease."""


class Chores:
    """What each kind of job does. Doing one again changes nothing."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    @property
    def handlers(self) -> Mapping[str, Callable[[Job], None]]:
        """Who does which kind."""
        return {
            JobKind.RENDER_CONTEXT: self._render_context,
            JobKind.PURGE_TEXT: self._purge_text,
            JobKind.INDEX_TASK: self._index_task,
            JobKind.INDEX_MEMORIES: self._index_memories,
            JobKind.EMBED: self._embed,
            JobKind.DISTIL: self._distil,
        }

    def _render_context(self, job: Job) -> None:
        rooms = self._rooms
        aliases = rooms.database.read(lambda tx: workspaces.aliases(tx, job.team, job.subject))
        rooms.prepared.render(Scope(job.team, workspace=job.subject), aliases)

    def _purge_text(self, job: Job) -> None:
        def purge(tx: Transaction) -> None:
            tx.text("observation").purge()
            tx.text("memory").purge()

        self._rooms.database.write(purge)

    def _index_task(self, job: Job) -> None:
        self._rooms.indexing.index_task(job.subject)
        self._rooms.enqueue(JobKind.EMBED, "")

    def _index_memories(self, job: Job) -> None:
        self._rooms.indexing.index_memories()
        self._rooms.enqueue(JobKind.EMBED, "")

    def _embed(self, job: Job) -> None:
        self._rooms.indexing.embed(EMBEDDED_AT_ONCE)
        if self._rooms.indexing.report().waiting:
            self._rooms.enqueue(JobKind.EMBED, "")

    def _distil(self, job: Job) -> None:
        rooms = self._rooms
        task = rooms.database.read(lambda tx: tasks.by_id(tx, job.team, job.subject))
        if task is None:
            return
        scope = Scope(job.team, workspace=task.workspace, task=task.id)
        self.follow(scope, task.id)
        rooms.compressions.catch_up(scope, task.id)
        rooms.enqueue(JobKind.RENDER_CONTEXT, task.workspace)

    def follow(self, scope: Scope, task: str) -> None:
        """Follow the stages of a task as far as it has come, with all that is due on the way,
        whoever is the first to look."""
        rooms = self._rooms
        before = rooms.staging.position(scope, task)
        ended = rooms.staging.follow(scope, task)
        now = rooms.staging.position(scope, task)
        rooms.crowding.offer(scope, before, now)
        for stage in ended[-1:]:
            self.leave(scope, stage)

    def leave(self, scope: Scope, stage: Stage) -> None:
        """Take a checkpoint where a stage ended, if that is wanted."""
        task = self._rooms.database.read(lambda tx: tasks.by_id(tx, stage.team, stage.task))
        if task and self._rooms.settings.checkpoint_at_stages:
            self._checkpoint(scope, task, stage)

    def _checkpoint(self, scope: Scope, task: Task, stage: Stage) -> None:
        from memoranda.distil.stages.phases import phase_of

        rooms = self._rooms
        failing = rooms.database.read(
            lambda tx: observations.open_errors(tx, task.team, task.id, 1)
        )
        over = task.status is not TaskStatus.ACTIVE
        phase = phase_of(stage.name, failed=bool(failing), ended=over)
        rooms.checkpoints.create(scope, phase, f"{stage.name} ended at {stage.ended}")
