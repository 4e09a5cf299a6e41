"""How likely chance alone brings as much: exact tails, and what stands out among many tries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_NEGLIGIBLE = 40.0
"""Below the greatest term in natural logarithms: what no longer shows in a float."""


def binomial_tail(count: int, tries: int, chance: float) -> float:
    """Return the probability of ``count`` or more successes in ``tries``, each with ``chance``.

    Exact up to rounding, for any numbers that floats hold: terms are added as logarithms.
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
    """Return the probability of ``count`` or more marked ones among those drawn.

    Of ``total`` things, ``marked`` have the mark, and ``drawn`` are drawn without putting back.
    Exact up to rounding.
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
    """Add up probabilities given as logarithms, which rise and then fall, while they count."""
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
    """Return what stands out, lowest p first; at most a share ``rate`` of it should be false.

    ``tries`` counts everything that was looked at, where ``tried`` leaves out what had no chance
    to stand out. Equal p keep their order. Benjamini and Hochberg, Journal of the Royal
    Statistical Society B 57 (1995).
    """
    ordered = sorted(tried, key=p)
    every = len(ordered) if tries is None else max(tries, len(ordered))
    passing = (at for at, one in enumerate(ordered, 1) if p(one) <= rate * at / every)
    return ordered[: max(passing, default=0)]
