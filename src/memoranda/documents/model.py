"""Documents: JSON that a program stores by space and key."""

from __future__ import annotations

from dataclasses import dataclass, field

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput
from memoranda.json_data import VERBATIM, JsonValue, checked_json, dump_json
from memoranda.text import normalise

SPACE_CHARACTERS = 60
KEY_CHARACTERS = 500
"""Maximum characters of a key.

With its space and workspace, a key fits into an index row of PostgreSQL (2,704 bytes).
"""
VALUE_BYTES = 64_000_000
"""Maximum bytes of the JSON text of a value."""
MEMORY_METADATA = "memory-metadata"
"""Space for a program's data about a memory, with the memory's id as the key.

It is deleted with the memory.
"""
MANY = 1_000
"""Maximum documents that a call puts, gets or deletes by key."""
PAGE_BYTES = 64_000_000
"""Maximum bytes of values in one response, not counting its first document."""
MAX_SECONDS = 100 * 365 * 24 * 3_600


@dataclass(frozen=True, slots=True)
class NewDocument:
    """Document to be stored."""

    key: str
    value: JsonValue = field(metadata=VERBATIM)
    ttl: int | None = None
    """Seconds until it expires; None for never."""
    version: int | None = None
    """Version that it follows; 0 for a new document, None for any version."""


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document. Times are microseconds since the epoch."""

    key: str
    value: JsonValue = field(metadata=VERBATIM)
    """Value; None also if values were not requested."""
    size: int
    """Bytes of the value's JSON."""
    version: int
    """Version number: 1 at creation, increased with each change of the value."""
    created_at: int
    updated_at: int
    expires_at: int | None

    def is_there(self, now: int) -> bool:
        """Return whether it has not expired at a time."""
        return self.expires_at is None or self.expires_at > now


def checked_document(new: NewDocument) -> NewDocument:
    """Return a validated document as it is stored, with a copy of its value.

    Raises:
        InvalidInput: the key does not have 1 to 500 characters, the value is not JSON or has
            more than 64 MB of it, the time is not 1 second to 100 years, or the version is below 0.
    """
    if new.ttl is not None and not 1 <= new.ttl <= MAX_SECONDS:
        raise InvalidInput(f"ttl must be 1 to {MAX_SECONDS:,} seconds, not {new.ttl}")
    if new.version is not None and new.version < 0:
        raise InvalidInput(f"version must be 0 or more, not {new.version}")
    copy = checked_json(new.value)
    size = len(dump_json(copy).encode())
    if size > VALUE_BYTES:
        raise InvalidInput(
            f"a document may have at most {VALUE_BYTES:,} bytes of JSON, not {size:,}"
        )
    return NewDocument(checked_key(new.key), copy, new.ttl, new.version)


def end_of(new: NewDocument, now: int) -> int | None:
    """Return when a document stored at ``now`` expires; None for never."""
    return None if new.ttl is None else now + new.ttl * MICROSECONDS


def checked_space(space: str) -> str:
    """Return the validated name of a space as it is stored.

    Raises:
        InvalidInput: it does not have 1 to 60 characters.
    """
    return _of_length("a space", normalise(space), SPACE_CHARACTERS)


def checked_key(key: str) -> str:
    """Return a validated key as it is stored.

    Raises:
        InvalidInput: it does not have 1 to 500 characters.
    """
    return _of_length("a key", normalise(key), KEY_CHARACTERS)


def prefix_bound(prefix: str) -> str | None:
    """Return the smallest text above all texts with a prefix, or None.

    The order is by code points.
    """
    for at in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[at]) + 1
        if code <= 0x10FFFF:
            return prefix[:at] + chr(0xE000 if code == 0xD800 else code)
    return None


def _of_length(what: str, text: str, most: int) -> str:
    if not 1 <= len(text) <= most:
        raise InvalidInput(f"{what} has 1 to {most} characters, not {len(text)}")
    return text
