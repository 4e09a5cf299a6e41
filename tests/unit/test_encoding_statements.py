"""Extraction of facts, outcomes and keywords from sentences."""

from __future__ import annotations

import pytest

from memoranda.memories.extraction.action_outcomes import (
    MAX_LENGTH,
    MAXIMUM as MOST_OUTCOMES,
    outcomes,
)
from memoranda.memories.extraction.encoder import (
    MAX_KEYWORDS,
    facts,
    keywords,
    prose,
    prose_sentences,
)
from memoranda.memories.extraction_model import ActionOutcome
from memoranda.memories.statement_assessment import critical_reason

SENTENCES = [
    ("abbreviation", "See Dr. Obi, e.g. at noon. She knows.", 2),
    ("number", "It costs 3.50 at the gate. Cheap.", 2),
    ("point before a small letter", "Run a.b. then stop. Done.", 2),
    ("lines", "one thing\nanother thing", 2),
    ("bullets", "- one thing\n- another thing\n\n1. a third", 3),
    ("fenced code", "before\n```\ncode. Code.\n```\nafter", 2),
    ("quotation", 'She said "stop." Then she left.', 2),
]


@pytest.mark.parametrize(
    ("text", "count"), [pytest.param(text, count, id=name) for name, text, count in SENTENCES]
)
def test_prose_is_parted_into_sentences(text: str, count: int) -> None:
    assert len(prose_sentences(prose(text))) == count


FACTS = [
    ("amount", "The pool holds 40 connections.", True),
    ("date", "The lease ends on 3 June.", True),
    ("named thing", "Heron is a message broker here.", True),
    ("nothing to check", "The room is quite nice there.", False),
    ("question", "Is the pool at 40 connections?", False),
    ("supposition", "The pool might have 40 connections.", False),
    ("opinion", "I think the pool has 40 connections.", False),
    ("promise", "I'll set the pool, which is at 40.", False),
    ("preference", "Mirela prefers the pool that has 40 connections.", False),
    ("too short", "It is 40.", False),
    ("no verb", "A pool of 40 idle connections.", False),
]


@pytest.mark.parametrize(
    ("sentence", "expected"), [pytest.param(text, is_one, id=name) for name, text, is_one in FACTS]
)
def test_a_fact_can_be_checked(sentence: str, expected: bool) -> None:
    assert facts([sentence], ("Heron",)) == ((sentence,) if expected else ())


OUTCOMES = [
    (
        "something fixed something",
        "Raising the pool size fixed the timeouts.",
        ActionOutcome("Raising the pool size", "fixed the timeouts", worked=True),
    ),
    (
        "fixed by doing",
        "Fixed the flaky login test by freezing the clock.",
        ActionOutcome("freezing the clock", "Fixed the flaky login test", worked=True),
    ),
    (
        "somebody fixed by doing",
        "We resolved the leak by closing the cursor.",
        ActionOutcome("closing the cursor", "resolved the leak", worked=True),
    ),
    (
        "after doing",
        "After pinning the driver to 2.4, the crash stopped.",
        ActionOutcome("pinning the driver to 2.4", "the crash stopped", worked=True),
    ),
    (
        "after doing, in vain",
        "Once we rebuilt the index, the query still timed out.",
        ActionOutcome("rebuilt the index", "the query still timed out", worked=False),
    ),
    (
        "tried in vain",
        "We tried doubling the cache, but it made no difference.",
        ActionOutcome("doubling the cache", "it made no difference", worked=False),
    ),
    (
        "tried with success",
        "I tried a smaller batch and it fixed the stall.",
        ActionOutcome("a smaller batch", "it fixed the stall", worked=True),
    ),
    (
        "failed",
        "The deploy failed with exit code 137.",
        ActionOutcome("The deploy", "failed with exit code 137", worked=False),
    ),
    (
        "succeeded",
        "The nightly import succeeded in nine minutes.",
        ActionOutcome("The nightly import", "succeeded in nine minutes", worked=True),
    ),
    (
        "broke",
        "Upgrading the parser broke the CSV export.",
        ActionOutcome("Upgrading the parser", "broke the CSV export", worked=False),
    ),
    (
        "points back",
        "Cleared the volume and restarted. That fixed it.",
        ActionOutcome("Cleared the volume and restarted", "fixed it", worked=True),
    ),
    ("passive", "The bill was fixed at nine euros.", None),
    ("intention", "The patch should be able to fix it.", None),
    ("question", "Raising the pool fixed it?", None),
    ("nothing done", "The pool holds 40 connections.", None),
    ("somebody without means", "She solved it.", None),
]


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(text, one, id=name) for name, text, one in OUTCOMES]
)
def test_an_action_is_extracted_with_its_outcome(text: str, expected: ActionOutcome | None) -> None:
    assert outcomes(prose_sentences(text)) == ((expected,) if expected else ())


def test_outcomes_are_few_and_short() -> None:
    long = "Raising " + "the pool size " * 30 + "fixed " + "the timeouts " * 30
    found = outcomes([long[:300], *["Raising the pool fixed the stalls."] * 20])
    assert len(found) == MOST_OUTCOMES
    assert all(len(one.action) <= MAX_LENGTH and len(one.result) <= MAX_LENGTH for one in found)


def test_frequent_and_early_words_come_first() -> None:
    text = "The kiln is old. The glaze cracks when the kiln cools, and kilns cool at night."
    assert keywords(text)[0] == "kiln"
    assert keywords("Glaze before firing")[0] == "glaze"


def test_forms_of_a_word_count_together_as_the_first_of_them() -> None:
    assert keywords("They deploy; she deployed; deploying a crate") == ("deploy", "crate")


def test_words_without_content_are_no_keywords() -> None:
    assert keywords("It is what they would have been doing there, and so on, always.") == ()


def test_words_of_names_weigh_more() -> None:
    text = "kiln shelf glaze heron"
    assert keywords(text)[0] == "kiln"
    assert keywords(text, {"heron"})[0] == "heron"


def test_keywords_are_at_most_ten() -> None:
    text = " ".join(f"{letter}{letter}rk" for letter in "bcdfghjklmnpqrstvw")
    assert len(keywords(text)) == MAX_KEYWORDS == 10


def none(_text: str) -> list[str]:
    return []


def whole(text: str) -> list[str]:
    return [text]


def test_a_requirement_is_critical() -> None:
    assert critical_reason("Never log tokens.", constraints=whole) == "states a requirement"


def test_a_fix_and_a_prevention_are_critical() -> None:
    fixes = critical_reason("x", constraints=none, fixes_error=True)
    prevents = critical_reason("x", constraints=none, prevents_known_error=True)
    assert fixes == "ended an error"
    assert prevents == "prevents a known error"


def test_requirements_precede_useful_hints() -> None:
    reason = critical_reason("x", constraints=whole, fixes_error=True)
    assert reason == "states a requirement"
