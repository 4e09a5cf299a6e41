"""Detects stages from steps: which step opens a stage, and its start.

Exploration is the most common kind of single step, so a planning stage opens only at the second
planning step in a row, and then starts at the first of them; every other stage opens at once. Steps
without evidence continue the current stage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.stages.action import Action
from memoranda.stages.model import StageEvidence, StageMode, StageName, StageSource, Transition
from memoranda.stages.state import StageState, StepContext
from memoranda.stages.step import Step, StepOutcome, StepSpeaker
from memoranda.stages.step_signals import action_of, marked_stage, read
from memoranda.stages.text_scores import SILENCE, scores

OUTRIGHT = frozenset((StageSource.MARKER, StageSource.SUPERVISOR, StageSource.HAND))
"""Sources that are certain.

Evidence from such a source opens a stage at once, and text alone does not end that stage.
"""


@dataclass(frozen=True, slots=True)
class StageLimits:
    """Maximum lengths of a stage without any step that indicates a stage."""

    steps: int = 20
    microseconds: int = 30 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class TrackedStep:
    """Result of processing a step."""

    state: StageState
    evidence: StageEvidence | None = None
    """Evidence from the step, or from the preceding message if that had no call."""
    transition: Transition | None = None


class StageTracker:
    """Assigns steps to stages. Stateless and thread-safe.

    Steps are passed in the order of their sequence numbers. Passing them one by one, with the state
    kept as JSON in between, has the same result as passing them all at once.
    """

    def __init__(
        self, patience: StageLimits | None = None, mode: StageMode = StageMode.AUTOMATIC
    ) -> None:
        """Create the tracker; the mode applies to changes not explicitly stated."""
        self._patience = patience or StageLimits()
        self._mode = mode

    def take(self, state: StageState, step: Step) -> TrackedStep:
        """Process one step.

        A message is not evaluated until the call that may follow it, unless it contains a marker.
        """
        return self._permitted(state, self._advanced(state, step))

    def _advanced(self, state: StageState, step: Step) -> TrackedStep:
        if state.first is None:
            state = replace(state, first=step.sequence, evident_at=step.created_at)
        if step.signal:
            return self._obey(state, step)
        if step.speaker is StepSpeaker.OTHER:
            return TrackedStep(state)
        if step.speaker is StepSpeaker.PERSON:
            return _answered(self._evaluate_pending(state, step.created_at))
        if step.tool is None:
            return self._listen(state, step)
        done = self._judge(state, step)
        return replace(done, state=_after(done.state, step))

    def finish(self, state: StageState, at: int) -> TrackedStep:
        """Evaluate the last message, since no call will follow it.

        ``at`` is the current time in microseconds.
        """
        return self._permitted(state, self._evaluate_pending(state, at))

    def _permitted(self, before: StageState, tracked: TrackedStep) -> TrackedStep:
        """Convert a transition to a suggestion if the mode requires it."""
        if self._mode is StageMode.AUTOMATIC:
            return tracked
        transition, state, evidence = tracked.transition, tracked.state, tracked.evidence
        first = self._mode is StageMode.SUGGESTED and before.stage is None
        if transition is None:
            back = evidence is not None and evidence.stage is before.stage
            return replace(tracked, state=replace(state, suggested=None)) if back else tracked
        if first or transition.source in OUTRIGHT:
            return replace(tracked, state=replace(state, suggested=None))
        suggested = transition.stage if self._mode is StageMode.SUGGESTED else None
        state = replace(state, stage=before.stage, settled=before.settled, suggested=suggested)
        return replace(tracked, state=state, transition=None)

    def _obey(self, state: StageState, step: Step) -> TrackedStep:
        done = self._judge(_silent(state), step)
        return done if step.tool is None else replace(done, state=_after(done.state, step))

    def _listen(self, state: StageState, message: Step) -> TrackedStep:
        mark = marked_stage(message.words)
        done = TrackedStep(state) if mark else self._evaluate_pending(state, message.created_at)
        before = replace(done.state.before, said=scores(message.words), marker=mark)
        updated = replace(done.state, before=before, speaking_since=message.sequence)
        if mark is None:
            return replace(done, state=updated)
        return self._judge(updated, replace(message, words=""))

    def _evaluate_pending(self, state: StageState, at: int) -> TrackedStep:
        """Evaluate the pending message without a call, if there is one."""
        if state.speaking_since is None:
            return TrackedStep(_silent(state))
        done = self._judge(state, Step(sequence=state.speaking_since, created_at=at))
        return replace(done, state=_silent(done.state))

    def _judge(self, state: StageState, step: Step) -> TrackedStep:
        evidence = read(step, state.before)
        if evidence is None:
            return self._wait(state, step)
        if state.settled and evidence.source is StageSource.WORDS:
            return TrackedStep(state, evidence)
        begun = _begun(state, step)
        if _opens(state, evidence, step):
            return _opened(state, evidence, begun, step.created_at)
        settled = state.settled or evidence.source in OUTRIGHT
        looks = evidence.stage is not state.stage
        return TrackedStep(replace(_evident(state, step.created_at), settled=settled,
                               looking_since=begun if looks else None), evidence)  # fmt: skip

    def _wait(self, state: StageState, step: Step) -> TrackedStep:
        """Count a step without clear evidence; after many, use their total score."""
        leaning = state.leaning + state.before.said + scores(step.words)
        waiting = replace(state, quiet=state.quiet + 1, leaning=leaning)
        since = step.created_at - (state.evident_at or step.created_at)
        patient = waiting.quiet < self._patience.steps and since < self._patience.microseconds
        if patient or state.settled or not leaning.total or leaning.top is state.stage:
            return TrackedStep(waiting)
        reason = f"{waiting.quiet} steps contain little evidence, and tend towards {leaning.top}"
        evidence = StageEvidence(
            leaning.top, round(0.5 * leaning.share, 3), reason, StageSource.DURATION
        )
        return _opened(state, evidence, _begun(state, step), step.created_at)


def _opens(state: StageState, evidence: StageEvidence, step: Step) -> bool:
    if evidence.stage is state.stage:
        return False
    if state.stage is None or evidence.source in OUTRIGHT:
        return True
    if evidence.stage is not StageName.PLANNING or state.looking_since is not None:
        return True
    return action_of(step) is Action.PLAN


def _opened(state: StageState, evidence: StageEvidence, begun: int, at: int) -> TrackedStep:
    starts = begun
    if state.stage is None and state.first is not None:
        starts = state.first
    elif evidence.stage is StageName.PLANNING and evidence.source not in OUTRIGHT:
        starts = begun if state.looking_since is None else state.looking_since
    transition = Transition(
        stage=evidence.stage,
        starts_at_sequence=starts,
        reason=evidence.reason,
        confidence=evidence.confidence,
        source=evidence.source,
    )
    opened = replace(
        _evident(state, at),
        stage=evidence.stage,
        settled=evidence.source in OUTRIGHT,
        looking_since=None,
    )
    return TrackedStep(opened, evidence, transition)


def _begun(state: StageState, step: Step) -> int:
    return step.sequence if state.speaking_since is None else state.speaking_since


def _evident(state: StageState, at: int) -> StageState:
    return replace(state, evident_at=at, quiet=0, leaning=SILENCE)


def _silent(state: StageState) -> StageState:
    before = replace(state.before, said=SILENCE, marker=None)
    return replace(state, before=before, speaking_since=None)


def _answered(done: TrackedStep) -> TrackedStep:
    """Reset the previous call, because a person has written a message.

    The agent's next action responds to the person, not to the agent's last call.
    """
    before = StepContext(edited=done.state.before.edited)
    return replace(done, state=replace(done.state, before=before))


def _after(state: StageState, step: Step) -> StageState:
    action = action_of(step)
    wrote = action is Action.WRITE and step.outcome is not StepOutcome.FAILED
    before = StepContext(action, step.outcome, edited=state.before.edited or wrote)
    return replace(state, before=before, speaking_since=None)
