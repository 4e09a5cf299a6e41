"""Extraction of names from a text, and their types."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from memoranda.memories.extraction.encoder import MAX_READ, prose
from memoranda.memories.extraction.entities import MAX_LENGTH, MAXIMUM, entities
from memoranda.memories.extraction_model import EntityType
from tables import each


def found(text: str, *known: str) -> dict[str, str]:
    return {entity.name: entity.type.value for entity in entities(prose(text), known)}


TYPES = [
    ("person who acts", "Oskar mentioned the leak.", {"Oskar": "person"}),
    ("person with an adverb between", "Mirela never replied.", {"Mirela": "person"}),
    ("person who has something", "Emil's desk is by the door.", {"Emil": "person"}),
    ("person in an aside", "The draft went to Lotte, who liked it.", {"Lotte": "person"}),
    (
        "person whose role follows",
        "We called Pavel Ostrow, the lead surveyor and founder.",
        {"Pavel Ostrow": "person"},
    ),
    (
        "person whose role comes before",
        "Their accountant Dana Whitlock signed.",
        {"Dana Whitlock": "person"},
    ),
    ("title is no part of the name", "We met Dr. Obi.", {"Obi": "person"}),
    ("title without a point", "We met Professor Adaeze Obi.", {"Adaeze Obi": "person"}),
    ("person who is addressed", "Jonas, please check the belt.", {"Jonas": "person"}),
    ("person one is with", "I had tea with Sunniva.", {"Sunniva": "person"}),
    ("person who is wanted", "The user wants Kestrel to rest.", {"Kestrel": "person"}),
    (
        "person with a plural surname",
        "We hired Marcus Banks and Tilda Woods.",
        {"Marcus Banks": "person", "Tilda Woods": "person"},
    ),
    ("initial", "The author is Ursula K. Brandt.", {"Ursula K. Brandt": "person"}),
    ("particle", "A letter from Tessa van Holt came.", {"Tessa van Holt": "person"}),
    ("organization by its last word", "Halden Trust paid.", {"Halden Trust": "organization"}),
    (
        "organization of something",
        "She works at the Department of Public Works.",
        {"Department of Public Works": "organization"},
    ),
    (
        "organization of two things",
        "The Ministry of Health and Sport wrote.",
        {"Ministry of Health and Sport": "organization"},
    ),
    ("organization of partners", "Fairbank & Sons won.", {"Fairbank & Sons": "organization"}),
    (
        "organization by its field",
        "Fennel Robotics visited.",
        {"Fennel Robotics": "organization"},
    ),
    (
        "organization by its members",
        "Harbor Roasters closed early.",
        {"Harbor Roasters": "organization"},
    ),
    (
        "organization one works for",
        "He works for Nordholm Surveying.",
        {"Nordholm Surveying": "organization"},
    ),
    (
        "organization whose project it is",
        "The Nordholm Labs codebase moved.",
        {"Nordholm Labs": "organization"},
    ),
    (
        "department is no part of the name",
        "Ask at Marlow College IT about it.",
        {"Marlow College": "organization"},
    ),
    ("project by the noun", "The Heron project is late.", {"Heron": "project"}),
    (
        "project by a later noun",
        "The Quiet Harvest web dashboard fell.",
        {"Quiet Harvest": "project"},
    ),
    ("project by its article", "We paused the Glass Comet.", {"Glass Comet": "project"}),
    (
        "project by ordinary words",
        "Work on Tidewater Mapping goes on.",
        {"Tidewater Mapping": "project"},
    ),
    ("project that is called so", "A new library called Egret came.", {"Egret": "project"}),
    ("person who is called so", "A plumber and friend called Egret came.", {"Egret": "person"}),
    ("project that is named after", "We renamed the pipeline Osprey.", {"Osprey": "project"}),
    ("place by where", "The office is in Trondheim.", {"Trondheim": "place"}),
    ("place by its last word", "Camp near Orsa Lake was wet.", {"Orsa Lake": "place"}),
    ("place by its first word", "They walked around Lake Orsa.", {"Lake Orsa": "place"}),
    ("place by the noun", "The Kvarn district is hilly.", {"Kvarn": "place"}),
    ("place one moves to", "Emil moved to Malmo.", {"Emil": "person", "Malmo": "place"}),
    ("technology in any case", "The cache is Redis.", {"Redis": "technology"}),
    ("technology by its shape", "Traces go to FooTrace.", {"FooTrace": "technology"}),
    ("technology with a maker", "We read from Apache Kafka.", {"Apache Kafka": "technology"}),
    ("technology that is a word", "We wrote it in Rust.", {"Rust": "technology"}),
]


@each(
    ("text", "expected"),
    [pytest.param(text, names, id=name) for name, text, names in TYPES],
)
def test_a_name_has_its_type(text: str, expected: dict[str, str]) -> None:
    assert found(text) == expected


NO_NAMES = [
    ("noun that begins a sentence", "Traffic dropped after noon."),
    ("participle that begins a sentence", "Reviewed the draft. Pushed it."),
    ("adverb that begins a sentence", "Apparently, the pump is old."),
    ("plural that begins a sentence", "Tests failed twice."),
    ("abstract noun that begins a sentence", "Management agreed to wait."),
    ("noun before a colon", "Evening: read the report."),
    ("weekday and month", "We meet on Monday in March."),
    ("acronym", "The PR broke the CI, says QA."),
    ("language", "They speak Danish and Japanese."),
    ("people after their name", "The Orvan people fish."),
    ("adjective of a method", "A Gaussian process fits."),
    ("word that is also written small", "The mill stopped. Later the Mill ran."),
    ("code", "Before\n```\nclass Oskar said Lotte\n```\nafter"),
]


@each("text", [pytest.param(text, id=name) for name, text in NO_NAMES])
def test_a_capital_alone_is_no_name(text: str) -> None:
    assert found(text) == {}


def test_a_first_name_counts_as_its_person() -> None:
    text = "Dana Whitlock called. Dana wants the ledger, and Whitlock is never late."
    assert found(text) == {"Dana Whitlock": "person"}


def test_a_first_name_that_comes_first_counts_as_its_person() -> None:
    assert found("Dana called. It was Dana Whitlock again.") == {"Dana Whitlock": "person"}


def test_possession_parts_two_names() -> None:
    assert found("Emil's Heron project slipped.") == {"Emil": "person", "Heron": "project"}


def test_a_verb_before_a_name_is_no_part_of_it() -> None:
    assert found("Emailed Ivo Karlsen about it.") == {"Ivo Karlsen": "person"}


def test_a_name_written_elsewhere_is_one_at_the_beginning_too() -> None:
    text = "Vireo cold and rainy. We asked Vireo."
    assert found(text) == {"Vireo": "person"}
    assert found("Vireo cold and rainy.") == {}


def test_all_mentions_speak_for_the_type_of_a_name() -> None:
    assert found("We told Sable. The Sable pipeline and the Sable repo are new.")["Sable"] == (
        "project"
    )


def test_known_names_are_names_regardless_of_capitals() -> None:
    assert found("Wilfred agreed to wait.") == {}
    assert found("Wilfred agreed to wait.", "Wilfred Orne") == {"Wilfred": "person"}


def test_names_stand_in_order_and_technologies_after_them() -> None:
    text = "Redis is slow, said Emil. Lotte Brandt agreed. Postgres is fine in Ghent."
    assert list(found(text)) == ["Emil", "Lotte Brandt", "Ghent", "Redis", "Postgres"]


def test_no_more_names_than_the_limit() -> None:
    letters = "abcdefghijklmnopqrst"
    text = " ".join(f"We met Or{a}{b}ek Val." for a in letters for b in letters)
    assert len(entities(prose(text))) == MAXIMUM


def test_a_heading_in_capitals_is_no_name() -> None:
    assert found("With " + "Orvek " * 40 + "today") == {}
    assert found("With " + "FooTrace" * 20 + " today") == {}


HOSTILE = ["A", "A ", "a's ", "A's ", "A of ", "A of the ", "A and ", "A & ", "J. ", "\n", ". ",
           "'", '"A', "A.B", "A-", "Lab for ", "x", "\u0130 "]  # fmt: skip


@each("piece", [pytest.param(piece, id=ascii(piece)) for piece in HOSTILE])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def took(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        entities(text)
        return time.process_time() - started

    assert any(took(MAX_READ) < 16 * took(MAX_READ // 4) + 0.05 for _ in range(3))


@given(st.text(max_size=300))
def test_every_name_is_in_the_text(text: str) -> None:
    plain = prose(text)
    folded = " ".join(plain.split())
    for entity in entities(plain):
        assert entity.name in folded
        assert 0 < len(entity.name) <= MAX_LENGTH
        assert entity.type in EntityType
