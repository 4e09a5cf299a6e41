"""What a person says to a coding agent: the parts of a message and what each of them does."""

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
