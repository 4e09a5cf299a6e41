"""Parser of a person's messages to a coding agent: parts and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier as UtteranceClassifier
    from memoranda.utterances.labels import (
        LABELS as LABELS,
        LASTING as LASTING,
        UtteranceLabel as UtteranceLabel,
        UtterancePart as UtterancePart,
    )
    from memoranda.utterances.message_clauses import clause_spans as clause_spans
    from memoranda.utterances.sentence_cues import (
        antecedent as antecedent,
        is_aside as is_aside,
        is_momentary as is_momentary,
        is_praise as is_praise,
        plain_classifier as plain_classifier,
        points_back as points_back,
    )

__all__ = [
    "LABELS",
    "LASTING",
    "UtteranceClassifier",
    "UtteranceLabel",
    "UtterancePart",
    "antecedent",
    "clause_spans",
    "is_aside",
    "is_momentary",
    "is_praise",
    "plain_classifier",
    "points_back",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "LABELS": "memoranda.utterances.labels",
        "LASTING": "memoranda.utterances.labels",
        "UtteranceClassifier": "memoranda.utterances.classifier",
        "UtteranceLabel": "memoranda.utterances.labels",
        "UtterancePart": "memoranda.utterances.labels",
        "antecedent": "memoranda.utterances.sentence_cues",
        "clause_spans": "memoranda.utterances.message_clauses",
        "is_aside": "memoranda.utterances.sentence_cues",
        "is_momentary": "memoranda.utterances.sentence_cues",
        "is_praise": "memoranda.utterances.sentence_cues",
        "plain_classifier": "memoranda.utterances.sentence_cues",
        "points_back": "memoranda.utterances.sentence_cues",
    },
)
