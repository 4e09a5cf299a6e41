"""Dates in a question, and how close a record is to them."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memoranda import local_time as zone
from memoranda.language.months import FULL_MONTH, MONTH, MONTH_NUMBERS, WEEKDAY, WEEKDAYS
from memoranda.language.words import NUMBERS
from memoranda.search.query_date_normalization import plain_dates

_ALSO_WORDS = {"may", "march", "mar"}

_MONTH = re.compile(
    rf"\b({MONTH})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:of\s+)?((?:19|20)\d\d)\b)?"
)
_DAY_BEFORE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? $")
_PLACED = re.compile(
    r"\b(?:in|of|on|since|by|during|early|late|mid|until|before|after|\d+(?:st|nd|rd|th)?)[ -]+$"
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?!\d|-\d)")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_COUNT = rf"\d+|an?|{'|'.join(list(NUMBERS)[1:])}"
_RELATIVE = re.compile(
    r"\b(today|(?<!day before )yesterday|(?:the )?day before yesterday"
    r"|(?:last|past) weekend|a fortnight ago|a few days ago|(?:last|this|past) (?:week|month|year)"
    rf"|({_COUNT}) (day|week|month|year)s? ago)\b"
)
_DAY_ALONE = re.compile(
    r"\b(?:on|since|by|until|before|after) the (\d{1,2})(?:st|nd|rd|th)\b"
    r"(?! of (?!last month|this month))"
)
_WEEKDAY_NUMBERS = {name[:3]: number for number, name in enumerate(WEEKDAYS)}
_WEEKDAY = re.compile(
    r"(?<!every )(?<!each )(?<!next )(?<!by )\b(?:(this) )?"
    rf"(?:({WEEKDAY})\b"
    r"|(?<=\bon )(mon|tues?|wed|thu|thurs|fri|sat|sun)\b)"
)
_WEEK_OF = re.compile(r"\bweek (?:of|from|beginning|starting)\b")
_RANGE = re.compile(
    rf" (?:to|until|till|through|bis|-|\u2013) (?:the )?(?:\d|{FULL_MONTH}\b)"
    r"|\bbetween\b.*\band\b|\bzwischen\b.*\bund\b"
)
_MAX_DAYS = 4
_FEW_DAYS = 10

INSIDE, AFTER, BEFORE, YEAR_ALONE = 1.0, 0.6, 0.3, 0.3
"""Weights of records by their distance from the date in the question.

In order: on that day, up to two weeks later, up to a week earlier, in a year that is named without
a month.
"""
OTHER_YEAR = 0.8
"""Weight of a date without a year if the date occurred more recently in another year."""
LATER, EARLIER = 14, 7
_LONG = 92
"""Length of a span in days above which days next to the span are ignored: three months."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Range of days as ordinals; ``weight`` is the weight of the records in the range."""

    first: int
    last: int
    weight: float


@dataclass(frozen=True, slots=True)
class NamedMonth:
    """A month with an optional year and day; a year alone has no month."""

    year: int | None
    month: int | None
    day: int | None


def named_dates(question: str) -> list[NamedMonth]:
    """Return the dates in a question: months, ISO dates or years."""
    text = plain_dates(question)
    months = [
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
        months.append(
            NamedMonth(int(match[3]) if match[3] else None, MONTH_NUMBERS[match[1]], number)
        )
    return months or [NamedMonth(int(year), None, None) for year in _YEAR.findall(text)]


def names_any(question: str) -> bool:
    """Return whether a question contains a date, or a time relative to today."""
    text = plain_dates(question)
    relative = (_RELATIVE, _DAY_ALONE, _WEEKDAY)
    return bool(named_dates(question) or any(form.search(text) for form in relative))


def spans(question: str, now: int, years: set[int]) -> list[DateSpan]:
    """Return the spans of days that a question is about, in local time.

    Args:
        now: microseconds since the epoch, used for "last week" and similar phrases.
        years: candidate years for a month without a year.
    """
    date_spans: list[DateSpan] = []
    today, text = zone.today(now), plain_dates(question)
    named = _with_year(named_dates(question))
    for year in sorted(years):
        one_year = [
            span
            for named_month in named
            for span in _spans_of(named_month, named_month.year or year)
        ]
        date_spans += _joined(one_year, text)
    if date_spans:
        stated = any(month.year for month in named)
        return list(dict.fromkeys(date_spans if stated else _newest_first(date_spans, today)))
    relative = [_relative(match, today) for match in _RELATIVE.finditer(text)]
    days = [int(day) for day in _DAY_ALONE.findall(text)]
    weekdays = [
        (_WEEKDAY_NUMBERS[(day or short)[:3]], kind) for kind, day, short in _WEEKDAY.findall(text)
    ]
    inside = [date_span for span in relative for date_span in _days_in(span, days, weekdays)]
    if inside or relative:
        return inside or relative
    return [_day_alone(day, today) for day in days] or [
        _weekday(day, kind, today) for day, kind in weekdays
    ]


def named_days(question: str, now: int) -> list[DateSpan]:
    """Return the spans of a few days that a question is about, newest first.

    A date without a year refers to its most recent past occurrence.
    """
    today = zone.today(now)
    date_spans = spans(question, now, {today.year - 1, today.year})
    few = [
        span
        for span in date_spans
        if span.last - span.first < _FEW_DAYS and span.weight >= OTHER_YEAR
    ]
    past = [span for span in few if span.first <= today.toordinal()]
    return sorted(past, key=lambda span: -span.first)[:_MAX_DAYS]


def times(span: DateSpan) -> tuple[int, int]:
    """Return a span's local start and end, in microseconds since the epoch."""
    first, after = date.fromordinal(span.first), date.fromordinal(span.last + 1)
    begin, end = (zone.parse_local_time(day.isoformat()) or 0 for day in (first, after))
    return begin, end


def day_of(at: int) -> int:
    """Return the ordinal of the local day of a time in microseconds."""
    return zone.ordinal(at)


def year_of(day: int) -> int:
    """Return the year of an ordinal day."""
    return date.fromordinal(day).year


def day_weight(span: DateSpan, day: int) -> float:
    """Return a day's weight, 0 to 1, for a question about a span."""
    if span.first <= day <= span.last:
        return span.weight
    if span.last - span.first > _LONG:
        return 0.0
    if span.last < day <= span.last + LATER:
        return AFTER * span.weight
    return BEFORE * span.weight if span.first - EARLIER <= day < span.first else 0.0


def _spans_of(named: NamedMonth, year: int) -> list[DateSpan]:
    if named.month is None:
        return [_year(year)]
    days = monthrange(year, named.month)[1]
    if named.day is None or not 1 <= named.day <= 31:
        return [_month(year, named.month)]
    if named.day > days:  # no such day: use the entire month, except for 29 February without a year
        return [_month(year, named.month)] if named.year or named.day > 29 else []
    day = date(year, named.month, named.day).toordinal()
    return [DateSpan(day, day, INSIDE)]


def _newest_first(found: list[DateSpan], today: date) -> list[DateSpan]:
    """Return spans; weigh less those whose date last occurred in another year."""
    here = today.toordinal()
    year = max((year_of(span.first) for span in found if span.first <= here), default=0)
    return [
        replace(span, weight=OTHER_YEAR) if year and year_of(span.first) != year else span
        for span in found
    ]


def _with_year(named: list[NamedMonth]) -> list[NamedMonth]:
    """Add the year of one date to the others: "28 to 30 October 2026"."""
    years = {named_month.year for named_month in named if named_month.year}
    if len(years) != 1:
        return named
    return [replace(month, year=month.year or min(years)) for month in named]


def _joined(found: list[DateSpan], text: str) -> list[DateSpan]:
    """If the question has a range, join spans into one from first to last day.

    In "the week of" a day, the day stands for its entire calendar week.
    """
    if _WEEK_OF.search(text):
        return [_week_of(span) for span in found]
    if len(found) < 2 or not _RANGE.search(text):
        return found
    first, last = found[0], found[-1]
    is_range = len(found) == 2 and first.first == first.last < last.first == last.last
    return [DateSpan(first.first, last.last, INSIDE)] if is_range else found


def _week_of(span: DateSpan) -> DateSpan:
    monday = span.first - date.fromordinal(span.first).weekday()
    return DateSpan(monday, monday + 6, span.weight)


def _days_in(span: DateSpan, days: list[int], weekdays: list[tuple[int, str]]) -> list[DateSpan]:
    """Return the days in a span with one of these numbers or weekday names.

    Examples: "on the 30th of last month", "Tuesday last week".
    """
    if span.last - span.first > 31:
        return []
    names = {day for day, _ in weekdays}
    found = [
        day
        for day in range(span.first, span.last + 1)
        if date.fromordinal(day).day in days or date.fromordinal(day).weekday() in names
    ]
    return [DateSpan(day, day, INSIDE) for day in found] if len(found) <= _MAX_DAYS else []


def _weekday(day: int, kind: str, today: date) -> DateSpan:
    """Return the last such weekday before today, or this week's if requested."""
    here = today.toordinal()
    if kind.startswith("this"):
        found = here - today.weekday() + day
        return DateSpan(found, found, INSIDE)
    found = here - ((today.weekday() - day - 1) % 7 + 1)
    return DateSpan(found, found, INSIDE)


def _relative(match: re.Match[str], today: date) -> DateSpan:
    phrase, here = match[1], today.toordinal()
    if phrase.endswith("weekend"):
        saturday = here - today.weekday() - 2
        return DateSpan(saturday, saturday + 1, INSIDE)
    if phrase == "a fortnight ago":
        return DateSpan(here - 16, here - 12, INSIDE)
    if phrase == "a few days ago":
        return DateSpan(here - 5, here - 2, INSIDE)
    if phrase.endswith("day") and not match[2]:
        day = here - ("today", "yesterday", "day before yesterday").index(
            phrase.removeprefix("the ")
        )
        return DateSpan(day, day, INSIDE)
    if match[2]:
        return _ago(match[2], match[3], today)
    kind, unit = phrase.split()
    if kind == "past":
        return DateSpan(
            _back(today, 1, unit).toordinal(), here, YEAR_ALONE if unit == "year" else INSIDE
        )
    return _calendar(today, unit, last=kind == "last")


def _ago(phrase: str, unit: str, today: date) -> DateSpan:
    """Return the days around a date some days, weeks, months or years ago."""
    number = (
        1 if phrase in ("a", "an") else int(NUMBERS[phrase]) if phrase in NUMBERS else int(phrase)
    )
    middle = _back(today, min(number, 5_000), unit).toordinal()
    around = {"day": 0, "week": 3, "month": 15, "year": 183}[unit]
    return DateSpan(
        max(1, middle - around), middle + around, INSIDE if unit != "year" else YEAR_ALONE
    )


def _calendar(today: date, unit: str, *, last: bool) -> DateSpan:
    """Return the current week, month or year up to today, or the previous one.

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
        return replace(_year(today.year - 1), weight=INSIDE)
    return _so_far(today.replace(month=1, day=1).toordinal(), today, YEAR_ALONE)


def _so_far(first: int, today: date, score: float) -> DateSpan:
    return DateSpan(first, today.toordinal(), score)


def _back(day: date, number: int, unit: str) -> date:
    """Return the date that is some days, weeks, months or years earlier.

    If the month is too short, the result is its last day; if the result would precede the
    calendar's first date, it is that first date.
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
    for back in range(3):  # at least one of three successive months has 31 days
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
