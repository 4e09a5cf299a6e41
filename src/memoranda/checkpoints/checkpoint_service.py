"""Checkpoint service: create, list, diff and roll back.

A checkpoint refers to versions of blocks instead of copying them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.block_writer import BlockChanges
from memoranda.blocks.places import visible_to
from memoranda.checkpoints import table as checkpoints
from memoranda.checkpoints.comparison import compared
from memoranda.checkpoints.model import (
    Checkpoint,
    CheckpointBlock,
    CheckpointSummary,
    Effort,
    EffortTotal,
    Rollback,
    Snapshot,
    TaskPhase,
    TaskState,
    checked_state,
)
from memoranda.checkpoints.rollbacks import restore
from memoranda.clock import Clock
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import IdSource, ambiguous
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.page import Page, checked_limit, number_of, page_of
from memoranda.ports import Sanitiser
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.text import clip, normalise

DESCRIPTION = 500
"""Maximum number of characters of a description."""
MAX_BLOCKS = 1_000
"""Maximum number of blocks in a checkpoint."""
NOW = "now"
"""Name of the current state in a comparison of checkpoints."""


class _DryRunEnd(Exception):
    """Raised to roll back the transaction of a dry run."""


class Checkpoints:
    """Snapshots of a task's blocks and state.

    Creating a checkpoint copies nothing: it refers to versions of blocks.
    """

    def __init__(
        self,
        database: Database,
        changes: BlockChanges,
        sanitiser: Callable[[], Sanitiser],
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._sanitiser = sanitiser
        self._changes = changes
        self._clock = clock
        self._ids = ids

    def create(
        self,
        scope: Scope,
        phase: TaskPhase,
        description: str = "",
        state: Mapping[str, JsonValue] | None = None,
        effort: Effort | None = None,
    ) -> Checkpoint:
        """Create a checkpoint of the state and the visible blocks.

        The blocks of the task, workspace and team are included. Without a state, the state of the
        previous checkpoint is kept.

        Raises:
            InvalidInput: the scope has no task, the state is not a JSON object, or the checkpoint
                contains a credential.
        """
        own_state = None if state is None else self._checked(state)
        description_text = clip(self._changes.clean(description), DESCRIPTION)

        def work(tx: Transaction) -> Checkpoint:
            return self._taken(tx, scope, phase, description_text, own_state, effort or Effort())

        return self._database.write(work)

    def list(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50
    ) -> Page[CheckpointSummary]:
        """Return a task's checkpoints with their tree position, newest first."""
        checked_limit(limit)
        task = _task_of(scope)
        before = number_of(cursor, first=checkpoints.NEWEST)

        def work(tx: Transaction) -> list[CheckpointSummary]:
            found = checkpoints.listed(tx, scope.team, task, before=before, limit=limit + 1)
            head = checkpoints.state(tx, scope.team, task).head
            main = _line(checkpoints.parents(tx, scope.team, task), head)
            return [
                CheckpointSummary(checkpoint, checkpoint.id in main, checkpoint.id == head)
                for checkpoint in found
            ]

        summaries = self._database.read(work)
        return page_of(summaries, limit, lambda summary: summary.checkpoint.sequence)

    def snapshot(self, scope: Scope, name: str) -> Snapshot:
        """Return a checkpoint with its state and the blocks visible in the scope.

        Raises:
            NotFound: the scope has no checkpoint with this number or id.
        """

        def work(tx: Transaction) -> Snapshot:
            snapshot = self.found(tx, scope, name)
            where = replace(visible_to(scope), deleted=None)
            ids = [saved.block for saved in snapshot.blocks]
            seen = blocks.visible_among(tx, scope.team, where, ids)
            return replace(snapshot, blocks=tuple(h for h in snapshot.blocks if h.block in seen))

        return self._database.read(work)

    def head(self, scope: Scope) -> Checkpoint | None:
        """Return the newest checkpoint of a task's main line."""
        task = _task_of(scope)

        def work(tx: Transaction) -> Checkpoint | None:
            head = checkpoints.state(tx, scope.team, task).head
            return checkpoints.by_id(tx, scope.team, head) if head else None

        return self._database.read(work)

    def state(self, scope: Scope) -> TaskState:
        """Return a task's recorded state, initially empty."""
        task = _task_of(scope)
        return self._database.read(lambda tx: checkpoints.state(tx, scope.team, task))

    def note(self, scope: Scope, state: Mapping[str, JsonValue]) -> TaskState:
        """Replace a task's recorded state."""
        task, checked = _task_of(scope), self._checked(state)

        def work(tx: Transaction) -> TaskState:
            _require_task(tx, scope)
            now = self._clock.now()
            noted = replace(checkpoints.state(tx, scope.team, task), state=checked, updated_at=now)
            checkpoints.put_state(tx, scope.team, task, noted)
            self._journal(tx, scope, "note state", task, now)
            return noted

        return self._database.write(work)

    def rollback(self, scope: Scope, name: str, *, dry_run: bool = False) -> Rollback:
        """Restore a checkpoint of the task completely or not at all.

        Blocks get their earlier values as new versions, blocks that the task has created since the
        checkpoint are deleted, and the state is restored. The current state is saved as a
        checkpoint first, so that the rollback can be reverted. A dry run does all of this and then
        rolls back the transaction.
        """
        task = _task_of(scope)
        tried: list[Rollback] = []

        def work(tx: Transaction) -> Rollback:
            target = self.found(tx, scope, name)
            checkpoint = target.checkpoint
            note = f"before going back to {checkpoint.sequence}"
            undo = self._taken(tx, scope, self._phase(tx, scope), note, None, Effort())
            changed, left_alone = restore(tx, self._changes, scope, target, self._clock.now())
            now = self._clock.now()
            checkpoints.put_state(tx, scope.team, task, TaskState(checkpoint.id, target.state, now))
            self._journal(tx, scope, "rollback", checkpoint.id, now)
            done = Rollback(checkpoint, undo, changed, left_alone)
            if dry_run:
                tried.append(done)
                raise _DryRunEnd
            return done

        try:
            return self._database.write(work)
        except _DryRunEnd:
            return tried[-1]

    def diff(self, scope: Scope, old: str, new: str) -> dict[str, str]:
        """Return the changes between two checkpoints as unified diffs.

        The keys are the labels of blocks, and ``state`` for the state. Blocks without differences
        and blocks of other agents are left out. ``now`` denotes the current state.
        """

        def find(tx: Transaction, name: str) -> Snapshot:
            return self._present(tx, scope) if name == NOW else self.found(tx, scope, name)

        def work(tx: Transaction) -> dict[str, str]:
            return compared(tx, scope, find(tx, old), find(tx, new))

        return self._database.read(work)

    def spent(self, scope: Scope, by: str) -> tuple[EffortTotal, ...]:
        """Return the effort of a scope ``by`` phase, task or agent.

        The checkpoints are those of the task, workspace or team that the scope specifies.
        """
        if by not in ("phase", "task", "agent"):
            raise InvalidInput("effort can be grouped by phase, task or agent")
        place = {"workspace": scope.workspace, "task": scope.task}
        rows = self._database.read(lambda tx: checkpoints.spent(tx, scope.team, by, **place))
        return tuple(rows)

    # ------------------------------------------------------------------ inside a transaction

    def found(self, tx: Transaction, scope: Scope, name: str) -> Snapshot:
        """Return the task's checkpoint with the given number, id or id prefix."""
        name = normalise(name).strip()
        task = _task_of(scope)
        found: list[Checkpoint] = []
        if name.isdecimal() and len(name) < 10:
            item = checkpoints.by_sequence(tx, scope.team, task, int(name))
            found = [item] if item else []
        elif name:
            found = checkpoints.by_prefix(tx, scope.team, task, name)
        if len(found) > 1 and found[0].id != name:
            raise InvalidInput(
                ambiguous("checkpoint", name, [checkpoint.id for checkpoint in found])
            )
        if not found:
            raise NotFound(f"this task has no checkpoint {clip(name, 80)!r}; list its checkpoints")
        snapshot = checkpoints.snapshot(tx, scope.team, found[0].id)
        assert snapshot is not None
        return snapshot

    def _taken(
        self,
        tx: Transaction,
        scope: Scope,
        phase: TaskPhase,
        description: str,
        state: Mapping[str, JsonValue] | None,
        effort: Effort,
    ) -> Checkpoint:
        position = _require_task(tx, scope)
        task, now = _task_of(scope), self._clock.now()
        before = checkpoints.state(tx, scope.team, task)
        self._changes.make_defaults(tx, scope)
        checkpoint_blocks = _block_versions(tx, scope)
        checkpoint = Checkpoint(
            team=scope.team,
            id=self._ids.new(),
            task=task,
            sequence=0,
            parent=before.head,
            phase=phase,
            description=description,
            position=position,
            effort=effort,
            agent=scope.agent,
            created_at=now,
        )
        noted = before.state if state is None else state
        added = checkpoints.insert(tx, Snapshot(checkpoint, noted, checkpoint_blocks))
        checkpoints.put_state(tx, scope.team, task, TaskState(added.id, noted, now))
        self._journal(tx, scope, "checkpoint", added.id, now)
        return added

    def _present(self, tx: Transaction, scope: Scope) -> Snapshot:
        """Return a snapshot of the current state without storing it."""
        position, task = _require_task(tx, scope), _task_of(scope)
        noted = checkpoints.state(tx, scope.team, task)
        phase, now = self._phase(tx, scope), self._clock.now()
        checkpoint = Checkpoint(
            scope.team, "", task, 0, noted.head, phase, "", position, Effort(), scope.agent, now
        )
        return Snapshot(checkpoint, noted.state, _block_versions(tx, scope))

    def _phase(self, tx: Transaction, scope: Scope) -> TaskPhase:
        """Return the task's latest phase, for the checkpoint before a rollback."""
        head = checkpoints.state(tx, scope.team, _task_of(scope)).head
        newest = checkpoints.by_id(tx, scope.team, head) if head else None
        return newest.phase if newest else TaskPhase.PLANNING

    def _checked(self, state: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        checked = checked_state(dict(state) if isinstance(state, Mapping) else state)
        self._sanitiser().state("the state of the task", checked, None)
        return checked

    def _journal(
        self, tx: Transaction, scope: Scope, operation: str, subject: str, now: int
    ) -> None:
        note = journal.NewJournalEntry(now, scope.actor, operation, subject, {})
        journal.append(tx, scope.team, note)


def _task_of(scope: Scope) -> str:
    if scope.task is None:
        raise InvalidInput(
            "specify a task by its name, number or id; `memoranda task list` lists the tasks"
        )
    return scope.task


def _require_task(tx: Transaction, scope: Scope) -> int:
    """Return a task's number of observations; raise an error if it is missing."""
    task = tasks.by_id(tx, scope.team, _task_of(scope))
    if task is None:
        raise NotFound(f"no task {scope.task!r}; `memoranda task list` lists the tasks")
    return task.observations


def _block_versions(tx: Transaction, scope: Scope) -> tuple[CheckpointBlock, ...]:
    """Return the blocks of a task, its workspace and team for a checkpoint.

    The blocks do not depend on the caller, because later changes can be detected only for included
    blocks.
    """
    everybodys = replace(visible_to(scope), agent=None, private=True)
    seen = blocks.visible(tx, scope.team, everybodys, limit=MAX_BLOCKS + 1)
    if len(seen) > MAX_BLOCKS:
        raise InvalidInput(f"a checkpoint may have {MAX_BLOCKS:,} blocks at most; delete some")
    return tuple(CheckpointBlock(block.id, block.version, block.limit) for block in seen)


def _line(parents: Mapping[str, str | None], head: str | None) -> set[str]:
    """Return the ids of the checkpoints from the first to the head."""
    line: set[str] = set()
    while head in parents and head not in line:
        line.add(str(head))
        head = parents[str(head)]
    return line
