from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.capture.redaction.privacy import RECALLED_TAG, drop_private, drop_recalled


@pytest.mark.parametrize(
    ("text", "expected", "spans"),
    [
        ("nothing here", "nothing here", 0),
        ("a<private>b</private>c", "ac", 1),
        ("a<PRIVATE>b</Private>c", "ac", 1),
        ('a<private reason="b > c" x>d</private >e', "ae", 1),
        ("a<private\n>b</private>c<private>d</private>e", "ace", 2),
        ("a<private>b<private>c</private>d</private>e", "ae", 1),
        ("a<private>b</private>c</private>d", "acd", 1),
        ("a</private>b", "ab", 0),
        ("a<private>b", "a", 1),
        ("a<private>b<private>c</private>d", "a", 1),
        ("a<private/>b<private />c", "abc", 0),
        ("a<private", "a", 1),
        ("a<private<private>b</private>c", "a", 1),
        ("a<private>b</private", "a", 1),
        ("", "", 0),
    ],
)
def test_private_spans_are_dropped(text: str, expected: str, spans: int) -> None:
    assert drop_private(text) == (expected, spans)


@pytest.mark.parametrize(
    "text",
    [
        "<privateer>x</privateer>",
        "<private-note>x</private-note>",
        "if (x < private_key) { a >private }",
        "List<privateKey>",
        f"<{RECALLED_TAG}>x</{RECALLED_TAG}>",
        "&lt;private&gt;",
    ],
)
def test_other_text_between_angle_brackets_stays(text: str) -> None:
    assert drop_private(text) == (text, 0)


def test_text_that_was_recalled_is_dropped_by_the_same_rules() -> None:
    text = f"a<{RECALLED_TAG} v='1'>b<private>c</{RECALLED_TAG.upper()}>d<{RECALLED_TAG}>e"
    assert drop_recalled(text) == ("ad", 2)


def test_text_without_a_tag_comes_back_as_the_same_object() -> None:
    text = "x" * 1000
    assert drop_private(text)[0] is text


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("<private>" * 100_000, 1),
        ("<private" * 100_000, 1),
        ("<private " * 100_000, 1),
        ("</private>" * 100_000, 0),
        ("</private" * 100_000, 0),
        ("<" * 1_000_000, 0),
        ("<private a" + "=" * 1_000_000, 1),
        ("<private>" * 100_000 + "</private>" * 100_000, 1),
        ("<private></private>" * 100_000, 100_000),
    ],
)
def test_hostile_text_takes_linear_time(text: str, spans: int) -> None:
    assert drop_private(text)[1] == spans


pieces = st.sampled_from(["<private>", "</private>", "<private/>", "<private", "x", " ", "<", ">"])


@given(st.lists(pieces).map("".join))
def test_no_tag_and_nothing_inside_one_survives(text: str) -> None:
    kept, _ = drop_private(text)
    opened = re.search(r"<private(?=[\s/<>]|\Z)(?!/>)", text)
    assert len(kept) <= len(text)
    if opened and "</private>" not in text:
        assert kept == drop_private(text[: opened.start()])[0]


@given(st.text(), st.text(), st.text())
def test_what_stands_between_the_tags_is_gone_and_the_rest_stays(
    before: str, inside: str, after: str
) -> None:
    if any("private" in part.lower() for part in (before, inside, after)):
        return
    text = f"{before}<private>{inside}</private>{after}"
    assert drop_private(text) == (before + after, 1)
