"""The feedback model adds to cues, and never decides alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memoranda.feedback.cue_classifier import read_feedback, reading_of
from memoranda.feedback.cue_weights import score_turn
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.turn import turn_of
from memoranda.feedback.vector_classifier import (
    CLASSES,
    MEANING,
    combined,
    read_with_vectors,
    shipped_model,
)
from memoranda.models.embedding.minilm import DIMENSIONS, LocalEmbedder

if TYPE_CHECKING:
    from memoranda.ports import Vectors


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


class OtherEmbedder:
    """Vectors of an embedder that the weights were not fitted to."""

    name = "counting-letters"
    dimensions = 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        raise AssertionError("its vectors say nothing to the model")


def chances(kind: FeedbackType | None, share: float) -> list[float]:
    """Return a probability for one class and equal ones for the rest."""
    rest = (1 - share) / (len(CLASSES) - 1)
    return [share if other is kind else rest for other in CLASSES]


def together(turn: str, before: str | None, found: Sequence[float]) -> ParsedFeedback:
    heard = turn_of(turn, before)
    tally = score_turn(heard)
    return combined(reading_of(tally, heard), tally, found)


WITHOUT_CUES = [
    (FeedbackType.CORRECTION, "The hall holds forty guests.", "sixty with the balcony"),
    (
        FeedbackType.REJECTION,
        "I'd put the stage in the cellar.",
        "people would suffocate down there",
    ),
    (FeedbackType.APPROVAL, "I moved the piano to the window.", "everybody adores it there"),
    (FeedbackType.PATTERN, None, "evening concerts end before ten at our house"),
    (FeedbackType.INSTRUCTION, None, "the poster needs a bigger date, sort that out"),
]


@pytest.mark.parametrize(("kind", "before", "turn"), WITHOUT_CUES)
def test_the_model_detects_what_has_no_cue_and_is_never_certain(
    kind: FeedbackType, before: str | None, turn: str, embedder: LocalEmbedder
) -> None:
    reading = read_with_vectors(turn, before, embedder)
    assert reading.type is kind
    assert not reading.sure
    assert not read_feedback(turn, before).sure


def test_sure_cues_stay_what_they_are(embedder: LocalEmbedder) -> None:
    turn = "From now on, quote prices with tax"
    assert read_with_vectors(turn, None, embedder) == read_feedback(turn, None)


def test_a_model_alone_is_not_sure_however_probable() -> None:
    reading = together("the well is deep", None, chances(FeedbackType.PATTERN, 0.999))
    assert reading.type is FeedbackType.PATTERN
    assert reading.reason == MEANING
    assert not reading.sure


def test_a_model_that_contradicts_takes_the_sureness_and_leaves_the_type() -> None:
    turn = "From now on, quote prices with tax"
    assert together(turn, None, chances(FeedbackType.PATTERN, 0.5)).sure
    assert together(turn, None, chances(None, 0.9)).sure, "silence is no contradiction"
    assert together(turn, None, chances(FeedbackType.REJECTION, 0.55)).sure
    doubted = together(turn, None, chances(FeedbackType.REJECTION, 0.65))
    assert doubted.type is FeedbackType.PATTERN
    assert not doubted.sure


@pytest.mark.parametrize("turn", ["Never push to main", "Don't touch the migrations folder"])
def test_a_rule_in_the_imperative_is_one_though_it_may_correct_too(turn: str) -> None:
    before = "I put the totals into cart.py"
    assert together(turn, before, chances(FeedbackType.CORRECTION, 0.9)).sure
    assert not together("I prefer tabs", before, chances(FeedbackType.CORRECTION, 0.9)).sure


def test_cues_and_model_are_weighed_as_logits() -> None:
    turn, before = "the pump has two filters", "The pump has one filter."
    score = score_turn(turn_of(turn, before)).scores[FeedbackType.CORRECTION]
    even = 1 / (1 + exp(score))

    def type_at(approval: float) -> FeedbackType | None:
        found = [0.0] * len(CLASSES)
        found[CLASSES.index(FeedbackType.APPROVAL)] = approval
        found[CLASSES.index(FeedbackType.CORRECTION)] = 1 - approval
        return together(turn, before, found).type

    assert score > log(2)
    assert type_at(1 - even - 0.02) is FeedbackType.CORRECTION
    assert type_at(1 - even + 0.02) is FeedbackType.APPROVAL


def test_with_another_embedder_the_cues_decide_alone() -> None:
    turn, before = "sixty with the balcony", "The hall holds forty guests."
    assert read_with_vectors(turn, before, OtherEmbedder()) == read_feedback(turn, before)


@pytest.mark.parametrize("turn", ["", "  ", "```\ncode\n```"], ids=["empty", "blank", "code"])
def test_an_empty_text_is_no_feedback(turn: str, embedder: LocalEmbedder) -> None:
    assert read_with_vectors(turn, None, embedder).type is None
    assert read_with_vectors(turn, "I moved the piano.", embedder).type is None


def test_the_shipped_weights_fit_the_shipped_embedder() -> None:
    model = shipped_model()
    assert model.embedder == LocalEmbedder.name
    assert model.weights.shape == (2 * DIMENSIONS + 9, len(CLASSES))
    assert np.isfinite(model.weights).all()
    assert shipped_model() is model


def test_probabilities_are_probabilities() -> None:
    rows = np.random.default_rng(3).normal(size=(5, 2 * DIMENSIONS + 8)).astype(np.float32)
    found = shipped_model().probabilities(rows)
    assert found.shape == (5, len(CLASSES))
    assert np.allclose(found.sum(axis=1), 1, atol=1e-5)
