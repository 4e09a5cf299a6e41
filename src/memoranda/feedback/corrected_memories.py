"""Proposals to change a memory after a person stated another value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.context.changed_statements import changes_statement, puts_right, replaced_values
from memoranda.feedback.feedback_memories import LISTENER
from memoranda.language.quotations import own_text
from memoranda.language.sentences import sentences
from memoranda.memories.duplicates import sharing_words
from memoranda.memories.memory_writer import MemoryChanges, edited
from memoranda.memories.model import Memory, Visibility
from memoranda.observations.model import Observation, Origin
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryEdit, MemoryState, ProposalKind
from memoranda.scope import Scope
from memoranda.statements.value_changes import MAX_LENGTH
from memoranda.store.database import Transaction

MESSAGE = 4_000
"""Maximum number of characters of a message that is searched for other values."""
_OPENING = re.compile(r"^\W*(?:(?:no|nein|non|actually|correction|sorry)\b[\s,.:!\u2014-]*)+", re.I)


def correcting(text: str) -> tuple[str, ...]:
    """Return a message's sentences that may change an earlier value.

    Example:
        >>> correcting("Hi. The server is called osprey now, not heron. Which one?")
        ('The server is called osprey now, not heron.',)
    """
    own = own_text(text) if len(text) <= MESSAGE else ""
    return tuple(
        sentence
        for sentence in sentences(own)
        if len(sentence) <= MAX_LENGTH and (puts_right(sentence) or replaced_values(sentence))
    )


class MemoryCorrections:
    """Proposes changes of memories, within the caller's transaction."""

    def __init__(self, changes: MemoryChanges, waiting: Proposals) -> None:
        self._changes = changes
        self._proposals = waiting

    def propose(self, tx: Transaction, message: Observation, sentence: str) -> None:
        """Propose changes to a person's approved memories that a sentence contradicts.

        Memories of other workspaces, private memories and newer ones are not changed.
        """
        scope = Scope(message.team, message.workspace, LISTENER, message.task)
        for memory in self._contradicted(tx, message, sentence):
            edit = MemoryEdit(content=_with_value(memory.content, sentence))
            after = self._changes.recast(memory, edited(MemoryState.of(memory), edit))
            reason = f"corrected in {message.ref}"
            self._proposals.put(tx, scope, ProposalKind.UPDATE, memory, after, reason)

    def _contradicted(
        self, tx: Transaction, message: Observation, sentence: str
    ) -> Iterator[Memory]:
        place = message.workspace
        return (
            memory
            for memory in sharing_words(tx, Scope(message.team, place), sentence)
            if memory.origin is Origin.HUMAN and memory.workspace == place
            if memory.visibility is not Visibility.AGENT and not memory.protected
            if memory.superseded_by is None and memory.created_at < message.counted_at
            if changes_statement(memory.content, sentence)
        )


def _with_value(content: str, sentence: str) -> str:
    """Return a memory's text with the new value inserted, or else the sentence that replaces it."""
    values = replaced_values(sentence)
    if value := next((one for one in values if one.concerns(content)), None):
        pattern = re.compile(rf"(?<![\w.]){re.escape(value.old)}(?!\w)", re.IGNORECASE)
        return value.new.join(pattern.split(content))
    return _OPENING.sub("", sentence) or sentence
