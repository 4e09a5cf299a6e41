"""Surface cues in texts and questions."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.search.text_cues import is_instruction, is_preference, question_cues, text_cues
from tables import each


@each(
    "text",
    [
        "Always add type hints.",
        "Never use tabs in this repository.",
        "Please don't use emojis",
        "From now on, write tests first",
        "Always give me metric units when I ask about sizes",
        "make sure you run the linter",
    ],
)
def test_a_standing_instruction_is_recognised(text: str) -> None:
    assert is_instruction(text)


@pytest.mark.parametrize(
    "text", ["I never saw that", "It always fails", "We were always late", "what do you think?", ""]
)
def test_a_narrative_is_no_instruction(text: str) -> None:
    assert not is_instruction(text)


@each(
    "text",
    [
        "I prefer short functions",
        "I'd rather use SQLite",
        "i really like to keep files small",
        "I'm trying to avoid new dependencies",
        "I don't like long meetings",
        "as I prefer",
    ],
)
def test_a_preference_is_recognised(text: str) -> None:
    assert is_preference(text)


@pytest.mark.parametrize("text", ["I ran the tests", "the build failed", "he likes it", ""])
def test_what_happened_is_no_preference(text: str) -> None:
    assert not is_preference(text)


@each(
    ("question", "requested"),
    [
        ("When did the build break?", {"when"}),
        ("What year was that", {"when"}),
        ("How many tests are there?", {"number"}),
        ("Who wrote the parser?", {"name"}),
        ("How should I structure this?", {"help"}),
        ("what was your explanation of caching", {"answer"}),
        ("Summarize what was done so far", {"overview"}),
        ("the parser", set()),
    ],
)
def test_a_question_shows_its_requested_kind(question: str, requested: set[str]) -> None:
    cues = question_cues(question)
    assert {name for name in cues.__slots__ if getattr(cues, name)} == requested


def test_a_text_shows_times_numbers_persons_and_names() -> None:
    cues = text_cues("I went to Lisbon with Ada last week, and we saw three trams", "ada")
    assert (cues.time, cues.number, cues.first_person, cues.capitals) == (True, True, 2, 1)
    nothing = text_cues("the parser fails", "")
    assert (nothing.time, nothing.number, nothing.first_person, nothing.capitals) == (
        False, False, 0, 0,
    )  # fmt: skip


@given(st.text(max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    cues = text_cues(text, "ada")
    assert 0 <= cues.first_person <= 3
    assert 0 <= cues.capitals <= 4
    question_cues(text)
    is_instruction(text), is_preference(text)


@pytest.mark.timeout(60)
@each("piece", ["always ", "i ", "when ", "a ", "9 ", "x", "\n", "last "])
def test_a_hostile_text_takes_no_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    text_cues(text, "")
    question_cues(text[:4_000])
    is_instruction(text), is_preference(text)
