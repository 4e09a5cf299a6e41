"""Detects statements that contain their own end date, which has passed."""

from __future__ import annotations

import re

from memoranda import local_time
from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, WEEKDAY, WEEKDAYS
from memoranda.search import query_dates
from memoranda.search.query_date_normalization import plain_dates

_YEAR = r"(?:,? (?:19|20)\d\d\b)?"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?\b"
_DATE = (
    rf"(?:(?:19|20)\d\d-\d\d-\d\d|{_NUMBER}(?: of)? {MONTH}\b{_YEAR}"
    rf"|{MONTH}\b(?: {_NUMBER})?{_YEAR})"
)
_UNTIL = r"\b(?:until|till?|through|bis|до|hasta|jusqu'\w+|fino|até|tot)(?: \w{1,4}){0,2}? +"
_HINT = lazy_pattern(
    r"\b(?:until|till?|through|bis|до|hasta|jusqu|fino|até|tot)\b|\bjusqu['\u2019]"
    r"|\d.{0,40}?(?:\bto\b|[-\u2013])|直到|截至|到|まで|为止|為止|까지",
    re.IGNORECASE,
)
"""Pattern in every statement with an end date, since parsing dates is slow."""
_END = lazy_pattern(
    rf"{_UNTIL}({_DATE}|{WEEKDAY}\b)"
    rf"|\b{_DATE} +to (?:the )?({_DATE})"
    rf"|(?:直到|截至|到) *({_DATE})|({_DATE}) *(?:まで|为止|為止|까지)"
)
_WEEKLY = lazy_pattern(
    rf"\b(?:every|each|weekly|always|jed\w+|immer|cada|siempre|chaque|tous|toujours|ogni|todas?)\b"
    rf"|\b{WEEKDAY}\b.*\b{WEEKDAY}\b"
)
"""Contexts in which a weekday recurs every week: "from Monday until Friday"."""


def has_passed(sentence: str, stated_at: int, latest: int) -> bool:
    """Return whether a statement's end date is before a later time.

    A day without a year is taken as the day nearest to the statement. A day before the statement
    ends nothing, because the day is in the past.

    Args:
        sentence: a text in any of the languages of `plain_dates`.
        stated_at: time of the statement, in microseconds since the epoch.
        latest: the later time, in microseconds since the epoch.

    Example:
        >>> day = 86_400_000_000
        >>> has_passed("Ask me first until 3 January.", 0, 2 * day)
        False
        >>> has_passed("Ask me first until 3 January.", 0, 4 * day)
        True
    """
    stated, newest = query_dates.day_of(stated_at), query_dates.day_of(latest)
    if newest <= stated or not _HINT.search(sentence):
        return False
    text = plain_dates(sentence)
    dates = [group for groups in _END.findall(text) for group in groups if group]
    weekly = _WEEKLY.search(text) is not None
    ends = [_end(date, stated_at, stated) for date in dates if not (weekly and date in WEEKDAYS)]
    return any(end is not None and end < newest for end in ends)


def _end(named: str, stated_at: int, stated: int) -> int | None:
    """Return the nearest day with a name, as an ordinal; None if the statement is later."""
    if named in WEEKDAYS:
        today = local_time.today(stated_at)
        return stated + ((WEEKDAYS.index(named) - today.weekday()) % 7 or 7)
    year = query_dates.year_of(stated)
    days = [span.last for span in query_dates.spans(named, stated_at, {year - 1, year, year + 1})]
    nearest = min(days, key=lambda day: abs(day - stated), default=None)
    return nearest if nearest is not None and nearest >= stated else None
