"""Mandatory lines of a context: critical memories and task constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memoranda.context.candidates import critical_memories
from memoranda.context.later_statements import EarlierStatement, ended_by_messages
from memoranda.context.outdated_sentences import is_ended
from memoranda.context.record_lines import item_of
from memoranda.context.user_sentences import FEW
from memoranda.context.withdrawn_statements import Rejections
from memoranda.language.rule_preference import stance
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, Origin
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.search.table import NOTED
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.utterances.sentence_checks import antecedent

CONSTRAINT_MESSAGES = FEW | {NOTED: 40}
"""Number of newest messages of each kind that may end a constraint."""
MAX_LENGTH = 400
"""Maximum number of characters of a constraint together with the sentence it refers to."""


def critical_items(
    tx: Transaction, scope: Scope, task: Task | None, rejected: Rejections, now: int
) -> tuple[ContextItem, ...]:
    """Return approved critical memories, then the task's constraints.

    A constraint is a requirement that a person stated in the current task and that was neither
    rejected nor changed since. Constraints of an ended task applied to that task only; lasting ones
    are standing instructions.
    """
    items = critical_memories(tx, scope, now)
    current = task.id if task and task.ended_at is None else None
    stated = observations.critical(tx, scope.team, current) if current else []
    rules = _Rules(items, stated)
    constraints = [
        replace(item_of(observation, sentence), critical=True)
        for observation in stated
        for sentence in observation.constraints
        if not rejected.cover(sentence, observation.counted_at, observation.id)
        if not rules.end(sentence, observation.counted_at)
    ]
    erased = rejected.erased((item.id, item.text) for item in constraints)
    constraints = [item for item in constraints if (item.id, item.text) not in erased]
    items += _still_valid(tx, replace(scope, task=current), constraints, now)
    return tuple({item.text: item for item in items}.values())


def _still_valid(
    tx: Transaction, scope: Scope, constraints: Sequence[ContextItem], now: int
) -> list[ContextItem]:
    """Return the constraints of the scope's task that no later message ends."""
    task = scope.task or ""
    earlier = [
        EarlierStatement(str(place), item.text, item.at, task)
        for place, item in enumerate(constraints)
    ]
    everywhere = replace(scope, task=None)
    ended = ended_by_messages(tx, everywhere, earlier, now, CONSTRAINT_MESSAGES) if earlier else {}
    return [item for place, item in enumerate(constraints) if str(place) not in ended]


class _Rules:
    """People's rules that may end an earlier constraint, or already contain it."""

    def __init__(self, memories: Iterable[ContextItem], stated: Iterable[Observation]) -> None:
        self._memories = [memory for memory in memories if memory.origin is Origin.HUMAN]
        self._stances = [(item.at, stance(item.text)) for item in self._memories]
        self._known = [one for _, one in self._stances]
        self._stances += [
            (observation.counted_at, stance(text))
            for observation in stated
            for text in observation.constraints
        ]

    def end(self, sentence: str, at: int) -> bool:
        """Return whether a constraint was replaced after ``at`` or is in a memory."""
        own = stance(sentence)
        if any(item.agrees(own) for item in self._known):
            return True
        if any(time > at and later.replaces(own) for time, later in self._stances):
            return True
        return is_ended(sentence, [memory.text for memory in self._memories if memory.at > at])


def antecedents(
    tx: Transaction, scope: Scope, items: Iterable[ContextItem], rejected: Rejections
) -> dict[ContextItem, ContextItem]:
    """Return the preceding sentences that constraints refer to, by constraint.

    "Keep that in mind" has no meaning without the sentence before it.
    """
    context_items = [item for item in items if item.critical and "#" in item.ref]
    texts = contents.texts(tx, scope.team, list({item.id for item in context_items}))
    found = {item: antecedent(texts.get(item.id, ""), item.text) for item in context_items}
    return {
        item: replace(item, text=before)
        for item, before in found.items()
        if before
        and len(before) + len(item.text) < MAX_LENGTH
        and not rejected.cover(before, item.at)
    }


def with_antecedents(
    items: Iterable[ContextItem], before: Mapping[ContextItem, ContextItem]
) -> Iterator[ContextItem]:
    """Yield items, each with the sentence that it refers to, if there is one."""
    for item in items:
        first = before.get(item)
        yield replace(item, text=f"{first.text} {item.text}") if first else item
