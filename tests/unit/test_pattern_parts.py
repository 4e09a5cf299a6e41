"""Parts of patterns are written as lines of a content and parsed back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.memories.model import PatternParts, content_with, parts_of

text = st.text("abc xyz:-", max_size=12).map(lambda one: " ".join(one.split()))
parts = st.builds(
    PatternParts,
    reason=text,
    alternative=text,
    applies_to=st.lists(text.filter(bool), max_size=3).map(tuple),
    examples=st.lists(text.filter(bool), max_size=3).map(tuple),
)


@given(text.filter(bool), parts)
def test_parts_are_read_as_they_were_written(content: str, told: PatternParts) -> None:
    written = content_with(content, told)
    assert written.startswith(content)
    assert parts_of(written) == told


@given(text, parts)
def test_a_content_is_never_its_own_part(content: str, told: PatternParts) -> None:
    assert parts_of(content) == PatternParts()
    assert content_with(content, PatternParts()) == content


def test_a_part_of_several_lines_is_one_line() -> None:
    result = PatternParts(reason="it\nhides\nbugs", examples=("except:\n    pass",))
    assert content_with("Bare except", result) == (
        "Bare except\nReason: it hides bugs\nExample: except: pass"
    )


@pytest.mark.parametrize(
    "content",
    [
        "Reason: the first line is the statement",
        "A rule\nReason: why\nand more prose after it",
        "A rule\nreason: small",
        "A rule\nReason:",
        "",
    ],
)
def test_lines_that_are_not_at_the_end_or_not_of_the_form_are_content(content: str) -> None:
    assert parts_of(content) == PatternParts()
