"""Conversation service, which reads a task's messages and compacts them.

A message is an observation. Compaction adds a summary and removes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.conversations import table as compactions
from memoranda.conversations.model import (
    Compaction,
    CompactionRules,
    Conversation,
    Message,
    MessageRole,
)
from memoranda.conversations.table import END
from memoranda.observations import blob_table as blobs, content as contents, table as observations
from memoranda.observations.model import Observation, ObservationType
from memoranda.observations.table import ObservationFilter
from memoranda.page import MAX_LIMIT, Page, checked_limit
from memoranda.ports import Summariser, TokenCounter
from memoranda.scope import Scope
from memoranda.settings import CompactionMode
from memoranda.store.database import Database, Transaction
from memoranda.text import clip

REWOUND = "rewound"
"""Branch of messages that a person abandoned by rewinding; they are not part of the conversation.
"""
SHORTER = 0.5
"""Share of the tokens of its source to which a forced summary is limited if it would be too long.
"""
LITTLE = 200
"""Number of tokens below which messages are not summarised just to shorten them."""
SEARCHED_COMPACTIONS = 20
"""Number of compactions in which one is sought whose messages all still exist."""


@dataclass(frozen=True, slots=True)
class _CompactionState:
    """Newest valid compaction of a conversation, with its number of messages.

    The conversation is read from the summary of this compaction on.
    """

    compaction: Compaction | None = None
    count: int = 0

    @property
    def until(self) -> int:
        return self.compaction.until_sequence if self.compaction else 0

    @property
    def tokens(self) -> int:
        return self.compaction.tokens if self.compaction else 0

    @property
    def source_tokens(self) -> int:
        return self.compaction.source_tokens if self.compaction else 0

    @property
    def summary(self) -> str:
        return self.compaction.summary if self.compaction else ""


class Conversations:
    """Service that reads and compacts conversations. Thread-safe.

    Without an agent, the conversation covers all agents in the task. Every scope must specify a
    task.
    """

    def __init__(
        self,
        database: Database,
        counter: TokenCounter,
        clock: Clock,
        summariser: Summariser,
        rules: CompactionRules,
        reworded: Callable[[Scope, str], str] | None = None,
    ) -> None:
        """Create the service; ``reworded`` is called to rephrase a new summary."""
        self._database = database
        self._counter = counter
        self._clock = clock
        self._summariser = summariser
        self._rules = rules
        self._reworded = reworded

    def view(self, scope: Scope, task: str, agent: str | None = None) -> Conversation:
        """Return the newest summary of a conversation and all later messages."""
        standing, messages = self._read(scope.team, task, agent)
        tokens = standing.tokens + sum(message.tokens for message in messages)
        return Conversation(
            standing.summary, tuple(messages), tokens, standing.count, self._rules.window
        )

    def messages(
        self, scope: Scope, task: str, agent: str | None = None, after: int = 0, limit: int = 50
    ) -> Page[Message]:
        """Return verbatim messages after the sequence ``after``, oldest first.

        The returned cursor is the sequence number to continue after.
        """
        checked_limit(limit)

        def work(tx: Transaction) -> Page[Message]:
            found = _messages_after(tx, scope.team, task, agent, after, limit + 1)
            current = [
                observation for observation in found[:limit] if observation.branch != REWOUND
            ]
            more = str(found[limit - 1].sequence) if len(found) > limit else None
            return Page(tuple(_messages(tx, scope.team, current)), more)

        return self._database.of(scope.team).read(work)

    def message(self, observation: Observation) -> Message:
        """Convert an observation to a message."""
        team = observation.team
        return self._database.of(team).read(lambda tx: _messages(tx, team, [observation])[0])

    def due(self, scope: Scope, task: str, agent: str | None = None) -> bool:
        """Return whether a conversation exceeds its share of the context window."""

        def work(tx: Transaction) -> int:
            standing = _current_compaction(tx, scope.team, task, agent)
            span = (standing.until, END)
            return standing.tokens + compactions.extent(tx, scope.team, task, agent, span)[1]

        tokens = self._database.of(scope.team).read(work)
        return self._rules.enabled and tokens > self._rules.trigger

    def compact(
        self,
        scope: Scope,
        task: str,
        agent: str | None = None,
        *,
        mode: CompactionMode | None = None,
        force: bool = False,
    ) -> Compaction | None:
        """Summarise the older messages of a conversation, if compaction is due.

        ``force`` compacts even if compaction is not due; if all messages fit, all but the last are
        summarised. Returns None if compaction is not due, there are no older messages, the summary
        would not be shorter, or another caller was faster.
        """
        if not force and not self.due(scope, task, agent):
            return None
        mode = mode or self._rules.mode
        standing, messages = self._read(scope.team, task, agent)
        older = messages if mode is CompactionMode.WHOLE else self._older(messages)
        if force and not older:
            older = messages[:-1]  # all but the last, to which the reply may be outstanding
        if not older:
            return None
        before = standing.source_tokens + sum(message.tokens for message in older)
        shown = before - standing.source_tokens + standing.tokens
        summary = self._summary(standing, older, shown if force else 0)
        if self._reworded:
            summary = self._reworded(scope, summary)
        tokens = self._counter.count(summary)
        if tokens >= shown:
            return None
        compaction = Compaction(
            task,
            agent,
            older[-1].sequence,
            summary,
            tokens,
            before,
            mode,
            self._clock.now(),
        )
        count = standing.count + len(older)
        added = self._database.of(scope.team).write(
            lambda tx: _added(tx, scope.team, compaction, count, standing.until)
        )
        return compaction if added else None

    def _older(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return the messages to summarise: all but the newest that fit.

        The last message is never included.
        """
        room, verbatim = self._rules.verbatim, 0
        for message in reversed(messages):
            room -= message.tokens
            if room < 0 and verbatim:
                break
            verbatim += 1
        return messages[: len(messages) - verbatim]

    def _summary(self, state: _CompactionState, older: Sequence[Message], below: int) -> str:
        """Return a summary with fewer than ``below`` tokens if possible."""
        most = self._rules.clip_chars
        clipped = [replace(message, content=clip(message.content, most)) for message in older]
        summary = self._summariser.summarise(state.summary, clipped, self._rules.summary)
        if below < LITTLE or self._counter.count(summary) < below:
            return summary
        # an earlier summary is not shortened to save a few tokens
        limit = max(state.tokens, int(below * SHORTER))
        return self._summariser.summarise(state.summary, clipped, limit)

    def _read(
        self, team: str, task: str, agent: str | None
    ) -> tuple[_CompactionState, list[Message]]:
        """Read the newest valid summary, and the messages after it."""

        def work(tx: Transaction) -> tuple[_CompactionState, list[Message]]:
            standing = _current_compaction(tx, team, task, agent)
            messages: list[Message] = []
            after = standing.until
            while page := _messages_after(tx, team, task, agent, after, MAX_LIMIT):
                current = [observation for observation in page if observation.branch != REWOUND]
                messages += _messages(tx, team, current)
                after = page[-1].sequence
            return standing, messages

        return self._database.of(team).read(work)


def _current_compaction(
    tx: Transaction, team: str, task: str, agent: str | None
) -> _CompactionState:
    """Return the newest compaction whose messages all still exist."""
    for compaction in compactions.listed(tx, team, task, agent, limit=SEARCHED_COMPACTIONS):
        span = (0, compaction.until_sequence + 1)
        count, tokens = compactions.extent(tx, team, task, agent, span)
        if tokens == compaction.source_tokens:
            return _CompactionState(compaction, count)
    return _CompactionState()


def _messages_after(
    tx: Transaction, team: str, task: str, agent: str | None, after: int, limit: int
) -> list[Observation]:
    where = ObservationFilter(type=ObservationType.MESSAGE, agent=agent)
    return observations.in_task(tx, team, task, where=where, span=(after, END), limit=limit)


def _messages(tx: Transaction, team: str, found: Sequence[Observation]) -> list[Message]:
    texts = contents.texts(tx, team, [item.id for item in found])
    return [
        Message(
            observation.ref,
            observation.sequence,
            MessageRole.of(observation.origin),
            observation.agent,
            texts[observation.id],
            observation.tokens,
            observation.created_at,
        )
        for observation in found
    ]


def _added(tx: Transaction, team: str, made: Compaction, count: int, base: int) -> bool:
    """Store a compaction if the conversation has not changed meanwhile.

    Another caller may have compacted the conversation in the meantime, or one of its messages may
    have been forgotten.
    """
    span = (0, made.until_sequence + 1)
    now = compactions.extent(tx, team, made.task, made.agent, span)
    if now != (count, made.source_tokens):
        return False
    outdated = compactions.drop_outdated(tx, team, [made.task])
    newest = compactions.newest(tx, team, made.task, made.agent)
    as_read = (newest.until_sequence if newest else 0) == base
    added = as_read and compactions.add(tx, team, made)
    blobs.delete_unused(tx, team, outdated)
    return added
