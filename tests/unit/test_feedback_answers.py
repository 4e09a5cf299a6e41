"""The subject of a reply, feedback in blocks, and learnable feedback."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from contract.contract_feedback import feedback_of
from contract.records import Records
from memoranda.feedback.detector import ABOUT, answered_part
from memoranda.feedback.feedback_lines import line_of
from memoranda.feedback.feedback_memories import CATEGORIES, category_of, lesson_of, place_of
from memoranda.feedback.model import FeedbackType
from memoranda.feedback.rejection_counts import cosine
from memoranda.language.words import table_rows
from memoranda.memories.duplicates import UNKNOWN, TextEmbedding, plain
from memoranda.memories.model import Category
from memoranda.scope import Scope
from tables import each

SAID = feedback_of(Records())


@each(
    ("before", "part"),
    [
        ("", ""),
        ("  \n ", ""),
        ("...", ""),
        ("Done.", "Done."),
        ("I moved the bench. It stands by the gate now.", "I moved the bench."),
        ("I looked at it. I suggest oak. Oak is hard.", "I suggest oak."),
        ("I suggest oak. It is hard.\n\nShall I order some?", "Shall I order some?"),
        ("# Plan\n\n- I'd use `oak`\n- and nails", "I'd use `oak`"),
        ("Here it is:\n```\nI suggest this\n```\nThat is all.", "Here it is:"),
        ("> 1) We could sail at noon", "We could sail at noon"),
    ],
    ids=range(10),
)
def test_a_reply_is_to_the_last_proposal_or_else_to_the_beginning(before: str, part: str) -> None:
    assert answered_part(before) == part


def test_a_long_answer_is_read_from_its_end_and_cut() -> None:
    filler = "The gate is green. " * 400
    assert answered_part("I suggest oak. " + filler) == "The gate is green."
    assert answered_part(filler + "I suggest oak.") == "I suggest oak."
    assert len(answered_part("I suggest " + "oak " * 500)) <= ABOUT


@each("piece", [". ", "\n", "```", "- ", "I suggest ", "#", "a", "1."])
def test_hostile_answers_are_parted_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    answered_part(piece * 50_000)
    assert time.process_time() - started < 0.5


def test_a_line_of_a_block_is_one_line_with_the_day() -> None:
    feedback = replace(SAID, text="no\nUUIDs", about="", type=FeedbackType.CORRECTION)
    assert line_of(feedback) == "- 2025-06-15 correction: no UUIDs"
    assert line_of(replace(feedback, about="Use\nthem")) == (
        "- 2025-06-15 correction: no UUIDs (of: Use them)"
    )
    assert line_of(replace(feedback, type=None)).startswith("- 2025-06-15 feedback: ")
    long = line_of(replace(feedback, text="x" * 4_000, about="y" * 4_000))
    assert len(long) < 500
    assert long.count("…") == 2


def test_a_lesson_has_the_text_and_its_reason() -> None:
    assert lesson_of(replace(SAID, text=" Knock first. ", about="")) == "Knock first."
    result = lesson_of(replace(SAID, text="Knock first.", about="I went in."))
    assert result == 'Knock first.\nSaid of: "I went in."'


@pytest.mark.parametrize("cue", CATEGORIES)
def test_every_cue_with_a_category_is_a_cue_of_patterns(cue: str) -> None:
    named = {
        name: kind for kind, _, name, _ in table_rows("memoranda.feedback", "cues.tsv")[1:] if name
    }
    assert named[cue] == "pattern"
    feedback = replace(SAID, type=FeedbackType.PATTERN, reason=cue)
    assert category_of(feedback) is CATEGORIES[cue]
    assert category_of(replace(feedback, type=FeedbackType.CORRECTION)) is Category.LEARNED_RULE


def test_a_pattern_of_any_other_cue_is_a_rule() -> None:
    feedback = replace(SAID, type=FeedbackType.PATTERN, reason="a ban")
    assert category_of(feedback) is Category.LEARNED_RULE


def test_follow_up_work_runs_as_a_person_in_the_same_place() -> None:
    feedback = replace(SAID, workspace="w", task="t", agent="bob", author="bob")
    assert place_of(feedback) == Scope(feedback.team, "w", None, "t")


def test_letter_case_and_end_marks_make_no_other_rule() -> None:
    assert plain(" Always  Knock! ") == plain("always knock.")
    assert plain("always knock?") != plain("always knock")


def test_meanings_of_two_models_or_of_none_are_not_compared() -> None:
    one = TextEmbedding("m", b"\x00\x3c\x00\x00")
    assert cosine(one, one) == pytest.approx(1)
    assert cosine(one, TextEmbedding("m", b"\x00\x00\x00\x3c")) == pytest.approx(0)
    assert cosine(one, TextEmbedding("n", b"\x00\x3c\x00\x00")) is None
    assert cosine(one, UNKNOWN) is None
    assert cosine(UNKNOWN, UNKNOWN) is None


@pytest.mark.parametrize(("name", "columns"), [("cues.tsv", 4), ("opposites.tsv", 2)])
def test_a_table_beside_the_code_is_whole(name: str, columns: int) -> None:
    found = table_rows("memoranda.feedback", name)[1:]
    assert found
    assert {len(row) for row in found} == {columns}
    assert all(row[-1] for row in found)


def test_every_wording_of_a_cue_stands_under_a_cue() -> None:
    first, *_ = table_rows("memoranda.feedback", "cues.tsv")[1:]
    assert first[:3] == ["pattern", "3.2", "a standing rule"]
    kinds = {kind for kind, *_ in table_rows("memoranda.feedback", "cues.tsv")[1:] if kind}
    assert kinds == set(map(str, FeedbackType))
