"""Trend of errors: whether they have become more frequent lately."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.errors.model import Trend
from memoranda.errors.statistics import binomial_tail

UNLIKELY = 0.05
"""Probability by chance up to which a half has significantly more."""


def trend(times: Sequence[int], span: tuple[int, int]) -> Trend:
    """Compare the later half of a span of time with the earlier half.

    The span is its first and last moment. Errors that come evenly fall into either half like a
    coin; five in one half and none in the other are the fewest that are significant. The middle
    belongs to the later half.
    """
    start, end = span
    if start == end:
        return Trend.STEADY
    later = sum(2 * time >= start + end for time in times)
    if binomial_tail(later, len(times), 0.5) <= UNLIKELY:
        return Trend.RISING
    if binomial_tail(len(times) - later, len(times), 0.5) <= UNLIKELY:
        return Trend.FALLING
    return Trend.STEADY
