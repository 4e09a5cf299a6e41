"""Pages of lists and their cursors; every list is returned in pages."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memoranda.exceptions import InvalidInput
from memoranda.text import clip

T = TypeVar("T")

MAX_LIMIT = 1_000
_SHOWN = 60
"""Maximum number of characters of an invalid cursor in an error message."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of the items, in order, with the cursor of the next page.

    ``cursor`` is None on the last page. Items that are added between pages cause no other items to
    be repeated or skipped.
    """

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def page_of(found: Sequence[T], limit: int, place: Callable[[T], str | int]) -> Page[T]:
    """Return the first page of a result.

    If ``found`` has more items than the limit, there is a next page.

    Args:
        place: returns the position of an item in the order of the list.
    """
    more = len(found) > limit
    return Page(tuple(found[:limit]), cursor_after(place(found[limit - 1])) if more else None)


def every(
    ask: Callable[..., Page[T]], *arguments: Any, cursor: str | None = None, **named: Any
) -> Iterator[T]:
    """Yield the items of all pages; read each page when it is needed.

    Args:
        ask: returns a page; called with the arguments and ``cursor``.
        cursor: cursor of the first page.
    """
    while True:
        page = ask(*arguments, cursor=cursor, **named)
        yield from page
        if (cursor := page.cursor) is None:
            return


def cursor_after(place: str | int) -> str:
    """Return the cursor after a position: a number, or checksummed text."""
    return str(place) if isinstance(place, int) else f"{place}.{_checksum(place)}"


def place_of(cursor: str | None, *, first: str) -> str:
    """Return the text in a cursor, or the first position without a cursor.

    A damaged cursor could otherwise be decoded to another position, and the first page would be
    shown again.

    Raises:
        InvalidInput: the text is not a cursor of a list.
    """
    if cursor is None:
        return first
    place, _, checksum = cursor.rpartition(".")
    if checksum != _checksum(place):
        raise _not_a_cursor(cursor)
    return place


def number_of(cursor: str | None, *, first: int) -> int:
    """Return the number in a cursor, or the first number without a cursor.

    ``first`` is the number at the start of the list.

    Raises:
        InvalidInput: the cursor is not a number, or is too large.
    """
    if cursor is None:
        return first
    if not (cursor.isdecimal() and len(cursor) < 19):
        raise _not_a_cursor(cursor)
    return int(cursor)


def checked_limit(limit: int) -> int:
    """Return the limit if it is between 1 and 1,000.

    Raises:
        InvalidInput: the limit is outside this range.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    return limit


def _checksum(place: str) -> str:
    return f"{zlib.crc32(place.encode(errors='surrogatepass')):08x}"


def _not_a_cursor(cursor: str) -> InvalidInput:
    return InvalidInput(
        f"{clip(cursor, _SHOWN)!r} is not a cursor of this list; use the one from the previous "
        "page, or omit it for the first page"
    )
