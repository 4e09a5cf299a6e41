"""Counts of rejected suggestions, and the rules that follow from them.

The third rejection in a row creates a rule against the suggestion; an acceptance ends the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from memoranda.clock import Clock
from memoranda.feedback import suggestion_table as suggestions
from memoranda.feedback.feedback_memories import FeedbackLessons
from memoranda.feedback.model import EffectTarget, Feedback, FeedbackEffect
from memoranda.feedback.suggestion_comparison import same_suggestion, suggestion
from memoranda.feedback.suggestion_table import SuggestionAnswer
from memoranda.ids import IdSource
from memoranda.memories import table as memories
from memoranda.memories.duplicates import TextEmbedding
from memoranda.memories.model import Category, MemorySource, MemoryStatus
from memoranda.store.database import Transaction
from memoranda.text import clip, one_line

EXAMINED = 500
"""Number of newest answers in a workspace that are read."""
REFUSALS = 3
"""Number of consecutive rejections that create a rule."""
COUNTED = 100
"""Maximum number of answers to one suggestion that are counted."""
QUOTED = 120
"""Maximum number of characters of a reason."""


class RefusalCounter:
    """Counts answers to suggestions, within the caller's transaction."""

    def __init__(self, lessons: FeedbackLessons, clock: Clock, ids: IdSource) -> None:
        self._lessons = lessons
        self._clock = clock
        self._ids = ids

    def rejected(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> list[FeedbackEffect]:
        """Count a rejection.

        The third consecutive rejection of the same suggestion creates a rule; later rejections
        reinforce the rule.
        """
        suggestion = self._answered(tx, record, meaning, accepted=False)
        refused = _since_accepted(
            suggestions.of_suggestion(tx, record.team, suggestion, limit=COUNTED)
        )
        note = f"refused {len(refused)} times" if len(refused) > 1 else "refused once"
        effects = [FeedbackEffect(record.revision, EffectTarget.SUGGESTION, suggestion, note)]
        if len(refused) >= REFUSALS:
            effects += self._ruled(tx, record, suggestion, refused)
        return effects

    def accepted(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> list[FeedbackEffect]:
        """Reset the count of a suggestion that is now accepted; end its rule."""
        if self._suggestion_id(tx, record, meaning) is None:
            return []
        suggestion = self._answered(tx, record, meaning, accepted=True)
        effects = [FeedbackEffect(record.revision, EffectTarget.SUGGESTION, suggestion, "accepted")]
        rule = suggestions.rule(tx, record.team, suggestion)
        if rule is not None and (ended := self._lessons.end(tx, record, rule)):
            suggestions.set_rule(tx, record.team, suggestion, None)
            effects.append(FeedbackEffect(record.revision, EffectTarget.NOTHING, rule, ended))
        return effects

    def _ruled(
        self,
        tx: Transaction,
        record: Feedback,
        suggestion: str,
        refused: Sequence[SuggestionAnswer],
    ) -> list[FeedbackEffect]:
        rule = suggestions.rule(tx, record.team, suggestion)
        rules = memories.of_any_agent(tx, record.team, [rule]) if rule else {}
        if rule in rules and rules[rule].status in (MemoryStatus.APPROVED, MemoryStatus.PENDING):
            memories.reinforce(tx, record.team, rules[rule].id, self._clock.now())
            return [
                FeedbackEffect(
                    record.revision, EffectTarget.REINFORCED, rules[rule].id, "refused again"
                )
            ]
        if rule in rules or not _one_suggestion(refused[:REFUSALS]):
            return []  # a person ended the rule, or the three suggestions differ
        effect = self._lessons.learn(
            tx,
            record,
            _rule(refused[:REFUSALS]),
            Category.LEARNED_RULE,
            MemorySource.LEARNED,
            as_rule=True,
        )
        suggestions.set_rule(tx, record.team, suggestion, effect.memory)
        return [effect.effect]

    def _answered(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding, *, accepted: bool
    ) -> str:
        """Record an answer to a suggestion; return the suggestion's id."""
        suggestion_id = self._suggestion_id(tx, record, meaning)
        suggestion = suggestion_id or self._ids.new()
        now = self._clock.now()
        if suggestion_id is None:
            suggestions.put(tx, record.team, suggestion, record.workspace, now)
        answer = SuggestionAnswer(
            suggestion,
            record.id,
            accepted,
            record.about,
            record.text,
            meaning.model,
            meaning.vector,
        )
        suggestions.answer(tx, record.team, answer, now)
        return suggestion

    def _suggestion_id(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> str | None:
        """Return the nearest suggestion in the workspace for some feedback."""
        answers = suggestions.answers(tx, record.team, record.workspace, limit=EXAMINED)
        near = [(cosine(meaning, _meaning(answer)), answer) for answer in answers]
        same = [
            (nearness or 0.0, suggestion_answer.suggestion)
            for nearness, suggestion_answer in near
            if same_suggestion(record.about, suggestion_answer.about, nearness)
        ]
        return max(same, key=lambda pair: pair[0])[1] if same else None


def cosine(one: TextEmbedding, other: TextEmbedding) -> float | None:
    """Return the cosine similarity of two texts; None if it is unknown."""
    if one.vector is None or other.vector is None or one.model != other.model:
        return None
    import numpy as np

    mine, theirs = (
        np.frombuffer(each, "<f2").astype(np.float32) for each in (one.vector, other.vector)
    )
    return float(mine @ theirs)


def _meaning(answer: SuggestionAnswer) -> TextEmbedding:
    return TextEmbedding(answer.model, answer.vector)


def _since_accepted(newest_first: Sequence[SuggestionAnswer]) -> list[SuggestionAnswer]:
    answers: list[SuggestionAnswer] = []
    for answer in newest_first:
        if answer.accepted:
            break
        answers.append(answer)
    return answers


def _one_suggestion(refused: Sequence[SuggestionAnswer]) -> bool:
    """Return whether the rejected suggestions are the same.

    All pairs must be the same, since a chain of similar ones could drift, or all must be about one
    thing that most of the rejections name.
    """
    same = all(
        same_suggestion(a.about, b.about, cosine(_meaning(a), _meaning(b)))
        for a, b in combinations(refused, 2)
    )
    shared = set.intersection(
        *(set(suggestion(suggestion_answer.about).order) for suggestion_answer in refused)
    )
    named = [answer for answer in refused if shared.intersection(suggestion(answer.said).order)]
    return same or 2 * len(named) > len(refused)


def _rule(newest_first: Sequence[SuggestionAnswer]) -> str:
    """Return the text of a rule: "Don't suggest …", with quoted reasons."""
    first, *_ = newest_first[::-1]
    suggested = one_line(first.about).rstrip(" .?!")
    reasons = "; ".join(f'"{clip(one_line(answer.said), QUOTED)}"' for answer in newest_first[::-1])
    return f'Don\'t suggest: "{suggested}".\nRefused {len(newest_first)} times: {reasons}'
