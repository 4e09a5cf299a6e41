"""Corrections that apply to later sessions state the correct way."""

from __future__ import annotations

import pytest

from memoranda.capture.analysis.constraints import is_constraint
from memoranda.context.labelled_sentences import kind_of, sentences
from memoranda.context.withdrawn_statements import Rejections, WithdrawnText
from memoranda.search.table import LASTING, NOTED
from memoranda.utterances.sentence_checks import is_customary
from tables import each


def stands(message: str) -> bool:
    return any(one.stands for one in sentences(message))


@each(
    "message",
    [
        "You read it backwards: the lower priority number wins, not the higher.",
        "We deploy from the release branch instead of main, because main is always ahead.",
        "no!! staging is on 9090, never 8080",
        "Das stimmt nicht, die Preise stehen in Cent und nicht in Euro.",
        "Ce n'est pas le bon serveur, c'est db2 et non db1.",
        "Est\u00e1 errado: o fuso \u00e9 America/Sao_Paulo, n\u00e3o UTC.",
        "\u9055\u3044\u307e\u3059\u3001\u30dd\u30fc\u30c8\u306f8080\u3067\u306f\u306a\u304f9090\u3067\u3059\u3002",
    ],
)
def test_a_correction_with_the_right_value_is_lasting(message: str) -> None:
    assert stands(message)
    assert kind_of(message) == LASTING


@each(
    "message",
    [
        "no, do the small fix, not the big one",
        "show me the diff, not the whole file",
        "open the other file, not this one",
        "I meant the second button, not the first",
        "it's fine, not great",
        "can we use 9090 and not 8080?",
        "start it on 9090, not 8080, for this run",
        "hm, maybe it's the cache and not the query",
        "haz primero el peque\u00f1o, no el grande",
        "I like it, it reads like an explanation.",
    ],
)
def test_orders_questions_guesses_and_praise_are_not_lasting(message: str) -> None:
    assert not stands(message)
    assert kind_of(message) == NOTED


@pytest.mark.parametrize(
    "message",
    [
        "Hmm, make that white rather than black.",
        "Der Gutschein ist noch nicht da.",
        "remember the milk",
        "Don't forget the milk!",
    ],
)
def test_orders_and_states_of_the_moment_are_not_lasting(message: str) -> None:
    assert not stands(message)
    assert not is_constraint(message)


def test_one_sentence_of_a_rejected_text_is_rejected_in_near_copies_too() -> None:
    rejected = Rejections([WithdrawnText("Amounts are cents. The regulator rounds half up.", 50)])
    assert rejected.cover("amounts are cents", 40)
    assert rejected.cover("The regulator always rounds half up!", 50)
    assert not rejected.cover("Amounts are cents.", 51)
    assert not rejected.cover("The regulator audits in May.", 40)
    assert not Rejections([]).cover("Amounts are cents.", 40)


@each(
    "message",
    [
        "Can you stop thanking me all the time?",
        "fixtures go into data/, not next to the code",
        "prefer functions over classes in this repo",
        "In this repo we run the tests with `make check`, please don't call pytest directly.",
        "Use tabs never spaces in the yaml files.",
        "we don't use moment in this codebase",
        "Aqu\u00ed no usamos tabuladores en YAML",
        "Sempre escreva em portugu\u00eas",
        "\u5fc5\u305a\u30ec\u30d3\u30e5\u30fc\u3057\u3066",
        "\u5408\u5e76\u4e4b\u524d\u4e00\u5b9a\u8981\u5148\u8bc4\u5ba1",
    ],
)
def test_what_is_done_as_a_rule_is_lasting(message: str) -> None:
    assert stands(message)


@pytest.mark.parametrize(
    "message",
    [
        "it goes into the log, does it not?",
        "stop the server every time it hangs",
        "we don't use it yet",
        "\u4eca\u56de\u306f\u5fc5\u305a\u30ec\u30d3\u30e5\u30fc\u3057\u3066",
    ],
)
def test_set_words_about_the_moment_are_not_lasting(message: str) -> None:
    assert not is_customary(message)


def test_a_short_message_with_a_lasting_sentence_is_whole() -> None:
    whole = "Evenings don't work any more with the new job. Mornings before 9 am, please."
    assert [one.stands for one in sentences(whole)] == [True, True]
    order = "Always call me by first name. Send the invoice to Ada."
    assert [one.stands for one in sentences(order)] == [True, False]
