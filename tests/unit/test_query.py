"""Any query text is converted to search words."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.language.words import STOP_WORDS
from memoranda.search.query import MAX_QUERY, parse_query
from tables import each


def test_words_come_once_in_lower_case_in_their_order() -> None:
    assert parse_query("Rounding totals ROUNDING cart").words == ("rounding", "totals", "cart")


def test_words_that_only_put_the_question_are_left_out() -> None:
    assert parse_query("How did we fix the import error?").words == ("fix", "import", "error")


@each(
    ("text", "expected"),
    [
        ("Wie wird denn die Rechnung erstellt?", ("rechnung", "erstellt")),
        ("¿Cuándo se despliega la nueva versión?", ("despliega", "nueva", "version")),
        ("Pourquoi est-ce que l'export échoue ?", ("export", "echoue")),
        ("Onde fica o servidor de testes?", ("fica", "servidor", "testes")),
        ("为什么部署失败", ("为什么部署失败", "部署", "署失", "失败")),
        ("Where did Los Angeles die in the war", ("los", "angeles", "die", "war")),
        ("was", ("was",)),
    ],
)
def test_words_that_only_put_a_question_in_another_language_are_left_out(
    text: str, expected: tuple[str, ...]
) -> None:
    assert parse_query(text).words == expected


@pytest.mark.parametrize("text", ["the", "How did they do it", "a b"])
def test_a_query_of_nothing_but_such_words_keeps_them(text: str) -> None:
    assert sorted(parse_query(text).words) == sorted(set(text.lower().split()))


@each(
    "name",
    [
        "parse_args",
        "__init__",
        "src/app/main.rs",
        "main.rs:40",
        "E0308",
        "fooBar",
        "HttpClient",
        "v1.2.3",
        "half-up",
        "deadbeef1",
        "0badcafe",
        "@scope/package",
    ],
)
def test_names_paths_and_codes_are_identifiers(name: str) -> None:
    assert parse_query(f"why does {name} fail").identifiers == (name,)


def test_a_path_with_a_drive_is_found_by_what_follows_the_drive() -> None:
    assert parse_query("C:\\shop\\cart.py").identifiers == ("shop\\cart.py",)


@pytest.mark.parametrize(
    "prose", ["end of sentence. Next one", "Berlin", "2026", "it's", "a, b; c"]
)
def test_prose_contains_no_identifiers(prose: str) -> None:
    assert parse_query(prose).identifiers == ()


def test_a_run_of_chinese_is_looked_for_whole_and_in_pairs() -> None:
    parsed = parse_query("数据库连接 error")
    assert set(parsed.words) == {"数据库连接", "error", "数据", "据库", "库连", "连接"}
    assert parsed.identifiers == ("数据库连接",)


@pytest.mark.parametrize("pair", ["错误", "エラ", "오류"])
def test_two_characters_without_spaces_are_enough(pair: str) -> None:
    parsed = parse_query(pair)
    assert pair in parsed.words
    assert not parsed.empty


@each("text", ["", " \n\t", "?!", "'\"", "()*^", "--"])
def test_text_without_a_word_is_an_empty_query(text: str) -> None:
    assert parse_query(text).empty


def test_a_query_is_read_up_to_its_limit() -> None:
    parsed = parse_query("x" * 10 + " " * MAX_QUERY + "late")
    assert parsed.words == ("x" * 10,)


@given(st.text())
def test_any_text_becomes_words_that_every_engine_takes(text: str) -> None:
    parsed = parse_query(text)
    for word in (*parsed.words, *parsed.identifiers):
        assert word
        word.encode()
        assert "\0" not in word
    assert parsed == parse_query(text)


@given(st.lists(st.sampled_from(["cart", "rounding", "total", "invoice"]), min_size=1))
def test_no_word_of_a_query_is_lost(words: list[str]) -> None:
    assert set(parse_query(" ".join(words)).words) == set(words)
    assert not set(words) & STOP_WORDS


@pytest.mark.timeout(60)
@each("piece", ["g", "G", "_", "a_", "aG", "./", "g.", "1", "a'", "é", "@", "错"])
def test_a_hostile_query_takes_no_time(piece: str) -> None:
    for _ in range(20):
        parse_query(piece * MAX_QUERY)
