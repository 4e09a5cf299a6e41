"""Memories from feedback, either approved immediately or proposed.

A person's explicit statements take effect immediately; detected feedback is pending until a person
approves it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.feedback.cue_classifier import requirement
from memoranda.feedback.feedback_lines import stated
from memoranda.feedback.model import (
    EffectTarget,
    Feedback,
    FeedbackEffect,
    FeedbackSource,
    FeedbackType,
)
from memoranda.lessons.lasting_sentences import MAX_LENGTH, lasting_sentences, statements
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.category_detection import CATEGORIES
from memoranda.memories.duplicates import TextEmbedding, find_duplicate, with_same_text
from memoranda.memories.memory_service import Memories, NewMemory
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus, Visibility
from memoranda.memories.restatement import restated
from memoranda.observations.model import Origin
from memoranda.proposals import table as proposals
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryState, Proposal, ProposalKind, ProposalStatus
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Transaction
from memoranda.text import clip, one_line

LISTENER = "memoranda"
"""Actor that proposes detected feedback."""
ELSE = "the feedback was of another type"
ACCEPTED = "the suggestion was accepted"
DECIDING = {
    None: "the person stated that the message is not feedback",
    FeedbackType.PATTERN: "a person stated it: the memory is approved",
}
"""Types of feedback, set by a person, that decide the proposals from the feedback, with the
reasons.
"""
STANDING = frozenset({MemoryStatus.PENDING, MemoryStatus.APPROVED})
"""Statuses of memories that may already state the feedback."""
QUOTED = 200
"""Maximum number of characters of a quoted subject."""


@dataclass(frozen=True, slots=True)
class FeedbackLesson:
    """Memory that resulted from feedback, with its description."""

    memory: str
    effect: FeedbackEffect


class FeedbackLessons:
    """Writes memories from feedback, within the caller's transaction."""

    def __init__(
        self, book: Memories, changes: MemoryChanges, waiting: Proposals, clock: Clock
    ) -> None:
        self._book = book
        self._changes = changes
        self._proposals = waiting
        self._clock = clock

    def learn(
        self,
        tx: Transaction,
        record: Feedback,
        content: str,
        category: Category,
        source: MemorySource,
        *,
        as_rule: bool = False,
        holds: bool = True,
    ) -> FeedbackLesson:
        """Store the content of feedback, or reinforce an equal memory.

        The memory is approved immediately only if ``holds`` is set and a person stated the feedback
        explicitly; otherwise the memory is proposed.
        """
        scope = place_of(record)
        outright = holds and record.confirmed
        existing = with_same_text(tx, scope, content.partition("\n")[0])
        if existing is None and not outright:
            existing = restated(tx, record.team, record.workspace, content, STANDING)
        if existing is not None:
            memories.reinforce(tx, record.team, existing.id, self._clock.now())
            note = "the memory already states this"
            return FeedbackLesson(
                existing.id,
                FeedbackEffect(record.revision, EffectTarget.REINFORCED, existing.id, note),
            )
        if not outright:
            scope = Scope(record.team, record.workspace, LISTENER, record.task)
        origin, speaker = (Origin.HUMAN, PERSON) if outright else (Origin.GENERATED, LISTENER)
        statement = _statement(record, content, category, source)
        stored = self._book.add(tx, statement, scope, origin, speaker, record.created_at)
        return FeedbackLesson(stored.id, self._effect(tx, record, stored, as_rule=as_rule))

    def approved(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> FeedbackEffect | None:
        """Reinforce an approved suggestion's memory, even if pending, or None."""
        memory = find_duplicate(tx, place_of(record), record.about, meaning, pending=True)
        if memory is None:
            return None
        memories.reinforce(tx, record.team, memory.id, self._clock.now())
        return FeedbackEffect(record.revision, EffectTarget.REINFORCED, memory.id, "approved again")

    def end(self, tx: Transaction, record: Feedback, rule: str) -> str:
        """Archive a rule against a now accepted suggestion; return a description.

        The description is empty if the rule is not valid, is protected, or belongs to another
        workspace or to all.
        """
        memory = memories.of_any_agent(tx, record.team, [rule]).get(rule)
        if memory is None or memory.protected or memory.workspace != record.workspace:
            return ""
        waits = proposals.waiting(tx, record.team, rule, LISTENER)
        if waits is not None:
            self._proposals.rejected(tx, Scope(record.team, record.workspace), waits.id, ACCEPTED)
            return "the rule against the suggestion is no longer proposed"
        if memory.status is not MemoryStatus.APPROVED:
            return ""
        put_away = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
        self._changes.change(tx, memory, put_away, PERSON, ACCEPTED, self._clock.now())
        return "the rule against the suggestion is archived; `memoranda memory restore` restores it"

    def decide_proposals(self, tx: Transaction, record: Feedback) -> None:
        """Reject proposals that quote feedback on which a person has decided."""
        if not record.confirmed or record.type not in DECIDING:
            return
        ids = memories.resting_on(tx, record.team, [record.observation or ""])
        for proposal in self._proposals.pending(tx, Scope(record.team, record.workspace)):
            quotes = one_line(proposal.before.content) in one_line(record.text)
            if proposal.kind is ProposalKind.ADD and proposal.memory in ids and quotes:
                scope = Scope(record.team, proposal.workspace)
                self._proposals.rejected(tx, scope, proposal.id, DECIDING[record.type])

    def take_back(self, tx: Transaction, record: Feedback, effect: FeedbackEffect) -> str:
        """Undo a memory or proposal from feedback; return a description.

        The memory or proposal is kept if it was changed or decided since.
        """
        waits = self._waiting(tx, record, effect)
        if waits is not None:
            scope = Scope(record.team, record.workspace)
            self._proposals.rejected(tx, scope, waits.id, ELSE)
            return "undone: the proposal"
        if effect.touched is EffectTarget.PROPOSAL:
            return "kept: the proposal was decided"
        memory = memories.of_any_agent(tx, record.team, [effect.target]).get(effect.target)
        if memory is None or not self._untouched(tx, memory):
            return "kept: the memory was changed since"
        put_away = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
        self._changes.change(tx, memory, put_away, PERSON, ELSE, self._clock.now())
        return "undone: the memory is archived"

    def _waiting(
        self, tx: Transaction, record: Feedback, effect: FeedbackEffect
    ) -> Proposal | None:
        """Return the undecided proposal that resulted from feedback, or None."""
        if effect.touched is not EffectTarget.PROPOSAL:
            return proposals.waiting(tx, record.team, effect.target, LISTENER)
        proposal = proposals.by_id(tx, record.team, effect.target)
        return proposal if proposal and proposal.status is ProposalStatus.PENDING else None

    def _untouched(self, tx: Transaction, memory: Memory) -> bool:
        fresh = memory_versions.newest(tx, memory.team, memory.id) == 0
        return fresh and memory.status is MemoryStatus.APPROVED and not memory.protected

    def _effect(
        self, tx: Transaction, record: Feedback, stored: Memory, *, as_rule: bool
    ) -> FeedbackEffect:
        touched = EffectTarget.RULE if as_rule else EffectTarget.MEMORY
        waits = proposals.waiting(tx, record.team, stored.id, LISTENER)
        if stored.status is MemoryStatus.PENDING and waits is not None and not as_rule:
            return FeedbackEffect(record.revision, EffectTarget.PROPOSAL, waits.id, stored.title)
        return FeedbackEffect(record.revision, touched, stored.id, stored.title)


def lesson_of(record: Feedback) -> str:
    """Return the text of a memory for feedback.

    For feedback from a chat, the text is the sentence that states a rule, empty if there is none;
    for explicit feedback, it is the text and its reason.
    """
    words = stated(record).strip()
    if record.source is FeedbackSource.CHAT:
        sentences = lasting_sentences(record.text, record.about)
        if sentences:
            return max(sentences, key=lambda sentence: sentence.sure).text
        one_sentence = one_line(requirement(words, record.about or None))
        return one_sentence if len(one_sentence) <= MAX_LENGTH else ""
    if record.type is FeedbackType.PATTERN:
        words = requirement(words, record.about or None)
    if not record.about:
        return words
    return f'{words}\nSaid of: "{clip(one_line(record.about), QUOTED)}"'


def stays_true(record: Feedback) -> bool:
    """Return whether feedback is useful after the step that it is about.

    In a message, an instruction is useful if one of its sentences lasts, and a correction if it
    states what is right. Explicit feedback is always useful.
    """
    if record.confirmed or record.source is not FeedbackSource.CHAT:
        return True
    if record.type is FeedbackType.INSTRUCTION:
        return bool(lasting_sentences(record.text, record.about))
    return record.type is not FeedbackType.CORRECTION or bool(statements(record.text, record.about))


def category_of(record: Feedback) -> Category:
    """Return the memory category of feedback."""
    if record.type is not FeedbackType.PATTERN:
        return Category.LEARNED_RULE
    return CATEGORIES.get(record.reason, Category.LEARNED_RULE)


def place_of(record: Feedback) -> Scope:
    """Return a person's scope in the workspace and task of feedback."""
    return Scope(record.team, record.workspace, None, record.task)


def _statement(
    record: Feedback, content: str, category: Category, source: MemorySource
) -> NewMemory:
    visibility = Visibility.WORKSPACE if record.workspace else Visibility.TEAM
    evidence = [record.observation] if record.observation else []
    return NewMemory(
        content, category=category, visibility=visibility, source=source, evidence=evidence
    )
