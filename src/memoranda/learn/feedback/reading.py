"""What a person's turn says about the agent's last one, told without a model."""

from __future__ import annotations

from memoranda.learn.feedback.turn import Turn, turn_of
from memoranda.learn.feedback.weighing import Tally, weigh
from memoranda.values.feedback import FeedbackReading, FeedbackType

SURE = 0.35
"""The margin from which a reading may act without a question."""
SPOKEN = 2.0
"""What the strongest cue of the words must weigh for that; context alone is no ground to act."""
SHORT = 60
"""Words up to which a turn may be acted upon; a longer one is a task, a report or a paste."""
SILENT = (0.0, "states another value")
"""Weight and name of what takes the place of a cue where only context speaks."""


def read_feedback(turn: str, before: str | None) -> FeedbackReading:
    """Read a person's turn; ``before`` is the assistant's turn that it answers, if there is one.

    Deterministic, in English, in time linear in the turn and bounded: of a long turn the beginning
    and the end are read, without code and quoted lines. What is not told by its words is either
    not sure or no feedback at all.
    """
    heard = turn_of(turn, before)
    return reading_of(weigh(heard), heard)


def reading_of(tally: Tally, heard: Turn) -> FeedbackReading:
    """Tell what speaks most, and whether that is enough to act."""
    best = max(FeedbackType, key=lambda kind: tally.scores[kind])
    score = tally.scores[best]
    rest = [tally.nothing, *(found for kind, found in tally.scores.items() if kind is not best)]
    if not heard.text or score <= tally.nothing:
        return _nothing(tally)
    margin = round((score - max(rest)) / score, 3)
    weight, cue = tally.said.get(best, SILENT)
    return FeedbackReading(
        type=best,
        confidence=round(score / (score + sum(max(0.0, other) for other in rest)), 3),
        margin=margin,
        reason=cue,
        sure=margin >= SURE and weight >= SPOKEN and heard.words <= SHORT,
    )


def _nothing(tally: Tally) -> FeedbackReading:
    best = max(0.0, *tally.scores.values())
    total = tally.nothing + sum(max(0.0, score) for score in tally.scores.values())
    return FeedbackReading(
        type=None,
        confidence=round(tally.nothing / total, 3),
        margin=round((tally.nothing - best) / tally.nothing, 3),
        reason="",
        sure=False,
    )
