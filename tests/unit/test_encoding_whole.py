"""Analysis of whole texts: results, category, and limits."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from memoranda.memories.extraction import encoder as fact_sentences
from memoranda.memories.extraction.encoder import MAX_LENGTH, MAX_READ, encode
from memoranda.memories.extraction_model import (
    ActionOutcome,
    Encoding,
    Entity,
    EntityType,
    MemoryType,
)
from memoranda.memories.model import Category
from tables import each


def ordered(text: str) -> list[str]:
    """Detect the plainest requirements, in place of the real detector."""
    return [line for line in text.splitlines() if line.startswith("Never")]


def test_a_text_is_taken_apart() -> None:
    text = "Oskar confirmed: the Heron pipeline holds 40 jobs.\nRaising that fixed the stalls."
    assert encode(text) == Encoding(
        entities=(Entity("Oskar", EntityType.PERSON), Entity("Heron", EntityType.PROJECT)),
        facts=tuple(text.splitlines()[:1]),
        keywords=encode(text).keywords,
        constraints=(),
        outcomes=(ActionOutcome("Raising that", "fixed the stalls", worked=True),),
        type=MemoryType.FACT,
        category=Category.TROUBLESHOOTING,
        summary=text.splitlines()[0],
    )
    assert {"heron", "oskar", "pipeline"} <= set(encode(text).keywords)


def test_an_empty_text_has_an_empty_encoding() -> None:
    assert encode("") == encode(" \n\n ") == Encoding()


def test_requirements_are_those_that_the_detector_finds() -> None:
    text = "The kiln is hot.\nNever open it above 90 degrees."
    assert encode(text).constraints == ()
    assert encode(text, constraints=ordered).constraints == ("Never open it above 90 degrees.",)


def test_known_names_help() -> None:
    assert encode("Wilfred agreed to wait.").entities == ()
    assert encode("Wilfred agreed to wait.", names=["Wilfred"]).entities


CATEGORIES = [
    (Category.USER_PREFERENCE, "Pavel prefers the night train."),
    (Category.COMMUNICATION_STYLE, "The user prefers terse answers."),
    (Category.ANTI_PATTERN, "Avoid two importers at once: rows double."),
    (Category.ANTI_PATTERN, "Upgrading the parser broke the export."),
    (Category.TROUBLESHOOTING, "Raising the pool size fixed the timeout errors."),
    (Category.PATTERN, "Batching the writes halved the bill."),
    (Category.PROJECT_PATTERN, "We put every handler in its own module."),
    (Category.LEARNED_RULE, "Never on the main line"),
    (Category.DOMAIN_KNOWLEDGE, "The ferry stops at noon."),
    (Category.DECISION, "We decided to sell the van."),
    (Category.INSIGHT, "I think the second act drags."),
]


@each(
    ("category", "text"), [pytest.param(*row, id=f"{row[0]}: {row[1][:25]}") for row in CATEGORIES]
)
def test_a_category_is_suggested(category: Category, text: str) -> None:
    assert encode(text, constraints=ordered).category is category


HOSTILE = [
    "A ", "a's ", "A of ", "by May ", "\n", ". ", "tried ", "tried, but ", "I think we will ",
    "we are ", "I am ", "you'll ", "x", "'", "was not fixed ", "and ", '"A', "A.B", "finds a b c ",
    "after doing ", "fixed by ", "1 ", "0.", "3 may ", "a will b ", "just also ", "!" , "will ",
    "slowed a ", "made a b ",
]  # fmt: skip


@each("piece", [pytest.param(piece, id=ascii(piece)) for piece in HOSTILE])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def took(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        encode(text)
        return time.process_time() - started

    assert any(took(MAX_READ) < 16 * took(MAX_READ // 4) + 0.05 for _ in range(3))


def test_of_a_long_text_the_beginning_is_read() -> None:
    text = "The kiln holds 40 pots. " * 2_000
    assert encode(text) == encode(text[:MAX_READ])


WORDS = st.sampled_from(
    [
        *("Oskar", "Lotte", "said", "the", "fixed", "Heron", "project", "I'll", "we", "decided"),
        *("prefers", ".", ",", "\n", "?", "40", "Redis", "after", "doing", "pool,", "May", "broke"),
        *("it", "That", "never", "in", "Oslo", "-", "```", "\u0130", "\u2019s", "\u00e9"),
    ]
)


@given(st.one_of(st.text(max_size=400), st.lists(WORDS, max_size=60).map(" ".join)))
def test_nothing_is_added_to_a_text(text: str) -> None:
    found = encode(text)
    plain = " ".join(text.replace("\u2019", "'").split())
    for sentence in found.facts:
        assert " ".join(sentence.split()) in plain
        assert len(sentence) <= MAX_LENGTH
    for outcome in found.outcomes:
        assert " ".join(outcome.action.split()) in plain
        assert " ".join(outcome.result.split()) in plain
    assert all(word in plain.lower() for word in found.keywords)
    assert len(found.facts) <= fact_sentences.MAXIMUM
