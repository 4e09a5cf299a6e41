"""What a text of the profile says that must not be lost: values, names, and what it lays down."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from memoranda.text import normalise, one_line

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_TOKEN = re.compile(r"[^\W_](?:[\w'\u2019]{0,60}[^\W_])?")
_VALUE = re.compile(
    r"https?://[^\s<>\"']{1,300}"
    r"|`[^`\n]{1,120}`"
    r"|\"[^\"\n]{1,120}\""
    r"|(?:[\w.@~*-]{0,60}/){1,12}[\w.@~*-]{0,80}"
    r"|\b[\w.+-]{1,60}@[\w.-]{1,80}"
    r"|(?<!\w)-{1,2}[a-z][\w-]{0,40}"
    r"|\b\w{1,60}(?:[._:-]\w{1,60}){1,8}"
    r"|\b\w{0,60}(?:_|[a-z0-9][A-Z]|\d)\w{0,60}"
    r"|[$€£]\s?\d[\d.,]{0,20}"
)
_NAME = re.compile(r"\b[A-Z][\w'\u2019]{0,60}")
_START = re.compile(r"(?:^|[.!?:\u2022]\s+|\n\s*(?:[-*]\s+)?)$")
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,3}[.)])\s+")
KNOWN = 1_024
"""Texts that are not taken apart again: each is compared with many."""
_EDGES = ".,;:!?()[]{}\"'`"


@lru_cache(maxsize=1)
def _words() -> dict[str, frozenset[str]]:
    table = files(__package__).joinpath("words.tsv").read_text("utf-8")
    return {
        name: frozenset(words.split())
        for name, _, words in (line.partition("\t") for line in table.splitlines())
    }


@lru_cache(maxsize=KNOWN)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences and lines of a text, without marks of lists."""
    lines = (_BULLET.sub("", line) for line in normalise(text).split("\n"))
    parts = (part.strip() for line in lines for part in _SENTENCE_END.split(line))
    return tuple(part for part in parts if part)


@lru_cache(maxsize=KNOWN)
def values(text: str) -> frozenset[str]:
    """Return numbers, paths, names of code, quotations and proper names, in lower case."""
    text = normalise(text)
    found = {match[0].strip(_EDGES).lower() for match in _VALUE.finditer(text)}
    for match in _NAME.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        if not match[0][1:].islower() or not _START.search(before):
            found.add(match[0].lower())
    return frozenset(found - {"", "i"} - _words()["empty"])


@lru_cache(maxsize=KNOWN)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text that say something, in lower case, in their order."""
    empty = _words()["empty"]
    said = (match[0].lower().replace("\u2019", "'") for match in _TOKEN.finditer(normalise(text)))
    return tuple(word for word in said if word not in empty)


def rules(text: str) -> list[str]:
    """Return the sentences that lay something down, or bind it to a condition."""
    binding = _words()["binding"]
    return [one for one in sentences(text) if not binding.isdisjoint(tokens(one))]


def lost(text: str, other: str) -> list[str]:
    """Return what a text says that must not be lost, and another text does not say: the sentences
    that lay something down, word for word, then values."""
    said = one_line(normalise(other))
    lower = said.lower()
    missing = [one for one in rules(text) if one_line(one) not in said]
    return missing + sorted(value for value in values(text) if one_line(value) not in lower)


def covers(one: str, other: str) -> bool:
    """Say whether a sentence says all that another does.

    That one must stand in it word for word, from one end of a clause to another, and no word may
    be there that could turn or narrow it.
    """
    whole, part = tokens(one), tokens(other)
    if not part:
        return True
    ends = _clause_ends(one)
    if not any(whole[start:end] == part for start in ends for end in ends):
        return False
    if _turning(whole) != _turning(part):
        return False
    told = normalise(one).lower()
    return all(value in told for value in values(other))


def differ(one: str, other: str) -> bool:
    """Say whether two sentences give different values to much the same words."""
    mine, theirs = values(one), values(other)
    if mine <= theirs or theirs <= mine:
        return False
    said, heard = (frozenset(tokens(text)) - held for text, held in ((one, mine), (other, theirs)))
    least = min(len(said), len(heard))
    return least == 0 or 2 * len(said & heard) >= least


def _turning(words: tuple[str, ...]) -> list[str]:
    turning = _words()["turning"]
    return sorted(word for word in words if word in turning)


@lru_cache(maxsize=KNOWN)
def _clause_ends(text: str) -> tuple[int, ...]:
    """Return after how many words a clause ends, with 0 for the start."""
    ends = [0]
    for clause in re.split(r"[,;:\u2014](?=\s)|\s[-\u2013]\s", text):
        ends.append(ends[-1] + len(tokens(clause)))
    return tuple(end for before, end in pairwise([-1, *ends]) if end != before)
