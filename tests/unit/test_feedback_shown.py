"""How the command line shows feedback, what followed, and what there is to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.contract_feedback import feedback_of
from contract.records import Records
from memoranda.cli.feedback import STATES, TYPES, _story_text
from memoranda.feedback.model import (
    EffectTarget,
    FeedbackEffect,
    FeedbackSource,
    FeedbackState,
    FeedbackStory,
    FeedbackType,
)

SAID = feedback_of(Records(), text="No lamps", about="Add a lamp", reason="not wanted")


def shown(**changes: object) -> str:
    effects = changes.pop("effects", ())
    feedback = replace(SAID, **changes)  # type: ignore[arg-type]
    return _story_text(FeedbackStory(feedback, effects))  # type: ignore[arg-type]


def test_the_words_come_first_and_then_what_they_were_taken_for() -> None:
    lines = shown().split("\n")
    assert lines[0] == "No lamps"
    assert lines[1] == ""
    assert lines[2].split() == ["id", SAID.id]
    assert "rejection (0.75, not wanted)" in lines[3]
    assert lines[4].split() == ["state", "waiting"]
    assert "human, api, 2025-06-15" in lines[5]


def test_what_it_is_about_is_told_where_it_is_known() -> None:
    assert "Add a lamp" in shown()
    assert "about" not in shown(about="")
    assert "…" in shown(about="lamp " * 100)


@pytest.mark.parametrize("state", list(FeedbackState))
def test_what_there_is_to_do_is_told_of_what_waits_for_a_person(state: FeedbackState) -> None:
    result = shown(state=state)
    assert state.value in result
    assert (f"feedback correct {SAID.id} TYPE" in result) is (state is FeedbackState.ASKING)


def test_what_nobody_can_tell_is_said_to_be_so() -> None:
    result = shown(type=None, reason="", state=FeedbackState.ASKING)
    assert "nothing yet (0.75, ?)" in result


def test_effects_follow_one_a_line_in_order() -> None:
    effects = (
        FeedbackEffect(1, EffectTarget.BLOCK, "b", "- a line"),
        FeedbackEffect(2, EffectTarget.NOTHING, "", "undone: the line in the block"),
    )
    assert shown(effects=effects).split("\n")[-2:] == [
        "  block  b  - a line",
        "  nothing    undone: the line in the block",
    ]


def test_an_agents_report_names_the_agent() -> None:
    assert "bob, review, " in shown(author="bob", source=FeedbackSource.REVIEW)


def test_every_type_and_state_can_be_asked_for() -> None:
    assert set(TYPES) == set(map(str, FeedbackType))
    assert set(STATES) == set(map(str, FeedbackState))


@pytest.mark.parametrize("text", ["line one\nline two", "x" * 4_000])
def test_the_words_are_shown_as_they_were_said(text: str) -> None:
    assert shown(text=text).startswith(text)


def test_what_a_person_would_not_see_is_written_out() -> None:
    result = shown(text="ring \u202eabc", about="a\u200blamp")
    assert "ring \\u202eabc" in result
    assert "a\\u200blamp" in result
