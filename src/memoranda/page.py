"""Pages of a list and their cursors; every list is returned in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from memoranda.exceptions import InvalidInput

T = TypeVar("T")

MAX_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of the items, in order, with the cursor of the next page.

    ``cursor`` is None on the last page. Items added meanwhile neither repeat nor hide others.
    """

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def page_of(found: Sequence[T], limit: int, cursor: Callable[[T], str]) -> Page[T]:
    """Return the page at the start of a result.

    If ``found`` has more items than the limit, there is a next page.

    Args:
        cursor: returns the cursor for what follows an item.
    """
    more = len(found) > limit
    return Page(tuple(found[:limit]), cursor(found[limit - 1]) if more else None)


def number_of(cursor: str | None, *, first: int) -> int:
    """Return the number in a cursor, or the first one without a cursor.

    ``first`` is the number at the start of the list.

    Raises:
        InvalidInput: it is not a number, or too large.
    """
    if cursor is None:
        return first
    if not (cursor.isdecimal() and len(cursor) < 19):
        raise InvalidInput(f"{cursor!r} is not a cursor of this list")
    return int(cursor)


def checked_limit(limit: int) -> int:
    """Return the limit if it is within 1 and 1,000.

    Raises:
        InvalidInput: it is not.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")
    return limit
