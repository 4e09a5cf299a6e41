"""Creates steps from observations and their readable content."""

from __future__ import annotations

import re

from memoranda.exceptions import InvalidInput
from memoranda.json_data import parse_json
from memoranda.language.shell import command_end
from memoranda.observations.content import past_arguments
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.stages.step import Step, StepOutcome, StepSpeaker
from memoranda.text import strip_ansi

CALL = 16_000
"""Number of characters at the start of the content in which the call is searched for."""
THOUGHT = 8_000
"""Number of characters of a call in which the agent's text is searched for."""

_SPEAKERS = {Origin.AGENT: StepSpeaker.AGENT, Origin.HUMAN: StepSpeaker.PERSON}
_SPOKEN = frozenset((ObservationType.MESSAGE, ObservationType.LEARNING))
_NOTHING = re.compile(
    r"\W{0,3}(?:no (?:matches|files|results|entries|such|output)\b|nothing (?:found|matched)"
    r"|(?:found )?0 (?:matches|files|results|hits)\b|\[\]\s*$|.{0,80}\bnot found\b)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\W{0,3}(?:error\b|failed\b|invalid\b|unable to\b|could not\b|cannot\b|denied\b|rejected\b"
    r"|.{0,60}\b(?:introduced|contains?|has) .{0,30}\berrors?\b|.{0,60}\bpermission denied\b)",
    re.IGNORECASE,
)
"""Beginning of an output that is an error but was not reported as an error."""


def step_of(observation: Observation, text: str) -> Step:
    """Convert an observation and its content into a step.

    ``text`` is the content as the store renders it for a reader: first the call, with ``$`` before
    a command, then the output. Only the beginning is examined, and there may be no call.
    """
    step_outcome = _outcome(observation)
    if observation.tool is None:
        words, command, outcome = text, "", step_outcome
    else:
        command, output = _split(text[:CALL], observation.tool)
        words = _thought(text[:THOUGHT], observation.tool)
        outcome = _seen(output) if step_outcome is StepOutcome.FINE else step_outcome
    return Step(
        sequence=observation.sequence,
        created_at=observation.created_at,
        speaker=_speaker(observation),
        words=words,
        tool=observation.tool,
        command=command,
        outcome=outcome,
        tags=frozenset(observation.tags),
    )


def _speaker(observation: Observation) -> StepSpeaker:
    if observation.tool is not None:
        return StepSpeaker.AGENT
    if observation.type in _SPOKEN or observation.type is ObservationType.DECISION:
        return _SPEAKERS.get(observation.origin, StepSpeaker.OTHER)
    return StepSpeaker.OTHER


def _outcome(observation: Observation) -> StepOutcome:
    """Return the outcome that the observation states."""
    if "pending" in observation.tags:
        return StepOutcome.UNKNOWN
    failed = observation.type is ObservationType.ERROR
    return StepOutcome.FAILED if failed else StepOutcome.FINE


def _seen(output: str) -> StepOutcome:
    """Derive the outcome from the start of an output."""
    head = strip_ansi(output[:400]).lstrip()
    if _NOTHING.match(head):
        return StepOutcome.EMPTY
    return StepOutcome.FAILED if _REFUSED.match(head) else StepOutcome.FINE


def _split(text: str, tool: str) -> tuple[str, str]:
    """Split content into command, if there is one, and output."""
    if not text.startswith("$ "):
        return "", text.partition("\n")[2] if text.startswith(tool) else text
    end = command_end(text)
    return text[2:end], past_arguments(text[end + 1 :])


def _thought(text: str, tool: str) -> str:
    """Return the text of a tool that records thoughts; '' for any other tool."""
    call = text.partition("\n")[0]
    if '"thought":' not in call or not call.startswith(f"{tool} {{"):
        return ""
    try:
        arguments = parse_json(call[len(tool) + 1 :])
    except InvalidInput:  # truncated, or in another format
        return ""
    thought = arguments.get("thought") if isinstance(arguments, dict) else None
    return thought if isinstance(thought, str) else ""
