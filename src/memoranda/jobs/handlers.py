"""Job handlers: the derived work of each kind of job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoranda.capture.event import EventKind
from memoranda.jobs.model import Job, JobKind
from memoranda.mirror import table as mirrors
from memoranda.observations import table as observations
from memoranda.scope import NEW_FOLDER, Scope
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.workspaces import table as workspaces

if TYPE_CHECKING:
    from memoranda.assembly.services import Services
    from memoranda.checkpoints.model import Checkpoint
    from memoranda.lessons.model import TaskEnd
    from memoranda.observations.model import Observation
    from memoranda.stages.model import Stage

EMBEDDED_AT_ONCE = 256
"""Number of passages per job; they take a few seconds, well within the lease."""

NEWEST = 8
"""Maximum number of tasks indexed before a workspace's context is rendered."""
COMPARED_AT_ONCE = 100
"""Number of memories compared per job."""


class JobHandlers:
    """Handlers for every kind of job. Idempotent."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @property
    def handlers(self) -> Mapping[str, Callable[[Job], None]]:
        """Handlers by kind of job."""
        return {
            JobKind.RENDER_CONTEXT: self._render_context,
            JobKind.PURGE_TEXT: self._purge_text,
            JobKind.INDEX_TASK: self._index_task,
            JobKind.INDEX_TEXT: self._index_text,
            JobKind.INDEX_MEMORIES: self._index_memories,
            JobKind.ENCODE_MEMORIES: self._encode_memories,
            JobKind.TURN_MEMORIES: self._turn_memories,
            JobKind.EMBED: self._embed,
            JobKind.DISTIL: self._distil,
            JobKind.OPTIMISE_PROFILE: self._optimise_profile,
            JobKind.TASK_ENDED: self._task_ended,
            JobKind.CHECKPOINT: self._checkpoint_requested,
            JobKind.PROCESS_FEEDBACK: self._process_feedback,
            JobKind.MIRROR: self._mirror,
        }

    def _render_context(self, job: Job) -> None:
        from memoranda.context.prepared_files import concurrent_tasks

        services, scope = self._services, Scope(job.team, workspace=job.subject)

        def work(tx: Transaction) -> tuple[list[str], list[Task]]:
            aliases = workspaces.aliases(tx, job.team, job.subject)
            return aliases, concurrent_tasks(tx, scope, services.clock.now())

        if job.subject == NEW_FOLDER:
            services.prepared.render_new(scope)
            return
        self._index_newest(scope)
        services.prepared.render(scope, *services.database.read(work))

    def _index_newest(self, scope: Scope) -> None:
        """Index the newest tasks of a scope for a context, before other jobs."""
        from memoranda.search import table as entries

        def work(tx: Transaction) -> list[str]:
            waiting = set(entries.unfinished_tasks(tx, scope.team))
            newest = tasks.listed(tx, scope.team, workspace=scope.workspace, limit=NEWEST)
            return [task.id for task in newest if task.id in waiting]

        for task in self._services.database.read(work):
            self._services.indexing.index_task(task)

    def _purge_text(self, job: Job) -> None:
        def purge(tx: Transaction) -> None:
            tx.text("observation").purge()
            tx.text("memory").purge()

        self._services.database.write(purge)

    def _index_task(self, job: Job) -> None:
        self._services.indexing.index_task(job.subject)
        self._services.enqueue(JobKind.EMBED, "")

    def _index_text(self, job: Job) -> None:
        if rest := self._services.text_index.follow(job.subject):
            self._services.enqueue(JobKind.INDEX_TEXT, rest)

    def _index_memories(self, job: Job) -> None:
        if capacity := self._services.capacity:
            capacity.keep(job.team)
        self._services.indexing.index_memories()
        self._services.enqueue(JobKind.EMBED, "")
        self._services.enqueue(JobKind.ENCODE_MEMORIES, "")

    def _encode_memories(self, job: Job) -> None:
        self._services.encodings.encode()
        is_over = self._services.worker.is_over
        compared = self._services.relating.relate(COMPARED_AT_ONCE, is_over=is_over)
        if compared == COMPARED_AT_ONCE or is_over():
            self._services.enqueue(JobKind.ENCODE_MEMORIES, "")

    def _turn_memories(self, job: Job) -> None:
        self._services.enqueue_rendering(None)

    def _embed(self, job: Job) -> None:
        self._services.indexing.embed(EMBEDDED_AT_ONCE, is_over=self._services.worker.is_over)
        if self._services.indexing.waits():
            self._services.enqueue(JobKind.EMBED, "")
        elif self._services.relating.waits():
            self._services.enqueue(JobKind.ENCODE_MEMORIES, "")

    def _distil(self, job: Job) -> None:
        services = self._services
        task = services.database.read(lambda tx: tasks.by_id(tx, job.team, job.subject))
        if task is None:
            return
        scope = Scope(job.team, workspace=task.workspace, task=task.id)
        self.follow(scope, task.id)
        if services.settings.stage_auto_compression:
            services.compressions.catch_up(scope, task.id)
        services.hearing.listen(scope, task.id)
        if task.status is TaskStatus.COMPLETED:
            services.relating.note_success(task.id)
        self.watch(scope, task)
        services.enqueue(JobKind.RENDER_CONTEXT, task.workspace)
        now, id = services.clock.now(), services.ids.new()
        services.database.write(lambda tx: mirrors.touch(tx, job.team, id, now))

    def _mirror(self, job: Job) -> None:
        services = self._services
        report = services.mirroring.follow(job.team)
        if report and report.taken:
            services.enqueue_rendering(None)

    def _optimise_profile(self, job: Job) -> None:
        services, scope = self._services, Scope(job.team, workspace=job.subject or None)
        change = services.optimiser.suggest(scope)
        if change and services.settings.optimize_automatically:
            services.optimiser.apply(scope, change.hash, by="optimize_automatically")
            services.enqueue_rendering(change.workspace)

    def _task_ended(self, job: Job) -> None:
        task = self._services.database.read(lambda tx: tasks.by_id(tx, job.team, job.subject))
        if task is not None and task.ended_at is not None:
            self.settle(Scope(job.team, workspace=task.workspace, task=task.id), task.id)

    def settle(self, scope: Scope, task: str) -> TaskEnd:
        """Derive the stages, the archive and the lessons of an ended task."""
        self.follow(scope, task)
        self._services.compressions.catch_up(scope, task)
        left = self._services.task_ends.settle(scope, task)
        self._services.enqueue(JobKind.RENDER_CONTEXT, left.task.workspace)
        return left

    def _process_feedback(self, job: Job) -> None:
        self._services.feedback_processing.process(job.team, job.subject)

    def watch(self, scope: Scope, task: Task) -> None:
        """Create due interventions for a supervisor, and notify event handlers."""
        for intervention in self._services.watching.follow(scope, task.id):
            self._services.announcements.of_task(
                EventKind.INTERVENTION,
                task.id,
                key=intervention.id,
                text=f"{intervention.signal}: {intervention.reason}",
            )

    def follow(self, scope: Scope, task: str) -> None:
        """Update the stages of a task to its current state.

        If several callers do this at the same time, the first does all follow-up work.
        """
        services = self._services
        before = services.staging.position(scope, task)
        ended = services.staging.follow(scope, task)
        now = services.staging.position(scope, task)
        services.crowding.offer(scope, before, now)
        self._end_stages(scope, ended)

    def leave(self, scope: Scope, task: str, ended: Sequence[Stage]) -> None:
        """Run the follow-up work after stages were ended manually.

        This includes the summaries of the stages.
        """
        self._end_stages(scope, ended)
        self._services.compressions.catch_up(scope, task)

    def _end_stages(self, scope: Scope, ended: Sequence[Stage]) -> None:
        """Announce the ends of stages; create a checkpoint at the last end."""
        for stage in ended:
            key, reason = str(stage.number), f"{stage.name}: {stage.reason}"
            self._services.announcements.of_task(
                EventKind.STAGE_END, stage.task, key=key, text=reason
            )
        for stage in ended[-1:]:
            self._checkpoint_end(scope, stage)

    def _checkpoint_end(self, scope: Scope, stage: Stage) -> None:
        """Create a checkpoint at the end of a stage, if the settings require it."""
        task = self._services.database.read(lambda tx: tasks.by_id(tx, stage.team, stage.task))
        if task and self._services.settings.checkpoint_at_stages:
            self._checkpoint(scope, task, stage)

    def _checkpoint_requested(self, job: Job) -> None:
        """Create the checkpoint that a stored event requests, once per event."""
        from memoranda.stages import table as stages

        services = self._services

        def work(tx: Transaction) -> tuple[Observation | None, Task | None, Stage | None]:
            found = observations.by_ids(tx, job.team, [job.subject]).get(job.subject)
            if found is None:
                return None, None, None
            task = tasks.by_id(tx, job.team, found.task)
            return found, task, stages.newest(tx, job.team, found.task)

        observation, task, stage = services.database.read(work)
        if observation is None or task is None:
            return  # the event was forgotten
        scope = Scope(job.team, workspace=task.workspace, task=task.id)
        description = f"{observation.summary or 'checkpoint'} (#{observation.sequence})"
        page = services.checkpoints.list(scope, limit=NEWEST)
        if all(item.checkpoint.description != description for item in page.items):
            self._checkpoint(scope, task, stage, description)

    def _checkpoint(
        self, scope: Scope, task: Task, stage: Stage | None, description: str = ""
    ) -> None:
        from memoranda.stages.checkpoint_phases import phase_of
        from memoranda.stages.model import StageName

        services = self._services
        failing = services.database.read(
            lambda tx: observations.open_errors(tx, task.team, task.id, 1)
        )
        over = task.status is not TaskStatus.ACTIVE
        name = stage.name if stage else StageName.PLANNING
        phase = phase_of(name, failed=bool(failing), ended=over)
        description = description or f"{name} ended at {stage.ended if stage else 0}"
        checkpoint = services.checkpoints.create(scope, phase, description)
        self.announce_checkpoint(checkpoint)

    def announce_checkpoint(self, made: Checkpoint) -> None:
        """Announce a checkpoint to handlers."""
        self._services.announcements.of_task(
            EventKind.CHECKPOINT,
            made.task,
            key=made.id,
            text=made.description,
            agent=made.agent or "",
        )
