"""Memories made of feedback: a person's outright words hold, what was recognised waits."""

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
from memoranda.feedback.points import requirement
from memoranda.lessons.sentences import LONGEST, lasting_sentences
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.categories import CATEGORIES
from memoranda.memories.changes import MemoryChanges
from memoranda.memories.duplicates import TextEmbedding, find_duplicate, with_same_text
from memoranda.memories.knowledge import Memories, NewMemory
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
"""In whose name what was recognised is proposed."""
ELSE = "the feedback was something else"
ACCEPTED = "the suggestion was accepted"
STANDING = frozenset({MemoryStatus.PENDING, MemoryStatus.APPROVED})
"""Memories that may say already what was recognised."""
QUOTED = 200
"""Characters of what feedback is about."""


@dataclass(frozen=True, slots=True)
class FeedbackLesson:
    """A memory that feedback led to, and how that is told."""

    memory: str
    effect: FeedbackEffect


class FeedbackLessons:
    """Writes what feedback teaches, within the transaction of whoever asks."""

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
        """Keep what feedback teaches, or count once more what says that already: of what a person
        said outright word for word, of what was recognised also what is proposed, and in other
        words.

        It holds at once only if ``holds`` and a person said it outright; otherwise it is proposed.
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
        """Count an approval for the memory that says what is approved; None where none does."""
        found = find_duplicate(tx, place_of(said), said.about, meaning)
        if found is None:
            return None
        memories.reinforce(tx, said.team, found.id, self._clock.now())
        return FeedbackEffect(
            said.revision, EffectTarget.REINFORCED, found.id, "approved once more"
        )

    def end(self, tx: Transaction, said: Feedback, rule: str) -> str:
        """Put away a rule against what is accepted now; return what was done, nothing where it
        does not hold or is protected."""
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
        """Undo a memory or proposal that feedback led to, unless somebody has gone on from it;
        return what was done."""
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
        """Return the proposal that feedback led to, if nobody has decided it."""
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
    """Return what feedback says as a memory. Of a chat, that is the sentence that lays something
    down, nothing where there is none; of what was given as feedback, the words and why."""
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
    """Return which kind of knowledge feedback is."""
    if said.type is not FeedbackType.PATTERN:
        return Category.LEARNED_RULE
    return CATEGORIES.get(said.reason, Category.LEARNED_RULE)


def place_of(said: Feedback) -> Scope:
    """Return the scope of a person where feedback was given."""
    return Scope(said.team, said.workspace, None, said.task)


def _statement(said: Feedback, content: str, category: Category, source: MemorySource) -> NewMemory:
    visibility = Visibility.WORKSPACE if said.workspace else Visibility.TEAM
    evidence = [said.observation] if said.observation else []
    return NewMemory(
        content, category=category, visibility=visibility, source=source, evidence=evidence
    )
