"""Every cue matches its example, and the turn before is classified."""

from __future__ import annotations

import pytest

from memoranda.feedback.cue_weights import NOTHING, FeedbackCue, cues, score_turn
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import turn_of
from tables import each

EXAMPLES = {
    "a standing rule": "House rule: shoes stay outside",
    "always or never, to begin with": "and never ring the bell",
    "always or never": "you must always knock",
    "a ban": "stop ringing the bell in this house",
    "hands off, to begin with": "please don't touch the bell",
    "by default": "the lamp is off by default",
    "how to deal with me": "call me Ishmael",
    "to be remembered": "remember to knock",
    "what we do": "nobody deploys here on a holiday",
    "a preference": "I really prefer short letters",
    "what a kind of thing must be": "all letters have to be signed",
    "a condition": "if in doubt, knock",
    "one rather than another, everywhere": "use oil rather than butter everywhere",
    "never, or not without": "no guest leaves without a stamp",
    "it is wrong": "you're mistaken about the roof",
    "what it should be": "the roof should be red",
    "what was said before": "as we agreed, red",
    "a mistake of yours": "you overlooked the cellar",
    "this, not that": "red, not green",
    "actually, or no": "actually, we sail at one",
    "too much or too little": "the rope is too short, make it longer",
    "the right one": "it's the other one",
    "hm, or sorry": "sorry, the boat sails at one",
    "not so, but so": "don't paint it, just use oil",
    "it is not that": "this isn't oak",
    "an outright verdict": "Rejected: it has no tests",
    "a bare refusal": "over my dead body",
    "to be undone": "get rid of it before noon",
    "not wanted": "I'm not keen on oak",
    "a bad verdict": "what a waste of money",
    "does not work": "the pump doesn't start",
    "no, to begin with": "nope, the oak one",
    "scorn": "are you serious",
    "do not": "don't paint it",
    "praise or consent, to begin with": "spot on",
    "praise or consent": "the red is just what I wanted",
    "praise by denial": "nothing to change from me",
    "a second thought": "actually, I like the red",
    "ends well": "the boat sails beautifully",
    "an order, to begin with": "now print the letter",
    "a request": "the letter, please",
    "this time": "paint it green for now",
    "not yet": "don't paint the gate yet",
    "and now": "done, next the gate",
}


def test_there_is_an_example_of_every_cue() -> None:
    named = [cue.name for cue in cues()]
    assert sorted(named) == sorted(EXAMPLES)


@each("cue", cues(), ids=lambda cue: cue.name)
def test_a_cue_matches_its_example_and_no_plain_remark(cue: FeedbackCue) -> None:
    assert cue.pattern.search(turn_of(EXAMPLES[cue.name], None).text)
    for remark in ("the boat left the harbour at dawn", "which harbour was that"):
        assert not cue.pattern.search(remark)


def test_a_plain_remark_weighs_nothing() -> None:
    tally = score_turn(turn_of("the boat left the harbour at dawn", None))
    assert set(tally.scores.values()) == {0.0}
    assert tally.nothing >= NOTHING
    assert tally.said == {}


@each(
    ("before", "proposes", "asks", "questions"),
    [
        ("Shall I paint the gate?", True, False, True),
        ("I suggest green paint.", True, False, False),
        ("I'll paint the gate at noon.", True, False, False),
        ("Do you have a brush?", False, True, True),
        ("Which gate do you mean?", False, True, True),
        ("The gate is open. Did the dog get out?", False, True, True),
        ("Do you like the green?", False, False, True),
        ("I painted the gate.", False, False, False),
    ],
    ids=["shall", "suggest", "announce", "have", "which", "did", "like", "report"],
)
def test_the_turn_before_proposes_asks_or_reports(
    before: str, proposes: bool, asks: bool, questions: bool
) -> None:
    answered = turn_of("no", before).answered
    assert answered is not None
    assert (answered.proposes, answered.asks, answered.questions) == (proposes, asks, questions)
    assert answered.reports is not (proposes or asks or questions)


@pytest.mark.parametrize("before", [None, "", " \n"], ids=["none", "empty", "blank"])
def test_without_a_turn_before_nothing_is_answered(before: str | None) -> None:
    assert turn_of("no", before).answered is None


def test_a_rule_outweighs_the_order_that_contains_it() -> None:
    scores = score_turn(turn_of("From now on print letters twice, please", None)).scores
    assert scores[FeedbackType.PATTERN] > scores[FeedbackType.INSTRUCTION]


def test_the_no_of_a_long_correction_counts_less_as_a_refusal() -> None:
    long = score_turn(turn_of("no, it should be painted in dark red", "I painted it.")).scores
    short = score_turn(turn_of("no, it should be red", "I painted it.")).scores
    assert long[FeedbackType.REJECTION] < short[FeedbackType.REJECTION]


def test_a_question_takes_weight_from_everything_but_a_polite_order() -> None:
    question_scores = score_turn(turn_of("is the letter perfect?", "I wrote the letter."))
    result = score_turn(turn_of("the letter is perfect", "I wrote the letter."))
    approval = FeedbackType.APPROVAL
    assert question_scores.scores[approval] < result.scores[approval]
    assert question_scores.nothing > result.nothing
    assert score_turn(turn_of("can you print the letter?", None)).nothing == NOTHING
