"""The points of a turn after its initial verdict."""

from __future__ import annotations

import time

import pytest

from memoranda.feedback.cue_classifier import (
    TurnVerdict,
    VerdictJoint,
    read_feedback,
    requirement,
    turn_start,
)
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.vector_classifier import read_with_vectors
from memoranda.models.embedding.minilm import LocalEmbedder
from tables import each

CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType
REPORT = "I put the totals into cart.py"
PROPOSAL = "Shall I order more tiles?"

RULES = [
    ("Great, but never touch the tax table", "never touch the tax table"),
    ("Not perfect: never touch the tax table", "never touch the tax table"),
    (
        "Nice work! Always run make lint before you commit.",
        "Always run make lint before you commit.",
    ),
    ("LGTM except never log tokens", "never log tokens"),
    ("Perfect. Never touch the tax table.", "Never touch the tax table."),
    ("Great! Love it. However, never log tokens", "never log tokens"),
    ("Looks good \u2014 never log tokens", "never log tokens"),
    ("Thanks.\nNever log tokens", "Never log tokens"),
    ("Great, only never log tokens", "never log tokens"),
    ("ok, but never log tokens", "never log tokens"),
    ("No. Never touch the tax table", "Never touch the tax table"),
]


@each("before", [REPORT, None], ids=["answer", "unasked"])
@each(("turn", "rule"), RULES, ids=[rule[0] for rule in RULES])
def test_a_rule_behind_a_verdict_is_read_as_it_is_alone(
    turn: str, rule: str, before: str | None
) -> None:
    assert read_feedback(turn, before) == read_feedback(rule, before)
    assert read_feedback(turn, before).type is PATTERN
    assert read_feedback(turn, before).sure
    assert requirement(turn, before) == rule


@pytest.mark.parametrize("turn", [RULES[0][0], RULES[2][0], "No, use the test database"])
def test_the_model_that_knows_whole_turns_does_not_speak_of_their_points(turn: str) -> None:
    assert read_with_vectors(turn, REPORT, LocalEmbedder()) == read_feedback(turn, REPORT)


def test_an_order_after_praise_is_an_order() -> None:
    reading = read_feedback("Good, but use snake_case", "Name helpers in camelCase")
    assert (reading.type, reading.sure) == (INSTRUCTION, True)


@pytest.mark.parametrize(
    "turn",
    ["Great, but the door squeaks", "Great, except for the colour", "Nice, but take it out",
     "Great, but that's wrong", "Nice work, run make lint before you commit"],
)  # fmt: skip
def test_praise_that_is_restricted_approves_nothing_and_asks(turn: str) -> None:
    reading = read_feedback(turn, REPORT)
    assert reading.type is not None
    assert not reading.sure


def test_the_right_value_after_praise_corrects() -> None:
    reading = read_feedback("Great, but it should be in cents", REPORT)
    assert (reading.type, reading.sure) == (CORRECTION, True)


@each(
    ("turn", "before"),
    [("Yes, order the tiles", PROPOSAL), ("Yes. Please order them", PROPOSAL),
     ("Perfect, exactly what I wanted", REPORT), ("Perfect. Thank you so much.", REPORT),
     ("not bad", REPORT), ("Never seen it done better!", REPORT)],
)  # fmt: skip
def test_consent_and_praise_alone_still_approve(turn: str, before: str) -> None:
    reading = read_feedback(turn, before)
    assert (reading.type, reading.sure) == (APPROVAL, True)


@pytest.mark.parametrize("turn", ["Not perfect", "This is not great", "It doesn't work well"])
def test_praise_that_is_denied_is_none(turn: str) -> None:
    assert read_feedback(turn, REPORT).type in (CORRECTION, REJECTION)


@pytest.mark.parametrize(
    ("turn", "before"),
    [("No, use the test database", "I'll run it on production"),
     ("No, use port 9090", "The gateway is on 8080"), ("Nope. Use decimals", REPORT)],
)  # fmt: skip
def test_an_order_after_a_refusal_corrects(turn: str, before: str) -> None:
    reading = read_feedback(turn, before)
    assert (reading.type, reading.sure) == (CORRECTION, True)


def test_without_an_earlier_turn_it_is_an_order() -> None:
    assert read_feedback("No, use the test database", None).type is INSTRUCTION


def test_a_refusal_that_is_one_stays_one() -> None:
    assert read_feedback("no, remove that", REPORT).type is REJECTION
    assert read_feedback("No. Take the totals out.", REPORT).type is REJECTION


def test_an_opening_names_its_verdict_and_what_joins_it() -> None:
    opening = turn_start("Great, thanks! But use tabs", REPORT)
    assert opening is not None
    assert (opening.verdict, opening.joint) == (TurnVerdict.PRAISE, VerdictJoint.CONTRAST)
    assert (opening.words, opening.point) == ("Great, thanks! But", "use tabs")


@pytest.mark.parametrize("turn", ["Great", "Great!", "use tabs, but not here", "", "Great, "])
def test_without_a_verdict_or_a_point_there_is_no_opening(turn: str) -> None:
    assert turn_start(turn, REPORT) is None


@each("piece", ["great, ", "but ", "great. but ", ", , ", "- ", "\n", " \n"])
def test_hostile_openings_are_parted_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    read_feedback(piece * 40_000, piece * 400)
    assert time.process_time() - started < 0.5
