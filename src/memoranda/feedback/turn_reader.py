"""Classification of a person's turn as feedback, by its text alone."""

from __future__ import annotations

from dataclasses import replace

from memoranda.feedback.cue_scores import reading_of
from memoranda.feedback.cue_weights import BLAME, is_consent, score_turn
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.turn import turn_of
from memoranda.feedback.verdicts import TurnStart, TurnVerdict, VerdictJoint, turn_start

CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType
NOT_SO = "not so, but so"
"""Reason of an order after a refusal: "No, use the test database"."""

NAMED = 2
"""Minimum new words in an order after a refusal to be an alternative.

The refusal must be certain.
"""


def read_feedback(turn: str, before: str | None) -> ParsedFeedback:
    """Classify a person's turn; ``before`` is the assistant's turn it answers.

    Deterministic, in English, in time linear in the turn and bounded: of a long turn the beginning
    and the end are read, without code and quoted lines. What is unclear from the text is either
    uncertain or no feedback at all. What follows a verdict ("Great, but …") is judged separately.
    """
    return read_point(turn, before) or _read(turn, before)


def read_point(turn: str, before: str | None) -> ParsedFeedback | None:
    """Classify a turn by the part after its opening verdict.

    None where it is to be read as a whole.
    """
    opening = turn_start(turn, before)
    if opening is None:
        return None
    whole, point = _read(turn, before), _read(opening.point, before)
    lays_down = point.sure and point.type is PATTERN
    if opening.verdict is TurnVerdict.PRAISE:
        return point if lays_down else _after_praise(opening, before, whole, point)
    if lays_down and (opening.joint is not VerdictJoint.COMMA or whole.type is not CORRECTION):
        return point
    if not point.sure or (whole.sure and whole.type is CORRECTION):
        return None
    if point.type is INSTRUCTION:
        return _ordered_instead(opening, before, whole, point)
    return point if point.type is CORRECTION and not whole.sure else None


def requirement(turn: str, before: str | None) -> str:
    """Return the requirement of a turn, without its opening verdict.

    Where there is none, all of the turn.
    """
    opening = turn_start(turn, before)
    if opening is None:
        return turn
    point = _read(opening.point, before)
    return opening.point if point.sure and point.type in (PATTERN, INSTRUCTION) else turn


def _read(turn: str, before: str | None) -> ParsedFeedback:
    person_turn = turn_of(turn, before)
    return reading_of(score_turn(person_turn), person_turn)


def _after_praise(
    opening: TurnStart, before: str | None, whole: ParsedFeedback, point: ParsedFeedback
) -> ParsedFeedback | None:
    """Classify what follows praise or consent.

    What objects or restricts approves nothing.
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
            if whole.type is INSTRUCTION or _is_instruction(opening, before):
                return None
            return replace(point, sure=parted)
        case FeedbackType.CORRECTION | FeedbackType.REJECTION if contrast or (
            parted and point.sure
        ):
            corrects = point.type is CORRECTION and point.reason != BLAME
            return replace(point, sure=point.sure and corrects)
    if not contrast:
        return None
    return replace(whole if point.type is None else point, sure=False)


def _ordered_instead(
    opening: TurnStart, before: str | None, whole: ParsedFeedback, point: ParsedFeedback
) -> ParsedFeedback | None:
    """Classify an order after a refusal: a correction, unless it only undoes."""
    person_turn = turn_of(opening.point, before)
    answered = person_turn.answered
    if opening.verdict is not TurnVerdict.BLAME or answered is None:
        return point
    if answered.asks and not answered.proposes:
        return point
    if whole.sure and len(person_turn.stems - answered.stems) < NAMED:
        return None
    return replace(point, type=CORRECTION, reason=NOT_SO)


def _is_instruction(opening: TurnStart, before: str | None) -> bool:
    """Return whether the order is the proposal: "Yes, order the tiles"."""
    point = turn_of(opening.point, before)
    if point.answered is None or not point.answered.proposes:
        return False
    return is_consent(opening.words) or bool(point.stems & point.answered.stems)
