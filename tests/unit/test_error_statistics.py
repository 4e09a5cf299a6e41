"""Statistics of errors: exact tails, multiple tests, and trends."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from memoranda.errors.model import Trend
from memoranda.errors.patterns import trend
from memoranda.errors.tail_probabilities import binomial_tail, discoveries, hypergeometric_tail
from tables import each


def _binomial(count: int, tries: int, chance: Fraction) -> Fraction:
    terms = (
        math.comb(tries, k) * chance**k * (1 - chance) ** (tries - k)
        for k in range(max(0, count), tries + 1)
    )
    return sum(terms, Fraction(0))


def _hypergeometric(count: int, total: int, marked: int, drawn: int) -> Fraction:
    ways = sum(
        math.comb(marked, k) * math.comb(total - marked, drawn - k)
        for k in range(max(0, count), min(marked, drawn) + 1)
    )
    return Fraction(ways, math.comb(total, drawn))


@given(st.integers(-1, 70), st.integers(0, 60), st.fractions(0, 1, max_denominator=50))
def test_a_binomial_tail_is_exact(count: int, tries: int, chance: Fraction) -> None:
    exact = float(_binomial(count, tries, chance))

    assert binomial_tail(count, tries, float(chance)) == pytest.approx(exact, rel=1e-9, abs=1e-300)


@given(st.data(), st.integers(1, 80))
def test_a_hypergeometric_tail_is_exact(data: st.DataObject, total: int) -> None:
    marked, drawn = (data.draw(st.integers(0, total)) for _ in range(2))
    count = data.draw(st.integers(-1, drawn + 1))
    exact = float(_hypergeometric(count, total, marked, drawn))

    found = hypergeometric_tail(count, total, marked, drawn)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-300)


def test_tails_of_large_numbers_neither_vanish_nor_overflow() -> None:
    assert binomial_tail(5_000, 10_000, 0.5) == pytest.approx(0.504, abs=0.001)
    assert 0 < binomial_tail(400, 10_000, 0.01) < 1e-100
    assert binomial_tail(3, 10_000, 0.9) == pytest.approx(1.0)
    assert hypergeometric_tail(4, 10_000, 5_000, 5_000) == pytest.approx(1.0)
    assert 0 < hypergeometric_tail(150, 10_000, 200, 1_000) < 1e-80


PS = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
      0.5719, 0.6528, 0.7590, 1.0000]  # fmt: skip
"""The example of the paper of 1995, with four significant values."""


def test_the_example_of_benjamini_and_hochberg() -> None:
    assert discoveries(PS[::-1], float, 0.05) == PS[:4]


def test_one_that_passes_takes_along_what_is_before_it() -> None:
    assert discoveries([0.04, 0.03], float, 0.05) == [0.03, 0.04]
    assert discoveries([0.04, 0.03, 0.9], float, 0.05) == []


def test_what_was_tried_and_left_out_counts() -> None:
    assert discoveries([0.004, 0.2], float, 0.05, tries=10) == [0.004]
    assert discoveries([0.004, 0.2], float, 0.05, tries=20) == []
    assert discoveries([0.004, 0.2], float, 0.05, tries=0) == [0.004]


def test_nothing_stands_out_where_nothing_was_tried() -> None:
    assert discoveries([], float, 0.05) == []


TRENDS = {
    "five in the later half": ([60, 70, 80, 90, 100], Trend.RISING),
    "five in the earlier half": ([0, 10, 20, 30, 40], Trend.FALLING),
    "four tell nothing": ([70, 80, 90, 100], Trend.STEADY),
    "even": ([0, 20, 40, 60, 80, 100], Trend.STEADY),
    "mostly later": ([10, 60, 65, 70, 75, 80, 90, 95], Trend.RISING),
    "a few more later": ([10, 20, 30, 60, 70, 80, 90, 95], Trend.STEADY),
    "the middle is later": ([50, 50, 50, 50, 50], Trend.RISING),
}


@each(("times", "expected"), TRENDS.values(), ids=TRENDS)
def test_a_trend_is_reported_where_chance_is_unlikely(times: list[int], expected: Trend) -> None:
    assert trend(times, (0, 100)) is expected


def test_errors_of_one_moment_have_no_trend() -> None:
    assert trend([7] * 20, (7, 7)) is Trend.STEADY
