"""A verdict that a turn begins with, and the point that it comes to after it.

"Great, but never touch the tax table" praises, and lays something down; the second is what it was
said for. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from memoranda.feedback.cue_scores import reading_of
from memoranda.feedback.cue_weights import BLAME, is_soft, weigh
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import HEAD, turn_of

MOST = 5
"""Parts that a verdict has at most."""
MERE = 4
"""Words up to which what says that it is wrong tells nothing else."""

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


class Joint(Enum):
    """What stands between a verdict and the point."""

    CONTRAST = auto()
    """"But", "except", "however", "only"."""
    END = auto()
    """The verdict is a sentence of its own."""
    COMMA = auto()


class Verdict(Enum):
    """What a part that only judges says of the work."""

    PRAISE = auto()
    """It is right, or may be done."""
    BLAME = auto()
    """It is wrong, or not wanted."""
    POLITE = auto()
    """Nothing."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How a turn begins before it comes to its point."""

    verdict: Verdict
    words: str
    joint: Joint
    point: str
    """The rest, as it was said."""


def opening_of(turn: str, before: str | None) -> Opening | None:
    """Part a turn into the verdict that it begins with and the rest; None where there is none.

    ``before`` is what it answers. At most five parts of the beginning are looked at.
    """
    found: Opening | None = None
    start = 0
    for part, joint, end in _parts(turn):
        verdict = _verdict(part, before)
        if verdict is None:
            break
        if found is not None and verdict is Verdict.POLITE:
            verdict = found.verdict
        found = Opening(verdict, turn[start:end].strip(), joint, turn[end:].strip())
    return found if found is not None and found.point else None


def _parts(turn: str) -> Iterator[tuple[str, Joint, int]]:
    """Yield the parts that a turn begins with, what follows each, and where that ends."""
    start = 0
    for _ in range(MOST):
        joint = _JOINT.search(turn, start, HEAD)
        if joint is None:
            return
        yield turn[start : joint.start()], Joint[str(joint.lastgroup).upper()], joint.end()
        start = joint.end()


def _verdict(part: str, before: str | None) -> Verdict | None:
    """Return the verdict that a part is; None where it says anything else."""
    if _REFUSAL.match(part):
        return Verdict.BLAME
    heard = turn_of(part, before)
    if not heard.text or is_soft(heard):
        return Verdict.POLITE if heard.text else None
    told = reading_of(weigh(heard), heard)
    if told.type is FeedbackType.APPROVAL:
        return Verdict.PRAISE
    return Verdict.BLAME if told.reason == BLAME and heard.words <= MERE else None
