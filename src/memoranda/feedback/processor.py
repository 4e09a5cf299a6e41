"""Effects of feedback, each applied exactly once.

Effects are a line in a block, a memory, a counted answer to a suggestion, or an executed command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from memoranda.clock import Clock
from memoranda.exceptions import ProfileFull, UserError
from memoranda.feedback import suggestion_table as suggestions, table as feedback
from memoranda.feedback.command_parser import command
from memoranda.feedback.commands import CommandExecutor
from memoranda.feedback.feedback_lines import ABOUT, convention_of, line_of
from memoranda.feedback.feedback_memories import (
    LISTENER,
    FeedbackLessons,
    category_of,
    lesson_of,
    place_of,
    stays_true,
)
from memoranda.feedback.model import (
    CommandKind,
    CommandOutcome,
    EffectTarget,
    Feedback,
    FeedbackEffect,
    FeedbackSource,
    FeedbackState,
    FeedbackType,
    SpokenCommand,
)
from memoranda.feedback.rejection_counts import RefusalCounter
from memoranda.feedback.replies import refuses
from memoranda.feedback.suggestion_comparison import suggestion
from memoranda.feedback.turn_classifier import FeedbackReader
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.memories.duplicates import UNKNOWN, TextEmbedding
from memoranda.memories.model import Category, MemorySource
from memoranda.proposals import table as proposals
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import clip, one_line
from memoranda.workspaces import table as workspaces

LEARNED, PROJECT = "learned", "project"
"""Labels of the blocks for feedback on the work and on practices."""
SPECIFIC = 3
"""Minimum number of content words of an approved suggestion that indicates a preference."""
ONE_THING = 300
"""Maximum number of characters of a single suggestion."""
DISCARDED = 200
"""Maximum number of characters of the reason why something was not done."""
OF_THE_MOMENT = "a short-lived instruction, which is not stored"
ASKED = "asks: "
"""Prefix of a note that requires action by a person."""

_PRACTICE = re.compile(
    r"\b(?:suggest|propose|recommend|should|always|never|prefer|instead of|rather than"
    r"|from now on|every (?:time|\w{1,20} (?:should|gets|has)))\b",
    re.IGNORECASE,
)
"""Phrases of an assistant that concern more than one occasion.

"I'll run the tests" is not a pattern.
"""


class Notebook(Protocol):
    """Blocks in which a task stores feedback."""

    def add(self, tx: Transaction, scope: Scope, label: str, line: str, reason: str) -> str:
        """Append a line to the block with the given label; return the block's id.

        Raises:
            UserError: the line cannot be written, for instance because the block is full.
        """
        ...

    def take_out(self, tx: Transaction, scope: Scope, block: str, line: str) -> bool:
        """Remove a line; return False if it no longer exists unchanged."""
        ...


class FeedbackProcessor:
    """Applies the effects of feedback.

    All effects are in one transaction with the record of their completion, so that they are applied
    exactly once, even with several processes or interruptions.
    """

    def __init__(
        self,
        database: Database,
        reader: FeedbackReader,
        lessons: FeedbackLessons,
        refusals: RefusalCounter,
        command: CommandExecutor,
        notebook: Notebook,
        place: tuple[Clock, IdSource],
    ) -> None:
        self._database = database
        self._reader = reader
        self._lessons = lessons
        self._refusals = refusals
        self._spoken = command
        self._notebook = notebook
        self._clock, self._ids = place

    def process(self, team: str, id: str) -> bool:
        """Apply the effects of feedback; return False if none are pending."""
        read = self._database.read(lambda tx: feedback.by_id(tx, team, id))
        if read is None or read.state is not FeedbackState.WAITING:
            return False
        meaning = self._meaning(read)
        return self._database.write(lambda tx: self._processed(tx, read, meaning))

    def catch_up(self, team: str, limit: int = 1_000) -> int:
        """Process pending feedback, oldest first; return the number processed."""
        ids = self._database.read(lambda tx: feedback.waiting(tx, team, limit=limit))
        return sum(self.process(team, id) for id in ids)

    def _meaning(self, record: Feedback) -> TextEmbedding:
        """Return the embedding of an answer's subject, computed before locking."""
        answers = record.type in (FeedbackType.REJECTION, FeedbackType.APPROVAL)
        answers = answers or refuses(record.text, record.about)
        return self._reader.meaning(record.about) if answers else UNKNOWN

    def _processed(self, tx: Transaction, read: Feedback, meaning: TextEmbedding) -> bool:
        now = self._clock.now()
        record = feedback.by_id(tx, read.team, read.id)
        if record is None or (record.state, record.revision) != (read.state, read.revision):
            return False
        effects = [*self._undo_effects(tx, record), *self._followed(tx, record, meaning)]
        asking = any(effect.note.startswith(ASKED) for effect in effects)
        state = FeedbackState.ASKING if asking else FeedbackState.PROCESSED
        if record.type is None:
            state = FeedbackState.DISMISSED
        feedback.settle(tx, record, replace(record, state=state, processed_at=now))
        feedback.add_effects(tx, record.team, record.id, effects)
        self._lessons.decide_proposals(tx, record)
        detail = {"type": record.type.value if record.type else "none", "effects": len(effects)}
        actor = PERSON if record.confirmed else LISTENER
        journal.append(
            tx,
            record.team,
            journal.NewJournalEntry(now, actor, "feedback processed", record.id, dict(detail)),
        )
        self._have_rendered(tx, record, now)
        return True

    # ------------------------------------------------------------------ effects

    def _followed(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> list[FeedbackEffect]:
        from_chat = record.source is FeedbackSource.CHAT
        spoken = command(record.text, before=record.about) if from_chat else None
        if spoken and spoken.if_clear and record.confirmed:
            spoken = None  # a person set the type
        if spoken is not None and record.type is not None:
            return [self._commanded(tx, record, spoken)]
        match record.type:
            case None:
                return []
            case FeedbackType.PATTERN:
                return self._taught(tx, record)
            case FeedbackType.APPROVAL:
                return [*self._approved(tx, record, meaning), *self._succeeded(tx, record)]
            case FeedbackType.REJECTION:
                counted = self._refusals.rejected(tx, record, meaning) if record.about else []
                return [*counted, *self._noted(tx, record, stored=bool(counted))]
            case FeedbackType.CORRECTION | FeedbackType.INSTRUCTION if refuses(
                record.text, record.about
            ):
                counted = self._refusals.rejected(tx, record, meaning)
                return [*counted, *self._noted(tx, record, stored=False)]
        return list(self._noted(tx, record, stored=False))

    def _noted(
        self, tx: Transaction, record: Feedback, *, stored: bool
    ) -> Iterator[FeedbackEffect]:
        """Write feedback into its task's block, or else into a memory.

        No memory is written if the feedback is already ``stored``. Nothing is written for a
        short-lived instruction in a chat, such as "run it again".
        """
        if not stays_true(record):
            if not stored:
                yield FeedbackEffect(record.revision, EffectTarget.NOTHING, "", OF_THE_MOMENT)
            return
        if record.task is not None:
            written = self._written(tx, record, LEARNED, line_of(record))
            yield written
            if written.touched is EffectTarget.BLOCK:
                return
        if not stored:
            yield self._remembered(tx, record)

    def _written(self, tx: Transaction, record: Feedback, label: str, line: str) -> FeedbackEffect:
        """Write a line into a block of the task, if the block accepts it."""
        try:
            block = self._notebook.add(tx, place_of(record), label, line, f"feedback {record.id}")
        except UserError as error:
            reason = f"not written: {clip(str(error), DISCARDED)}"
            return FeedbackEffect(record.revision, EffectTarget.NOTHING, "", reason)
        return FeedbackEffect(record.revision, EffectTarget.BLOCK, block, line)

    def _taught(self, tx: Transaction, record: Feedback) -> list[FeedbackEffect]:
        """Store a pattern as a memory; add an explicit one to the project block."""
        remembered = self._remembered(tx, record)
        rule = lesson_of(record).partition("\n")[0]
        if not (record.confirmed and record.task and rule):
            return [remembered]
        return [remembered, self._written(tx, record, PROJECT, convention_of(rule))]

    def _succeeded(self, tx: Transaction, record: Feedback) -> list[FeedbackEffect]:
        """Record a success that a person states explicitly or that is identified."""
        if record.task is None or not (record.confirmed or _specific(record.about)):
            return []
        return [self._written(tx, record, LEARNED, line_of(record))]

    def _remembered(self, tx: Transaction, record: Feedback) -> FeedbackEffect:
        source, category, memory_source = (
            MemorySource.LEARNED,
            category_of(record),
            lesson_of(record),
        )
        if not memory_source:
            return _needs_decision(record, "which of its sentences states a rule?")
        try:
            return self._lessons.learn(tx, record, memory_source, category, source).effect
        except ProfileFull as error:
            return _needs_decision(record, str(error))

    def _approved(
        self, tx: Transaction, record: Feedback, meaning: TextEmbedding
    ) -> list[FeedbackEffect]:
        """Reinforce memories of what was approved, or propose it as a pattern."""
        if not record.about:
            return [
                FeedbackEffect(
                    record.revision, EffectTarget.NOTHING, "", "it is not known what is approved"
                )
            ]
        effects = self._refusals.accepted(tx, record, meaning)
        approved_effect = self._lessons.approved(tx, record, meaning)
        if approved_effect is not None:
            return [*effects, approved_effect]
        if not _specific(record.about) or not (record.confirmed or _PRACTICE.search(record.about)):
            reason = "what is approved is too general to learn from"
            return [*effects, FeedbackEffect(record.revision, EffectTarget.NOTHING, "", reason)]
        content = f'{one_line(record.about)}\nApproved: "{clip(one_line(record.text), ABOUT)}"'
        learned = self._lessons.learn(
            tx, record, content, Category.PROJECT_PATTERN, MemorySource.INFERRED, holds=False
        )
        return [*effects, learned.effect]

    def _commanded(
        self, tx: Transaction, record: Feedback, command: SpokenCommand
    ) -> FeedbackEffect:
        """Execute a command from the chat; ask if it is unclear."""
        if command.kind is CommandKind.OPTIMIZE:
            return _needs_decision(record, "run the optimiser: memoranda optimize")
        evidence = [record.observation] if record.observation else []
        try:
            done = self._spoken.carried_out(
                tx, place_of(record), command, evidence, record.created_at
            )
        except UserError as error:
            if command.if_clear:
                return FeedbackEffect(record.revision, EffectTarget.NOTHING, "", OF_THE_MOMENT)
            return _needs_decision(record, str(error))
        if done.outcome is CommandOutcome.ASKING:
            return _needs_decision(
                record, f"{done.note}: {', '.join(memory.id for memory in done.memories)}"
            )
        if done.outcome is CommandOutcome.LIFTED:
            return FeedbackEffect(record.revision, EffectTarget.NOTHING, "", done.note)
        memory = done.memories[0].id
        if done.outcome is CommandOutcome.WAITS and (
            proposal := proposals.waiting(tx, record.team, memory, LISTENER)
        ):
            return FeedbackEffect(record.revision, EffectTarget.PROPOSAL, proposal.id, done.note)
        return FeedbackEffect(record.revision, EffectTarget.MEMORY, memory, done.note)

    # ------------------------------------------------------------------ undoing

    def _undo_effects(self, tx: Transaction, record: Feedback) -> list[FeedbackEffect]:
        """Undo the effects of an earlier classification of feedback."""
        before = feedback.effects(tx, record.team, record.id)
        newest = max((effect.revision for effect in before), default=record.revision)
        return [
            FeedbackEffect(
                record.revision, EffectTarget.NOTHING, old.target, self._undone(tx, record, old)
            )
            for old in before
            if old.revision == newest < record.revision
            and old.touched not in (EffectTarget.NOTHING, EffectTarget.REINFORCED)
        ]  # fmt: skip

    def _undone(self, tx: Transaction, record: Feedback, effect: FeedbackEffect) -> str:
        if effect.touched is EffectTarget.SUGGESTION:
            suggestions.retract(tx, record.team, record.id)
            suggestions.drop_unanswered(tx, record.team)
            return "undone: the answer to the suggestion"
        if effect.touched is EffectTarget.BLOCK:
            scope = place_of(record)
            if self._notebook.take_out(tx, scope, effect.target, effect.note):
                return "undone: the line in the block"
            return "kept: the block was changed since"
        if effect.touched is EffectTarget.RULE:
            for feedback_effect in feedback.effects(tx, record.team, record.id):
                if feedback_effect.touched is EffectTarget.SUGGESTION:  # to allow a new rule
                    suggestions.set_rule(tx, record.team, feedback_effect.target, None)
        return self._lessons.take_back(tx, record, effect)

    def _have_rendered(self, tx: Transaction, record: Feedback, now: int) -> None:
        places = [record.workspace] if record.workspace else workspaces.ids(tx, record.team)
        for place in places:
            kind, id = JobKind.RENDER_CONTEXT, self._ids.new()
            jobs.enqueue(tx, Job.waiting(record.team, id, kind, place, now), now)


def _needs_decision(record: Feedback, note: str) -> FeedbackEffect:
    return FeedbackEffect(
        record.revision, EffectTarget.NOTHING, "", ASKED + clip(one_line(note), 2 * DISCARDED)
    )


def _specific(about: str) -> bool:
    """Return whether an approved suggestion is a single, detailed thing."""
    one_thing = len(about) <= ONE_THING and not about.rstrip().endswith("?")
    return one_thing and len(suggestion(about).order) >= SPECIFIC
