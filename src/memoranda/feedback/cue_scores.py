"""Conversion of cue scores into one feedback reading, without a model."""

from __future__ import annotations

from memoranda.feedback.cue_weights import CueScores
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.turn import PersonTurn

SURE = 0.35
"""Margin from which a reading may be acted on without a question."""
SPOKEN = 2.0
"""Minimum weight of the strongest text cue for that.

Context alone is no ground to act.
"""
SHORT = 60
"""Words up to which a turn may be acted on.

A longer one is a task, a report or a paste.
"""
SILENT = (0.0, "states another value")
"""Weight and name used in place of a cue if only context is present."""


def reading_of(tally: CueScores, turn: PersonTurn) -> ParsedFeedback:
    """Return the reading with the best score, and whether it suffices to act."""
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
