"""Reading with a working, a failing and no embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memoranda.exceptions import EmbedderUnavailable
from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.rejection_counts import cosine
from memoranda.feedback.turn_classifier import FeedbackReader
from memoranda.memories.duplicates import UNKNOWN, TextEmbedding

if TYPE_CHECKING:
    from memoranda.ports import Vectors

TURN, BEFORE = "That's wrong, it is red", "It is blue."


class Letters:
    """Vectors of the frequencies of two letters."""

    name = "letters"
    dimensions = 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        counts = np.array([[t.count("a") + 1, t.count("b")] for t in texts], np.float32)
        found: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return found


class Silent:
    """An embedder that does not answer."""

    name = "silent"
    dimensions = 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        raise EmbedderUnavailable("nobody answers")


@pytest.mark.parametrize("embedder", [None, Silent(), Letters()], ids=["none", "silent", "other"])
def test_without_the_model_the_cues_decide(embedder: Silent | Letters | None) -> None:
    assert FeedbackReader(embedder).read(TURN, BEFORE) == read_feedback(TURN, BEFORE)


def test_a_vector_names_its_model_and_keeps_its_direction() -> None:
    reader = FeedbackReader(Letters())
    one, other = reader.meaning("aaab"), reader.meaning("bbbb")
    assert one.model == "letters"
    assert one.vector is not None
    assert len(one.vector) == 2 * Letters.dimensions
    assert cosine(one, one) == pytest.approx(1, abs=1e-3)
    both = np.float32(4 * 1 + 1 * 4) / (np.hypot(4, 1) * np.hypot(1, 4))
    assert cosine(one, other) == pytest.approx(float(both), abs=1e-3)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_means_nothing(text: str) -> None:
    assert FeedbackReader(Letters()).meaning(text) == UNKNOWN


def test_an_embedder_that_does_not_answer_knows_no_meaning() -> None:
    assert FeedbackReader(Silent()).meaning("lamps") == UNKNOWN
    assert FeedbackReader(None).meaning("lamps") == UNKNOWN
    assert TextEmbedding(None, None) == UNKNOWN
