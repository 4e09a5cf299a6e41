"""Reading with whatever there is: with an embedder where it answers, else by cues alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.errors import EmbedderUnavailable
from memoranda.learn.feedback.model import read_with_vectors
from memoranda.learn.feedback.points import read_feedback
from memoranda.learn.likeness import UNKNOWN, Meaning
from memoranda.values.feedback import FeedbackReading

if TYPE_CHECKING:
    from memoranda.ports import Embedder


class Reader:
    """Reads turns and knows what suggestions mean. An embedder that fails is done without."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def read(self, turn: str, before: str | None) -> FeedbackReading:
        """Read a person's turn; ``before`` is what it answers."""
        if self._embedder is None:
            return read_feedback(turn, before)
        try:
            return read_with_vectors(turn, before, self._embedder)
        except EmbedderUnavailable:
            return read_feedback(turn, before)

    def meaning(self, text: str) -> Meaning:
        """Return the vector of a text, if one can be had."""
        if self._embedder is None or not text.strip():
            return UNKNOWN
        try:
            vector = self._embedder.embed([text])[0]
        except EmbedderUnavailable:
            return UNKNOWN
        return Meaning(self._embedder.name, vector.astype("<f2").tobytes())
