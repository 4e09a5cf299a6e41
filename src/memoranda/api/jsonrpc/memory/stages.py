"""`memory.*` methods for stages of tasks and the progress of a task."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup
from memoranda.api.jsonrpc.memory.records import (
    FormattedContext,
    StageMemory,
    filled,
    of,
    ratio,
    stage_memory,
)
from memoranda.exceptions import NotFound
from memoranda.page import MAX_LIMIT
from memoranda.stages.model import StageName

CRITICAL = "critical-facts"


@dataclass(frozen=True, slots=True)
class StageContext:
    """Context for a stage of a task."""

    stage: StageMemory | None
    """The stage; None if the task has no stage yet."""
    context: FormattedContext


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Progress of a task."""

    task_id: str = field(metadata=of("id"))
    task_number: int = field(metadata=of("number"))
    task_name: str = field(metadata=of("name"))
    """Name that the caller chose; empty if the caller chose none."""
    agent_id: str = field(metadata=of("agent"))
    task_goal: str = field(metadata=of("goal"))
    task_status: str = field(metadata=of("status"))
    current_stage_id: int | None
    """Current stage; None if there is no stage or the last one has ended."""
    completed_stages: tuple[int, ...]
    task_progress_summary: str
    token_count: int
    compression_ratio: float
    critical_constraints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageTransition:
    """Whether a task is in a stage other than the one that its agent assumes."""

    should_transition: bool
    stage: StageMemory
    """Current stage of the task, with the evidence and the confidence."""
    suggested: StageName | None = None
    """Stage that was detected later but not started, if the settings leave the start to the agent.
    """


class StageMethods(MethodGroup):
    """Methods for stages of tasks.

    get_stage_context, complete_stage, get_task_progress, detect_stage_transition.
    """

    USES: ClassVar = {
        "get_stage_context": ("stages.show", "context"),
        "complete_stage": ("stages.complete", "stages.show"),
        "get_task_progress": ("tasks.show", "stages.list", "tasks.brief", "context"),
        "detect_stage_transition": ("stages.show",),
    }

    def get_stage_context(
        self,
        task_id: str,
        *,
        stage_id: int | None = None,
        query: str | None = None,
        token_budget: int | None = None,
    ) -> StageContext:
        """Return the context and summary of the current stage of a task.

        Args:
            stage_id: the number of another stage whose summary is returned.
        """
        stage = None
        with suppress(NotFound):  # the stage is missing; a missing task is reported below
            stage = self._stage(task_id, stage_id)
        found = self._call("context", task=task_id, query=query, budget=token_budget)
        return StageContext(stage, filled(FormattedContext, found))

    def complete_stage(self, task_id: str, *, reason: str = "") -> StageMemory:
        """Mark the current stage of a task as complete, and return it with its summary."""
        ended = self._call("stages.complete", task=task_id, reason=reason)
        return self._stage(task_id, ended["number"])

    def get_task_progress(
        self, task_id: str, *, token_budget: int | None = None, query: str | None = None
    ) -> TaskProgress:
        """Return the progress of a task: goal, stages, brief and constraints.

        Args:
            token_budget: maximum tokens of the brief, 1,000 by default.
            query: entries that are relevant to it are first in the brief.
        """
        task = self._call("tasks.show", id=task_id)
        stages = self._call("stages.list", task=task_id, limit=MAX_LIMIT)["items"]
        brief = self._call("tasks.brief", task=task_id, tokens=token_budget, query=query)
        found = self._call("context", task=task_id, allow_overflow=True)
        facts = [one["items"] for one in found["sections"] if one["name"] == CRITICAL]
        going_on = [stage["number"] for stage in stages if stage["ended"] is None]
        return filled(
            TaskProgress,
            task,
            current_stage_id=going_on[-1] if going_on else None,
            completed_stages=tuple(one["number"] for one in stages if one["ended"] is not None),
            task_progress_summary=brief["text"],
            token_count=brief["tokens"],
            compression_ratio=ratio(brief),
            critical_constraints=tuple(item["text"] for items in facts for item in items),
        )

    def detect_stage_transition(
        self, task_id: str, *, current_stage: StageName | None = None
    ) -> StageTransition:
        """Check by the events of a task whether it has moved to another stage.

        Args:
            current_stage: the stage that the agent assumes; without it no transition is reported
                unless the last stage has ended.
        """
        found = self._call("stages.show", task=task_id, number=None)
        stage, suggested = stage_memory(found["stage"], found["summary"]), found["suggested"]
        moved = current_stage is not None and current_stage != stage.stage_type
        due = moved or stage.completed_at is not None or suggested is not None
        return StageTransition(due, stage, suggested)

    def _stage(self, task: str, number: int | None) -> StageMemory:
        found = self._call("stages.show", task=task, number=number)
        return stage_memory(found["stage"], found["summary"])
