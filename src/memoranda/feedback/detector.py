"""Detection of feedback and commands in the messages of tasks.

Each message is read once, together with the agent's message that it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.feedback import table as feedback
from memoranda.feedback.command_parser import command
from memoranda.feedback.corrected_memories import MemoryCorrections, correcting
from memoranda.feedback.feedback_service import MAX_LENGTH, FeedbackRecords
from memoranda.feedback.model import (
    CommandKind,
    Feedback,
    FeedbackSource,
    FeedbackState,
    FeedbackType,
    ParsedFeedback,
    SpokenCommand,
)
from memoranda.feedback.turn import proposes
from memoranda.feedback.turn_classifier import FeedbackReader
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.language.prose import without_fenced
from memoranda.language.quotations import own_text
from memoranda.language.sentences import sentences
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, ObservationType, Origin, Salience
from memoranda.observations.table import END, ObservationFilter
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import clip, one_line, own_command, slash_command

ABOUT = 300
"""Maximum number of characters of a subject."""
READ = 4_000
"""Maximum number of characters of an answer that are read, from its end."""

_MARKS = re.compile(r"^[\s>*#\-\d.)]{0,12}")


def answered_part(before: str) -> str:
    """Return the last sentence that proposes something, or else the first."""
    parts = sentences(without_fenced(before[-READ:]))
    if len(before) > READ:
        parts = parts[1:] or parts  # the first part may be cut
    plain = (one_line(_MARKS.sub("", part)) for part in parts)
    nonempty = [one for one in plain if any(map(str.isalnum, one))]
    if not nonempty:
        return ""
    return clip(next((item for item in reversed(nonempty) if proposes(item)), nonempty[0]), ABOUT)


AT_ONCE = 100
"""Number of messages that are read per transaction."""
BACK = 50
"""Maximum number of observations between a message and the one it answers."""
MIN_FOR_MODEL = 0.4
"""Minimum confidence of uncertain feedback that is stored."""
_ARGUMENT = re.compile(r"-|[\w.~-]*/|[\w.-]+=")
"""Start of an option, a path or an assignment."""
MAIN = "main"
"""Name of the branch that is read.

Messages to subagents and rewound messages are not a person's statements about the work.
"""
SPOKEN = "spoken command: "

_MESSAGES = ObservationFilter(type=ObservationType.MESSAGE, with_repeats=True)


@dataclass(frozen=True, slots=True)
class DetectedTurn:
    """A person's message, and the agent's message that it answers."""

    observation: Observation
    text: str
    before: str | None
    """The agent's message; None if there is none since the person's previous one."""
    opening: bool
    """Whether the message is the first one of the task."""


class FeedbackDetector:
    """Detects feedback and commands in the messages of tasks.

    Feedback that is certain from its cues is processed; feedback that only a model detects, or that
    is less certain, is pending until a person confirms it.
    """

    def __init__(
        self,
        database: Database,
        reader: FeedbackReader,
        book: FeedbackRecords,
        clock: Clock,
        ids: IdSource,
        corrections: MemoryCorrections,
    ) -> None:
        self._corrections = corrections
        self._database = database
        self._reader = reader
        self._book = book
        self._clock = clock
        self._ids = ids

    def listen(self, scope: Scope, task: str) -> int:
        """Read a task's new messages; return the number of feedback items.

        A message yields feedback only once, even with several processes.
        """
        result = 0
        while True:
            turns, position, more = self._next(scope.team, task)
            feedbacks = [
                item for turn in turns if (item := self._detected(scope, turn)) is not None
            ]
            stated = [(one.observation, text) for one in turns for text in correcting(one.text)]

            def work(
                tx: Transaction,
                made: list[Feedback] = feedbacks,
                stated: list[tuple[Observation, str]] = stated,
                position: int = position,
            ) -> int:
                self._propose(tx, scope.team, stated)
                return self._store(tx, scope.team, task, made, position)

            result += self._database.write(work)
            if not more:
                return result

    def _next(self, team: str, task: str) -> tuple[list[DetectedTurn], int, bool]:
        """Return people's next turns, the last position, and whether more follow."""

        def work(tx: Transaction) -> tuple[list[DetectedTurn], int, bool]:
            after = feedback.scanned_until(tx, team, task)
            span = (after, END)
            found = observations.in_task(tx, team, task, where=_MESSAGES, span=span, limit=AT_ONCE)
            if not found:
                return [], after, False
            earlier = observations.in_task(
                tx, team, task, where=_MESSAGES, span=(max(0, after - BACK), after + 1), limit=BACK
            )
            turns = list(_turns(tx, team, [*earlier, *found], after))
            return turns, found[-1].sequence, len(found) == AT_ONCE

        return self._database.read(work)

    def _detected(self, scope: Scope, turn: DetectedTurn) -> Feedback | None:
        """Return the feedback of a turn, or None."""
        if own_command(turn.text):
            ordered = command(turn.text)
            return self._order(scope, turn, ordered) if ordered else None
        turn = replace(turn, text=slash_command(turn.text)[1])
        if ordered := command(turn.text, before=answered_part(turn.before or "")):
            return None if ordered.kind is CommandKind.KNOW else self._order(scope, turn, ordered)
        stated = own_text(turn.text)
        if not stated.strip():
            return None  # only a quotation
        reading = self._reader.read(stated, turn.before)
        if reading.type is None or (not reading.sure and reading.confidence < MIN_FOR_MODEL):
            return None
        if turn.opening and reading.type is FeedbackType.INSTRUCTION:
            return None  # the goal of the task
        if not reading.sure and (_is_of_arguments(turn.text) or _is_goal(turn, reading)):
            return None
        return self._feedback(scope, turn, reading)

    def _order(self, scope: Scope, turn: DetectedTurn, ordered: SpokenCommand) -> Feedback:
        kind = FeedbackType.INSTRUCTION
        if ordered.kind is CommandKind.RULE:
            kind = FeedbackType.PATTERN
        reading = ParsedFeedback(kind, 1.0, 1.0, SPOKEN + ordered.kind, sure=True)
        return self._feedback(scope, turn, reading)

    def _feedback(self, scope: Scope, turn: DetectedTurn, reading: ParsedFeedback) -> Feedback:
        observation = turn.observation
        return Feedback(
            team=scope.team,
            id=self._ids.new(),
            workspace=observation.workspace,
            task=observation.task,
            agent=None,
            type=reading.type,
            confidence=reading.confidence,
            reason=reading.reason,
            source=FeedbackSource.CHAT,
            text=clip(turn.text, MAX_LENGTH),
            about=answered_part(turn.before or ""),
            observation=observation.id,
            author=PERSON,
            state=FeedbackState.WAITING if reading.sure else FeedbackState.ASKING,
            confirmed=False,
            revision=1,
            processed_at=None,
            created_at=observation.created_at,
        )

    def _propose(self, tx: Transaction, team: str, stated: list[tuple[Observation, str]]) -> None:
        """Propose changes to memories that new messages contradict."""
        there = observations.by_ids(tx, team, [message.id for message, _ in stated])
        for message, sentence in stated:
            if message.id in there:
                self._corrections.propose(tx, message, sentence)

    def _store(
        self, tx: Transaction, team: str, task: str, made: list[Feedback], position: int
    ) -> int:
        """Store feedback and the position; skip messages that were removed."""
        there = observations.by_ids(tx, team, [one.observation or "" for one in made])
        stored = [one for one in made if one.observation in there and feedback.put(tx, one)]
        for item in stored:
            self._book.enqueue(tx, item)
        for place in {item.workspace for item in stored if item.state is FeedbackState.ASKING}:
            feedback.limit_pending(tx, team, place, task)
        feedback.set_scanned(tx, team, task, position)
        if stored:
            now = self._clock.now()
            note = journal.NewJournalEntry(
                now, "memoranda", "feedback heard", task, {"feedback": len(stored)}
            )
            journal.append(tx, team, note)
        return len(stored)


def _is_goal(turn: DetectedTurn, reading: ParsedFeedback) -> bool:
    """Return whether uncertain feedback in an unprompted message is not useful.

    A message that does not follow an agent's message accepts and rejects nothing; the first message
    of a task is its goal.
    """
    if turn.before is None and reading.type in (FeedbackType.APPROVAL, FeedbackType.REJECTION):
        return True
    return turn.opening


def _is_of_arguments(text: str) -> bool:
    """Return whether a text consists of options, paths and values."""
    return all(_ARGUMENT.match(word) for word in text.split()[::2]) and text.strip()[:1] in "-/."


def _turns(
    tx: Transaction, team: str, found: list[Observation], after: int
) -> Iterator[DetectedTurn]:
    """Pair people's messages after a given position with what they answer.

    The agent's thoughts, and Memoranda's own texts, have low salience and are skipped.
    """
    spoken = [
        observation
        for observation in found
        if observation.branch == MAIN and observation.salience is not Salience.LOW
    ]
    texts = contents.texts(tx, team, [one.id for one in spoken])
    before: str | None = None
    opening = after == 0
    for item in spoken:
        if item.origin is Origin.AGENT:
            before = texts[item.id]
        elif item.origin is Origin.HUMAN and texts[item.id].strip():
            if item.sequence > after:
                yield DetectedTurn(item, texts[item.id], before, opening)
            before, opening = None, False
