"""Recurring errors of three kinds: frequency, sequence and context.

Each kind is tested against chance. The null model is described with each kind; the thresholds were
chosen on generated logs with known patterns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from memoranda.errors.model import PatternKind
from memoranda.errors.occurrence import Occurrence, OccurrenceLog, tasks
from memoranda.errors.tail_probabilities import binomial_tail, discoveries, hypergeometric_tail

MINIMUM = 3
"""Minimum number of occurrences of a pattern."""
MIN_TASKS = 2
"""Minimum number of tasks with a pattern."""
FALSE_RATE = 0.05
"""Maximum expected share of false patterns among the significant ones of a kind."""
LIFT = 2.0
"""Minimum ratio of the observed frequency to the frequency by chance."""
WITHIN = 5
"""Maximum number of steps between an error and a following error."""
MAX_FOLLOWERS = 40
"""Maximum number of errors read after one error.

The limit reduces the work if many errors share a step.
"""
SHARE = 0.6
"""Minimum share of a cause's errors with a context."""


_Places = dict[tuple[str, str], list[Occurrence]]
"""Errors with the same cause, by the name and value of a context."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Errors that recur in the same way."""

    kind: PatternKind
    signature: str
    seen: tuple[Occurrence, ...]
    """Errors; for a sequence, those of the first cause."""
    bouts: tuple[Occurrence, ...]
    """First errors of the episodes, without retries."""
    of: int
    p: float
    significant: bool = True
    then: str = ""
    context: str = ""
    value: str = ""


def frequencies(log: OccurrenceLog) -> list[Recurrence]:
    """Find frequent causes; mark those significantly above the average.

    The null model gives every cause the same share of all episodes.
    """
    even, every = 1 / max(1, len(log.bouts)), sum(map(len, log.bouts.values()))
    recurrences = [
        Recurrence(
            PatternKind.FREQUENCY,
            signature,
            tuple(occurrences),
            tuple(log.bouts[signature]),
            of=len(log.all),
            p=binomial_tail(len(log.bouts[signature]), every, even),
            significant=False,
        )
        for signature, occurrences in sorted(log.by_signature.items())
        if _often(occurrences)
    ]
    frequent = {recurrence.signature for recurrence in discoveries(recurrences, _p, FALSE_RATE)}
    return [replace(item, significant=item.signature in frequent) for item in recurrences]


def sequences(log: OccurrenceLog) -> list[Recurrence]:
    """Find causes that soon follow another one more often than by chance.

    The null model spreads a cause evenly over all steps. Every ordered pair of frequent causes
    counts as a test.
    """
    steps = log.steps
    recurrences = []
    for (first, then), occurrences in sorted(_followed(log).items()):
        of, others = len(log.bouts[first]), len(log.bouts[then])
        if not _often(occurrences) or others < MINIMUM:
            continue
        chance = 1 - (1 - min(1.0, others / steps)) ** WITHIN
        if len(occurrences) / of >= LIFT * chance:
            bouts, p = tuple(occurrences), binomial_tail(len(occurrences), of, chance)
            recurrences.append(
                Recurrence(PatternKind.SEQUENCE, first, bouts, bouts, of, p, then=then)
            )
    often = sum(len(bouts) >= MINIMUM for bouts in log.bouts.values())
    return discoveries(recurrences, _p, FALSE_RATE, often * (often - 1))


def _followed(log: OccurrenceLog) -> dict[tuple[str, str], list[Occurrence]]:
    """Group episodes soon followed by another cause, by pair of causes."""
    followed: dict[tuple[str, str], list[Occurrence]] = defaultdict(list)
    for bouts in log.bouts_by_task.values():
        for at, first in enumerate(bouts):
            for then in _followers(bouts, at):
                followed[first.signature, then].append(first)
    return followed


def _followers(errors: list[Occurrence], at: int) -> set[str]:
    """Return other causes in the steps after an error of a task."""
    first = errors[at]
    followers = set()
    for other in islice(errors, at + 1, at + 1 + MAX_FOLLOWERS):
        if other.step - first.step > WITHIN:
            break
        if other.step > first.step and other.signature != first.signature:
            followers.add(other.signature)
    return followers


def contexts(log: OccurrenceLog) -> list[Recurrence]:
    """Find causes that occur mostly in one context, far more than others.

    A cause counts once per task and value, since a property of the whole task, such as its
    language, would otherwise count once per error. The null model draws the values of a cause from
    those of all causes. Every context of a frequent cause counts as a test.
    """
    tables = {signature: _places(bouts) for signature, bouts in sorted(log.bouts.items())}
    everywhere, names = _totals(tables.values())
    recurrences, tried = [], 0
    for signature, places in tables.items():
        _, own = _totals([places])
        tried += sum(own[name] >= MINIMUM for name, _ in places)
        for (name, value), occurrences in sorted(places.items()):
            of, marked, total = own[name], everywhere[name, value], names[name]
            share, usual = len(occurrences) / of, marked / total
            if _often(occurrences) and share >= max(SHARE, LIFT * usual):
                p = hypergeometric_tail(len(occurrences), total, marked, of)
                recurrence = Recurrence(
                    PatternKind.CONTEXT, signature, tuple(occurrences), tuple(occurrences), of, p
                )
                recurrences.append(replace(recurrence, context=name, value=value))
    return discoveries(recurrences, _p, FALSE_RATE, tried)


def _totals(tables: Iterable[_Places]) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Count tasks by cause for each context value and each context name."""
    everywhere, names = Counter[tuple[str, str]](), Counter[str]()
    for places in tables:
        for (name, value), occurrences in places.items():
            everywhere[name, value] += len(occurrences)
            names[name] += len(occurrences)
    return everywhere, names


def _places(bouts: list[Occurrence]) -> _Places:
    """Group the episodes of a cause by context, one for each task."""
    places: dict[tuple[str, str], dict[str, Occurrence]] = defaultdict(dict)
    for occurrence in bouts:
        for place in occurrence.contexts.items():
            places[place].setdefault(occurrence.task, occurrence)
    return {place: list(seen.values()) for place, seen in places.items()}


def _often(seen: list[Occurrence]) -> bool:
    return len(seen) >= MINIMUM and tasks(seen) >= MIN_TASKS


def _p(found: Recurrence) -> float:
    return found.p
