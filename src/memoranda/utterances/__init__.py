"""Parser of a person's messages to a coding agent: parts and labels."""

from memoranda.utterances.classifier import UtteranceClassifier
from memoranda.utterances.parts import LABELS, LASTING, UtteranceLabel, UtterancePart
from memoranda.utterances.sentences import is_momentary, plain_classifier, sentence_spans

__all__ = [
    "LABELS",
    "LASTING",
    "UtteranceClassifier",
    "UtteranceLabel",
    "UtterancePart",
    "is_momentary",
    "plain_classifier",
    "sentence_spans",
]
