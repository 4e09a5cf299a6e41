"""Corrections that apply to later sessions state the correct way."""

from __future__ import annotations

import pytest

from memoranda.capture.analysis.constraints import is_constraint
from memoranda.context.labelled_sentences import kind_of, sentences
from memoranda.context.withdrawn_statements import Rejections, WithdrawnText
from memoranda.lessons.lasting_sentences import lasting_sentences
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
        "違います、ポートは8080ではなく9090です。",
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


@each(
    "message",
    [
        "You never answered my question",
        "I always forget this flag",
        "it never worked on windows",
        "That test has never passed on my machine",
        "she never tests her code, so I have to",
        "Windows never lets me rename it",
        "Every time I run the migration it fails with a lock timeout",
        "I remember that we had this bug last year",
        "do you remember that I always wanted a dark mode",
        "Write a poem in which you remember that I always love you",
        "Always good to see green tests",
    ],
)
def test_a_description_with_always_or_remember_is_no_rule(message: str) -> None:
    assert not stands(message)
    assert not is_constraint(message)
    assert not lasting_sentences(message)


@each(
    "message",
    [
        "we never squash",
        "I never want to see a mock there",
        "the sheet is never edited by hand",
        "never seen a mock help anybody, so none here",
        "You always forget the imports, please check them from now on",
        "I always want the diff first",
        "Remember that we always rebase",
    ],
)
def test_a_wish_with_always_or_remember_is_a_rule(message: str) -> None:
    assert stands(message)


@each(
    "message",
    [
        "Ricorda che il server di prova si chiama airone.",
        "Non fare mai push su main.",
        "N'oublie pas que le serveur de test s'appelle h\u00e9ron.",
        "Lance toujours les tests avant de pousser.",
        "Запомни: цены без налога.",
        "Zapami\u0119taj, \u017ce ceny s\u0105 bez podatku.",
        "Od teraz odpowiadaj zawsze po polsku.",
        "Unutma: test sunucusunun ad\u0131 bal\u0131k\u00e7\u0131l.",
        "Asla do\u011frudan main'e push yapma.",
        "기억해: 테스트 서버 이름은 왜가리야.",
        "تذكر أن الأسعار بدون ضريبة.",
        "याद रखना कि दफ़्तर बंद है।",
        "Onthoud dat de testserver reiger heet.",
        "Kom ih\u00e5g att testservern heter h\u00e4ger.",
        "K\u00f6r alltid testerna innan du pushar.",
        "\u522b\u5fd8\u4e86\u739b\u5854\u8d1f\u8d23\u6279\u51c6\u7248\u672c\u3002",
    ],
)
def test_a_request_to_remember_in_another_language_is_lasting(message: str) -> None:
    assert stands(message)


@each(
    "message",
    [
        "Recuerdo que el a\u00f1o pasado tuvimos este error.",
        "Ricordi che ne abbiamo parlato?",
        "Ich erinnere mich, dass wir diesen Fehler hatten.",
        "Es ist immer derselbe Fehler.",
        "Ik herinner me dat we deze bug hadden.",
        "Jag kommer ih\u00e5g att vi hade den buggen.",
        "Det \u00e4r alltid samma fel.",
    ],
)
def test_a_recollection_in_another_language_is_not_lasting(message: str) -> None:
    assert not stands(message)
    assert not lasting_sentences(message)


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
