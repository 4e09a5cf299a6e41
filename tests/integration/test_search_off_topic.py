"""Without a model, unrelated questions find nothing by frequent words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from happenings import message_event, ran

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind
from memoranda.config import Settings
from memoranda.search.general_word_rarity import rarity

pytestmark = pytest.mark.integration

RECORDED = Path(__file__).parents[2] / "examples" / "session" / "parcel-quotes.jsonl"
MOST = 3_000
"""Stored characters of a text."""
OTHERS = """
how many lines does a sonnet have
what is the total weight of an elephant
how do I read a map of the stars
which road leads to the castle
why is the price of butter so high
how to write a song about rain
where can I test my eyes
what did the queen say on sunday
how to check a used bicycle before I pay
which files does a locksmith need
what is an error of judgement
how do I return a library book
why does the engine of my boat not run
how many lines are on the palm of a hand
what happened to the last customer of the barber
how do I add salt to the soup
which number follows forty in Roman numerals
can I change the order of the courses at dinner
how do I find a good dentist
what makes a fair rate of pay for a nanny
where do storks live in winter
how to store potatoes in the cellar
who set the record for the high jump
what is the right way to hold a violin
""".strip().splitlines()
OTHER_TERMS = """
how are sums made exact to the cent
what is the rule about the wording of commits
which character encodings may a price list have
how heavy is the heaviest parcel we accept
may extra charges be approximated
why could a price list from a spreadsheet not be read
""".strip().splitlines()
"""Questions about the session in other words than it has."""
ANSWERED = """
where do we round
what form has a commit message
is cp1252 accepted
1000 kg band
which version is in the changelog
do surcharges stay exact
why does a spreadsheet tariff fail to load
quotes that are off by a cent
zurich_march.csv
which section of the contract is about rounding
do the lines add up to the total
""".strip().splitlines()


def recorded() -> Iterator[Event]:
    """Return a recorded session's messages and tool outputs, in order."""
    for number, line in enumerate(RECORDED.read_text("utf-8").splitlines()):
        content = json.loads(line).get("message", {}).get("content", ())
        for place, part in enumerate([content] if isinstance(content, str) else content):
            text = part if isinstance(part, str) else part.get("text")
            if text:
                yield message_event(f"{number}-{place}", text[:MOST])
            elif part.get("type") == "tool_result":
                yield ran(f"{number}-{place}", f"sed -n {number}p", str(part["content"])[:MOST])


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return a memory without a model, on each engine."""
    with Memoranda.open(settings=replace(engine, embedder="none"), workspace="shop") as opened:
        yield opened


def test_a_recorded_session_answers_what_is_about_it_alone(memory: Memoranda) -> None:
    memory.capture.take(list(recorded()))
    memory.capture.drain(wait=True)
    lost = [text for text in ANSWERED if not memory.search(text).hits]
    wrong = [text for text in OTHERS if memory.search(text).hits]
    assert lost == []
    assert len(wrong) <= 2, wrong


@pytest.mark.engines("sqlite")
def test_a_question_in_other_terms_is_answered_with_a_model(engine: Settings) -> None:
    """Among its messages and a few of its tool outputs, which are most that the model reads."""
    chosen = [
        event
        for number, event in enumerate(recorded())
        if event.kind is EventKind.MESSAGE or number % 8 == 0
    ]
    with Memoranda.open(settings=engine, workspace="shop") as memory:
        memory.capture.take(chosen)
        memory.capture.drain(wait=True)
        memory.index.reembed()
        day = memory.observations.list(limit=1).items[0].created_at
        named = datetime.fromtimestamp(day / 1_000_000, UTC).strftime("what happened on %-d %B %Y")
        assert memory.search(named).hits
        lost = [text for text in OTHER_TERMS if not memory.search(text).hits]
        wrong = [text for text in OTHERS if memory.search(text).hits]
    assert lost == []
    assert len(wrong) <= 2, wrong


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize("embedder", ["local", "none"])
def test_a_code_at_the_end_of_a_long_output_is_found(engine: Settings, embedder: str) -> None:
    lines = [f"line {number} of the build: module {number % 37} compiled" for number in range(1500)]
    output = "\n".join([*lines, "node flurbwick stopped with QX-5521, ticket quokkaline"])
    chosen = [*recorded(), ran("long", "make everything", output)]
    requests = (
        "quokkaline",
        "flurbwick QX-5521",
        "what about quokkaline",
        "was quokkaline printed",
    )
    with Memoranda.open(settings=replace(engine, embedder=embedder), workspace="shop") as memory:
        memory.capture.take(chosen)
        memory.capture.drain(wait=True)
        memory.index.reembed()
        for text in requests:
            titles = [hit.title for hit in memory.search(text).hits[:5]]
            assert any("make everything" in title for title in titles), (text, titles)


def test_a_small_store_finds_a_record_by_discriminative_words(memory: Memoranda) -> None:
    memory.capture.take(
        [
            message_event(
                "a", "Port 8080 was taken by another process, so we moved the server to 8090."
            ),
            message_event("b", "The build is green again after the rename."),
        ]
    )
    memory.capture.drain(wait=True)
    [hit, *_] = memory.search("what did we do when the port was taken").hits
    assert hit.title.startswith("Port 8080")


def test_frequent_words_are_less_rare() -> None:
    assert rarity("time") < rarity("port") < rarity("tariff") < rarity("cp1252")
