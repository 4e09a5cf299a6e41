"""Determines the category of a person's statement from its text."""

from __future__ import annotations

from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.model import FeedbackType
from memoranda.memories.model import Category
from memoranda.utterances.labels import LABELS, UtteranceLabel
from memoranda.utterances.sentence_checks import plain_classifier

CATEGORIES = {
    "a preference": Category.USER_PREFERENCE,
    "how to deal with me": Category.USER_PREFERENCE,
    "what we do": Category.PROJECT_PATTERN,
    "what a kind of thing must be": Category.PROJECT_PATTERN,
    "one rather than another, everywhere": Category.PROJECT_PATTERN,
}
"""Category of a pattern by the pattern's cue; the default is a rule."""
_BY_LABEL = {
    UtteranceLabel.PREFERENCE: (0.35, Category.USER_PREFERENCE),
    UtteranceLabel.RULE: (0.65, Category.LEARNED_RULE),
    UtteranceLabel.ORDER: (0.4, Category.LEARNED_RULE),
    UtteranceLabel.DECISION: (0.35, Category.DECISION),
}
"""Labels that determine the category if their probability is high enough.

A request to remember something is classified as a rule.
"""


def category_by_content(text: str) -> Category:
    """Return the category of a statement.

    The category is a rule, a preference, a pattern, a decision, or else a fact.
    """
    reading = read_feedback(text, None)
    if reading.type is FeedbackType.PATTERN and reading.sure:
        return CATEGORIES.get(reading.reason, Category.LEARNED_RULE)
    chances = dict.fromkeys(LABELS, 0.0)
    for part in plain_classifier().parts(text):
        for label, chance in zip(LABELS, part.chances, strict=True):
            chances[label] = max(chances[label], chance)
    best = max(_BY_LABEL, key=chances.__getitem__)
    least, category = _BY_LABEL[best]
    decides = chances[best] >= max(least, chances[UtteranceLabel.FACT])
    return category if decides else Category.DOMAIN_KNOWLEDGE
