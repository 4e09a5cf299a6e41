"""Methods for strategic contexts, interventions and outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.instrumentation import measured
from memoranda.operation_declaration import MEMBERS, read, write
from memoranda.resource import Resource, member
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.supervision import table
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    OutcomeRecorded,
    StrategicContext,
)
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.page import Page
    from memoranda.ports import Figures
    from memoranda.tasks.reference import TaskReference

AT_ONCE = 1_000
"""Maximum number of interventions that a channel receives at once."""


def _context_figures(found: StrategicContext) -> Figures:
    return {"records": sum(len(section.items) for section in found.context.sections)}


class SupervisorResource(Resource):
    """``memory.supervisor``: interventions for a supervisor of agents."""

    @write("supervisor.context")
    @measured("strategic_context", _context_figures)
    def context(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        metrics: Mapping[str, float] | None = None,
        query: str | None = None,
        budget: int | None = None,
    ) -> StrategicContext:
        """Show the context of a task for a supervisor, most urgent first.

        The sections that the task's figures require come first.

        Args:
            metrics: figures of the caller, which replace those from the record: error_rate,
                repeated_actions and coherence from 0 to 1; repeated_errors, stalled_steps and
                tokens_per_step from 0.
            query: the decision to be made; relevant entries come first in each section.

        Raises:
            InvalidInput: a metric is unknown, not a number or out of range.
            BudgetTooSmall: the critical facts alone exceed the budget; the error states how many
                tokens they need.
        """
        from memoranda.supervision.metrics import KNOWN, checked_metrics
        from memoranda.supervision.section_priorities import WELL, diagnose

        if metrics is not None and not isinstance(metrics, Mapping):
            raise InvalidInput('metrics must be an object, such as {"error_rate": 0.4}')
        checked = checked_metrics(metrics or {})
        services, scope = self._services, self._at_hand(workspace, task)
        computed = {} if checked.keys() >= set(KNOWN) else services.interventions.metrics(scope)
        figures = {**computed, **checked}
        leading = diagnose(figures)
        room = services.settings.context_budget if budget is None else budget
        brief, stood = services.strategic.lead(scope, leading, budget=room, query=query)
        raised = services.interventions.record_received(
            scope, leading.state, figures, stood, begin=leading.state != WELL
        )
        id = raised.id if raised else None
        return StrategicContext(leading.state, leading.sections, figures, brief, id)

    @read("supervisor.interventions", alias=("supervisor.list",))
    def interventions(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        state: InterventionState | str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Intervention]:
        """List interventions with their outcomes, newest first.

        Args:
            state: only interventions in this state.
        """
        chosen = member(InterventionState, state) if state else None
        scope = self._within(workspace, task)
        return self._services.interventions.list(scope, chosen, cursor=cursor, limit=limit)

    @write("supervisor.outcome")
    def outcome(
        self, id: str, outcome: InterventionOutcome | str, *, note: str = "", correct: bool = False
    ) -> OutcomeRecorded:
        """Record the outcome of an intervention.

        The memories in the context of the intervention are rated, and those that helped often are
        proposed as critical. Repeating the same outcome changes nothing; a different outcome
        requires ``correct`` and replaces the recorded one.

        Raises:
            NotFound: there is no such intervention.
            Conflict: another outcome was already recorded.
        """
        chosen = member(InterventionOutcome, outcome)
        recorded = self._services.interventions.outcome(
            self._scope, normalise(id), chosen, note, correct=correct
        )
        self._services.background.wake()
        return recorded

    @write("supervisor.news", roles=MEMBERS)
    def news(self, channel: str) -> Sequence[Intervention]:
        """List open interventions raised since the channel's last call.

        The interventions are marked as sent: every channel receives each intervention once.
        """
        team, channel = self._scope.team, normalise(channel)
        if not self._database.read(lambda tx: table.unnotified(tx, team, channel, limit=1)):
            return []

        def work(tx: Transaction) -> Sequence[Intervention]:
            interventions = table.unnotified(tx, team, channel, limit=AT_ONCE)
            table.mark_notified(tx, team, channel, interventions, self._services.clock.now())
            return interventions

        return self._database.write(work)

    def _at_hand(self, workspace: str | None, task: TaskReference | None) -> Scope:
        """Return the scope of a task after processing its newest steps.

        Without a task, the newest running task of the workspace is used.
        """
        scope = self._within(workspace, task)
        if task is None and scope.workspace is not None:
            going = self._services.interventions.going_on(scope)
            scope = scope.within(task=going)
        if scope.task:
            self._services.chores.watch(scope, self._task(scope.task))
        return scope
