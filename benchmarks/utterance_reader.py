"""The classifier of utterances as a function, for external graders."""

from __future__ import annotations

from functools import cache

from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.utterances.classifier import UtteranceClassifier


def read(before: str, text: str) -> list[tuple[int, int, str, float]]:
    """Return start, end, label and confidence of each part of a message."""
    return [
        (part.start, part.end, str(part.label), part.confidence)
        for part in _classifier().parts(text, before)
    ]


@cache
def _classifier() -> UtteranceClassifier:
    return UtteranceClassifier(LocalEmbedder())


def read_plain(before: str, text: str) -> list[tuple[int, int, str, float]]:
    """Return the same without an embedder."""
    found = UtteranceClassifier(None).parts(text, before)
    return [(part.start, part.end, str(part.label), part.confidence) for part in found]
