"""Forks: new tasks that start from a checkpoint of another task."""

from __future__ import annotations

from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.block_writer import BlockChanges, NewBlock
from memoranda.checkpoints import table as checkpoints
from memoranda.checkpoints.checkpoint_service import Checkpoints
from memoranda.checkpoints.model import Checkpoint, CheckpointBlock, Effort, Snapshot, TaskState
from memoranda.clock import Clock
from memoranda.exceptions import NotFound
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.text import clip

GOAL = 500
"""Maximum number of characters of a goal."""


class Forks:
    """Creates tasks from checkpoints."""

    def __init__(
        self,
        database: Database,
        changes: BlockChanges,
        points: Checkpoints,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._changes = changes
        self._points = points
        self._clock = clock
        self._ids = ids

    def fork(self, scope: Scope, name: str, goal: str = "") -> Task:
        """Create a task from a checkpoint, with its state and copies of blocks.

        The task's blocks are copied; blocks of the workspace and team are shared by both.

        Raises:
            NotFound: the task has no such checkpoint.
        """
        goal = clip(self._changes.clean(goal), GOAL)

        def work(tx: Transaction) -> Task:
            target = self._points.found(tx, scope, name)
            task = self._task(tx, scope, goal)
            there = replace(scope, task=task.id, workspace=task.workspace)
            copies = tuple(self._copied(tx, there, target, block) for block in target.blocks)
            first = self._first(task, target)
            added = checkpoints.insert(tx, Snapshot(first, target.state, copies))
            noted = TaskState(added.id, target.state, first.created_at)
            checkpoints.put_state(tx, scope.team, task.id, noted)
            detail = {"checkpoint": target.checkpoint.id}
            actor = scope.actor
            note = journal.NewJournalEntry(first.created_at, actor, "fork", task.id, detail)
            journal.append(tx, scope.team, note)
            return task

        return self._database.write(work)

    def _task(self, tx: Transaction, scope: Scope, goal: str) -> Task:
        old = tasks.by_id(tx, scope.team, str(scope.task))
        if old is None:
            raise NotFound(f"no task {scope.task!r}; `memoranda task list` lists the tasks")
        id, now = self._ids.new(), self._clock.now()
        return tasks.insert(
            tx,
            Task(
                team=scope.team,
                id=id,
                number=0,
                workspace=old.workspace,
                agent=scope.agent or old.agent,
                goal=goal or old.goal,
                status=TaskStatus.ACTIVE,
                host="memoranda",
                session=f"fork {id}",
                started_at=now,
                last_event_at=now,
                ended_at=None,
                observations=0,
            ),
        )

    def _copied(
        self, tx: Transaction, there: Scope, target: Snapshot, saved: CheckpointBlock
    ) -> CheckpointBlock:
        block = blocks.by_ids(tx, there.team, [saved.block])[saved.block]
        if block.place.task != target.checkpoint.task:
            return saved
        value = self._changes.version(tx, block, saved.version).value
        limit = max(saved.limit, len(value))
        new = NewBlock(block.label, value, block.description, limit, block.read_only)
        copy = self._changes.created(tx, there, new, replace(block.place, task=there.task))
        for holder in blocks.holders(tx, there.team, block.id):
            blocks.attach(tx, there.team, copy.id, holder)
        return CheckpointBlock(copy.id, copy.version, copy.limit)

    def _first(self, task: Task, target: Snapshot) -> Checkpoint:
        old = target.checkpoint
        return replace(
            old,
            id=self._ids.new(),
            task=task.id,
            sequence=0,
            parent=old.id,
            description=f"from checkpoint {old.sequence} of another task",
            position=0,
            effort=Effort(),
            created_at=task.started_at,
        )
