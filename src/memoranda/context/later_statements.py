"""Later statements by people that replace or revoke an earlier one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.context.changed_statements import ends_rules, replaced_values
from memoranda.context.labelled_sentences import LabelledSentence, sentences
from memoranda.context.outdated_sentences import is_ended
from memoranda.context.replaced_values import ReplacedValues
from memoranda.context.user_sentences import FEW, MESSAGES, LaterMessages, read_messages
from memoranda.ids import short
from memoranda.language.rule_preference import stance
from memoranda.memories import table as memories
from memoranda.memories.model import MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations import content as contents
from memoranda.observations.model import Observation, Origin
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.utterances.message_labels import readable_message

MEMORIES = 200
"""Number of newest approved memories that are read."""
_MARK = re.compile(r"\(((?:replaced by|corrected in) [^)]+)\)")


@dataclass(frozen=True, slots=True)
class EarlierStatement:
    """Text that a later statement may replace, with its time in microseconds."""

    id: str
    text: str
    at: int
    task: str = ""
    """Task whose next message may take it back: "scrap that, …"."""


def replacements(
    tx: Transaction, scope: Scope, earlier: Sequence[EarlierStatement], now: int
) -> dict[str, str]:
    """Return what replaces each replaced text, such as "replaced by 9#7", by id.

    The replacements are later messages of people in the workspace, and memories that people stated.
    """
    if not earlier:
        return {}
    since = min(statement.at for statement in earlier)
    marks = ended_by_messages(tx, scope, earlier, now)
    items = [*_said(tx, scope, since, now, MESSAGES), *_remembered(tx, scope, since)]
    values = ReplacedValues(items, items)
    for earlier_statement in earlier:
        item = ContextItem(
            earlier_statement.id, "", earlier_statement.text, Origin.HUMAN, earlier_statement.at
        )
        (marked,) = values.marked_memories([item])
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
    """Return what ends each text that later messages end, as in contexts.

    Memories that people stated count like messages. ``limits`` are the numbers of newest messages
    read of each kind.
    """
    if not earlier:
        return {}
    observations = read_messages(tx, scope, now, limits)
    ids = [item.id for item in observations]
    texts, labels = contents.texts(tx, scope.team, ids), entries.labels(tx, scope.team, ids)
    heads = [readable_message(text) for text in texts.values()]
    since = min(statement.at for statement in earlier)
    found = [
        _LaterText(one, sentences(texts.get(one.id, ""), labels.get(one.id)))
        for one in observations
    ]
    found += [_LaterText(item, ()) for item in _remembered(tx, scope, since)]
    found.sort(key=lambda one: -one.at)
    marks: dict[str, str] = {}
    later, added = LaterMessages(heads, now), 0
    for statement in sorted(earlier, key=lambda one: -one.at):
        while added < len(found) and found[added].at > statement.at:
            found[added].add_to(later)
            added += 1
        if not later.ends(statement.text, statement.task):
            continue
        until = LaterMessages(heads, now)  # again, to name the one that ends it
        for text in found[:added]:
            text.add_to(until)
            if until.ends(statement.text, statement.task):
                marks[statement.id] = f"replaced by {text.source.ref}"
                break
    return marks


@dataclass(frozen=True, slots=True)
class _LaterText:
    """Message with its sentences, or memory, that may end an earlier statement."""

    source: Observation | ContextItem
    sentences: Sequence[LabelledSentence]

    @property
    def at(self) -> int:
        source = self.source
        return source.at if isinstance(source, ContextItem) else source.counted_at

    def add_to(self, later: LaterMessages) -> None:
        """Add it to the texts that may end earlier ones."""
        if isinstance(self.source, ContextItem):
            later.add_memory(self.source.text)
        else:
            later.add(self.sentences, self.source)


def ended_statements(tx: Transaction, scope: Scope, text: str, now: int) -> tuple[str, ...]:
    """Return refs of earlier messages with a lasting statement that a text ends."""
    ending = stance(text)
    found = (
        item.ref
        for item in _said(tx, scope, 0, now, FEW)
        if item.at < now and not stance(item.text).revokes
        if ending.replaces(stance(item.text)) or is_ended(item.text, [text])
    )
    return tuple(dict.fromkeys(found))


def _said(
    tx: Transaction, scope: Scope, since: int, now: int, limits: Mapping[int, int]
) -> list[ContextItem]:
    """Return the lasting sentences in people's messages after a given time."""
    observations = [
        observation
        for observation in read_messages(tx, scope, now, limits)
        if observation.counted_at > since
    ]
    ids = [item.id for item in observations]
    texts, labels = contents.texts(tx, scope.team, ids), entries.labels(tx, scope.team, ids)
    return [
        ContextItem(one.id, one.ref, sentence.text, Origin.HUMAN, one.counted_at)
        for one in observations
        for sentence in sentences(texts.get(one.id, ""), labels.get(one.id))
        if sentence.stands or ends_rules(sentence.text) or replaced_values(sentence.text)
    ]


def _remembered(tx: Transaction, scope: Scope, since: int) -> list[ContextItem]:
    """Return people's approved memories recorded after a given time."""
    where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED)
    found = memories.listed(tx, scope.team, where, limit=MEMORIES)
    return [
        ContextItem(memory.id, short(memory.id), memory.content, Origin.HUMAN, memory.created_at)
        for memory in found
        if memory.origin is Origin.HUMAN
        and memory.superseded_by is None
        and memory.created_at > since
    ]
