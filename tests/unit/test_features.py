"""Search features of records, packed and unpacked."""

from __future__ import annotations

from hypothesis import given, strategies as st

from memoranda.search.passage_splitter import SHORT, TextPassage
from memoranda.search.record_feature_format import (
    Features,
    is_short,
    read_features,
    read_passages,
    role_of,
)
from memoranda.search.text_cues import TextCues

NUMBERS = st.integers(0, 2**32 - 1)
CUES = st.builds(TextCues, st.booleans(), st.booleans(), st.integers(0, 3), st.integers(0, 4))


@st.composite
def features(draw: st.DrawFn) -> Features:
    words = draw(st.lists(st.lists(NUMBERS, max_size=6), min_size=1, max_size=5))
    parts = [TextPassage(draw(st.integers(0, 9_999)), draw(st.integers(0, 999))) for _ in words]
    role, speaker, chars = draw(st.integers(-1, 1)), draw(NUMBERS), draw(st.integers(0, 10**6))
    return Features(role, speaker, chars, draw(CUES), parts, words)


@given(st.lists(features(), min_size=1, max_size=8))
def test_what_was_packed_is_read_back(made: list[Features]) -> None:
    packed = [one.packed() for one in made]
    table = read_features(packed)
    assert table.heads["role"].tolist() == [one.role for one in made]
    assert table.heads["speaker"].tolist() == [one.speaker for one in made]
    assert table.heads["chars"].tolist() == [one.chars for one in made]
    assert table.heads["time"].tolist() == [one.cues.time for one in made]
    assert table.heads["capitals"].tolist() == [one.cues.capitals for one in made]
    assert table.heads["passages"].tolist() == [len(one.passages) for one in made]
    starts = [part.start for one in made for part in one.passages]
    assert table.passages["start"].tolist() == starts
    assert table.words.tolist() == [n for one in made for words in one.words for n in words]


@given(features())
def test_a_packed_record_has_its_length_role_and_passages(made: Features) -> None:
    packed = made.packed()
    assert is_short(packed) == (made.chars <= SHORT)
    assert role_of(packed) == made.role
    assert read_passages(packed) == list(made.passages)
