"""The command line's output of feedback, its effects and next steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.contract_feedback import feedback_of
from contract.records import Records
from memoranda.cli.feedback import TYPES, _story_text
from memoranda.feedback.model import (
    OPEN,
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


def test_the_text_comes_first_and_then_its_type() -> None:
    lines = shown().split("\n")
    assert lines[0] == "No lamps"
    assert lines[1] == ""
    assert lines[2].split() == ["id", SAID.id]
    assert "rejection (0.75, not wanted)" in lines[3]
    assert lines[4].split() == ["state", "waiting"]
    assert "human, api, 2025-06-15" in lines[5]


def test_the_subject_is_shown_where_known() -> None:
    assert "Add a lamp" in shown()
    assert "about" not in shown(about="")
    assert "…" in shown(about="lamp " * 100)


@pytest.mark.parametrize("state", list(FeedbackState))
def test_the_required_action_is_shown_for_pending_feedback(state: FeedbackState) -> None:
    result = shown(state=state)
    assert state.value in result
    assert (f"feedback correct {SAID.id} TYPE" in result) is (state in OPEN)


def test_unclassifiable_feedback_is_marked() -> None:
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


def test_every_type_can_be_selected() -> None:
    assert set(TYPES) == set(map(str, FeedbackType))


@pytest.mark.parametrize("text", ["line one\nline two", "x" * 4_000])
def test_the_text_is_shown_verbatim(text: str) -> None:
    assert shown(text=text).startswith(text)


def test_invisible_characters_are_written_out() -> None:
    result = shown(text="ring \u202eabc", about="a\u200blamp")
    assert "ring \\u202eabc" in result
    assert "a\\u200blamp" in result
