"""How the form of a turn and the turn before change weights, by rule."""

from __future__ import annotations

import pytest

from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.cue_weights import NOTHING, CueScores, score_turn
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import HEAD, TAIL, proposes, turn_of
from tables import each

CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType

REPORT = "I painted the gate."
PROPOSAL = "Shall I paint the gate?"
QUESTION = "Do you have a brush?"


def scores(turn: str, before: str | None = REPORT) -> dict[FeedbackType, float]:
    return score_turn(turn_of(turn, before)).scores


def nothing(turn: str, before: str | None = REPORT) -> float:
    return score_turn(turn_of(turn, before)).nothing


@each(
    "soft",
    ["never mind", "No problem!", "don't worry about it", "it happens", "ok", "hm", "one moment",
     "let me think", "got it", "good morning", "maybe later", "I don't know", "no worries."],
)  # fmt: skip
def test_a_turn_of_only_a_polite_phrase_is_neutral(soft: str) -> None:
    assert nothing(soft) >= NOTHING + 4


@pytest.mark.parametrize(
    "more",
    ["ok, but it's wrong", "no problem with the gate, paint the door", "hm, the gate is red"],
)
def test_a_polite_phrase_at_the_beginning_is_not_the_whole_turn(more: str) -> None:
    assert nothing(more) < NOTHING + 4


@pytest.mark.parametrize("no", ["no", "No.", "nope!"])
def test_a_bare_no_refuses_a_proposal_and_nothing_else(no: str) -> None:
    proposed = score_turn(turn_of(no, PROPOSAL))
    assert proposed.scores[REJECTION] > proposed.nothing
    for before in (QUESTION, REPORT, None):
        other = score_turn(turn_of(no, before))
        assert other.scores[REJECTION] < other.nothing


def test_a_question_takes_weight_from_all_and_least_from_a_correction() -> None:
    result, question_scores = scores("that's wrong, perfect"), scores("that's wrong, perfect?")
    assert (
        question_scores[CORRECTION] / result[CORRECTION]
        > question_scores[APPROVAL] / result[APPROVAL]
    )
    assert nothing("is it red?") > nothing("it is red")


@pytest.mark.parametrize(
    "turn",
    ["why not?", "can you paint it red?", "didn't I say red?", "are you serious?"],
)
def test_a_rhetorical_question_keeps_its_weight(turn: str) -> None:
    assert nothing(turn) <= NOTHING + 1


def test_praise_with_damage_refuses_unless_the_damage_is_repaired() -> None:
    assert scores("Great, the gate is broken")[REJECTION] >= 2.6
    assert scores("Great, that fixed the broken gate")[REJECTION] < 2.6
    assert scores("Great, the gate is broken")[APPROVAL] < scores("Great, it is")[APPROVAL]
    assert scores("Great, the gate is broken", None)[REJECTION] < 2.6


@pytest.mark.parametrize("turn", ["No, that's right", "no, it's fine", "No, this is perfect"])
def test_a_no_that_agrees_is_no_refusal(turn: str) -> None:
    found = scores(turn)
    assert found[REJECTION] < found[APPROVAL]
    assert found[CORRECTION] < found[APPROVAL]


@pytest.mark.parametrize(
    "turn", ["Don't change a thing", "no complaints", "not bad", "I wouldn't change it"]
)
def test_blame_that_is_denied_is_praise(turn: str) -> None:
    found = scores(turn)
    assert max(found, key=lambda kind: found[kind]) is APPROVAL


def test_an_actually_that_ends_well_corrects_nothing() -> None:
    assert scores("Actually, it works")[CORRECTION] <= 0
    assert scores("Actually, it leaks")[CORRECTION] > 0


def test_without_a_turn_before_there_is_less_to_correct_refuse_or_praise() -> None:
    for kind, turn in ((CORRECTION, "that's wrong"), (REJECTION, "get rid of it"),
                       (APPROVAL, "perfect")):  # fmt: skip
        assert scores(turn, None)[kind] < scores(turn, REPORT)[kind]


@pytest.mark.parametrize("turn", ["my aunt is right", "she paints gates", "the customer is happy"])
def test_an_unprompted_remark_on_others_weighs_less(turn: str) -> None:
    assert nothing(turn, None) > NOTHING


def test_an_answer_to_a_question_is_neither_refusal_nor_consent() -> None:
    question_scores = score_turn(turn_of("yes, two of them", QUESTION))
    offered = score_turn(turn_of("yes, two of them", PROPOSAL))
    assert question_scores.nothing > offered.nothing
    assert question_scores.scores[APPROVAL] < offered.scores[APPROVAL]


def test_another_value_on_the_same_words_corrects_a_report_alone() -> None:
    turn = "The gate has two hinges"
    assert scores(turn, "The gate has one hinge.")[CORRECTION] > NOTHING
    assert scores(turn, "Did the gate have one hinge?")[CORRECTION] == 0
    assert scores(turn, "I could give the gate one hinge.")[CORRECTION] == 0
    assert scores(turn + "?", "The gate has one hinge.")[CORRECTION] == 0
    assert scores("boats sail", "The gate has one hinge.")[CORRECTION] == 0
    long = turn + " and a lock" * 10
    assert scores(long, "The gate has one hinge.")[CORRECTION] == 0


def test_the_strongest_cue_of_a_type_is_the_one_that_is_named() -> None:
    tally = score_turn(turn_of("that's wrong, sorry", REPORT))
    assert tally.said[CORRECTION] == (2.8, "it is wrong")


def test_a_scale_touches_the_types_it_names() -> None:
    tally = CueScores()
    tally.scores = dict.fromkeys(FeedbackType, 2.0)
    tally.scale(0.5, APPROVAL, PATTERN)
    assert tally.scores == {**dict.fromkeys(FeedbackType, 2.0), APPROVAL: 1.0, PATTERN: 1.0}


@pytest.mark.parametrize("turn", ["Can you never edit X?", "Could you always quote with tax?"])
def test_a_question_whether_something_can_be_a_rule_makes_none_by_itself(turn: str) -> None:
    for before in (REPORT, None):
        assert not read_feedback(turn, before).sure


@pytest.mark.parametrize(
    "turn", ["Don't touch the migrations folder", "please don't edit src/generated.py"]
)
def test_a_ban_that_names_a_thing_is_a_rule_unless_it_answers_a_proposal_of_that(
    turn: str,
) -> None:
    reading = read_feedback(turn, REPORT)
    assert (reading.type, reading.sure) == (PATTERN, True)
    proposed = turn.lower().removeprefix("please ").removeprefix("don't ")
    refused = read_feedback(turn, f"Shall I {proposed}?")
    assert (refused.type, refused.sure) == (REJECTION, False)


@pytest.mark.parametrize(
    "turn", ["don't touch it", "Don't push for now", "don't edit the list, print it"]
)
def test_a_ban_for_this_once_is_no_rule(turn: str) -> None:
    assert read_feedback(turn, REPORT).type is not PATTERN


# ---------------------------------------------------------------------- turns


@each(
    ("sentence", "expected"),
    [("I suggest oak.", True), ("Let me know.", False), ("Let me sand it.", True),
     ("`I suggest` is a variable.", False), ("We could use oak.", True), ("It is oak.", False)],
)  # fmt: skip
def test_a_sentence_that_offers_something_is_detected(sentence: str, expected: bool) -> None:
    assert proposes(sentence) is expected


def test_the_beginning_and_the_end_of_a_long_turn_are_read_within_bounds() -> None:
    text = turn_of("first " + "middle " * 2_000 + "last", None).text
    assert text.startswith("first")
    assert text.endswith("last")
    assert len(text) <= HEAD + TAIL + 1


def test_stems_are_of_words_with_content() -> None:
    turn = turn_of("the gates were painted", None)
    assert turn.stems == turn_of("a gate paints", None).stems
    assert turn.words == 4


@each(
    ("text", "expected"),
    [("what is it", True), ("is it red", True), ("red?", True), ("it is red", False),
     ("when you're done, paint it", False), ("how about it. no", False)],
)  # fmt: skip
def test_a_question_is_detected_by_its_mark_or_first_word(text: str, expected: bool) -> None:
    assert turn_of(text, None).questions is expected
