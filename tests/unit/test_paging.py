"""Cursors of a search."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, strategies as st

from memoranda.clock import LATEST
from memoranda.exceptions import InvalidInput
from memoranda.search import cursor as paging

IDS = st.lists(st.text(min_size=1, max_size=40), max_size=30)


@given(IDS, IDS, st.integers(0, 2**52))
def test_a_cursor_remembers_what_was_shown_and_when_it_began(
    first: list[str], second: list[str], at: int
) -> None:
    position = paging.read(paging.read(None, at).after(first), now=at + 99)
    assert position.at == at
    assert all(position.passed(id) for id in first)
    onward = paging.read(position.after(second), now=0)
    assert onward.at == at
    assert all(onward.passed(id) for id in first + second)
    assert not onward.passed("something else that nobody was shown")


@given(st.text(max_size=80))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="cursor of a search"):
        paging.read(text, 0)


@pytest.mark.parametrize(
    "expected", [f'[{10**30},""]', f'[{LATEST + 1},""]', '[true,""]', '[-1,""]', "[" * 20_000]
)
def test_a_time_that_cannot_be_is_no_cursor_either(expected: str) -> None:
    with pytest.raises(InvalidInput, match="cursor of a search"):
        paging.read(base64.urlsafe_b64encode(expected.encode()).decode(), 0)


def test_a_page_without_a_cursor_begins_now() -> None:
    assert paging.read(None, 7).at == 7
