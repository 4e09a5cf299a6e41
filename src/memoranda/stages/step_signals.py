"""The stage that a single step indicates."""

from __future__ import annotations

import re

from memoranda.language.prose import without_fenced
from memoranda.language.words import by_word
from memoranda.stages.action import CONFIDENCE, STAGES, SURE, Action, strongest
from memoranda.stages.command_actions import command_action
from memoranda.stages.model import StageEvidence, StageName, StageSource
from memoranda.stages.state import StepContext
from memoranda.stages.step import Step, StepOutcome, StepSpeaker
from memoranda.stages.text_scores import SILENCE, StageScores, scores
from memoranda.stages.tool_actions import EDITORS, SHELLS, action_of_name, bare_name

HEAD = 2_000
"""Number of characters of a message in which a marker is searched for."""

_STAGES = by_word({
    StageName.PLANNING: "planning plan",
    StageName.EXECUTION: "execution executing implementation implementing coding",
    StageName.REFLECTION: "reflection reflecting retrospective",
    StageName.VERIFICATION: "verification verifying testing review reviewing",
})  # fmt: skip
_WORD = "|".join(sorted(_STAGES, key=len, reverse=True))
_SIGN = r"[\W_]{0,4}"
_MARKER = re.compile(
    rf"^{_SIGN}(?:current[ ])?(?:stage|phase|mode){_SIGN}[ ]?(?:[:=]|is\b){_SIGN}[ ]?({_WORD})"
    rf"(?:[ ](?:stage|phase))?{_SIGN}$"
    rf"|^{_SIGN}(?:entering|starting|beginning)[ ](?:the[ ])?({_WORD})"
    rf"(?:[ ](?:stage|phase))?{_SIGN}$"
    rf"|^<(?:stage|phase)>[ ]?({_WORD})[ ]?</(?:stage|phase)>$"
    rf"|^\[({_WORD})\](?=\s|$)",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^#{{1,4}}[ ]({_WORD})(?:[ ](?:stage|phase))?{_SIGN}$", re.IGNORECASE | re.MULTILINE
)


def marked_stage(words: str) -> StageName | None:
    """Return the stage marked in a message; the last marker counts.

    A heading counts as a marker only if no other heading names another stage; otherwise it is part
    of an outline. Code blocks are ignored.
    """
    text = without_fenced(words[:HEAD])
    names = [_stage(mark) for mark in _MARKER.finditer(text)]
    if names:
        return names[-1]
    headings = {_stage(mark) for mark in _HEADING.finditer(text)}
    return headings.pop() if len(headings) == 1 else None


def _stage(mark: re.Match[str]) -> StageName:
    return _STAGES[next(group for group in mark.groups() if group).lower()]


_TAGGED = (
    ("test", Action.TEST),
    ("lint", Action.LINT),
    ("build", Action.BUILD),
    ("edit", Action.WRITE),
    ("search", Action.LOOK),
    ("read", Action.LOOK),
    ("web", Action.LOOK),
    ("plan", Action.PLAN),
)
"""Actions by observation tag; the first of these tags that is present counts."""


def action_of(step: Step) -> Action | None:
    """Return the action of a step; None for a message without a call."""
    if step.tool is None:
        return None
    name = bare_name(step.tool)
    if name in EDITORS:
        return Action.LOOK if step.command.strip() == "view" else Action.WRITE
    if step.command and (name in SHELLS or action_of_name(step.tool) in (None, Action.RUN)):
        line = step.command if name in SHELLS else f"{name} {step.command}"
        return _described(command_action(line), step)
    action = Action.RUN if name in SHELLS else action_of_name(step.tool)
    return _described(action or Action.RUN, step)


def _described(action: Action, step: Step) -> Action:
    """Refine the action with tags, for unknown programs and long commands.

    Tags show what an unknown program did, and what else a long command ran.
    """
    if "test" in step.tags:
        return strongest([action, Action.TEST])
    if action is not Action.RUN:
        return action
    return next((tagged for tag, tagged in _TAGGED if tag in step.tags), action)


LOOKS_BACK = 2.0
"""Minimum score of the text for reflection after a failure."""
OWNS_UP = 3.5
"""Minimum score of the text for reflection without a known failure."""
SPEAKS = 0.75
"""Minimum total score of a text that indicates a stage."""
MAX_FROM_WORDS = 0.8
"""Maximum confidence of evidence from text alone."""

_PROBES = frozenset((Action.RUN, Action.TEST, Action.CHECK, Action.BUILD, Action.LINT))
_RETRIES = frozenset((Action.LOOK, Action.WRITE))


def read(step: Step, before: StepContext) -> StageEvidence | None:
    """Return the evidence of a single step for a stage.

    Evidence comes from a signal, a marker, or the action and the accompanying text; the result is
    None without evidence. Text before a call belongs to the call.
    """
    if step.signal:
        return StageEvidence(step.signal.stage, 1.0, step.signal.reason, step.signal.source)
    if step.speaker is not StepSpeaker.AGENT:
        return None
    mark = marked_stage(step.words) or before.marker
    if mark:
        return StageEvidence(mark, 1.0, f"marked as {mark}", StageSource.MARKER)
    speech, action = before.said + scores(step.words), action_of(step)
    return (
        _reflection(action, speech, before) or _acting(action, speech, before) or _speaking(speech)
    )


def _reflection(
    action: Action | None, speech: StageScores, before: StepContext
) -> StageEvidence | None:
    reflection = StageName.REFLECTION
    if before.outcome in (StepOutcome.FAILED, StepOutcome.EMPTY) and not _expected(before):
        if speech.reflection >= LOOKS_BACK:
            reason = "reviews a failure"
            return StageEvidence(reflection, 0.85, reason, StageSource.WORDS)
        if speech == SILENCE and _tries_again(action, before):
            reason = f"{action} again after a {before.action} that failed"
            return StageEvidence(reflection, 0.5, reason, StageSource.ACTION)
    if speech.reflection < OWNS_UP:
        return None
    owns_up = action is Action.SUBMIT and speech.reflection > 1.5 * speech.verification
    muses = action in (Action.PLAN, Action.NONE, None) and speech.reflection == max(speech.parts)
    if owns_up or muses:
        return StageEvidence(reflection, 0.6, "looks back", StageSource.WORDS)
    return None


def _expected(before: StepContext) -> bool:
    """Return whether a failure is the one that the task is meant to fix.

    This is the case if the first run fails before anything was changed.
    """
    return before.action in _PROBES and not before.edited


def _tries_again(action: Action | None, before: StepContext) -> bool:
    """Return whether a failed action is being retried in another way.

    This is derived from the order of the calls alone.
    """
    if before.outcome is not StepOutcome.FAILED or action not in _RETRIES:
        return False
    return before.action in (action, Action.WRITE) or before.action in _PROBES


def _acting(
    action: Action | None, speech: StageScores, before: StepContext
) -> StageEvidence | None:
    if action is None or action not in STAGES:
        return None
    changes = speech.execution > 2 * speech.verification
    if changes and action in (Action.RUN, Action.BUILD) and not before.edited:
        reason = f"{action} in order to change something"
        return StageEvidence(StageName.EXECUTION, 0.5, reason, StageSource.WORDS)
    checks = speech.verification > 1.5 * max(speech.planning, speech.execution)
    if checks and action is Action.LOOK and before.edited:
        reason = "checks again after a change"
        return StageEvidence(StageName.VERIFICATION, 0.6, reason, StageSource.WORDS)
    confidence = CONFIDENCE.get(action, SURE)
    return StageEvidence(STAGES[action], confidence, f"action {action}", StageSource.ACTION)


def _speaking(speech: StageScores) -> StageEvidence | None:
    if speech.total <= SPEAKS:
        return None
    share = min(MAX_FROM_WORDS, round(speech.share, 3))
    return StageEvidence(speech.top, share, f"words of {speech.top}", StageSource.WORDS)
