"""Patterns of errors: recurrence, evidence and earlier fixes."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.errors.model import ErrorPattern, Trend
from memoranda.errors.occurrence import Occurrence, OccurrenceLog, tasks
from memoranda.errors.recurrence_kinds import WITHIN, Recurrence, contexts, frequencies, sequences
from memoranda.errors.tail_probabilities import binomial_tail
from memoranda.text import one_line, visible

MAX_TARGET_LENGTH = 80
MAX_LINE_LENGTH = 120
MAX_FIX_LENGTH = 160
"""Maximum number of characters of a quotation."""
READ = 2_000
"""Maximum number of characters of each text that are read."""

_INNER = str.maketrans("\u201c\u201d", '""')
"""Quotation marks to replace, so that they do not end a quotation."""


def prevention(target: str, line: str, fix: str) -> str:
    """Quote an action, its error and its resolution; empty if one is missing.

    Quotations are verbatim; "…" marks a cut at the end.
    """
    where, error, ending = (
        _quoted(target, MAX_TARGET_LENGTH),
        _quoted(line, MAX_LINE_LENGTH),
        _quoted(fix, MAX_FIX_LENGTH),
    )
    if not (where and error and ending):
        return ""
    return f"When {where} gives \u201c{error}\u201d: \u201c{ending}\u201d"


def _quoted(text: str, limit: int) -> str:
    """Return a text as one visible line, cut after a word if too long."""
    plain = one_line(visible(text[:READ])).translate(_INNER)
    if len(plain) <= limit:
        return plain
    head, space, _ = plain[:limit].rpartition(" ")
    return f"{head if space else plain[: limit - 1]}…"


UNLIKELY = 0.05
"""Maximum probability by chance for a significant difference."""


def trend(times: Sequence[int], span: tuple[int, int]) -> Trend:
    """Compare the later half of a time span with the earlier half.

    ``span`` is the first and last moment. The null model puts each error into either half with
    equal probability; five errors in one half and none in the other is the smallest significant
    result. The middle belongs to the later half.
    """
    start, end = span
    if start == end:
        return Trend.STEADY
    later = sum(2 * time >= start + end for time in times)
    if binomial_tail(later, len(times), 0.5) <= UNLIKELY:
        return Trend.RISING
    if binomial_tail(len(times) - later, len(times), 0.5) <= UNLIKELY:
        return Trend.FALLING
    return Trend.STEADY


EXAMPLES = 3
"""Maximum number of examples of a pattern."""
MAXIMUM = 200
"""Maximum patterns returned."""


def patterns(occurrences: Sequence[Occurrence], limit: int = MAXIMUM) -> list[ErrorPattern]:
    """Find at most ``limit`` recurring patterns among errors in any order.

    A pattern has at least three occurrences in at least two tasks. Significant patterns come first,
    then the most frequent. Equal errors give equal patterns. Apart from sorting, the time is linear
    in the number of errors.
    """
    log = OccurrenceLog(occurrences, pause=WITHIN)
    recurrences = [*frequencies(log), *sequences(log), *contexts(log)]
    recurrences.sort(key=_rank)
    times = sorted(occurrence.created_at for occurrence in log.all)
    return [_pattern(recurrence, (times[0], times[-1])) for recurrence in recurrences[:limit]]


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
    newest = sorted(
        found.seen, key=lambda occurrence: (occurrence.created_at, occurrence.ref), reverse=True
    )
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
        examples=tuple(item.ref for item in newest[:EXAMPLES]),
        prevention=ending,
        ended=ended,
        trend=trend([bout.created_at for bout in found.bouts], span),
        first_seen=newest[-1].created_at,
        last_seen=newest[0].created_at,
    )


def _ended(newest: Sequence[Occurrence]) -> tuple[str, str]:
    """Return the newest resolution, and the short name of its error."""
    preventions = (
        (prevention(occurrence.target, occurrence.line, occurrence.fix), occurrence.ref)
        for occurrence in newest
        if occurrence.fix
    )
    return next((item for item in preventions if item[0]), ("", ""))
