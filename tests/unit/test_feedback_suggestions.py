"""Whether a suggestion repeats an earlier one: same meaning, no negation."""

from __future__ import annotations

import time

import pytest

from memoranda.feedback.suggestion_comparison import NEAR, same_suggestion, suggestion
from tables import each

SAME = [
    ("Put a lamp in the porch", "add a lamp to the porch"),
    ("Paint the fence in green", "the fence could be painted green"),
    ("Rewrite the leaflet in verse", "recast the leaflet in verse"),
    ("Raise the fee to 60 euros", "increase the fee to 60 euros"),
    ("Skip the tour in the rain", "disable the tour in the rain"),
    ("Use Nginx as a proxy", "put Nginx in front"),
    ("Send the letter on Friday", "mail the letter this Friday"),
]

OTHERS = [
    ("Add a lamp to the porch", "remove the lamp from the porch"),
    ("Raise the fee", "lower the fee"),
    ("Paint the fence", "don't paint the fence"),
    ("Raise the fee to 60 euros", "raise the fee to 80 euros"),
    ("Set the timeout to 5 seconds", "set the timeout to 5 minutes"),
    ("Send the letter on Friday", "send the letter on Monday"),
    ("Use Nginx as a proxy", "use Caddy as a proxy"),
    ("Book the morning ferry", "book the morning train"),
    ("Use slate instead of tile", "use tile instead of slate"),
    ("Renovate the old barn", "delete the old barn"),
    ("Keep the letters in a box", "keep the letters in the attic of the barn"),
    ("Open the gate", "close the gate"),
    ("Make the column required", "make the column optional"),
]


@each(("one", "other"), SAME)
def test_the_same_in_other_words_is_the_same(one: str, other: str) -> None:
    assert same_suggestion(one, other, 0.8)
    assert same_suggestion(other, one, 0.8)


@each(("one", "other"), OTHERS)
def test_what_differs_where_it_may_not_is_another_one_however_near(one: str, other: str) -> None:
    assert not same_suggestion(one, other, 0.99)
    assert not same_suggestion(other, one, 0.99)
    assert not same_suggestion(one, other)


def test_nearness_decides_from_its_threshold_on() -> None:
    one, other = "Put a lamp in the porch", "light up the entrance"
    assert same_suggestion(one, other, NEAR)
    assert not same_suggestion(one, other, NEAR - 0.01)


def test_without_vectors_common_words_decide() -> None:
    assert same_suggestion("Add a lamp to the porch", "put a porch lamp")
    assert not same_suggestion("Add a lamp to the porch", "light up the entrance")


def test_an_edited_copy_is_the_same_whatever_the_vectors_say() -> None:
    assert same_suggestion("Add a lamp to the porch", "  add a LAMP to the  porch!", 0.1)


@pytest.mark.parametrize("empty", ["", "   ", "!?"])
def test_nothing_suggests_nothing(empty: str) -> None:
    assert not same_suggestion(empty, empty, 1.0)
    assert not same_suggestion(empty, "Paint the fence", 1.0)


@each("piece", ["A", "a_", "a.", "aB", "not ", "1 ", "Ab-", "get rid of "])
def test_hostile_suggestions_are_compared_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    assert len(suggestion(piece * 50_000).text) <= 400
    same_suggestion(piece * 50_000, "x" + piece * 50_000)
    assert time.process_time() - started < 0.3
