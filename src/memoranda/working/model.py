"""Working memory: entries of a task that expire."""

from __future__ import annotations

from dataclasses import dataclass, field

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput
from memoranda.json_data import VERBATIM, JsonValue, checked_json, dump_json
from memoranda.text import normalise

KEY_CHARACTERS = 200
VALUE_BYTES = 1_000_000
"""Maximum length of the JSON text of a value."""
TTL_SECONDS = 3_600
"""Default lifetime of an entry."""
MAX_SECONDS = 30 * 24 * 3_600
MAX_MICROSECONDS = MAX_SECONDS * MICROSECONDS


@dataclass(frozen=True, slots=True)
class WorkingKey:
    """Key of an entry without its value.

    Times are microseconds since the epoch.
    """

    key: str
    written_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class WorkingEntry:
    """One entry of a task, which does not exist after it expires."""

    team: str
    task: str
    key: str
    value: JsonValue = field(metadata=VERBATIM)
    written_at: int
    expires_at: int

    def alive(self, now: int) -> bool:
        """Return whether it has not expired at a time."""
        return now < self.expires_at


def new_entry(
    team: str, task: str, key: str, value: object, ttl_seconds: int, now: int
) -> WorkingEntry:
    """Create an entry that starts now, with a copy of the value.

    Raises:
        InvalidInput: the key is empty or too long, the value is not JSON or too large, or the time
            is not between 1 second and 30 days.
    """
    if type(ttl_seconds) is not int or not 1 <= ttl_seconds <= MAX_SECONDS:
        raise InvalidInput(
            f"ttl must be a whole number of seconds from 1 to {MAX_SECONDS:,}, not {ttl_seconds!r}"
        )
    copy = checked_json(value)
    size = len(dump_json(copy).encode())
    if size > VALUE_BYTES:
        raise InvalidInput(
            f"a value has at most {VALUE_BYTES:,} bytes of JSON, not {size:,}; "
            "store larger values with `observe`"
        )
    expires_at = now + ttl_seconds * MICROSECONDS
    return WorkingEntry(team, task, checked_key(key), copy, now, expires_at)


def checked_key(key: str) -> str:
    """Return a validated key as it is stored.

    Raises:
        InvalidInput: it does not have 1 to 200 characters.
    """
    key = normalise(key)
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise InvalidInput(f"a key has 1 to {KEY_CHARACTERS} characters, not {len(key)}")
    return key
