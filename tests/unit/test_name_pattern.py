"""A name is matched as a whole in any spelling, and its lines are erased."""

from __future__ import annotations

import json
import unicodedata

import pytest

from memoranda.exceptions import InvalidInput
from memoranda.memories.name_pattern import NamePattern
from tables import each


@each(
    ("name", "text"),
    [
        ("Anna", "anna@example.com"),
        ("Anna", "ANNA's notes"),
        ("Anna", "call_anna_back"),
        ("Anna Kowalski", "Anna\n  Kowalski"),
        ("Anna Kowalski", "anna.kowalski@example.com"),
        ("Anna Kowalski", "anna-kowalski and others"),
        ("Anna Kowalski", "call_anna_kowalski_back"),
        ("Anna Kowalski", "ask **Anna** Kowalski"),
        ("Anna Kowalski", "An\u200bna\u200b Kowalski"),
        ("Anna Kowalski", "Kowalski, Anna"),
        ("Kowalski, Anna", "Anna Kowalski"),
        ("Anna B Kowalski", "Kowalski, Anna B"),
        ("Anna Kowalski", r'{"text": "so\nAnna\tKowalski"}'),
        ("Zoë", unicodedata.normalize("NFD", "ask Zoë")),
        ("田中", "担当は田中さんです"),
        ("O'Neil (x)", "by o'neil (X)."),
        ("O'Brien", "O\u2019Brien said yes"),
        ("O\u2019Brien", "o'brien"),
        ("O'Brien", "O&#39;Brien"),
        ("Jose Garcia", "call José García"),
        ("José García", "jose.garcia@example.com"),
        ("Müller-Lüdenscheidt", "Mueller-Luedenscheidt"),
        ("Mueller-Luedenscheidt", "Müller\u2011Lüdenscheidt"),
        ("Søren Weiß", "Soeren Weiss"),
        ("Фёдор", "Федор"),
        ("محمد", "مُحَمَّد"),
        ("Jan van der Berg", "van der Berg, Jan"),
    ],
)
def test_a_name_is_found(name: str, text: str) -> None:
    assert NamePattern(name).mentioned_in(text)


@pytest.mark.parametrize("text", ["Annapolis", "Joanna", "Anna2", "An na", ""])
def test_other_words_are_not_the_name(text: str) -> None:
    assert not NamePattern("Anna").mentioned_in(text)


@pytest.mark.parametrize("text", ["Anna, Kowalski", "Anna (Kowalski)", "Joanna Kowalski"])
def test_two_names_are_not_one(text: str) -> None:
    assert not NamePattern("Anna Kowalski").mentioned_in(text)


def test_forms_that_may_be_the_same_person_are_listed() -> None:
    text = "AKowalski, A. Kowalski, annakowalski, Kowalski Anna; not Adam Kowalski or Kowalskis"
    found = NamePattern("Anna Kowalski").similar_in(text)
    assert found == {"akowalski", "a. kowalski", "annakowalski", "kowalski anna"}
    assert NamePattern("Anna").similar_in(text) == set()


@each(
    ("name", "text", "form"),
    [
        ("Anna Kowalski", "Das ist Annas Kowalskis Ticket", "annas kowalskis"),
        ("Анна Ковальская", "Позвони Анне Ковальской", "анне ковальской"),
        ("Kowalski", "biurko Kowalskiego", "kowalskiego"),
        ("Anna Kowalski", "to kowalski@example.com", "kowalski@example.com"),
        ("Jan van der Berg", "J. van der Berg", "j. van der berg"),
        ("Jan van der Berg", "jan.vanderberg@example.com", "jan.vanderberg"),
        ("Sean O'Brien", "login sobrien", "sobrien"),
        ("Muller", "Mueller", "mueller"),
    ],
)
def test_a_form_that_may_be_the_same_person_is_listed(name: str, text: str, form: str) -> None:
    assert NamePattern(name).similar_in(text) == {form}
    assert not NamePattern(name).mentioned_in(text)


@pytest.mark.parametrize(
    ("name", "text"), [("たなか", "たなが"), ("Anna", "Annapolis and annexes"), ("Mark", "marks")]
)
def test_another_word_is_no_form_of_the_name(name: str, text: str) -> None:
    assert not NamePattern(name).mentioned_in(text)
    assert NamePattern(name).similar_in(text) == set()


@pytest.mark.parametrize("name", ["", " ", "A", "--", "  . "])
def test_a_name_needs_letters(name: str) -> None:
    with pytest.raises(InvalidInput):
        NamePattern(name)


def test_only_the_lines_that_mention_it_are_erased() -> None:
    text = "one\nAnna is here\ntwo\nby Anna\nKowalski\nthree"
    assert NamePattern("Anna").without(text) == "one\n[erased]\ntwo\n[erased]\nKowalski\nthree"
    assert not NamePattern("Anna Kowalski").mentioned_in(NamePattern("Anna Kowalski").without(text))


def test_json_stays_json() -> None:
    text = json.dumps({"who": "Anna", "n": 1, "all": ["Bob", "hi Anna"], "Anna": {"x": None}})
    assert json.loads(NamePattern("Anna").without(text)) == {
        "who": "[erased]",
        "n": 1,
        "all": ["Bob", "[erased]"],
        "[erased]": {"x": None},
    }


def test_the_line_shown_is_the_one_that_mentions_it() -> None:
    pattern = NamePattern("Anna")
    assert pattern.first_line("one\ntwo Anna\nthree", 80) == "two Anna"
    path = "/".join(["folder"] * 50)
    line = pattern.first_line(f"{path}/Anna/{path}", 60)
    assert line.startswith("…folder/") and line.endswith("folder/…") and "Anna" in line
    assert "Anna" in pattern.first_line("x" * 500 + " Anna " + "y" * 500, 60)
