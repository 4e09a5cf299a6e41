"""Splits a turn into its opening verdict and the point that follows.

"Great, but never touch the tax table" praises and then sets a rule; the rule is its purpose.
English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from memoranda.feedback.cue_scores import reading_of
from memoranda.feedback.cue_weights import BLAME, is_soft, score_turn
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import HEAD, turn_of

MOST = 5
"""Maximum parts of a verdict."""
MERE = 4
"""Words up to which a statement that it is wrong says nothing else."""

_CONTRAST = r"(?:but|except(?: that| for)?|however|although)"
_PARTED = r"(?:only|though|still)"
_JOINT = re.compile(
    rf"(?P<contrast>[\s,;:.!\u2013\u2014-]{{1,8}}{_CONTRAST}\b[\s,:]{{1,4}}"
    rf"|[,;:.!\u2013\u2014]\s{{0,4}}{_PARTED}\b[\s,:]{{1,4}})"
    r"|(?P<end>[.!;:]{1,4}\s+|\s*\n\s*|\s-{1,2}\s|\s?[\u2013\u2014]\s?)"
    r"|(?P<comma>,\s+)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"\W{0,3}(?:no|nope|nah|no thanks?(?: you)?|no way)\W{0,3}$", re.IGNORECASE)


class VerdictJoint(Enum):
    """Connection of a verdict and the point."""

    CONTRAST = auto()
    """"But", "except", "however", "only"."""
    END = auto()
    """The verdict is a sentence of its own."""
    COMMA = auto()


class TurnVerdict(Enum):
    """Verdict of a part that only judges the work."""

    PRAISE = auto()
    """It is right, or permitted."""
    BLAME = auto()
    """It is wrong, or not desired."""
    POLITE = auto()
    """No verdict."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """Opening of a turn before its point."""

    verdict: TurnVerdict
    words: str
    joint: VerdictJoint
    point: str
    """Rest, verbatim."""


def turn_start(turn: str, before: str | None) -> TurnStart | None:
    """Split a turn into its opening verdict and the rest; None without one.

    ``before`` is what it answers. At most five parts of the beginning are read.
    """
    found: TurnStart | None = None
    start = 0
    for part, joint, end in _parts(turn):
        verdict = _verdict(part, before)
        if verdict is None:
            break
        if found is not None and verdict is TurnVerdict.POLITE:
            verdict = found.verdict
        found = TurnStart(verdict, turn[start:end].strip(), joint, turn[end:].strip())
    return found if found is not None and found.point else None


def _parts(turn: str) -> Iterator[tuple[str, VerdictJoint, int]]:
    """Yield a turn's opening parts, what follows each, and where that ends."""
    start = 0
    for _ in range(MOST):
        joint = _JOINT.search(turn, start, HEAD)
        if joint is None:
            return
        yield turn[start : joint.start()], VerdictJoint[str(joint.lastgroup).upper()], joint.end()
        start = joint.end()


def _verdict(part: str, before: str | None) -> TurnVerdict | None:
    """Return the verdict of a part; None where it says anything else."""
    if _REFUSAL.match(part):
        return TurnVerdict.BLAME
    person_turn = turn_of(part, before)
    if not person_turn.text or is_soft(person_turn):
        return TurnVerdict.POLITE if person_turn.text else None
    reading = reading_of(score_turn(person_turn), person_turn)
    if reading.type is FeedbackType.APPROVAL:
        return TurnVerdict.PRAISE
    return TurnVerdict.BLAME if reading.reason == BLAME and person_turn.words <= MERE else None
