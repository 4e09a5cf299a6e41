"""WordPiece returns the token ids that the model was trained with."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, strategies as st

from memoranda.models.embedding import wordpiece
from memoranda.models.embedding.wordpiece import VOCABULARY, WordPiece
from tables import each

TOKENS = WordPiece()
BEGIN, END, UNKNOWN = 101, 102, 100


def test_the_vocabulary_is_that_of_bert() -> None:
    digest = hashlib.sha256(VOCABULARY.read_bytes()).hexdigest()
    assert digest == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert len(TOKENS) == 30_522


@each(
    ("text", "ids"),
    [
        ("", []),
        (" \t\r\n\u00a0\u3000", []),
        ("Hello, World!", [7592, 1010, 2088, 999]),
        ("unaffable naïve café", [14477, 20961, 3468, 15743, 7668]),
        (
            "don't re-embed foo_bar",
            [2123, 1005, 1056, 2128, 1011, 7861, 8270, 29379, 1035, 3347],
        ),
        ("名前を変更する", [1795, 1776, 1690, 100, 100, 1658, 30213]),
        (
            "İstanbul ΣΊΣΥΦΟΣ",
            [9960, 1173, 18199, 29733, 29735, 29736, 29730, 29733],
        ),
        ("hel\x00lo w\u200borld\ufffd", [7592, 2088]),
        ("a+b=$5", [1037, 1009, 1038, 1027, 1002, 1019]),
        ("“yes”—no", [1523, 2748, 1524, 1517, 2053]),
        ("x" * 100, [22038, *[20348] * 49]),
        ("x" * 101, [UNKNOWN]),
        ("hello " + "x" * 101 + " world", [7592, UNKNOWN, 2088]),
        ("\ud800hello", [7592]),
    ],
    ids=ascii,
)
def test_a_text_has_the_ids_that_it_was_trained_with(text: str, ids: list[int]) -> None:
    assert TOKENS.ids(text, 256) == [BEGIN, *ids, END]


@pytest.mark.parametrize("text", ["[CLS] hello", "[MASK]", "[UNK]", "##ing"])
def test_a_text_cannot_name_tokens_that_steer_the_model(text: str) -> None:
    assert not set(TOKENS.ids(text, 256)[1:-1]) & {0, BEGIN, END, UNKNOWN, 103}


def test_a_long_text_is_cut_and_still_ended() -> None:
    assert TOKENS.ids("hello " * 500, 256) == [BEGIN, *[7592] * 254, END]
    assert TOKENS.ids("hello,world", 4) == [BEGIN, 7592, 1010, END]
    assert len(TOKENS.ids("," * 1_000_000, 256)) == 256


def test_what_was_read_before_is_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "REMEMBERED", 2)
    few, texts = WordPiece(), ["one two three,", "three, two", "one four"]
    expected = [TOKENS.ids(text, 256) for text in texts]
    for _ in range(2):
        assert [few.ids(text, 256) for text in texts] == expected
    assert len(few._remembered) <= 2


@given(st.text(max_size=400), st.integers(2, 64))
def test_any_text_has_ids_of_the_vocabulary_up_to_the_limit(text: str, limit: int) -> None:
    ids = TOKENS.ids(text, limit)
    assert 2 <= len(ids) <= limit
    assert (ids[0], ids[-1]) == (BEGIN, END)
    assert all(0 <= number < len(TOKENS) for number in ids)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Mn"]), min_size=1, max_size=8)))
def test_words_apart_have_the_ids_of_each(words: list[str]) -> None:
    together = TOKENS.ids(" ".join(words), 10_000)[1:-1]
    assert together == [number for word in words for number in TOKENS.ids(word, 10_000)[1:-1]]
