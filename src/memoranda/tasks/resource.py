"""Methods that list, show, end and resume tasks, with state and effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoranda.capture.event import EventKind
from memoranda.lessons import table as lessons
from memoranda.lessons.model import Execution
from memoranda.memories import table as memories
from memoranda.operation_declaration import MEMBERS, read, write
from memoranda.page import Page, checked_limit, number_of, page_of, place_of
from memoranda.resource import Resource, member
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.tasks.reference import TaskReference, checked_name
from memoranda.workspaces.recognition import WorkspaceIdentity

if TYPE_CHECKING:
    from memoranda.checkpoints.model import EffortTotal, Resumption, TaskState
    from memoranda.compression.model import CompressedText
    from memoranda.json_data import JsonValue
    from memoranda.lessons.model import Extraction, TaskEnd
    from memoranda.tasks.model import Task

STAGES = LESSONS = 100
"""Maximum number of a task's stages and of its lessons that are shown."""

BRIEF = 1_000
"""Default number of tokens of a brief."""


class TasksResource(Resource):
    """``memory.tasks``: tasks, by name, number, id, or unique id prefix."""

    @read("tasks.list", alias=("task.list",))
    def list(
        self,
        *,
        workspace: str | None = None,
        status: TaskStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Task]:
        """List tasks, most recently active first.

        Args:
            status: only tasks with this status.
        """
        checked_limit(limit)
        scope = self._within(workspace, None)
        before = tasks.NEWEST if cursor is None else _task_place(cursor)
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
        return page_of(found, limit, lambda task: f"{task.last_event_at}:{task.id}")

    @read("tasks.show", alias=("task.show",))
    def show(self, id: TaskReference) -> Task:
        """Show a task, by its name, number or id.

        Raises:
            NotFound: there is no such task.
        """
        return self._task(id)

    @write("tasks.create", alias=("task.create",))
    def create(self, name: str, goal: str = "", *, workspace: str | None = None) -> Task:
        """Create a task with a name of your choice.

        Every call accepts the name. If the name is a UUID, it becomes the task's id. Storing
        something under a new name also creates a task.

        Args:
            name: 1 to 200 characters, and not ``#`` followed by a number.
            goal: the task's goal; by default, the first message of a person.

        Raises:
            InvalidInput: the name is empty, too long, or looks like a secret.
            Conflict: the workspace already has a task with that name.
        """
        chosen = checked_name(name)
        self._services.sanitiser.checked_label("the name of a task", chosen)
        identity = self._services.new_workspaces.get(workspace or "")
        if identity is None and (label := self._label(workspace)):
            identity = WorkspaceIdentity.named(label)
        task = self._services.task_creation.create(self._scope, chosen, goal, identity)
        self._services.enqueue_rendering(task.workspace)
        self._services.announcements.of_task(
            EventKind.TASK_START,
            task.id,
            key=task.id,
            text=task.goal,
            agent=self._scope.agent or "",
        )
        self._wait_for_handlers()
        return task

    @write("tasks.edit", roles=MEMBERS, alias=("task.edit",))
    def edit(self, task: TaskReference, goal: str) -> Task:
        """Change the goal of a task; only a person may do this.

        Args:
            goal: the new goal; if empty, the first message of a person becomes the goal.

        Raises:
            NotFound: there is no such task.
            Forbidden: the caller is an agent.
        """
        result = self._services.task_creation.edit(self._scope, self._task(task), goal)
        self._services.enqueue_rendering(result.workspace)
        self._services.background.wake()
        return result

    @write("tasks.end", alias=("task.end",))
    def end(self, task: TaskReference, outcome: TaskStatus | str = TaskStatus.COMPLETED) -> TaskEnd:
        """End a task with its outcome, and propose its lessons.

        The task's approach is archived. The end is durable before the rest is done; if the rest is
        interrupted, a job completes it later.

        Raises:
            NotFound: there is no such task.
            InvalidInput: the outcome is neither completed nor failed.
            Conflict: the task has already ended.
        """
        found = self._task(task)
        scope = self._within(None, found.id)
        ended = self._services.task_ends.end(scope, found.id, member(TaskStatus, outcome))
        left = self._services.chores.settle(scope, found.id)
        if found.ended_at is None:
            key, event_key = f"end-{ended.id}-{ended.ended_at}", ended.status.value
            agent = scope.agent or ""
            self._services.announcements.of_task(
                EventKind.TASK_END, ended.id, key=key, text=event_key, agent=agent
            )
        self._services.background.wake()
        self._wait_for_handlers()
        return left

    @read("tasks.execution", alias=("execution.show",))
    def execution(self, task: TaskReference) -> Execution:
        """Show how a task was done: stages, outcome and lessons.

        Raises:
            NotFound: there is no such task.
        """
        found = self._task(task)
        scope = self._within(None, found.id)
        self._services.chores.follow(scope, found.id)
        passed = self._services.staging.list(scope, found.id, limit=STAGES)

        def work(tx: Transaction) -> Execution:
            archived = lessons.archive(tx, found.team, found.id)
            taught = lessons.of_task(tx, found.team, found.id, LESSONS)
            ids = [*taught, *([archived.memory] if archived else [])]
            stored = memories.by_ids(tx, found.team, ids, scope.agent)
            archive = stored.get(archived.memory) if archived else None
            learned = tuple(stored[id] for id in taught if id in stored)
            return Execution(found, passed.items, archive, learned)

        return self._database.read(work)

    @write("tasks.extract-learnings", alias=("execution.extract-learnings",))
    def extract_learnings(self, task: TaskReference) -> Extraction:
        """Propose the lessons learned from a task so far, at most four.

        Idempotent.

        Raises:
            NotFound: there is no such task.
        """
        found = self._task(task)
        scope = self._within(None, found.id)
        extraction = self._services.task_ends.extract(scope, found.id)
        self._services.background.wake()
        return extraction

    @read("tasks.state", alias=("task.state",))
    def state(self, task: TaskReference) -> TaskState:
        """Show the recorded state of a task.

        The state is what the task recorded, such as a plan or a number of attempts.
        """
        return self._services.checkpoints.state(self._within(None, task))

    @write("tasks.note", alias=("task.note",))
    def note(self, task: TaskReference, state: Mapping[str, JsonValue]) -> TaskState:
        """Replace the recorded state of a task."""
        return self._services.checkpoints.note(self._within(None, task), state)

    @read("tasks.effort", alias=("task.effort",))
    def effort(
        self, by: str = "phase", *, task: TaskReference | None = None
    ) -> tuple[EffortTotal, ...]:
        """Sum tokens, cost and time by phase, task or agent.

        The sums cover one task, or all tasks by default.
        """
        return self._services.checkpoints.spent(self._within(None, task), by)

    @read("tasks.resume", alias=("task.resume",))
    def resume(self, task: TaskReference) -> Resumption:
        """Show what is needed to resume a task.

        `memoranda.tasks.resumption.pointers` renders the result as a short text, for an agent whose
        own context was compacted.
        """
        chosen = self._task(task)
        return self._services.resumptions.resume(self._within(None, task), chosen)

    @write("tasks.brief", alias=("brief",))
    def brief(
        self, task: TaskReference, *, tokens: int = BRIEF, query: str | None = None
    ) -> CompressedText:
        """Summarise a task; each line names its source observation.

        Every line is quoted from the task, with the name of its source observation. Missing
        summaries are created first.

        Raises:
            InvalidInput: the number of tokens is out of range.
        """
        scope = self._within(None, task)
        id = str(scope.task)
        self._services.chores.follow(scope, id)
        self._services.compressions.catch_up(scope, id, complete=True)
        return self._services.briefs.brief(scope, id, tokens, query)


def _task_place(cursor: str) -> tuple[int, str]:
    at, _, id = place_of(cursor, first="").partition(":")
    return number_of(at, first=0), id
