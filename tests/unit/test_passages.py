"""Splitting of texts into passages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.search.passage_splitter import LONG, MAXIMUM, SHORT, passages

TEXTS = st.lists(
    st.text(alphabet="ab. !?\n", max_size=300) | st.text(max_size=50), max_size=60
).map("".join)


@given(TEXTS, st.integers(1, MAXIMUM))
def test_passages_follow_one_another_without_a_gap(text: str, most: int) -> None:
    found = passages(text, most)
    assert 1 <= len(found) <= most
    assert found[0].start == 0
    ends = [passage.start + passage.length for passage in found]
    assert [passage.start for passage in found[1:]] == ends[:-1]
    assert ends[-1] <= len(text)
    assert ends[-1] == len(text) or len(found) == most


@given(TEXTS)
def test_no_passage_of_a_long_text_is_much_longer_than_meant(text: str) -> None:
    found = passages(text)
    if len(text) > SHORT:
        assert all(passage.length <= 2 * LONG + 1 for passage in found)


@pytest.mark.parametrize("text", ["", "short", "x" * SHORT])
def test_a_short_text_is_one_passage(text: str) -> None:
    [found] = passages(text)
    assert (found.start, found.length) == (0, len(text))


def test_sentences_stay_whole_where_they_can() -> None:
    sentence = "This sentence is about fifty characters in length. "
    text = sentence * 40
    for passage in passages(text):
        assert passage.start % len(sentence) == 0


def test_a_line_of_thousands_of_characters_is_cut_all_the_same() -> None:
    lengths = [passage.length for passage in passages("x" * 10_000)]
    assert sum(lengths) == 10_000
    assert max(lengths) <= 2 * LONG
