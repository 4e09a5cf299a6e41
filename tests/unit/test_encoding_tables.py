"""Word and phrase tables are complete, and matching takes linear time."""

from __future__ import annotations

import time

import pytest

from memoranda.language.words import EMPTY
from memoranda.memories.extraction import entity_type_terms
from memoranda.memories.extraction.encoder import encode
from memoranda.memories.extraction.entity_type_terms import (
    FIRST_NAMES,
    NO_NAMES,
    TECHNOLOGIES,
    THINGS,
)

TABLES = {name: table for name, table in vars(entity_type_terms).items() if name.isupper()}


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"_TABLES", "EMPTY"}))
def test_a_table_of_words_is_lower_case_and_not_empty(name: str) -> None:
    table = TABLES[name]
    assert len(table) > 5
    assert all(word == word.lower().strip() for word in table)


def test_words_without_content_are_no_names() -> None:
    assert EMPTY < NO_NAMES
    assert not FIRST_NAMES & TECHNOLOGIES
    assert not FIRST_NAMES & THINGS


@pytest.mark.parametrize(
    "piece",
    ["a", "A", "will by ", "tried ", "After doing, ", "Ana Bob ", "is. ", "\n", "((", "by the "],
)
def test_hostile_texts_take_time_that_grows_with_their_length(piece: str) -> None:
    def spent(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        encode(text)
        return time.process_time() - started

    encode(piece)
    short, long = (min(spent(length) for _ in range(3)) for length in (4_000, 16_000))
    assert long < 40 * short + 0.5


def test_what_is_found_is_bounded_and_in_the_text() -> None:
    text = "Ana Lopez fixed the Heron engine by pinning SQLite 3.45 in May 2024. " * 400
    encoding = encode(text)
    assert len(encoding.entities) <= 32
    assert len(encoding.facts) <= 8
    assert len(encoding.keywords) <= 10
    assert len(encoding.outcomes) <= 8
    assert all(fact in text for fact in encoding.facts)


def test_the_month_of_may_is_no_supposition() -> None:
    assert encode("The port is 80 since May 2024.").facts == ("The port is 80 since May 2024.",)
    assert encode("The port may be 80 since June.").facts == ()
