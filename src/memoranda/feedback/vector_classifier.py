"""Fitted classifier that recognises phrasings other than the cues.

Multinomial logistic regression (Hastie, Tibshirani and Friedman, "The Elements of Statistical
Learning", 4.4) on the vectors of the turn and of the preceding one. The classifier was fitted by
benchmarks/fit_feedback.py to turns written for that purpose, for one embedding model only. Its
result alone is never acted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.feedback.cue_classifier import read_point, reading_of
from memoranda.feedback.cue_weights import HANDS_OFF, NOTHING, CueScores, score_turn
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.turn import PersonTurn, turn_of

if TYPE_CHECKING:
    from memoranda.ports import Embedder, Vectors

WEIGHTS = Path(__file__).with_name("weights.npz")
CLASSES: tuple[FeedbackType | None, ...] = (*FeedbackType, None)
MEANING = "the meaning of the words"
"""Reason for a result without a cue."""
CONTRADICTS = 0.6
"""Minimum probability at which the model makes the cues uncertain."""
OUTRIGHT = frozenset({"always or never, to begin with", HANDS_OFF})
"""Cues of explicit rules.

The model is ignored for these cues, since it disagrees only because a rule may also be a
correction.
"""
_BEFORE = 0.5
"""Weight of the previous turn relative to the turn itself."""
_LONG = 30
"""Number of words above which a turn's length has no further effect."""


@dataclass(frozen=True, slots=True)
class FeedbackModel:
    """Fitted weights of the model."""

    embedder: str
    """Embedding model whose vectors the weights were fitted to."""
    weights: Vectors
    """Weights: (features + 1, classes) float32; the last row is the bias."""

    def probabilities(self, features: Vectors) -> Vectors:
        """Return the probability of each class for each row of features."""
        import numpy as np

        scores = features @ self.weights[:-1] + self.weights[-1]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        result: Vectors = powers / powers.sum(axis=1, keepdims=True)
        return result


@cache
def shipped_model() -> FeedbackModel:
    """Load the weights of the package, once."""
    import numpy as np

    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return FeedbackModel(str(arrays["embedder"]), arrays["weights"].astype(np.float32))


def features_of(turn: PersonTurn, vector: Vectors, vector_before: Vectors | None) -> Vectors:
    """Return the features of a turn: both vectors, their cosine, seven facts.

    The vectors are unit vectors of shape (d,); the result has shape (2 d + 8,).
    """
    import numpy as np

    answered = turn.answered
    before = np.zeros_like(vector) if vector_before is None else vector_before
    facts = [
        float(vector @ before),
        answered is not None,
        answered is not None and answered.questions,
        answered is not None and answered.proposes,
        answered is not None and answered.asks,
        answered is not None and answered.reports,
        turn.questions,
        2 * min(turn.words, _LONG) / _LONG,
    ]
    result: Vectors = np.concatenate((vector, _BEFORE * before, np.array(facts, np.float32)))
    return result


def read_with_vectors(turn: str, before: str | None, embedder: Embedder) -> ParsedFeedback:
    """Classify a turn by its cues and the model together.

    The result is certain only if the cues are and the model does not contradict them. The cues
    alone decide if the embedder is not the one that the model was fitted to, and for text after a
    verdict, since the model was fitted to whole turns.

    Raises:
        EmbedderUnavailable: the embedder cannot be loaded or does not answer.
    """
    before = before if before and before.strip() else None
    if (point := read_point(turn, before)) is not None:
        return point
    person_turn = turn_of(turn, before)
    tally = score_turn(person_turn)
    alone = reading_of(tally, person_turn)
    model = shipped_model()
    if embedder.name != model.embedder or not person_turn.text:
        return alone
    vectors = embedder.embed([turn, before] if before else [turn])
    features = features_of(person_turn, vectors[0], vectors[1] if before else None)
    chances = model.probabilities(features[None, :])[0]
    return combined(alone, tally, [float(chance) for chance in chances])


def combined(alone: ParsedFeedback, tally: CueScores, chances: Sequence[float]) -> ParsedFeedback:
    """Combine the model's probabilities with the scores of the cues.

    ``chances`` are in order of CLASSES. Certain cues keep their type. Otherwise the scores of cues
    are logits that are added to the model's, assuming independence.
    """
    if alone.sure:
        return replace(alone, sure=not _contradicted(alone, chances))
    logits = [*tally.scores.values(), tally.nothing - NOTHING]
    joint = [chance * exp(logit) for chance, logit in zip(chances, logits, strict=True)]
    first, second, *_ = sorted(joint, reverse=True)
    kind = CLASSES[joint.index(first)]
    if kind is alone.type:
        return alone
    return ParsedFeedback(
        type=kind,
        confidence=round(first / sum(joint), 3),
        margin=round((first - second) / first, 3),
        reason=tally.said[kind][1] if kind in tally.said else MEANING,
        sure=False,
    )


def _contradicted(alone: ParsedFeedback, chances: Sequence[float]) -> bool:
    """Return whether the model considers another type highly probable."""
    if alone.reason in OUTRIGHT:
        return False
    highest = max(chances)
    likeliest = CLASSES[list(chances).index(highest)]
    return likeliest is not None and likeliest is not alone.type and highest >= CONTRADICTS
