"""Memories created from feedback: approved at once or proposed.

Explicit statements of a person take effect at once; recognised feedback waits for approval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.feedback.model import (
    EffectTarget,
    Feedback,
    FeedbackEffect,
    FeedbackSource,
    FeedbackType,
)
from memoranda.feedback.turn_reader import requirement
from memoranda.lessons.sentences import LONGEST, lasting_sentences
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.categories import CATEGORIES
from memoranda.memories.changes import MemoryChanges
from memoranda.memories.duplicates import TextEmbedding, find_duplicate, with_same_text
from memoranda.memories.memory_service import Memories, NewMemory
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus, Visibility
from memoranda.memories.restatement import restated
from memoranda.observations.model import Origin
from memoranda.proposals import table as proposals
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryState, Proposal, ProposalStatus
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Transaction
from memoranda.text import clip, one_line

LISTENER = "memoranda"
"""Name in which detected feedback is proposed."""
ELSE = "the feedback was something else"
ACCEPTED = "the suggestion was accepted"
STANDING = frozenset({MemoryStatus.PENDING, MemoryStatus.APPROVED})
"""Memories that may say already what was recognised."""
QUOTED = 200
"""Characters quoted of the subject of feedback."""


@dataclass(frozen=True, slots=True)
class FeedbackLesson:
    """Memory that resulted from feedback, with its description."""

    memory: str
    effect: FeedbackEffect


class FeedbackLessons:
    """Writer of memories from feedback, within the caller's transaction."""

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
        said: Feedback,
        content: str,
        category: Category,
        source: MemorySource,
        *,
        as_rule: bool = False,
        holds: bool = True,
    ) -> FeedbackLesson:
        """Store what feedback teaches, or reinforce a memory of exactly that text.

        It is valid at once only if ``holds`` and a person said it outright; otherwise it is
        proposed.
        """
        scope = place_of(said)
        outright = holds and said.confirmed
        known = with_same_text(tx, scope, content.partition("\n")[0])
        if known is None and not outright:
            known = restated(tx, said.team, said.workspace, content, STANDING)
        if known is not None:
            memories.reinforce(tx, said.team, known.id, self._clock.now())
            note = "it says so already"
            return FeedbackLesson(
                known.id, FeedbackEffect(said.revision, EffectTarget.REINFORCED, known.id, note)
            )
        if not outright:
            scope = Scope(said.team, said.workspace, LISTENER, said.task)
        origin, speaker = (Origin.HUMAN, PERSON) if outright else (Origin.GENERATED, LISTENER)
        statement = _statement(said, content, category, source)
        kept = self._book.add(tx, statement, scope, origin, speaker)
        return FeedbackLesson(kept.id, self._told(tx, said, kept, as_rule=as_rule))

    def approved(
        self, tx: Transaction, said: Feedback, meaning: TextEmbedding
    ) -> FeedbackEffect | None:
        """Count an approval for the memory of what is approved, or None."""
        found = find_duplicate(tx, place_of(said), said.about, meaning)
        if found is None:
            return None
        memories.reinforce(tx, said.team, found.id, self._clock.now())
        return FeedbackEffect(
            said.revision, EffectTarget.REINFORCED, found.id, "approved once more"
        )

    def end(self, tx: Transaction, said: Feedback, rule: str) -> str:
        """Archive a rule against what is accepted now; return what was done.

        Empty where it is not valid or is protected.
        """
        memory = memories.of_any_agent(tx, said.team, [rule]).get(rule)
        if memory is None or memory.protected:
            return ""
        waits = proposals.waiting(tx, said.team, rule, LISTENER)
        if waits is not None:
            self._proposals.rejected(tx, Scope(said.team, said.workspace), waits.id, ACCEPTED)
            return "the rule against it is no longer proposed"
        if memory.status is not MemoryStatus.APPROVED:
            return ""
        put_away = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
        self._changes.change(tx, memory, put_away, PERSON, ACCEPTED, self._clock.now())
        return "the rule against it is archived; `memoranda memory restore` brings it back"

    def take_back(self, tx: Transaction, said: Feedback, effect: FeedbackEffect) -> str:
        """Undo a memory or proposal of feedback; return what was done.

        It stays if somebody has built on it.
        """
        waits = self._waiting(tx, said, effect)
        if waits is not None:
            scope = Scope(said.team, said.workspace)
            self._proposals.rejected(tx, scope, waits.id, ELSE)
            return "taken back: the proposal"
        if effect.touched is EffectTarget.PROPOSAL:
            return "left: it was decided"
        memory = memories.of_any_agent(tx, said.team, [effect.target]).get(effect.target)
        if memory is None or not self._untouched(tx, memory):
            return "left: it was changed since"
        put_away = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
        self._changes.change(tx, memory, put_away, PERSON, ELSE, self._clock.now())
        return "taken back: the memory is archived"

    def _waiting(self, tx: Transaction, said: Feedback, effect: FeedbackEffect) -> Proposal | None:
        """Return the undecided proposal that resulted from feedback, or None."""
        if effect.touched is not EffectTarget.PROPOSAL:
            return proposals.waiting(tx, said.team, effect.target, LISTENER)
        found = proposals.by_id(tx, said.team, effect.target)
        return found if found and found.status is ProposalStatus.PENDING else None

    def _untouched(self, tx: Transaction, memory: Memory) -> bool:
        fresh = memory_versions.newest(tx, memory.team, memory.id) == 0
        return fresh and memory.status is MemoryStatus.APPROVED and not memory.protected

    def _told(
        self, tx: Transaction, said: Feedback, kept: Memory, *, as_rule: bool
    ) -> FeedbackEffect:
        touched = EffectTarget.RULE if as_rule else EffectTarget.MEMORY
        waits = proposals.waiting(tx, said.team, kept.id, LISTENER)
        if kept.status is MemoryStatus.PENDING and waits is not None and not as_rule:
            return FeedbackEffect(said.revision, EffectTarget.PROPOSAL, waits.id, kept.title)
        return FeedbackEffect(said.revision, touched, kept.id, kept.title)


def lesson_of(said: Feedback) -> str:
    """Return feedback as the text of a memory.

    Of a chat, that is the sentence that states a rule, empty where there is none; of explicit
    feedback, the text and its reason.
    """
    words = said.text.strip()
    if said.source is FeedbackSource.CHAT:
        found = lasting_sentences(words, said.about)
        if found:
            return max(found, key=lambda one: one.sure).text
        one_sentence = one_line(requirement(words, said.about or None))
        return one_sentence if len(one_sentence) <= LONGEST else ""
    if said.type is FeedbackType.PATTERN:
        words = requirement(words, said.about or None)
    if not said.about:
        return words
    return f'{words}\nSaid of: "{clip(one_line(said.about), QUOTED)}"'


def category_of(said: Feedback) -> Category:
    """Return the category of knowledge of feedback."""
    if said.type is not FeedbackType.PATTERN:
        return Category.LEARNED_RULE
    return CATEGORIES.get(said.reason, Category.LEARNED_RULE)


def place_of(said: Feedback) -> Scope:
    """Return the scope of a person at the place of feedback."""
    return Scope(said.team, said.workspace, None, said.task)


def _statement(said: Feedback, content: str, category: Category, source: MemorySource) -> NewMemory:
    visibility = Visibility.WORKSPACE if said.workspace else Visibility.TEAM
    evidence = [said.observation] if said.observation else []
    return NewMemory(
        content, category=category, visibility=visibility, source=source, evidence=evidence
    )
