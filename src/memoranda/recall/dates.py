"""Dates that a question names, and how near a record is to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from memoranda.clock import MICROSECONDS

_NAMES = """
january february march april may june july august september october november december
""".split()  # noqa: SIM905 - twelve strings are harder to read
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_ALSO_WORDS = {"may", "march", "mar"}

_MONTH = re.compile(
    rf"\b({'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:of\s+)?((?:19|20)\d\d)\b)?"
)
_DAY_BEFORE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? $")
_PLACED = re.compile(
    r"\b(?:in|of|on|since|by|during|early|late|mid|until|before|after|\d+(?:st|nd|rd|th)?)[ -]+$"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_RELATIVE = re.compile(
    r"\b(today|yesterday|(?:last|this|past) (?:week|month|year)|(\d+) (day|week|month)s? ago)\b"
)

INSIDE, AFTER, BEFORE, YEAR_ALONE = 1.0, 0.6, 0.3, 0.3
"""What a record of that time is worth, one told up to two weeks later, one up to a week before,
and one of a year that the question names without a month."""
LATER, EARLIER = 14, 7


@dataclass(frozen=True, slots=True)
class Span:
    """Days from the first to the last, as ordinals; ``worth`` for a record within."""

    first: int
    last: int
    worth: float


@dataclass(frozen=True, slots=True)
class NamedMonth:
    """A month, perhaps of a year, perhaps a day of it; a year alone has no month."""

    year: int | None
    month: int | None
    day: int | None


def named_dates(question: str) -> list[NamedMonth]:
    """Return the dates a question names by month, in ISO form, or by year alone."""
    text = question.lower()
    found = [
        NamedMonth(int(year), int(month), int(day) if day else None)
        for year, month, day in _ISO.findall(text)
        if 1 <= int(month) <= 12
    ]
    for match in _MONTH.finditer(text):
        before = text[: match.start()]
        bare = not (match[2] or match[3] or _PLACED.search(before))
        if match[1] in _ALSO_WORDS and bare:
            continue
        day = _DAY_BEFORE.search(before)
        number = int(day[1]) if day else int(match[2]) if match[2] else None
        found.append(NamedMonth(int(match[3]) if match[3] else None, MONTHS[match[1]], number))
    return found or [NamedMonth(int(year), None, None) for year in _YEAR.findall(text)]


def names_any(question: str) -> bool:
    """Tell whether a question names a date, or a time from today."""
    return bool(named_dates(question) or _RELATIVE.search(question.lower()))


def spans(question: str, now: int, years: set[int]) -> list[Span]:
    """Return the days that a question is about.

    Args:
        now: microseconds since the epoch, for "last week" and the like.
        years: those that a month without a year may be of.
    """
    found: list[Span] = []
    for named in named_dates(question):
        for year in [named.year] if named.year else sorted(years):
            found += _spans_of(named, year)
    today = day_of(now)
    for match in _RELATIVE.finditer(question.lower()):
        found += _relative(match, today)
    return found


def day_of(at: int) -> int:
    """Return the ordinal of the day, UTC, of a time in microseconds since the epoch."""
    return datetime.fromtimestamp(at // MICROSECONDS, UTC).toordinal()


def year_of(day: int) -> int:
    """Return the year of an ordinal day."""
    return date.fromordinal(day).year


def worth(span: Span, day: int) -> float:
    """Return how much a record of a day is worth to a question about a span, 0 to 1."""
    if span.first <= day <= span.last:
        return span.worth
    if span.worth < INSIDE:
        return 0.0
    if span.last < day <= span.last + LATER:
        return AFTER
    return BEFORE if span.first - EARLIER <= day < span.first else 0.0


def _spans_of(named: NamedMonth, year: int) -> list[Span]:
    if named.month is None:
        first, last = date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
        return [Span(first, last, YEAR_ALONE)]
    first = date(year, named.month, min(named.day or 1, 28)).toordinal()
    return [Span(first, first if named.day else first + 30, INSIDE)]


def _relative(match: re.Match[str], today: int) -> list[Span]:
    said = match[1]
    if said in ("today", "yesterday"):
        day = today - (said == "yesterday")
        return [Span(day, day, INSIDE)]
    if match[2]:
        length = {"day": 1, "week": 7, "month": 30}[match[3]]
        middle = today - min(int(match[2]), 5_000) * length
        return [Span(middle - length // 2, middle + length // 2, INSIDE)]
    kind, unit = said.split()
    length = {"week": 7, "month": 31, "year": 366}[unit]
    if kind == "last" and unit == "month":
        ended = date.fromordinal(today).replace(day=1) - timedelta(days=1)
        return [Span(ended.replace(day=1).toordinal(), ended.toordinal(), INSIDE)]
    back = 2 * length if kind == "last" else length
    return [Span(today - back, today, INSIDE if unit != "year" else YEAR_ALONE)]
