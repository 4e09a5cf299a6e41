"""Extraction of types, facts, outcomes and keywords from sentences."""

from __future__ import annotations

import re

import pytest

from memoranda.memories.extraction.cues import _ANYWHERE, _OPENING
from memoranda.memories.extraction.encoder import (
    MAX_KEYWORDS,
    facts,
    keywords,
    prose,
    prose_sentences,
)
from memoranda.memories.extraction.memory_types import sentence_type, typed_sentences
from memoranda.memories.extraction.outcomes import MAX_LENGTH, MAXIMUM as MOST_OUTCOMES, outcomes
from memoranda.memories.extraction_model import ActionOutcome
from memoranda.memories.statement_assessment import critical_reason
from tables import each


def types(text: str) -> str:
    readings = [sentence_type(sentence) for sentence in prose_sentences(prose(text))]
    return " ".join(one.type.value for one in typed_sentences(readings))


TYPES = [
    ("commitment", "I'll mail the contract tonight. The notary is in until six."),
    ("commitment", "Told Oskar I'd have the ledger ready before the auditors arrive."),
    ("commitment", "On my plate for next week: port the thermostat driver."),
    ("commitment", "We're delivering the manual to the clinic by Tuesday."),
    ("commitment", "Agreed to help Lotte prepare her defence."),
    ("commitment", "I need to get the forms to the notary by 5 May."),
    ("commitment", "Will repaint the gate once the rain stops."),
    ("commitment", "Sending the crate back to the foundry."),
    ("decision", "Going with fibre over copper for the barn."),
    ("decision", "Final call: the podcast goes biweekly. Weekly wore everybody out."),
    ("decision", "After weighing three vendors, we're keeping the old badge printer."),
    ("decision", "Not renewing the storage unit; the furniture goes to the shelter."),
    ("decision", "Using a ring buffer for the sensor log."),
    ("decision", "We decided to sell the van. It sat idle all winter."),
    ("decision", "We picked oak for the deck. I think it ages best."),
    ("preference", "Pell likes his summaries short. Anything over a page goes unread."),
    ("preference", "Oskar has asked me to keep meetings under twenty minutes."),
    ("preference", "Mirela doesn't like surprises in the budget."),
    ("preference", "Given a choice, Pavel picks the train."),
    ("preference", "Lotte would rather be texted than called."),
    ("opinion", "The new onboarding flow is a mess. Nobody finds the settings page."),
    ("opinion", "Not convinced that the rewrite pays off."),
    ("opinion", "In my view the committee is too cautious about grafting."),
    ("opinion", "I don't think the sampling plan is sound."),
    ("fact", "The archive closes at six on weekdays."),
    ("fact", "Heads-up: the certificate expires on 3 June."),
    ("fact", "The grant was approved for 40,000 euros."),
    ("fact", "The 2019 bylaw replaced the older zoning map."),
    ("fact", "Heron was retired in 2021."),
    ("fact", "Verified with the vendor: the warranty covers water damage."),
    ("fact", "Cold morning, thick fog."),
]


@each(("expected", "text"), [pytest.param(*row, id=f"{row[0]}: {row[1][:30]}") for row in TYPES])
def test_the_type_of_a_text_is_detected(expected: str, text: str) -> None:
    assert types(text) == expected


def test_every_phrase_begins_as_its_index_needs() -> None:
    for index in (_ANYWHERE, _OPENING):
        assert all(re.fullmatch("[a-z][a-z' ]", beginning) for beginning in index)


TOGETHER = [
    (
        "preference commitment",
        "Mirela prefers diagrams to prose. I'll add one to each chapter.",
    ),
    ("preference commitment", "Emil prefers metric units, so I'll convert the drawings."),
    ("preference decision", "Pavel likes green tea. Adopting it for every meeting."),
    ("decision commitment", "Oskar decided to split the barn. I'll redraw the plan accordingly."),
    ("decision", "We decided to split the barn. I'll redraw the plan accordingly."),
    ("opinion commitment", "I think the price page confuses people. I'll draft a simpler one."),
    ("fact commitment", "The lease runs out on 30 June. I'll call the landlord."),
    ("fact decision", "The mirror is down until Friday. We decided to use the other."),
    ("fact fact", "The pump draws 900 watts. The breaker is rated for 16 amps."),
    ("fact", "The pump draws 900 watts. It is loud at 3 in the morning."),
    ("fact", "The pump draws 900 watts. The relief valve must open at 3 bar."),
    ("commitment", "I'll mail the crate by Monday. I'll call the foundry first."),
    ("preference", "Lotte hates calls. She prefers a note, and loves a drawing."),
    ("fact", "Is the gate shut? The gate is shut."),
    ("", "Will you mail the crate?"),
    ("", ""),
]


@each(("expected", "text"), [pytest.param(*row, id=row[1][:50] or "nothing") for row in TOGETHER])
def test_what_explains_or_carries_out_is_no_memory_of_its_own(expected: str, text: str) -> None:
    assert types(text) == expected


def test_the_representative_sentence_of_a_memory_is_chosen() -> None:
    text = "Mirela prefers diagrams. They age well. I'll add one."
    found = typed_sentences([sentence_type(sentence) for sentence in prose_sentences(text)])
    assert [one.sentence for one in found] == ["Mirela prefers diagrams.", "I'll add one."]


SENTENCES = [
    ("abbreviation", "See Dr. Obi, e.g. at noon. She knows.", 2),
    ("number", "It costs 3.50 at the gate. Cheap.", 2),
    ("point before a small letter", "Run a.b. then stop. Done.", 2),
    ("lines", "one thing\nanother thing", 2),
    ("bullets", "- one thing\n- another thing\n\n1. a third", 3),
    ("fenced code", "before\n```\ncode. Code.\n```\nafter", 2),
    ("quotation", 'She said "stop." Then she left.', 2),
]


@each(("text", "count"), [pytest.param(text, count, id=name) for name, text, count in SENTENCES])
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
    ("too short", "It is 40.", False),
    ("no verb", "A pool of 40 idle connections.", False),
]


@each(
    ("sentence", "expected"), [pytest.param(text, is_one, id=name) for name, text, is_one in FACTS]
)
def test_a_fact_can_be_checked(sentence: str, expected: bool) -> None:
    assert facts([sentence_type(sentence)], ("Heron",)) == ((sentence,) if expected else ())


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


@each(("text", "expected"), [pytest.param(text, one, id=name) for name, text, one in OUTCOMES])
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
