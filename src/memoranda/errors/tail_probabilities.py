"""Exact tail probabilities, and significance among many tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_NEGLIGIBLE = 40.0
"""Distance in natural logarithms below the largest term at which a term is negligible in a float.
"""


def binomial_tail(count: int, tries: int, chance: float) -> float:
    """Return the probability of at least ``count`` successes in ``tries``.

    Each try succeeds with probability ``chance``. The result is exact up to rounding for all
    numbers that floats can represent, because terms are added as logarithms.
    """
    if count <= 0:
        return 1.0
    if count > tries or chance <= 0:
        return 0.0
    if chance >= 1:
        return 1.0
    hit, miss = math.log(chance), math.log1p(-chance)

    def term(successes: int) -> float:
        return _choose(tries, successes) + successes * hit + (tries - successes) * miss

    return _sum(term, count, tries)


def hypergeometric_tail(count: int, total: int, marked: int, drawn: int) -> float:
    """Return the probability of at least ``count`` marked items in a sample.

    Of ``total`` items, ``marked`` are marked, and ``drawn`` are drawn without replacement. The
    result is exact up to rounding.
    """
    least, most = max(0, drawn + marked - total), min(marked, drawn)
    if count <= least:
        return 1.0
    if count > most:
        return 0.0
    every = _choose(total, drawn)

    def term(found: int) -> float:
        return _choose(marked, found) + _choose(total - marked, drawn - found) - every

    return _sum(term, count, most)


def _choose(total: int, chosen: int) -> float:
    """Return the logarithm of the number of ways to choose some of a total."""
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def _sum(term: Callable[[int], float], first: int, last: int) -> float:
    """Add unimodal probabilities given as logarithms; ignore negligible ones."""
    greatest, total = -math.inf, 0.0
    for number in range(first, last + 1):
        found = term(number)
        if found > greatest:
            total = total * math.exp(greatest - found) + 1
            greatest = found
        else:
            total += math.exp(found - greatest)
            if found < greatest - _NEGLIGIBLE:
                break
    return min(1.0, math.exp(min(0.0, greatest + math.log(total))))


def discoveries(
    tried: Sequence[T], p: Callable[[T], float], rate: float, tries: int | None = None
) -> list[T]:
    """Return the significant items, lowest p first.

    The expected share of false positives is at most ``rate``. ``tries`` is the number of all tests
    if ``tried`` omits some that could not be significant. Items with equal p keep their order.
    Benjamini and Hochberg, Journal of the Royal Statistical Society B 57 (1995).
    """
    ordered = sorted(tried, key=p)
    every = len(ordered) if tries is None else max(tries, len(ordered))
    passing = (at for at, item in enumerate(ordered, 1) if p(item) <= rate * at / every)
    return ordered[: max(passing, default=0)]
