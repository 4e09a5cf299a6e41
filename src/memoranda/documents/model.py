"""Documents: JSON that a program stores by space and key."""

from __future__ import annotations

from dataclasses import dataclass, field

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput
from memoranda.json_data import VERBATIM, JsonValue, checked_json, dump_json
from memoranda.text import normalise

SPACE_CHARACTERS = 60
KEY_CHARACTERS = 500
"""Maximum number of characters of a key.

Together with the space and the workspace, a key fits into an index row of PostgreSQL (2,704 bytes).
"""
VALUE_BYTES = 64_000_000
"""Maximum number of bytes of the JSON text of a value."""
MEMORY_METADATA = "memory-metadata"
"""Space for the data that programs store about memories, with the memory's id as the key.

Such a document is deleted with its memory.
"""
MANY = 1_000
"""Maximum number of documents that one call stores, returns or deletes by key."""
PAGE_BYTES = 64_000_000
"""Maximum number of bytes of values in one response, not counting its first document."""
MAX_SECONDS = 100 * 365 * 24 * 3_600


@dataclass(frozen=True, slots=True)
class NewDocument:
    """Document to be stored."""

    key: str
    value: JsonValue = field(metadata=VERBATIM)
    ttl: int | None = None
    """Number of seconds until the document expires; None for never."""
    version: int | None = None
    """Version that the document replaces; 0 for a new document, None for any version."""


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document. Times are microseconds since the epoch."""

    key: str
    value: JsonValue = field(metadata=VERBATIM)
    """Value of the document; also None if values were not requested."""
    size: int
    """Number of bytes of the JSON text of the value."""
    version: int
    """Version number: 1 at creation, increased with each change of the value."""
    created_at: int
    updated_at: int
    expires_at: int | None

    def is_there(self, now: int) -> bool:
        """Return whether the document has not expired at a given time."""
        return self.expires_at is None or self.expires_at > now


def checked_document(new: NewDocument) -> NewDocument:
    """Return a validated document as it is stored, with a copy of its value.

    Raises:
        InvalidInput: the key does not have 1 to 500 characters, the value is not JSON or has more
            than 64 MB of JSON text, the time to live is not between 1 second and 100 years, or the
            version is negative.
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
        InvalidInput: the name does not have 1 to 60 characters.
    """
    return _of_length("a space", normalise(space), SPACE_CHARACTERS)


def checked_key(key: str) -> str:
    """Return a validated key as it is stored.

    Raises:
        InvalidInput: the key does not have 1 to 500 characters.
    """
    return _of_length("a key", normalise(key), KEY_CHARACTERS)


def prefix_bound(prefix: str) -> str | None:
    """Return the smallest text above all texts with a prefix, or None.

    Texts are ordered by code points.
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
