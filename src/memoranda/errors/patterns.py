"""Patterns of errors: recurrence, its evidence, and earlier fixes."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.errors.model import ErrorPattern
from memoranda.errors.occurrence import Occurrence, OccurrenceLog, tasks
from memoranda.errors.prevention import prevention
from memoranda.errors.recurrence import WITHIN, Recurrence, contexts, frequencies, sequences
from memoranda.errors.trend import trend

EXAMPLES = 3
"""Errors that a pattern names."""
MOST = 200
"""Maximum patterns returned."""


def patterns(occurrences: Sequence[Occurrence], limit: int = MOST) -> list[ErrorPattern]:
    """Find recurring patterns among errors in any order, up to ``limit``.

    A pattern was seen three times or more, in two tasks or more. Those that are significant come
    first, and among them what was seen most often. Equal errors give equal patterns. Takes time in
    proportion to the number of errors, apart from sorting them.
    """
    log = OccurrenceLog(occurrences, pause=WITHIN)
    found = [*frequencies(log), *sequences(log), *contexts(log)]
    found.sort(key=_rank)
    times = sorted(one.created_at for one in log.all)
    return [_pattern(one, (times[0], times[-1])) for one in found[:limit]]


def _rank(found: Recurrence) -> tuple[object, ...]:
    return (
        not found.significant,
        -len(found.seen),
        found.p,
        found.kind,
        found.signature,
        found.then,
        found.context,
        found.value,
    )


def _pattern(found: Recurrence, span: tuple[int, int]) -> ErrorPattern:
    newest = sorted(found.seen, key=lambda one: (one.created_at, one.ref), reverse=True)
    ending, ended = _ended(newest)
    return ErrorPattern(
        kind=found.kind,
        signature=found.signature,
        then=found.then,
        context=found.context,
        value=found.value,
        count=len(newest),
        of=found.of,
        tasks=tasks(newest),
        p=found.p,
        significant=found.significant,
        examples=tuple(one.ref for one in newest[:EXAMPLES]),
        prevention=ending,
        ended=ended,
        trend=trend([one.created_at for one in found.bouts], span),
        first_seen=newest[-1].created_at,
        last_seen=newest[0].created_at,
    )


def _ended(newest: Sequence[Occurrence]) -> tuple[str, str]:
    """Return what ended the newest resolved error, and which error that is."""
    preventions = (
        (prevention(one.target, one.line, one.fix), one.ref) for one in newest if one.fix
    )
    return next((one for one in preventions if one[0]), ("", ""))
