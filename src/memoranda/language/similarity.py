"""How much two sets have in common, from 0 to 1."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TypeVar

_Member = TypeVar("_Member")


def jaccard(one: AbstractSet[_Member], other: AbstractSet[_Member]) -> float:
    """Return the share of all members that are in both sets; 0 of two empty ones.

    Example:
        >>> jaccard({1, 2, 3}, {2, 3, 4})
        0.5
    """
    both = len(one & other)
    every = len(one) + len(other) - both
    return both / every if every else 0.0


def containment(part: AbstractSet[_Member], whole: AbstractSet[_Member]) -> float:
    """Return the share of the members of a set that another one has; 0 of an empty set.

    Example:
        >>> containment({1, 2}, {2, 3, 4})
        0.5
    """
    return len(part & whole) / len(part) if part else 0.0
