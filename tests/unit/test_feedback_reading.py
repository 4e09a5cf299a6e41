"""Feedback in a turn about the last one: types, context, certainty."""

from __future__ import annotations

import time

import pytest

from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import turn_of
from tables import each

CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType

SPOKEN = [
    (CORRECTION, "The ferry sails at noon.", "That's wrong, it sails at one."),
    (CORRECTION, "I filed it under travel.", "It should be filed under training."),
    (CORRECTION, "I painted the gate white.", "I said cream"),
    (CORRECTION, "I called the table guests.", "Rename it to visitors instead"),
    (CORRECTION, "The pump holds five litres.", "It holds seven: five is the small one."),
    (CORRECTION, "I wrote to the tenant.", "Didn't I tell you to write to the owner?"),
    (REJECTION, "I could repaint the hall.", "No."),
    (REJECTION, "I suggest a second pump.", "I don't want a second pump"),
    (REJECTION, "I've tuned the boiler.", "Wonderful, now the heating is down"),
    (REJECTION, "Here is the leaflet.", "This is awful, throw it away"),
    (REJECTION, "I replaced the valve.", "It still doesn't work"),
    (APPROVAL, "I replaced the valve.", "Perfect, thank you"),
    (APPROVAL, "I moved the bench.", "No, that's fine, leave it like that"),
    (APPROVAL, "I moved the bench.", "Actually, that looks good there"),
    (APPROVAL, "Shall I order more tiles?", "Sure, go ahead"),
    (APPROVAL, "I'd plant an oak.", "I don't see why not"),
    (APPROVAL, "Here is the leaflet.", "Can't complain"),
    (APPROVAL, "Here is the leaflet.", "No complaints"),
    (INSTRUCTION, None, "Write a leaflet about the museum."),
    (INSTRUCTION, None, "can you list the open invoices?"),
    (INSTRUCTION, "The leaflet is written.", "Great, now print fifty of them"),
    (INSTRUCTION, None, "Don't water the roses for now, only the herbs"),
    (PATTERN, None, "From now on, quote prices with tax"),
    (PATTERN, None, "Never call a guest before ten"),
    (PATTERN, None, "We always water in the evening."),
    (PATTERN, None, "Every invoice must have a number."),
    (PATTERN, None, "Whenever a guest cancels, tell the kitchen"),
    (PATTERN, "I wrote the letter in red.", "Please don't use red ever again"),
]

NO_FEEDBACK = [
    ("Shall I repaint the hall?", "one moment"),
    ("I could repaint the hall.", "never mind"),
    ("Anything else for today?", "No"),
    ("How many guests are coming?", "about thirty"),
    ("Did the pump start?", "yes, around nine"),
    ("I'm sorry about that.", "no problem"),
    (None, "How deep is the well?"),
    (None, "I never got an answer from the museum"),
    (None, "My aunt is right about the roof"),
    (None, "Hello"),
    (None, ""),
    (None, "   \n "),
]


@each(("kind", "before", "turn"), SPOKEN)
def test_a_turn_is_read_as_its_type(kind: FeedbackType, before: str | None, turn: str) -> None:
    reading = read_feedback(turn, before)
    assert reading.type is kind
    assert 0 < reading.confidence <= 1
    assert 0 < reading.margin <= 1
    assert reading.reason


@each(("before", "turn"), NO_FEEDBACK)
def test_answers_questions_and_narratives_are_no_feedback(before: str | None, turn: str) -> None:
    reading = read_feedback(turn, before)
    assert reading.type is None
    assert not reading.sure


def test_a_bare_no_refers_to_the_preceding_turn() -> None:
    assert read_feedback("No", "I suggest to sell the boat.").type is REJECTION
    assert read_feedback("No", "Do you have anything to add?").type is None
    assert read_feedback("No", None).type is None


def test_praise_beside_damage_is_no_praise() -> None:
    before = "I changed the lock."
    assert read_feedback("Brilliant, the key is broken", before).type is REJECTION
    assert read_feedback("Brilliant, that fixed the broken key", before).type is APPROVAL


def test_a_clear_cue_is_sure_and_names_itself() -> None:
    reading = read_feedback("From now on, quote prices with tax", None)
    assert reading.sure
    assert reading.reason == "a standing rule"
    assert reading.margin >= 0.35


def test_another_value_without_a_cue_is_detected_but_never_certain() -> None:
    reading = read_feedback("The pump has two filters.", "The pump has one filter.")
    assert reading.type is CORRECTION
    assert reading.reason == "states another value"
    assert not reading.sure


def test_a_weak_cue_is_not_sure_however_far_it_is_ahead() -> None:
    reading = read_feedback("hm, the pump has two filters", "The pump has one filter.")
    assert reading.type is CORRECTION
    assert reading.margin >= 0.35
    assert not reading.sure


@pytest.mark.parametrize(
    "turn",
    ["Nice, but take it out", "Thanks, but that's wrong", "Please don't shout at the guests"],
    ids=["praise and refusal", "thanks and blame", "request and ban"],
)
def test_cues_of_two_types_side_by_side_are_not_sure(turn: str) -> None:
    reading = read_feedback(turn, "I added a lamp.")
    assert reading.type is not None
    assert not reading.sure


def test_a_long_text_is_not_acted_upon_for_a_phrase_in_it() -> None:
    rule = "From now on, quote prices with tax."
    assert read_feedback(rule + " The gate is green." * 5, None).sure
    assert not read_feedback(rule + " The gate is green." * 15, None).sure


@pytest.mark.parametrize(
    "turn",
    ["```\nnever call a guest\n```", "> Never call a guest before ten", "`always`"],
    ids=["fence", "quoted line", "code"],
)
def test_code_and_quoted_lines_are_not_the_persons_words(turn: str) -> None:
    assert read_feedback(turn, None).type is None


def test_only_the_beginning_and_the_end_of_a_long_turn_are_read() -> None:
    filler = "the gate is green and the well is deep; " * 400
    assert turn_of(f"{filler} from now on {filler}", None).text.count("from now on") == 0
    assert read_feedback(f"From now on, quote prices with tax. {filler}", None).type is PATTERN
    assert len(turn_of(filler, None).text) < 800


def test_typographic_quotes_and_capitals_make_no_difference() -> None:
    plain = read_feedback("i don't like it", "I repainted the hall.")
    assert read_feedback("I DON\u2019T LIKE IT", "I repainted the hall.") == plain


@each(
    "piece",
    [
        "no, ",
        "not ",
        "a" * 50 + " ",
        "`",
        "```",
        ">",
        "please don't ",
        "it is ",
        '"',
        "\u2019",
        "\n",
    ],
    ids=["no", "not", "letters", "tick", "fence", "quoted", "dont", "is", "quote", "mark", "line"],
)
def test_hostile_turns_are_read_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    read_feedback(piece * 40_000, piece * 40_000)
    assert time.process_time() - started < 0.5
