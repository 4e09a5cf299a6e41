"""Dates that a question names, and how close a record is to them."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from memoranda import time_zones as zone

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
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_COUNT = rf"\d+|an?|{'|'.join(_NUMBERS[1:])}"
_RELATIVE = re.compile(
    r"\b(today|yesterday|the day before yesterday|(?:last|this|past) (?:week|month|year)"
    rf"|({_COUNT}) (day|week|month|year)s? ago)\b"
)
_DAY_ALONE = re.compile(
    r"\b(?:on|since|by|until|before|after) the (\d{1,2})(?:st|nd|rd|th)\b(?! of\b)"
)

INSIDE, AFTER, BEFORE, YEAR_ALONE = 1.0, 0.6, 0.3, 0.3
"""What a record of that time is worth, one told up to two weeks later, one up to a week before,
and one of a year that the question names without a month."""
LATER, EARLIER = 14, 7


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Range of days as ordinals; ``worth`` for a record within it."""

    first: int
    last: int
    worth: float


@dataclass(frozen=True, slots=True)
class NamedMonth:
    """A month, optionally with a year and a day; a year alone has no month."""

    year: int | None
    month: int | None
    day: int | None


def named_dates(question: str) -> list[NamedMonth]:
    """Return the dates that a question names.

    By month, in ISO form, or by year alone.
    """
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
    """Return whether a question names a date, or a time relative to today."""
    text = question.lower()
    return bool(named_dates(question) or _RELATIVE.search(text) or _DAY_ALONE.search(text))


def spans(question: str, now: int, years: set[int]) -> list[DateSpan]:
    """Return the spans of days that a question is about, in local time.

    Args:
        now: microseconds since the epoch, for "last week" and the like.
        years: candidate years for a month without a year.
    """
    found: list[DateSpan] = []
    for named in named_dates(question):
        for year in [named.year] if named.year else sorted(years):
            found += _spans_of(named, year)
    today = zone.today(now)
    for match in _RELATIVE.finditer(question.lower()):
        found.append(_relative(match, today))
    if not found:
        found += [_day_alone(int(day), today) for day in _DAY_ALONE.findall(question.lower())]
    return found


def day_of(at: int) -> int:
    """Return the ordinal of the day, in local time, of a time in microseconds."""
    return zone.ordinal(at)


def year_of(day: int) -> int:
    """Return the year of an ordinal day."""
    return date.fromordinal(day).year


def worth(span: DateSpan, day: int) -> float:
    """Return a day's weight, 0 to 1, for a question about a span."""
    if span.first <= day <= span.last:
        return span.worth
    if span.worth < INSIDE:
        return 0.0
    if span.last < day <= span.last + LATER:
        return AFTER
    return BEFORE if span.first - EARLIER <= day < span.first else 0.0


def _spans_of(named: NamedMonth, year: int) -> list[DateSpan]:
    if named.month is None:
        return [_year(year)]
    days = monthrange(year, named.month)[1]
    if named.day is None or not 1 <= named.day <= 31:
        return [_month(year, named.month)]
    if named.day > days:  # no such day: of this year where none is named, else the month is meant
        return [_month(year, named.month)] if named.year or named.day > 29 else []
    day = date(year, named.month, named.day).toordinal()
    return [DateSpan(day, day, INSIDE)]


def _relative(match: re.Match[str], today: date) -> DateSpan:
    said, here = match[1], today.toordinal()
    if said.endswith("day") and not match[2]:
        day = here - ("today", "yesterday", "the day before yesterday").index(said)
        return DateSpan(day, day, INSIDE)
    if match[2]:
        return _ago(match[2], match[3], today)
    kind, unit = said.split()
    if kind == "past":
        return DateSpan(
            _back(today, 1, unit).toordinal(), here, YEAR_ALONE if unit == "year" else INSIDE
        )
    return _calendar(today, unit, last=kind == "last")


def _ago(said: str, unit: str, today: date) -> DateSpan:
    """Return the days around a date in the past.

    That is so many days, weeks, months or years ago.
    """
    number = 1 if said in ("a", "an") else _NUMBERS.index(said) if said in _NUMBERS else int(said)
    middle = _back(today, min(number, 5_000), unit).toordinal()
    around = {"day": 0, "week": 3, "month": 15, "year": 183}[unit]
    return DateSpan(
        max(1, middle - around), middle + around, INSIDE if unit != "year" else YEAR_ALONE
    )


def _calendar(today: date, unit: str, *, last: bool) -> DateSpan:
    """Return the current week, month or year up to today, or the last one.

    Weeks begin on Monday.
    """
    if unit == "week":
        monday = today.toordinal() - today.weekday()
        return DateSpan(monday - 7, monday - 1, INSIDE) if last else _so_far(monday, today, INSIDE)
    if unit == "month":
        first = today.replace(day=1)
        ended = first - timedelta(days=1)
        return (
            _month(ended.year, ended.month) if last else _so_far(first.toordinal(), today, INSIDE)
        )
    if last:
        return _year(today.year - 1)
    return _so_far(today.replace(month=1, day=1).toordinal(), today, YEAR_ALONE)


def _so_far(first: int, today: date, worth: float) -> DateSpan:
    return DateSpan(first, today.toordinal(), worth)


def _back(day: date, number: int, unit: str) -> date:
    """Return the date a number of days, weeks, months or years before a date.

    In a month that is too short it is the last day; where the calendar does not go back that far,
    the first possible date.
    """
    if unit in ("day", "week"):
        back = number * (7 if unit == "week" else 1)
        return date.fromordinal(max(1, day.toordinal() - back))
    months = day.year * 12 + day.month - 1 - number * (12 if unit == "year" else 1)
    if months < 12:
        return date.min
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _day_alone(day: int, today: date) -> DateSpan:
    """Return the most recent day with this number, as in "on the 29th"."""
    for back in range(3):  # of three months in a row one has 31 days
        month = _back(today.replace(day=1), back, "month")
        if 1 <= day <= monthrange(month.year, month.month)[1]:
            found = month.replace(day=day)
            if found <= today:
                return DateSpan(found.toordinal(), found.toordinal(), INSIDE)
    return DateSpan(today.toordinal(), today.toordinal(), 0.0)


def _month(year: int, month: int) -> DateSpan:
    first = date(year, month, 1).toordinal()
    return DateSpan(first, first + monthrange(year, month)[1] - 1, INSIDE)


def _year(year: int) -> DateSpan:
    return DateSpan(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal(), YEAR_ALONE)
