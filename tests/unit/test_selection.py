"""Greedy selection with decreasing gains, and similarity of sets."""

from __future__ import annotations

from hypothesis import given, strategies as st

from memoranda.language.text_overlap import (
    COPIED,
    REPEATED,
    BestFirst,
    Coverage,
    containment,
    jaccard,
)


def test_the_best_candidate_comes_first_and_ties_go_to_the_lower_number() -> None:
    gains = [1.0, 3.0, 3.0, 2.0]
    assert [at for at, _ in BestFirst(gains.__getitem__, enumerate(gains))] == [1, 2, 3, 0]


def test_a_candidate_whose_gain_shrank_waits_for_its_turn() -> None:
    gains = [5.0, 4.0, 3.0]
    found = []
    for at, gain in BestFirst(gains.__getitem__, enumerate(list(gains))):
        found.append((at, gain))
        gains[1] = 1.0
    assert found == [(0, 5.0), (2, 3.0), (1, 1.0)]


def test_a_candidate_can_be_put_back_and_the_rest_be_listed() -> None:
    gains = [1.0, 2.0, 3.0]
    queue = BestFirst(gains.__getitem__, enumerate(gains))
    assert next(iter(queue)) == (2, 3.0)
    queue.put(2)
    assert queue.rest() == [0, 1, 2]


def test_covered_words_count_less() -> None:
    covered, weights = Coverage(), {"port": 2.0, "cache": 2.0}
    assert covered.left(weights) == 1.0
    assert covered.gain(4.0, weights, 1) == 4.0
    covered.add(["port"])
    assert covered.left(weights) == 0.75
    for _ in range(50):
        covered.add(weights)
    copied = covered.gain(4.0, weights, 1)
    assert 4.0 * COPIED * REPEATED < copied < 4.0 * COPIED
    covered.remove(["port"])
    assert covered.gain(4.0, weights, 1) > copied


@given(st.frozensets(st.integers(0, 5)), st.frozensets(st.integers(0, 5)))
def test_shares_lie_between_none_and_all(one: frozenset[int], other: frozenset[int]) -> None:
    assert jaccard(one, other) == jaccard(other, one)
    assert 0 <= jaccard(one, other) <= containment(one, other) <= 1
    assert (jaccard(one, other) == 1) == (one == other and bool(one))
    assert (containment(one, other) == 1) == (one <= other and bool(one))
