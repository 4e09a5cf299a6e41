"""Use cases: end of tasks, their lessons, approval rules, tool failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.lessons import table as lessons
from memoranda.lessons.model import Execution
from memoranda.memories import table as memories, total_table as memory_totals
from memoranda.memories.count import MemoryCount
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin
from memoranda.page import Page, checked_limit
from memoranda.resource import Resource, member
from memoranda.store.database import Transaction
from memoranda.tasks.model import TaskStatus
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.lessons.model import Extraction, TaskEnd
    from memoranda.proposals.approval_rule import ApprovalRule
    from memoranda.tools.model import ToolRecord


STAGES = LESSONS = 100
"""Maximum number of an execution's stages and lessons that are shown."""


class TaskEndResource(Resource):
    """End of tasks, their lessons, approval rules and memory counts.

    A task is named by its number, its id, or a unique beginning of the id.
    """

    def task_end(self, task: str, outcome: TaskStatus | str = TaskStatus.COMPLETED) -> TaskEnd:
        """End a task; archive its approach, and propose its lessons.

        The end is durable before the rest is done; if that is interrupted, a job does it later.

        Raises:
            NotFound: there is no such task.
            InvalidInput: the outcome is neither completed nor failed.
            Conflict: it has ended before.
        """
        found = self.task(task)
        scope = self._within(None, found.id)
        self._rooms.task_ends.end(scope, found.id, member(TaskStatus, outcome))
        left = self._rooms.chores.settle(scope, found.id)
        self._rooms.background.wake()
        return left

    def extract_learnings(self, task: str) -> Extraction:
        """Propose the lessons of a task so far, at most five; idempotent.

        Raises:
            NotFound: there is no such task.
        """
        found = self.task(task)
        scope = self._within(None, found.id)
        made = self._rooms.task_ends.extract(scope, found.id)
        self._rooms.background.wake()
        return made

    def execution(self, task: str) -> Execution:
        """Return a task with its stages, how it was done, and its lessons.

        Raises:
            NotFound: there is no such task.
        """
        found = self.task(task)
        scope = self._within(None, found.id)
        self._rooms.chores.follow(scope, found.id)
        passed = self._rooms.staging.list(scope, found.id, limit=STAGES)

        def work(tx: Transaction) -> Execution:
            kept = lessons.archive(tx, found.team, found.id)
            taught = lessons.of_task(tx, found.team, found.id, LESSONS)
            ids = [*taught, *([kept.memory] if kept else [])]
            held = memories.by_ids(tx, found.team, ids, scope.agent)
            archive = held.get(kept.memory) if kept else None
            learned = tuple(held[id] for id in taught if id in held)
            return Execution(found, passed.items, archive, learned)

        return self._database.read(work)

    def tool_reliability(
        self, *, workspace: str | None = None, limit: int = 50
    ) -> Sequence[ToolRecord]:
        """Return how often tools failed, the worst first.

        Over the newest 10,000 steps.
        """
        checked_limit(limit)
        return self._rooms.tool_reliability.of(self._within(workspace, None))[:limit]

    def rule_add(
        self,
        *,
        source: MemorySource | str | None = None,
        category: Category | str | None = None,
        confidence: float = 0.0,
        origin: Origin | str = Origin.GENERATED,
        agents: bool = False,
        workspace: str | None = None,
    ) -> ApprovalRule:
        """Add a rule that approves some new memories without a person's review.

        Args:
            confidence: minimum confidence, 0 to 1.
            origin: minimum trust.
            agents: also what agents say, rather than only what was found in the record.

        Raises:
            Forbidden: the caller is an agent.
            InvalidInput: a value is not acceptable.
        """
        from memoranda.proposals.approval_rules import NewApprovalRule

        wanted = NewApprovalRule(
            member(MemorySource, source) if source else None,
            member(Category, category) if category else None,
            confidence,
            member(Origin, origin),
            agents,
        )
        return self._rooms.approval_rules.add(self._within(workspace, None), wanted)

    def rules(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[ApprovalRule]:
        """Return the rules for approving proposals automatically, oldest first."""
        scope = self._within(workspace, None)
        return self._rooms.approval_rules.list(scope, cursor=cursor, limit=limit)

    def rule_remove(self, id: str) -> str:
        """Remove a rule by its id or a unique prefix; past approvals remain.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is none.
        """
        return self._rooms.approval_rules.remove(self._scope, normalise(id))

    def memory_stats(self, *, workspace: str | None = None) -> Sequence[MemoryCount]:
        """Return the number of memories by workspace, category and status."""
        scope = self._within(workspace, None)

        def work(tx: Transaction) -> Sequence[MemoryCount]:
            return memory_totals.totals(tx, scope.team, scope.workspace, scope.agent)

        return self._database.read(work)
