"""Times in Cursor's transcripts, which are part of a message's text.

An example is ``<timestamp>Tuesday, Jul 21, 2026, 1:11 PM (UTC+3)</timestamp>``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from memoranda.clock import MICROSECONDS
from memoranda.json_data import parse_iso_time

_ELEMENT = re.compile(r"<timestamp>\s*([^<>]{6,80}?)\s*</timestamp>")
_SPELLED = re.compile(
    r"(?:[A-Za-z]+,\s+)?(?P<month>[A-Za-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4}),?"
    r"(?:\s+at)?\s+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"(?:\s*\(?(?:UTC|GMT)(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?)?\)?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def written_time(text: str) -> int | None:
    """Return the time in a message's text, in microseconds since the epoch."""
    element = _ELEMENT.search(text)
    if element is None:
        return None
    spelled = _SPELLED.fullmatch(" ".join(element[1].split()))
    return parse_iso_time(element[1]) if spelled is None else _moment(spelled)


def _moment(spelled: re.Match[str]) -> int | None:
    hour, half = int(spelled["hour"]), (spelled["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    away = timedelta(hours=int(spelled["hours"] or 0), minutes=int(spelled["minutes"] or 0))
    try:
        at = datetime(
            int(spelled["year"]),
            _MONTHS.index(spelled["month"].lower()) + 1,
            int(spelled["day"]),
            hour,
            int(spelled["minute"]),
            int(spelled["second"] or 0),
            tzinfo=timezone(-away if spelled["sign"] == "-" else away) if away else UTC,
        )
    except ValueError:
        return None
    return round(at.timestamp()) * MICROSECONDS
