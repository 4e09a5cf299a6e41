"""Words without content in languages other than English, for search queries.

Questions of a language share these with almost every text of it. They are removed from a query only
if it is in such a language, since several are also English words, as German "die" and "was".
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.words import GRAMMAR, STOP_WORDS, table_rows, word_set, words

_ENGLISH_TOO = word_set(
    "a all also am an are as at bin but by c ci come d de des die do dont door dos du el em "
    "en for from ha had has hat he i im in io is it ja l la los m mag man me men mia more my "
    "n no o of on or over per que s sim so son sum t ta tan te to todo todos u un under us "
    "war was we while will would y "
)
"""Words that do not show which language a text is in.

They are English, names of code, or in names such as "Los Angeles" and "en route".
"""
_KANA = "\u3041-\u3096"
_PARTICLE = "をはがのにへとでも"
_CHINESE = "什么吗呢怎哪谁的了们吧"
_CJK_PAIR = lazy_pattern(
    f"[{_PARTICLE}][^{_KANA}]|[^{_KANA}][{_PARTICLE}]|[{_CHINESE}].|.[{_CHINESE}]"
)
"""Pair of characters across the end of a Japanese word, or with a Chinese function word."""
_CJK_PAIRS = word_set(
    "あり ある いう いつ いの いる うい うし うに うや から こと これ させ され "
    "した して しょ すか する せる せん それ たい ため たら だけ だれ った って "
    "てい てど でし です では とは どう どこ ない なぜ なの にし には のか ので "
    "のは はい はど はな まし ます ませ まで もの やっ ょう よう られ れば れる "
    "不是 为何 可以 如何 应该 我们 是不 是否 有些 这个 那个 "
)
"""Pairs of characters in Japanese and Chinese that any question may have."""


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    """Return the terms of each language's list, which also has verbs of any question."""
    rows = table_rows("memoranda.language", "foreign_stop_words.tsv")
    return {language: frozenset(words(listed)) for language, listed in rows}


@cache
def _signs() -> dict[str, frozenset[str]]:
    """Return the words of each list that are not English."""
    return {language: listed - GRAMMAR - _ENGLISH_TOO for language, listed in _stop_words().items()}


def counted_languages(found: AbstractSet[str]) -> tuple[int, dict[str, int]]:
    """Return how many terms are English function words, and those of other languages."""
    others = {language: len(found & signs) for language, signs in _signs().items()}
    return len(found & (GRAMMAR - _ENGLISH_TOO)), others


def stop_words(found: AbstractSet[str]) -> AbstractSet[str]:
    """Return the terms without content among those of a query.

    English ones always; those of another language if the query has more of its function words than
    English ones.

    >>> sorted(stop_words({"wie", "wird", "die", "rechnung", "erstellt"}))
    ['die', 'wie', 'wird']
    """
    english, others = counted_languages(found)
    most = max(others.values())
    empty = {word for word in found if word in STOP_WORDS or _is_empty_pair(word)}
    for language, number in others.items():
        if number == most > english:
            empty |= found & _stop_words()[language]
    return empty


def _is_empty_pair(word: str) -> bool:
    return word in _CJK_PAIRS or (not word.isascii() and bool(_CJK_PAIR.fullmatch(word)))
