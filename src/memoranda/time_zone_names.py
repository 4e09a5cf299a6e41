"""Names of time zones, as sent by a client and resolved by a server."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from memoranda.exceptions import InvalidInput
from memoranda.local_time import named_by_client

HEADER = "Time-Zone"
"""Request header with the time zone of the reader."""
MAXIMUM = 8
"""Maximum number of zones in a list; further zones are ignored."""
_OFFSET = re.compile(r"([+-])([01]\d|2[0-3]):?([0-5]\d)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}")
_SYSTEM = Path("/etc/localtime")


def zone_of(names: str) -> tzinfo:
    """Return the first known zone in a list such as ``Asia/Tokyo, +09:00``.

    Args:
        names: IANA names and offsets from UTC with commas between them, at most 8.

    Raises:
        InvalidInput: none of the zones is known.
    """
    for name in names.split(",")[:MAXIMUM]:
        if result := _zone(name.strip()):
            return result
    raise InvalidInput(
        f"{HEADER}: {names[:60]!r} is not a known time zone; send an IANA name such as "
        "Asia/Tokyo or an offset such as +09:00"
    )


def own_zone() -> str:
    """Return this process's zone in a form that a server accepts.

    The form consists of the zone's name, if known, and its current offset, for servers without the
    rules of that zone.
    """
    setting = os.environ.get("TZ")
    name = _of_system() if setting is None else setting.removeprefix(":")
    offset = datetime.now().astimezone().isoformat()[-6:]
    return ", ".join(item for item in (name, offset) if _zone(item)) or "UTC"


def reader_zone() -> str:
    """Return an identifier of the reader's zone: the client's, else the local."""
    client = named_by_client()
    return own_zone() if client is None else str(client)


def _zone(name: str) -> tzinfo | None:
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    if name in ("Z", "UTC"):
        return UTC
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    # the file is missing, is a folder of zones, or has another format
    except (KeyError, OSError, ValueError):
        return None


def _of_system() -> str:
    """Return the name of the system's zone file, if it can be read."""
    try:
        return _SYSTEM.resolve().as_posix().partition("/zoneinfo/")[2]
    except (OSError, RuntimeError):
        return ""
