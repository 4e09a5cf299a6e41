"""Times in the reader's zone: display, and parsing without an offset.

If a client of a server specifies a zone, that zone is used; otherwise ``TZ`` in the environment of
the process, or the system's zone. The offset is the one that applies at the displayed time, so
daylight saving time is correct all year. Stored times and times exchanged by programs are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, timedelta, tzinfo

from memoranda.clock import LATEST, MICROSECONDS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_ANNOTATIONS = re.compile(r"(?:\[!?[\w=./+-]{1,64}\]){1,8}$")
"""Names of a zone and a calendar after a time (RFC 9557); only the UTC offset of the time is used.
"""
_MIDNIGHT = re.compile(r"(?<=[T ])24(?=:?00(?::?00(?:[.,]0+)?)?(?:Z|[+-]|$))")
"""The hour 24, which denotes the midnight at the end of a day."""
_LEAP_SECOND = re.compile(r"(?<=[T ]\d\d:59:)60|(?<=[T ]\d\d59)60")
_CLIENT: ContextVar[tzinfo | None] = ContextVar("client_zone", default=None)


@contextmanager
def client_zone(zone: tzinfo) -> Iterator[None]:
    """Set the reader's zone in this context, such as a request.

    This zone overrides the zone of the process.
    """
    token = _CLIENT.set(zone)
    try:
        yield
    finally:
        _CLIENT.reset(token)


def named_by_client() -> tzinfo | None:
    """Return the zone that this request's client sent, if any."""
    return _CLIENT.get()


def local(microseconds: int) -> datetime:
    """Return a time in the reader's zone, to the second.

    At the limits of the calendar, the time is in UTC.
    """
    moment = datetime.fromtimestamp(min(microseconds, LATEST) // MICROSECONDS, UTC)
    try:
        return moment.astimezone(_CLIENT.get())
    except (OverflowError, ValueError):  # on the first or the last day of the calendar
        return moment


def minute(microseconds: int) -> str:
    """Format a time to the minute with its zone: ``2026-10-02 08:00 +09:00``."""
    moment = local(microseconds)
    return f"{moment.isoformat(' ', 'minutes')[:16]} {offset(moment)}"


def day(microseconds: int) -> str:
    """Format the day of a time in the reader's zone, such as ``2026-10-02``."""
    return local(microseconds).date().isoformat()


def offset(moment: datetime) -> str:
    """Format a time's offset from UTC, such as ``+05:45``; ``UTC`` for zero."""
    return moment.isoformat()[-6:] if moment.utcoffset() else "UTC"


def ordinal(microseconds: int) -> int:
    """Return the ordinal of the day of a time in the reader's zone."""
    return local(microseconds).toordinal()


def parse_local_time(text: str, zone: tzinfo | None = None) -> int | None:
    """Parse ISO 8601 or RFC 3339 as microseconds since the epoch, or None.

    Args:
        zone: zone to use if the text has none; None for the reader's zone.

    A date without a time denotes the beginning of that day. A time skipped by a clock change is
    interpreted with the offset before the change; of a time that occurs twice, the first occurrence
    is used. A leap second is the second after it.
    """
    try:
        moment = _parsed(text)
        aware = moment if moment.tzinfo else _aware(moment, zone)
    except (OverflowError, ValueError):
        return None
    return (aware - _EPOCH) // _MICROSECOND  # a float would not be precise enough


def today(now: int) -> date:
    """Return the date of a time in the reader's zone."""
    return local(now).date()


def _parsed(text: str) -> datetime:
    """Parse a time; raise ValueError if it is invalid or has only a zone name."""
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:  # formats that Python does not parse
        plain, names = _ANNOTATIONS.subn("", text)
        plain, midnights = _MIDNIGHT.subn("00", plain.upper())
        plain, leap_seconds = _LEAP_SECOND.subn("59", plain)
        moment = datetime.fromisoformat(plain.replace("Z", "+00:00"))
        if names and not moment.tzinfo:
            raise
        return moment + timedelta(days=midnights, seconds=leap_seconds)


def _aware(moment: datetime, zone: tzinfo | None) -> datetime:
    if zone := zone or _CLIENT.get():
        return moment.replace(tzinfo=zone)
    result = moment.astimezone()
    if result.replace(tzinfo=None) == moment:
        return result
    return max(result, moment.replace(fold=1).astimezone(), key=datetime.timestamp)  # left out
