"""Plans which memories to remove, merge or shorten to reach a target.

No memory is in two suggestions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_writer import edited
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.observations.model import Origin
from memoranda.ports import TokenCounter
from memoranda.profile.model import (
    DAY,
    ProfileStep,
    ProfileSuggestion,
    ProfileSuggestionKind,
    cost,
    impacts,
    ranked,
    touched,
)
from memoranda.profile.optimization.essential_facts import plain_sentences
from memoranda.profile.optimization.merger import merging
from memoranda.profile.optimization.shortener import VERBOSE
from memoranda.profile.optimization.similarity import MemorySimilarity, groups, is_protected
from memoranda.proposals.model import MemoryEdit, MemoryState

DOUBTFUL, SELDOM, LONG = 0.3, 2, 30
"""Maximum confidence, maximum number of uses, and minimum number of idle days of a stale memory."""
HALF_LIFE, HALF_LIFE_OF_PERSONS = 60, 365
"""Number of idle days in which the confidence is halved, for statements by agents and by people."""
CONTRADICTED = 0.5
"""Factor for the confidence in a memory that a newer memory contradicts."""
MINIMUM = 5
"""Minimum number of tokens that a suggestion must free."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Suggestions in order, with the reason if they miss the target."""

    suggestions: tuple[ProfileSuggestion, ...]
    short: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """Memories that are kept or removed together."""

    memories: tuple[Memory, ...]
    left: int
    """Number of tokens of these memories that remain after the suggestion."""
    made: ProfileSuggestion | None = None


class Planner:
    """Creates plans. Deterministic for equal memories, vectors and time."""

    def __init__(
        self,
        counter: TokenCounter,
        likeness: MemorySimilarity,
        shorter: Callable[[Memory], str | None],
        now: int,
        contradicted: Collection[str] = (),
    ) -> None:
        """Create a planner; newer memories contradict those in ``contradicted``."""
        self._counter = counter
        self._likeness = likeness
        self._shorter = shorter
        self._now = now
        self._contradicted = frozenset(contradicted)

    def plan(self, memories: Sequence[Memory], target: int) -> Plan:
        """Return the suggestions, each with its reason.

        Stale memories are removed, similar memories are merged and long ones are shortened; then
        the memories with the lowest weight are removed until the target is reached.
        """
        ordered = ranked(memories)
        stale = [memory for memory in ordered if self._is_stale(memory)]
        merges = self._merges([memory for memory in ordered if memory not in stale])
        taken = {step.memory for merge in merges for step in merge.steps} | {m.id for m in stale}
        rest = [memory for memory in ordered if memory.id not in taken]
        shortened = [suggestion for memory in rest if (suggestion := self._shortened(memory))]
        suggestions = [*(self._out(memory) for memory in stale), *merges, *shortened]
        fitted = self._fitted(ordered, suggestions, target)
        numbered = [
            replace(profile_suggestion, number=number)
            for number, profile_suggestion in enumerate(fitted, 1)
        ]
        return Plan(tuple(numbered), _why_short(ordered, numbered, target))

    def _is_stale(self, memory: Memory) -> bool:
        return (
            not is_protected(memory)
            and self._confidence(memory) < DOUBTFUL
            and memory.uses < SELDOM
            and self._now - touched(memory) > LONG * DAY
        )

    def _confidence(self, memory: Memory) -> float:
        """Return the remaining confidence in a memory.

        The confidence decays with time without use, more slowly for a person's statements, and is
        reduced if a newer memory contradicts this one.
        """
        days = max(0, self._now - touched(memory)) / DAY
        half = HALF_LIFE if memory.origin is not Origin.HUMAN else HALF_LIFE_OF_PERSONS
        left: float = memory.confidence * 0.5 ** (days / half)
        return left * CONTRADICTED if memory.id in self._contradicted else left

    def _out(self, memory: Memory) -> ProfileSuggestion:
        days = (self._now - touched(memory)) // DAY
        left = self._confidence(memory)
        reason = f"confidence {left:.2f}, {memory.uses} uses, untouched for {days} days"
        return _archive(ProfileSuggestionKind.STALE, reason, memory)

    def _merges(self, memories: Sequence[Memory]) -> list[ProfileSuggestion]:
        by_worth = sorted(memories, key=lambda memory: not is_protected(memory))
        suggestions = (self._merged(group) for group in groups(by_worth, self._likeness))
        return [
            suggestion
            for suggestion in suggestions
            if suggestion is not None and suggestion.freed >= MINIMUM
        ]

    def _merged(self, group: Sequence[Memory]) -> ProfileSuggestion | None:
        near = min(self._likeness.of(group[0], other) for other in group[1:])
        try:
            after = merging(group)
        except (Conflict, InvalidInput):
            return None
        total = sum(len(plain_sentences(memory.content)) for memory in group)
        if len(plain_sentences(after[0].content)) == total:
            return None  # very similar memories, each of which has content that the others lack
        steps = merge_steps(group, after, self._counter)
        reason = f"{len(group)} similar memories (at least {near:.2f}) are merged"
        return ProfileSuggestion(0, ProfileSuggestionKind.MERGE, reason, steps)

    def _shortened(self, memory: Memory) -> ProfileSuggestion | None:
        if is_protected(memory) or memory.tokens <= VERBOSE:
            return None
        text = self._shorter(memory)
        if text is None:
            return None
        after = edited(MemoryState.of(memory), MemoryEdit(content=text))
        left = self._counter.count(text)
        reason = f"{memory.tokens} tokens in {left}; its values, names and rules are kept"
        step = ProfileStep(memory.id, memory.tokens - left, state_hash(memory), after)
        return ProfileSuggestion(0, ProfileSuggestionKind.SHORTEN, reason, (step,))

    def _fitted(
        self, memories: Sequence[Memory], made: Sequence[ProfileSuggestion], target: int
    ) -> list[ProfileSuggestion]:
        """Return suggestions that remove the memories with the lowest weight.

        A memory that is removed is in no other suggestion.
        """
        units = _units(memories, made)
        over = sum(unit.left for unit in units) - target
        counts = impacts(memories)
        leaving = _lowest(units, counts, over)
        gone = {memory.id for unit in leaving for memory in unit.memories}
        remaining = [
            suggestion
            for suggestion in made
            if gone.isdisjoint(step.memory for step in suggestion.steps)
        ]
        fits = [
            _archive(
                ProfileSuggestionKind.FIT,
                f"is the least important of the remaining memories ({counts[memory.id]:.2f})",
                memory,
            )
            for unit in leaving
            for memory in unit.memories
        ]
        return remaining + fits


def merge_steps(
    group: Sequence[Memory], after: Sequence[MemoryState], counter: TokenCounter
) -> tuple[ProfileStep, ...]:
    """Return the steps of a merge: extend the first, archive the others."""
    first, *others = group
    head = []
    if after[0] != MemoryState.of(first):
        grown = first.tokens - counter.count(after[0].content)
        head = [ProfileStep(first.id, grown, state_hash(first), after[0])]
    steps = [
        ProfileStep(memory.id, cost(memory), state_hash(memory), state)
        for memory, state in zip(others, after[1:], strict=True)
    ]
    return (*head, *steps)


def state_hash(memory: Memory) -> str:
    """Return the SHA-256 of a memory's mutable parts."""
    return hashlib.sha256(MemoryState.of(memory).text().encode()).hexdigest()


def _archive(kind: ProfileSuggestionKind, reason: str, memory: Memory) -> ProfileSuggestion:
    after = replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED)
    return ProfileSuggestion(
        0, kind, reason, (ProfileStep(memory.id, cost(memory), state_hash(memory), after),)
    )


def _units(memories: Sequence[Memory], made: Iterable[ProfileSuggestion]) -> list[_Unit]:
    """Return all units to decide on, including unchanged memories.

    If the target of a merge is unchanged, it is a separate unit.
    """
    by_id = {memory.id: memory for memory in memories}
    units, taken = list[_Unit](), set[str]()
    for suggestion in made:
        touched_here = tuple(by_id[step.memory] for step in suggestion.steps)
        taken.update(memory.id for memory in touched_here)
        units.append(
            _Unit(touched_here, sum(map(cost, touched_here)) - suggestion.freed, suggestion)
        )
    units += [_Unit((memory,), cost(memory)) for memory in memories if memory.id not in taken]
    return units


def _lowest(units: Sequence[_Unit], counts: dict[str, float], over: int) -> list[_Unit]:
    """Return the units to be removed, lowest weight first.

    Units that would still fit into the target are not removed.
    """
    free = [unit for unit in units if unit.left and not any(map(is_protected, unit.memories))]
    free.sort(key=lambda unit: (max(counts[memory.id] for memory in unit.memories),
                                unit.memories[0].id))  # fmt: skip
    leaving: list[_Unit] = []
    for unit in free:
        if over <= 0:
            break
        leaving.append(unit)
        over -= unit.left
    for unit in reversed(leaving[:]):
        if over + unit.left <= 0:
            leaving.remove(unit)
            over += unit.left
    return leaving


def _why_short(
    memories: Sequence[Memory], suggestions: Sequence[ProfileSuggestion], target: int
) -> str:
    left = sum(map(cost, memories)) - sum(suggestion.freed for suggestion in suggestions)
    if left <= target:
        return ""
    fixed = sum(cost(memory) for memory in memories if is_protected(memory))
    return (
        f"protected and critical memories have {fixed:,} tokens and are never changed; unmark "
        f"some of them, or set a target of at least {left:,}"
    )


def fingerprint(
    memories: Iterable[Memory], target: int, suggestions: Iterable[ProfileSuggestion]
) -> str:
    """Return the SHA-256 of a profile and all its suggestions."""
    digest = hashlib.sha256(str(target).encode())
    for memory in sorted(memories, key=lambda memory: memory.id):
        digest.update(f"\n{memory.id} {memory.updated_at} {state_hash(memory)}".encode())
    for suggestion in suggestions:
        for step in suggestion.steps:
            after = step.after.text() if step.after else ""
            head = f"\n{suggestion.number} {suggestion.kind} {step.memory} {step.freed}"
            digest.update(f"{head} {step.source} {after}".encode())
    return digest.hexdigest()
