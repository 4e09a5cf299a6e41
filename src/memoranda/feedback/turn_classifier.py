"""Classifier of turns, with an embedder if available, else by cues alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.exceptions import EmbedderUnavailable
from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.model import FeedbackType, ParsedFeedback
from memoranda.feedback.replies import ProposalReply, accepts, reply_to
from memoranda.feedback.turn import turn_of
from memoranda.feedback.vector_classifier import read_with_vectors
from memoranda.language.descriptions import is_description
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import stem
from memoranda.memories.duplicates import UNKNOWN, TextEmbedding

if TYPE_CHECKING:
    from memoranda.ports import Embedder

SURE = 0.75
"""Confidence in a reply to a proposal."""
_POINTING = frozenset(map(stem, ("do", "done", "ever", "never", "again", "anymore", "happen")))
"""Words of a prohibition that do not name its object."""
_REASONS = {
    FeedbackType.REJECTION: "refuses what was proposed",
    FeedbackType.APPROVAL: "accepts what was proposed",
}


class FeedbackReader:
    """Classifies turns, and embeds suggestions.

    Classification works without the embedder if the embedder fails.
    """

    def __init__(self, embedder: Embedder | None, classifying: Embedder | None = None) -> None:
        """Create a reader that embeds suggestions with an embedder.

        ``classifying`` embeds the turns for the classifier, which was fitted to the local embedder;
        by default the same.
        """
        self._embedder = embedder
        self._classifying = classifying or embedder

    def read(self, turn: str, before: str | None) -> ParsedFeedback:
        """Classify a person's turn; ``before`` is the turn that it answers.

        An uncertain result becomes certain if the turn rejects or accepts a proposal.
        """
        reading = _of_something(self._of_wishes(turn, before), turn, before)
        if before and accepts(turn, before):
            return _of_reply(reading, FeedbackType.APPROVAL)
        return reading if reading.sure else _as_reply(reading, reply_to(turn, before))

    def stated(self, text: str, about: str | None) -> ParsedFeedback:
        """Classify what a person submits as feedback.

        The text is feedback of some type, so the doubts of the model, which was fitted to chats, do
        not count if the cues agree with it or it recognises nothing.
        """
        reading, cues = self.read(text, about), read_feedback(text, about)
        if reading.sure or cues.type is None or reading.type not in (None, cues.type):
            return reading
        return replace(cues, sure=cues.sure or cues.type is FeedbackType.CORRECTION)

    def _of_wishes(self, turn: str, before: str | None) -> ParsedFeedback:
        """Classify a turn; sentences that only describe state no rule."""
        reading = self._read(turn, before)
        if reading.type is not FeedbackType.PATTERN:
            return reading
        sentences = [turn[start:end] for start, end in sentence_spans(turn)]
        wishes = [sentence for sentence in sentences if not is_description(sentence)]
        return reading if wishes == sentences else self._read(" ".join(wishes), before)

    def _read(self, turn: str, before: str | None) -> ParsedFeedback:
        if self._classifying is None:
            return read_feedback(turn, before)
        try:
            return read_with_vectors(turn, before, self._classifying)
        except EmbedderUnavailable:
            return read_feedback(turn, before)

    def meaning(self, text: str) -> TextEmbedding:
        """Return the embedding of a text, if available."""
        if self._embedder is None or not text.strip():
            return UNKNOWN
        try:
            vector = self._embedder.embed([text])[0]
        except EmbedderUnavailable:
            return UNKNOWN
        return TextEmbedding(self._embedder.name, vector.astype("<f2").tobytes())


def _as_reply(reading: ParsedFeedback, reply: ProposalReply | None) -> ParsedFeedback:
    if reply is ProposalReply.REFUSED:
        kind = FeedbackType.REJECTION
    elif reply is ProposalReply.ACCEPTED and reading.type in (FeedbackType.APPROVAL, None):
        kind = FeedbackType.APPROVAL
    else:
        return reading
    return _of_reply(reading, kind)


def _of_reply(reading: ParsedFeedback, kind: FeedbackType) -> ParsedFeedback:
    confidence = max(reading.confidence, SURE) if reading.type is kind else SURE
    return ParsedFeedback(kind, confidence, reading.margin, _REASONS[kind], sure=True)


def _of_something(reading: ParsedFeedback, turn: str, before: str | None) -> ParsedFeedback:
    """Classify a rule without an object as a rejection of what it concerns.

    For example "never do that again". The classification is certain if the reference is known.
    """
    if reading.type is not FeedbackType.PATTERN or turn_of(turn, None).stems - _POINTING:
        return reading
    kind, rejected = FeedbackType.REJECTION, bool(before and before.strip())
    return ParsedFeedback(kind, reading.confidence, reading.margin, reading.reason, sure=rejected)
