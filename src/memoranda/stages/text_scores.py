"""Scores of each stage from an agent's text."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.stages.cues import ASKING, CUES, INTENT
from memoranda.stages.model import StageName
from memoranda.text import one_line

HEAD, TAIL = 900, 600
"""Characters of a message that are read: where it begins, and where it says what comes next."""

QUESTION = 2.5
"""Score of a question to the person for planning."""
AHEAD, BACK = 1.5, 0.7
"""What a cue counts behind the last word of intent, and before it. Looking back counts alike."""


@dataclass(frozen=True, slots=True)
class StageScores:
    """Weight of the words for each stage; 0 and up, without a unit."""

    planning: float = 0.0
    execution: float = 0.0
    reflection: float = 0.0
    verification: float = 0.0

    def __add__(self, other: StageScores) -> StageScores:
        return StageScores(*(round(a + b, 3) for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """The four numbers, in the order of the fields."""
        return self.planning, self.execution, self.reflection, self.verification

    @property
    def total(self) -> float:
        """Sum of the four; 0 when no words counted."""
        return sum(self.parts)

    @property
    def top(self) -> StageName:
        """The stage with the highest score; the first of equals."""
        return max(zip(self.parts, _ORDER, strict=True), key=lambda pair: pair[0])[1]

    @property
    def share(self) -> float:
        """Share of the top stage in the total, 0 to 1."""
        return max(self.parts) / self.total if self.total else 0.0


_ORDER = (
    StageName.PLANNING,
    StageName.EXECUTION,
    StageName.REFLECTION,
    StageName.VERIFICATION,
)
SILENCE = StageScores()


def scores(words: str) -> StageScores:
    """Score the words of a step; at bounded cost, whatever their length."""
    text = _read_part(words)
    if not text:
        return SILENCE
    intent = max((found.start() for found in INTENT.finditer(text)), default=None)
    by_stage = {stage: _score(stage, text, intent) for stage in _ORDER}
    if ASKING.search(text):
        by_stage[StageName.PLANNING] += QUESTION
    return StageScores(*(round(by_stage[stage], 3) for stage in _ORDER))


def _read_part(words: str) -> str:
    if len(words) > HEAD + TAIL:
        words = f"{words[:HEAD]} {words[-TAIL:]}"
    return one_line(words).lower().replace("\u2019", "'")


def _score(stage: StageName, text: str, intent: int | None) -> float:
    score = 0.0
    for cue in CUES[stage]:
        if cue.pattern.search(text) is None:
            continue
        if stage is StageName.REFLECTION:
            score += cue.weight
        else:
            ahead = intent is not None and cue.pattern.search(text, intent) is not None
            score += cue.weight * (AHEAD if ahead else BACK)
    return score
