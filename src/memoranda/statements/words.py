"""Stems of a statement's terms, and which terms carry no content."""

from __future__ import annotations


def names(words: str) -> frozenset[str]:
    """Return the set of the words of a text; for tables written as text."""
    return frozenset(words.split())


EMPTY = names(
    "a an the this that these those there here it its he she they we you i my your our his her"
    " their is are was were be been being am do does did has have had having will would can could"
    " shall should may might must to of in on at by for with from into onto about over under up"
    " down out off and or but so as than then very just also some any more most other own same too"
    " ever around really currently recently now still already yet today who whom which whose what"
    " when where while because although though since if s t re ve ll d m ca wo"
    " person people someone somebody anyone anybody"
    " everyone everybody something anything everything"
)
"""Function words without content of their own; a topic consists of others."""

DENIALS = names(
    "no not never nobody none nothing neither nor without cannot hardly lack lacks stopped quit"
)
"""Words that make a statement a denial."""

TURNS = names("longer anymore instead switch switched moved changed updated")
"""Words of change that belong to no topic."""

NUMBERS = {
    word: float(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
"""Numbers that are usually written as words."""

_IRREGULAR = {
    "uses": "use", "used": "use", "using": "use", "ran": "run", "wrote": "writ",
    "written": "writ", "children": "child", "men": "man", "women": "woman", "people": "person",
    "sat": "sit", "stood": "stand", "lives": "liv", "ate": "eat", "drove": "driv", "went": "go",
    "goes": "go", "made": "mak", "took": "tak", "lay": "lying", "lies": "lying",
}  # fmt: skip


def stem(word: str) -> str:
    """Remove the ending of a lower-case word.

    "closing", "closed" and "close" become one. The rest need not be a word; it is only ever
    compared with other stems.
    """
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


def carries_content(word: str) -> bool:
    """Return whether a lower-case word belongs to the topic of a statement."""
    return not (word in EMPTY or word in DENIALS or word in TURNS or word in NUMBERS)
