"""Words of a text, their stems, and those without content.

The lists of words without content differ intentionally between questions and statements: "not" and
"until" are not search terms, but they reverse the meaning of a statement.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from memoranda.language.lexemes import CJK, name_parts, script_stem, terms

_Meaning = TypeVar("_Meaning")

_SPELT = re.compile(r"[^\W\d_]+(?:['\u2019][a-z]+)?|\d+")
_CJK = re.compile(f"[{CJK}]+")
_NAME = re.compile(r"[\w./:@#-]+")
_VALUED = re.compile(r"[\d/_@]")
_MAX_LENGTH = 60
"""Maximum number of characters of a word; no other text would share a longer word."""


def word_set(words: str) -> frozenset[str]:
    """Return the set of words in a text, for tables that are written as text."""
    return frozenset(words.split())


def by_word(rows: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """Invert a table of words by meaning to meanings by word."""
    return {word: meaning for meaning, words in rows.items() for word in words.split()}


def table_rows(package: str, name: str) -> list[list[str]]:
    """Return the rows of a package's tab-separated file, fields verbatim."""
    from importlib.resources import files

    lines = files(package).joinpath(name).read_text("utf-8").split("\n")
    return [line.split("\t") for line in lines if line]


GRAMMAR = word_set(
    "a an and are as at be been but by did do does for from had has have how i in is it its "
    "me my of on or our s she he so that the their them they this to us was we were what when "
    "where which who whom why will with would you your t about into than then there these "
    "those not no can could should his her him if just also more some any all"
)
"""Articles, pronouns, auxiliaries, prepositions and question words.

"before", "only", "last" and the like are not included, since they are part of a condition or of an
order.
"""

STOP_WORDS = GRAMMAR | word_set(
    "after again am aren because before being between both couldn d didn didnt doesn doesnt "
    "doing don done dont down get gets got hadn hasn haven having here hers im isn isnt ive "
    "last let like ll m make most nor now off once only other out over own please re same "
    "shouldn such through time too under until up use used using ve very wasn weren while won "
    "wouldn"
)
"""Words that belong to the form of a question, including question words."""

EMPTY = word_set(
    "a an the this that these those there here it its he she they we you i my your our his her"
    " their is are was were be been being am do does did has have had having will would can could"
    " shall should may might must to of in on at by for with from into onto about over under up"
    " down out off and or but so as than then very just also some any more most other own same too"
    " ever around really currently recently now still already yet today who whom which whose what"
    " when where while because although though since if s t re ve ll d m ca wo"
    " person people someone somebody anyone anybody"
    " everyone everybody something anything everything"
)
"""Function words without content, which are not part of a topic."""

DENIALS = word_set(
    "no not never nobody none nothing neither nor without cannot hardly lack lacks stopped quit"
)
"""Words that make a statement a negation."""

TURNS = word_set("longer anymore instead switch switched moved changed updated")
"""Words about change that are not part of a topic."""


NUMBERS = {
    word: float(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
}
"""Numbers that are usually written as words."""

_FUNCTION_WORDS = """
the a an of to in on at for is are was were it its we my our you your he she they their and or but
with from by this that these has have had not no so will be as if when unless until after before
than then out up into over off there here i
der die das den dem des ein eine einen einem einer und oder nicht kein keine ist sind war wird
werden wurde für mit von vom zum zur zu im auf aus bei nach nur wir ich sie es man darf muss soll
bitte wenn weil dass sich pro als
el la los las un una unos de del al en por para con que se lo es son está están nunca siempre y o
si su sus como hay cuando porque nos sin más ya
le les une des du au aux pour par avec qui ne pas est sont et ou ce cette il elle on nous vous dans
sur plus
os as um uma do da dos das na nos em com não é são ao sem
lo gli di della per che non sono se alla quando senza
"""
FUNCTION_WORDS = word_set(_FUNCTION_WORDS)
"""Words that connect sentences, which are rare in program output."""


def carries_content(word: str) -> bool:
    """Return whether a lower-case word belongs to the topic of a statement."""
    return not (word in EMPTY or word in DENIALS or word in TURNS or word in NUMBERS)


_own = threading.local()


words = terms
"""Split a text into terms, like the full-text index."""


def indexed_words(text: str) -> list[str]:
    """Return a text's terms in the full-text index, with the parts of names."""
    return [*words(text), *name_parts(text)]


def stems(listed: Iterable[str]) -> list[str]:
    """Return the stem of each word: Porter's, or another script's.

    The stems are those of both full-text indexes, or nearly so.
    """
    stemmer = getattr(_own, "stemmer", None)
    if stemmer is None:
        from Stemmer import Stemmer

        stemmer = _own.stemmer = Stemmer("porter")  # not to be shared by threads
    return list(stemmer.stemWords([script_stem(word) for word in listed]))


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without stop words."""
    return frozenset(stems(word for word in words(text) if word not in STOP_WORDS))


def plain_words(text: str) -> str:
    """Return the words of a text without punctuation and case."""
    return " ".join(words(text))


def valued_names(text: str) -> Iterator[str]:
    """Yield the numbers, paths and code names in a text, verbatim."""
    return (name for name in _NAME.findall(text) if _VALUED.search(name))


def number(stem: str) -> int:
    """Return the number of a stem in an index entry: its CRC-32."""
    return zlib.crc32(stem.encode())


def spelt_words(text: str) -> list[str]:
    """Return the words and numbers of a text in order, verbatim.

    Scripts without spaces yield overlapping pairs of characters.
    """
    result = [word[:_MAX_LENGTH] for word in _SPELT.findall(text)]
    if text.isascii() or not _CJK.search(text):
        return result
    return [*(word for word in result if not _CJK.search(word)), *cjk_bigrams(text)]


def cjk_bigrams(text: str) -> list[str]:
    """Return the character pairs in runs of Chinese, Japanese kana and Hangul.

    The pairs overlap. These scripts have no spaces, so a word index would see a whole run as one
    word; pairs are the usual unit of search for them.
    """
    return [run[at : at + 2] for run in _CJK.findall(text) for at in range(max(1, len(run) - 1))]


_IRREGULAR = {
    "uses": "use", "used": "use", "using": "use", "ran": "run", "wrote": "writ",
    "written": "writ", "children": "child", "men": "man", "women": "woman", "people": "person",
    "sat": "sit", "stood": "stand", "lives": "liv", "ate": "eat", "drove": "driv", "went": "go",
    "goes": "go", "made": "mak", "took": "tak", "lay": "lying", "lies": "lying",
}  # fmt: skip


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word in lower case without its ending and apostrophe suffix.

    "closing", "closed" and "close" have the same stem. The stem need not be a word; it is only ever
    compared with other stems. Unlike the stems of the index, it keeps "ful", "less" and the like,
    by which opposites are recognised.
    """
    word = word.casefold().replace("\u2019", "'").partition("'")[0]
    irregular = _IRREGULAR.get(word)
    if irregular is not None:
        return irregular
    cut = _without_ending(word)
    if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "lsz":
        cut = cut[:-1]
    return cut[:-1] if len(cut) > 3 and cut[-1] == "e" else cut


def _without_ending(word: str) -> str:
    length = len(word)
    if length > 5 and word.endswith("ing"):
        return word[:-3]
    if length > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if length > 4 and word.endswith(("ed", "es")):
        return word[:-2]
    if length > 3 and word[-1] == "s" and word[-2] != "s":
        return word[:-1]
    return word
