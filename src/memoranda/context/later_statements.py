"""Later statements by people that replace or revoke an earlier one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.context.labelled_sentences import sentences
from memoranda.context.outdated_sentences import is_ended
from memoranda.context.replaced_values import ReplacedValues
from memoranda.context.user_sentences import FEW, MESSAGES, LaterMessages, read_messages
from memoranda.ids import short
from memoranda.language.rule_preference import stance
from memoranda.memories import table as memories
from memoranda.memories.model import MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations import content as contents
from memoranda.observations.model import Origin
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.utterances.message_labels import readable_message
from memoranda.utterances.sentence_checks import is_momentary

MEMORIES = 200
"""Number of newest approved memories that are read."""
_MARK = re.compile(r"\(((?:replaced by|corrected in) [^)]+)\)")


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """Text that a later statement may replace, with its time in microseconds."""

    id: str
    text: str
    at: int


def replacements(
    tx: Transaction, scope: Scope, earlier: Sequence[EarlierStatement], now: int
) -> dict[str, str]:
    """Return what replaces each replaced text, such as "replaced by 9#7", by id.

    These are later messages of people in the workspace, and memories that people stated.
    """
    if not earlier:
        return {}
    since = min(statement.at for statement in earlier)
    marks = ended_by_messages(tx, scope, earlier, now)
    items = [*_said(tx, scope, since, now), *_remembered(tx, scope, since)]
    values = ReplacedValues(items, items)
    for earlier_statement in earlier:
        item = ContextItem(
            earlier_statement.id, "", earlier_statement.text, Origin.HUMAN, earlier_statement.at
        )
        (marked,) = values.marked([item])
        mark = _MARK.search(marked.text) if marked.text != earlier_statement.text else None
        if mark:
            marks[earlier_statement.id] = mark[1]
    return marks


def ended_by_messages(
    tx: Transaction,
    scope: Scope,
    earlier: Sequence[EarlierStatement],
    now: int,
    limits: Mapping[int, int] = MESSAGES,
) -> dict[str, str]:
    """Return what ends each text that later messages end, as contexts do.

    ``limits`` are the numbers of newest messages read of each kind.
    """
    observations = read_messages(tx, scope, now, limits)
    ids = [item.id for item in observations]
    texts, labels = contents.texts(tx, scope.team, ids), entries.labels(tx, scope.team, ids)
    read = [(one, sentences(texts.get(one.id, ""), labels.get(one.id))) for one in observations]
    heads = [readable_message(text) for text in texts.values()]
    marks: dict[str, str] = {}
    later, added = LaterMessages(heads, now), 0
    for statement in sorted(earlier, key=lambda one: -one.at):
        while added < len(read) and read[added][0].counted_at > statement.at:
            later.add(read[added][1], read[added][0])
            added += 1
        if not later.ends(statement.text):
            continue
        until = LaterMessages(heads, now)  # again, to name the message that ends it
        for one, found in read[:added]:
            until.add(found, one)
            if until.ends(statement.text):
                marks[statement.id] = f"replaced by {one.ref}"
                break
    return marks


def ended_statements(tx: Transaction, scope: Scope, text: str, now: int) -> tuple[str, ...]:
    """Return refs of earlier messages with a lasting statement that a text ends."""
    ending = stance(text)
    found = (
        item.ref
        for item in _said(tx, scope, 0, now)
        if item.at < now and not stance(item.text).revokes
        if ending.replaces(stance(item.text)) or is_ended(item.text, [text])
    )
    return tuple(dict.fromkeys(found))


def _said(tx: Transaction, scope: Scope, since: int, now: int) -> list[ContextItem]:
    """Return the lasting sentences in people's messages after a time."""
    observations = [
        observation
        for observation in read_messages(tx, scope, now, FEW)
        if observation.counted_at > since
    ]
    ids = [item.id for item in observations]
    texts, labels = contents.texts(tx, scope.team, ids), entries.labels(tx, scope.team, ids)
    return [
        ContextItem(one.id, one.ref, sentence.text, Origin.HUMAN, one.counted_at)
        for one in observations
        for sentence in sentences(texts.get(one.id, ""), labels.get(one.id))
        if sentence.stands or (stance(sentence.text).revokes and not is_momentary(sentence.text))
    ]


def _remembered(tx: Transaction, scope: Scope, since: int) -> list[ContextItem]:
    """Return people's approved memories after a time."""
    where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED)
    found = memories.listed(tx, scope.team, where, limit=MEMORIES)
    return [
        ContextItem(memory.id, short(memory.id), memory.content, Origin.HUMAN, memory.created_at)
        for memory in found
        if memory.origin is Origin.HUMAN
        and memory.superseded_by is None
        and memory.created_at > since
    ]
