"""Classification of a person's turn as feedback, based on its text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from memoranda.feedback.cue_weights import BLAME, CueScores, is_consent, is_soft, score_turn
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.turn import HEAD, PersonTurn, turn_of

SURE = 0.35
"""Minimum margin of a result that may be acted on without asking."""
SPOKEN = 2.0
"""Minimum weight of the strongest text cue of a sure result.

Context alone is not sufficient.
"""
SHORT = 60
"""Maximum number of words of a turn that may be acted on.

A longer turn is a task, a report or pasted text.
"""
SILENT = (0.0, "states another value")
"""Weight and name used instead of a cue if there is only context."""


def reading_of(tally: CueScores, turn: PersonTurn) -> ParsedFeedback:
    """Return the type with the best score, and whether it may be acted on."""
    best = max(FeedbackType, key=lambda kind: tally.scores[kind])
    score = tally.scores[best]
    rest = [tally.nothing, *(found for kind, found in tally.scores.items() if kind is not best)]
    if not turn.text or score <= tally.nothing:
        return _nothing(tally)
    margin = round((score - max(rest)) / score, 3)
    weight, cue = tally.said.get(best, SILENT)
    return ParsedFeedback(
        type=best,
        confidence=round(score / (score + sum(max(0.0, other) for other in rest)), 3),
        margin=margin,
        reason=cue,
        sure=margin >= SURE and weight >= SPOKEN and turn.words <= SHORT,
    )


def _nothing(tally: CueScores) -> ParsedFeedback:
    best = max(0.0, *tally.scores.values())
    total = tally.nothing + sum(max(0.0, score) for score in tally.scores.values())
    return ParsedFeedback(
        type=None,
        confidence=round(tally.nothing / total, 3),
        margin=round((tally.nothing - best) / tally.nothing, 3),
        reason="",
        sure=False,
    )


MAXIMUM = 5
"""Maximum number of parts of an opening verdict."""
MERE = 4
"""Maximum number of words of a part that only states that something is wrong."""

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
    """Connection between a verdict and what follows."""

    CONTRAST = auto()
    """"But", "except", "however", "only"."""
    END = auto()
    """The verdict is a sentence of its own."""
    COMMA = auto()


class TurnVerdict(Enum):
    """Verdict of a part of a turn that only judges the work."""

    PRAISE = auto()
    """The work is right or permitted."""
    BLAME = auto()
    """The work is wrong or not wanted."""
    POLITE = auto()
    """No verdict."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """Opening of a turn, before the actual content."""

    verdict: TurnVerdict
    words: str
    joint: VerdictJoint
    point: str
    """Rest of the turn, verbatim."""


def turn_start(turn: str, before: str | None) -> TurnStart | None:
    """Split a turn into its opening verdict and the rest; None without one.

    ``before`` is the message that the turn answers. At most five parts of the beginning are read.
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
    """Yield a turn's opening parts, with the following joint and its end."""
    start = 0
    for _ in range(MAXIMUM):
        joint = _JOINT.search(turn, start, HEAD)
        if joint is None:
            return
        yield turn[start : joint.start()], VerdictJoint[str(joint.lastgroup).upper()], joint.end()
        start = joint.end()


def _verdict(part: str, before: str | None) -> TurnVerdict | None:
    """Return the verdict of a part; None if it says anything else."""
    if _REFUSAL.match(part):
        return TurnVerdict.BLAME
    person_turn = turn_of(part, before)
    if not person_turn.text or is_soft(person_turn):
        return TurnVerdict.POLITE if person_turn.text else None
    reading = reading_of(score_turn(person_turn), person_turn)
    if reading.type is FeedbackType.APPROVAL:
        return TurnVerdict.PRAISE
    return TurnVerdict.BLAME if reading.reason == BLAME and person_turn.words <= MERE else None


CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType
NOT_SO = "not so, but so"
"""Reason for an instruction after a refusal: "No, use the test database"."""

NAMED = 2
"""Minimum number of new words in an instruction that is an alternative after a clear refusal."""


def read_feedback(turn: str, before: str | None) -> ParsedFeedback:
    """Classify a person's turn; ``before`` is the assistant's previous turn.

    Deterministic, for English, in bounded linear time: the beginning and the end of a long turn are
    read, without code and quoted lines. An unclear turn is classified as uncertain or as no
    feedback. Text after a verdict ("Great, but …") is classified separately.
    """
    return read_point(turn, before) or _read(turn, before)


def read_point(turn: str, before: str | None) -> ParsedFeedback | None:
    """Classify a turn by the part after its opening verdict.

    The result is None if the turn must be classified as a whole.
    """
    opening = turn_start(turn, before)
    if opening is None:
        return None
    feedback, point = _read(turn, before), _read(opening.point, before)
    lays_down = point.sure and point.type is PATTERN
    if opening.verdict is TurnVerdict.PRAISE:
        return point if lays_down else _after_praise(opening, before, feedback, point)
    if lays_down and (opening.joint is not VerdictJoint.COMMA or feedback.type is not CORRECTION):
        return point
    if not point.sure or (feedback.sure and feedback.type is CORRECTION):
        return None
    if point.type is INSTRUCTION:
        return _ordered_instead(opening, before, feedback, point)
    return point if point.type is CORRECTION and not feedback.sure else None


def requirement(turn: str, before: str | None) -> str:
    """Return a turn without its opening verdict, if it has one."""
    opening = turn_start(turn, before)
    if opening is None:
        return turn
    point = _read(opening.point, before)
    return opening.point if point.sure and point.type in (PATTERN, INSTRUCTION) else turn


def _read(turn: str, before: str | None) -> ParsedFeedback:
    person_turn = turn_of(turn, before)
    return reading_of(score_turn(person_turn), person_turn)


def _after_praise(
    opening: TurnStart, before: str | None, entire: ParsedFeedback, point: ParsedFeedback
) -> ParsedFeedback | None:
    """Classify the text after praise or consent.

    A turn that then objects or restricts is not an approval.
    """
    contrast, parted = (
        opening.joint is VerdictJoint.CONTRAST,
        opening.joint is not VerdictJoint.COMMA,
    )
    match point.type:
        case FeedbackType.APPROVAL:
            return None
        case FeedbackType.INSTRUCTION if point.sure:
            if contrast:
                return point
            if entire.type is INSTRUCTION or _is_instruction(opening, before):
                return None
            return replace(point, sure=parted)
        case FeedbackType.CORRECTION | FeedbackType.REJECTION if contrast or (
            parted and point.sure
        ):
            corrects = point.type is CORRECTION and point.reason != BLAME
            return replace(point, sure=point.sure and corrects)
    if not contrast:
        return None
    return replace(entire if point.type is None else point, sure=False)


def _ordered_instead(
    opening: TurnStart, before: str | None, entire: ParsedFeedback, point: ParsedFeedback
) -> ParsedFeedback | None:
    """Classify an instruction after a refusal.

    The instruction is a correction, unless it only undoes something.
    """
    person_turn = turn_of(opening.point, before)
    answered = person_turn.answered
    if opening.verdict is not TurnVerdict.BLAME or answered is None:
        return point
    if answered.asks and not answered.proposes:
        return point
    if entire.sure and len(person_turn.stems - answered.stems) < NAMED:
        return None
    return replace(point, type=CORRECTION, reason=NOT_SO)


def _is_instruction(opening: TurnStart, before: str | None) -> bool:
    """Return whether an instruction repeats the proposal: "Yes, order it"."""
    point = turn_of(opening.point, before)
    if point.answered is None or not point.answered.proposes:
        return False
    return is_consent(opening.words) or bool(point.stems & point.answered.stems)
