"""`memory.*` methods for supervisors and for critical memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup
from memoranda.api.jsonrpc.memory.observation_criticality import USED, change_observed
from memoranda.api.jsonrpc.memory.records import (
    ChangeRecord,
    FormattedContext,
    MemoryRecord,
    changed,
    filled,
    memory_record,
    of,
)
from memoranda.exceptions import NotFound
from memoranda.memories.model import MemoryStatus
from memoranda.supervision.model import InterventionOutcome


@dataclass(frozen=True, slots=True)
class StrategicContextRecord:
    """Context of a task for a supervisor."""

    state: str
    """State that determines the order: errors, incoherent, slow, or well (no problem)."""
    leads: tuple[str, ...]
    """The first sections of the context, in order."""
    metrics: Mapping[str, float]
    context: FormattedContext
    intervention_id: str | None = field(metadata=of("intervention"))
    """Id for reporting the outcome; None if there is no problem or no task."""


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    """Effect of a reported outcome."""

    intervention_id: str = field(metadata=of("id"))
    outcome: str | None
    effectiveness: float | None
    """From -1 to 1; None if no action followed the intervention."""
    memories_rated: tuple[str, ...]
    proposals: tuple[str, ...]
    """Pending proposals to mark memories as critical."""


@dataclass(frozen=True, slots=True)
class CriticalMemories:
    """Critical memories, newest first."""

    memories: tuple[MemoryRecord, ...]
    cursor: str | None


class SupervisionMethods(MethodGroup):
    """Methods for supervisors.

    get_strategic_context, record_intervention_outcome, get_critical_memories, update_criticality.
    """

    USES: ClassVar = {
        "get_strategic_context": ("supervisor.context",),
        "record_intervention_outcome": ("supervisor.outcome",),
        "get_critical_memories": ("memories.list",),
        "update_criticality": USED,
    }

    def get_strategic_context(
        self,
        *,
        task_id: str | None = None,
        decision_type: str = "",
        current_metrics: Mapping[str, float] | None = None,
        focus_areas: Sequence[str] = (),
        token_budget: int | None = None,
        workspace: str | None = None,
    ) -> StrategicContextRecord:
        """Return the context for a supervisor's decision, most urgent first.

        The figures determine what comes first.

        Args:
            decision_type: the decision to make, as free text.
            current_metrics: error_rate, repeated_actions and coherence from 0 to 1,
                repeated_errors, stalled_steps and tokens_per_step from 0; missing ones are computed
                from the record.
            focus_areas: entries that are relevant to these are first in each section.
        """
        query = " ".join([decision_type, *focus_areas]).strip() or None
        place = {"task": task_id, "workspace": workspace}
        found = self._call(
            "supervisor.context", metrics=current_metrics, query=query, budget=token_budget, **place
        )
        context = filled(FormattedContext, found["context"])
        return filled(StrategicContextRecord, found, context=context)

    def record_intervention_outcome(
        self,
        intervention_id: str,
        outcome: InterventionOutcome,
        *,
        note: str = "",
        correct: bool = False,
    ) -> OutcomeRecord:
        """Record the outcome of an intervention, and rate the memories by it.

        The memories are those in the context of the intervention.

        Args:
            correct: replace an outcome that was reported before.
        """
        arguments = {"outcome": outcome, "note": note, "correct": correct}
        found = self._call("supervisor.outcome", id=intervention_id, **arguments)
        rated, proposed = tuple(found["rated"]), tuple(found["proposed"])
        return filled(
            OutcomeRecord, found["intervention"], memories_rated=rated, proposals=proposed
        )

    def get_critical_memories(
        self, *, limit: int = 50, workspace: str | None = None, cursor: str | None = None
    ) -> CriticalMemories:
        """Return only the approved memories that every context includes."""
        only = {"critical": True, "status": MemoryStatus.APPROVED}
        found = self._call("memories.list", **only, workspace=workspace, limit=limit, cursor=cursor)
        return CriticalMemories(tuple(map(memory_record, found["items"])), found["cursor"])

    def update_criticality(
        self, memory_id: str, is_critical: bool, *, criticality_reason: str = ""
    ) -> ChangeRecord:
        """Set whether a memory is critical; an agent's request is a proposal.

        An episodic memory becomes critical in the form of knowledge based on it.
        """
        edit = {"critical": is_critical}
        try:
            found = self._call("memories.edit", id=memory_id, edit=edit, reason=criticality_reason)
        except NotFound:
            done = change_observed(self._ask_for, memory_id, is_critical, criticality_reason)
            if done is None:
                raise
            return done
        return changed(found)
