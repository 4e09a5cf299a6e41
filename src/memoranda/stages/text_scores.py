"""Scores of each stage from an agent's text."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.stages.cues import ASKING, CUES, INTENT
from memoranda.stages.model import StageName
from memoranda.text import one_line

HEAD, TAIL = 900, 600
"""Number of characters that are read at the start and at the end of a message."""

QUESTION = 2.5
"""Score for planning of a question to the person."""
AHEAD, BACK = 1.5, 0.7
"""Factors for a cue after and before the last stated intent; reflection is not affected."""


@dataclass(frozen=True, slots=True)
class StageScores:
    """Non-negative scores of a text for each stage, without a unit."""

    planning: float = 0.0
    execution: float = 0.0
    reflection: float = 0.0
    verification: float = 0.0

    def __add__(self, other: StageScores) -> StageScores:
        return StageScores(*(round(a + b, 3) for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """The four scores, in the order of the fields."""
        return self.planning, self.execution, self.reflection, self.verification

    @property
    def total(self) -> float:
        """Sum of the four scores; 0 if there are no cues."""
        return sum(self.parts)

    @property
    def top(self) -> StageName:
        """The stage with the highest score; in case of a tie, the first one."""
        return max(zip(self.parts, _ORDER, strict=True), key=lambda pair: pair[0])[1]

    @property
    def share(self) -> float:
        """Share of the top stage in the total, 0 to 1."""
        return max(self.parts) / self.total if self.total else 0.0


_ORDER = (StageName.PLANNING, StageName.EXECUTION, StageName.REFLECTION, StageName.VERIFICATION)
SILENCE = StageScores()


def scores(words: str) -> StageScores:
    """Score the text of a step; the cost is bounded for texts of any length."""
    text = _read_part(words)
    if not text:
        return SILENCE
    intent = max((match.start() for match in INTENT.finditer(text)), default=None)
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
