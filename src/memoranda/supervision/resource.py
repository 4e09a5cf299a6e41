"""Use cases: errors recorded by hand, interventions, strategic context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoranda.errors.model import ErrorDetail, ErrorRecord, ErrorType, RefinedPattern
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.measurement import count_one, measured
from memoranda.page import Page
from memoranda.ports import Figures
from memoranda.resource import Resource, member
from memoranda.scope import Scope
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    OutcomeRecorded,
    StrategicContext,
)
from memoranda.text import normalise

MOST_REFINED = 50
"""Maximum number of patterns, each of which is one request."""


def _told(found: StrategicContext) -> Figures:
    return {"records": sum(len(section.items) for section in found.context.sections)}


class SupervisionResource(Resource):
    """Manually recorded errors, and interventions."""

    @measured("record_error", count_one)
    def record_error(
        self,
        description: str,
        *,
        type: ErrorType | str,
        workspace: str | None = None,
        task: str | None = None,
        stage: str | None = None,
        severity: float | None = None,
        context: str = "",
        recovery: str = "",
        about: str | None = None,
    ) -> ErrorRecord:
        """Record an error that no tool reported, or add to a captured one.

        The captured one is named by ``about``.

        Args:
            severity: 0 to 1; the usual one of the type, if omitted.
            context: what was being done.
            recovery: what ended it, if something did.

        Raises:
            InvalidInput: the description is empty, the type is unknown, the severity is out of
                range, or the workspace is not determined.
            NotFound: there is no such task, or no such captured error.
        """
        from memoranda.errors.notes import ErrorReport

        report = ErrorReport(
            description,
            member(ErrorType, type),
            _severity(severity),
            stage,
            context,
            recovery,
            normalise(about) if about else None,
        )
        record = self._rooms.error_notes.record(self._somewhere(workspace, task), report)
        self._rooms.enqueue_rendering(record.workspace)
        self._rooms.background.wake()
        return record

    def error(self, id: str, *, workspace: str | None = None) -> ErrorDetail:
        """Return one error with its full record, what ended it, and its pattern.

        Raises:
            NotFound: there is none of this name.
        """
        return self._rooms.errors.show(self._within(workspace, None), normalise(id))

    def refine_error_patterns(
        self, *, workspace: str | None = None, task: str | None = None, limit: int = 10
    ) -> Sequence[RefinedPattern]:
        """Return recurring error patterns with a language model's description.

        Each of them (at most 50) may be one request, which has a cost the first time. Where the
        model's text is unusable or unavailable, the measured values are used and ``declined`` says
        why.
        """
        if not 1 <= limit <= MOST_REFINED:
            raise InvalidInput(f"limit must lie between 1 and {MOST_REFINED}")
        scope = self._within(workspace, task)
        return self._rooms.refining.refine(scope, self._rooms.errors.patterns(scope, limit))

    @measured("resolve_error", count_one)
    def resolve_error(self, id: str, recovery: str, *, workspace: str | None = None) -> ErrorRecord:
        """Record what ended an error; it counts as resolved from then on.

        Raises:
            InvalidInput: the text is empty.
            NotFound: there is none of this name.
        """
        scope = self._within(workspace, None)
        record = self._rooms.error_notes.resolve(scope, normalise(id), recovery)
        self._rooms.enqueue_rendering(record.workspace)
        self._rooms.background.wake()
        return record

    @measured("strategic_context", _told)
    def strategic_context(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        metrics: Mapping[str, float] | None = None,
        query: str | None = None,
        budget: int | None = None,
    ) -> StrategicContext:
        """Return what a supervisor should know of a task, within a token budget.

        What its figures call for comes first.

        Args:
            metrics: figures of the caller, replacing those from the record: error_rate,
                repeated_actions and coherence from 0 to 1, repeated_errors, stalled_steps and
                tokens_per_step from 0.
            query: what is to be decided; what is relevant to it comes first within each section.

        Raises:
            InvalidInput: a metric is unknown, not a number or out of range.
            BudgetTooSmall: the critical facts alone need more; it says how many tokens.
        """
        from memoranda.supervision.diagnosis import WELL, diagnose
        from memoranda.supervision.metrics import KNOWN, given_metrics

        if metrics is not None and not isinstance(metrics, Mapping):
            raise InvalidInput('metrics are an object, such as {"error_rate": 0.4}')
        given = given_metrics(metrics or {})
        rooms, scope = self._rooms, self._at_hand(workspace, task)
        known = {} if given.keys() >= set(KNOWN) else rooms.interventions.metrics(scope)
        figures = {**known, **given}
        leading = diagnose(figures)
        room = rooms.settings.context_budget if budget is None else budget
        brief, stood = rooms.strategic.lead(scope, leading, budget=room, query=query)
        raised = rooms.interventions.taken_up(
            scope, leading.state, figures, stood, begin=leading.state != WELL
        )
        id = raised.id if raised else None
        return StrategicContext(leading.state, leading.sections, figures, brief, id)

    def interventions(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        state: InterventionState | str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Intervention]:
        """Return interventions for a supervisor with their outcomes, newest first."""
        chosen = member(InterventionState, state) if state else None
        scope = self._within(workspace, task)
        return self._rooms.interventions.list(scope, chosen, cursor=cursor, limit=limit)

    def intervention_outcome(
        self, id: str, outcome: InterventionOutcome | str, *, note: str = "", correct: bool = False
    ) -> OutcomeRecorded:
        """Record the outcome of an intervention, and rate its memories by it.

        The memories that were in its context are rated, and those that helped often are proposed as
        critical. The same again changes nothing; another outcome requires ``correct``, and replaces
        the one before.

        Raises:
            NotFound: there is no such intervention.
            Conflict: another outcome was recorded before.
        """
        chosen = member(InterventionOutcome, outcome)
        found = self._rooms.interventions.outcome(
            self._scope, normalise(id), chosen, note, correct=correct
        )
        self._rooms.background.wake()
        return found

    def intervention_news(self, channel: str) -> Sequence[Intervention]:
        """Return open interventions not yet sent to a channel, oldest first.

        They are marked as sent: every channel receives each once.
        """
        return self._rooms.interventions.tell(self._scope, normalise(channel))

    def _somewhere(self, workspace: str | None, task: str | None) -> Scope:
        """Return the scope to write to; a workspace of a new name is created."""
        try:
            return self._within(workspace, task)
        except NotFound:
            if task or workspace is None:
                raise
        return self._within(workspace, None, new=True)

    def _at_hand(self, workspace: str | None, task: str | None) -> Scope:
        """Return the scope of a task, watched up to now.

        Without one, that of the newest running task in the workspace.
        """
        scope = self._within(workspace, task)
        if task is None and scope.workspace is not None:
            going = self._rooms.interventions.going_on(scope)
            scope = scope.within(task=going)
        if scope.task:
            self._rooms.chores.watch(scope, self.task(scope.task))
        return scope


def _severity(given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise InvalidInput("a severity is a number from 0 to 1")
    return float(given)
