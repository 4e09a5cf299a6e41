"""Cursor for the pages of a search.

The cursor contains the results of the earlier pages, so that no result is repeated or skipped by
concurrent writes or clock changes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from memoranda.clock import LATEST
from memoranda.exceptions import InvalidInput

NAME = 6
"""Number of bytes of an id in a cursor."""
MAXIMUM = 1_000
"""Maximum number of results that can be paged through."""
NONE = "this is not a cursor of a search; use the one from the previous page"


@dataclass(frozen=True, slots=True)
class Position:
    """Start position of a page."""

    at: int
    """Time of the first page's request, in microseconds since the epoch."""
    seen: frozenset[bytes] = frozenset()

    def passed(self, id: str) -> bool:
        """Return whether a result was on an earlier page."""
        return _name(id) in self.seen

    @property
    def full(self) -> bool:
        """Return whether the maximum number of results has been paged through."""
        return len(self.seen) >= MAXIMUM

    def after(self, ids: Iterable[str]) -> str:
        """Return the cursor for the page after these results."""
        seen = b"".join(sorted(self.seen | {_name(id) for id in ids}))
        fields = [self.at, base64.b64encode(seen).decode()]
        return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


def read(cursor: str | None, now: int) -> Position:
    """Parse a cursor; None is the start.

    Raises:
        InvalidInput: the text is not a cursor of a search.
    """
    if cursor is None:
        return Position(now)
    try:
        at, seen = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        names = base64.b64decode(seen, validate=True)
    except (ValueError, TypeError, RecursionError, binascii.Error):
        raise InvalidInput(NONE) from None
    if type(at) is not int or not 0 <= at <= LATEST or len(names) % NAME:
        raise InvalidInput(NONE)
    return Position(at, frozenset(names[i : i + NAME] for i in range(0, len(names), NAME)))


def _name(id: str) -> bytes:
    return hashlib.blake2b(id.encode(), digest_size=NAME).digest()
