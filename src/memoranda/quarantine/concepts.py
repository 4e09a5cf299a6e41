"""Concepts: what a sentence speaks of, in seventeen languages.

They are defined in ``concepts.json``: for each language the phrases of each concept. In a phrase
"*" continues a word and "~" stands for up to three words. Chinese and Japanese phrases are matched
within the text, as they have no spaces. The first concept of a rule is its anchor: a text without
a phrase of an anchor is not read sentence by sentence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files

from memoranda.quarantine.reasons import QuarantineReason

DESTINATION, PIPE = "destination", "pipe"
"""Concepts of every language: an address, and a command that runs what it fetches or destroys."""

_UNSPACED = ("ja", "zh")
_GAP = 3
_TOKEN = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])+")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_ADDRESS = re.compile(r"https?://|[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,20}")
_COMMAND = re.compile(
    r"(?:curl|wget)\b[^\n]{1,200}\|\s?(?:sudo )?(?:ba|z)?sh\b|\b(?:ba)?sh <\(curl|\bsudo \S|\brm -r?f|\b(?:ba)?sh \.?/"
)
_MARKS = re.compile(r"[\u0300-\u036f\u064b-\u0655\u0640]")
_LETTERS = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "\u0131": "i", "ß": "ss", "æ": "ae"})


@dataclass(frozen=True, slots=True)
class ConceptRule:
    """Concepts that together, in one language, are an order to a model."""

    reason: QuarantineReason
    weight: float
    """0 to 1."""
    concepts: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Phrase:
    concept: tuple[str, str]
    """Language and name."""
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concepts:
    """All phrases and rules, by the way they are searched for."""

    rules: tuple[ConceptRule, ...]
    anchors: frozenset[str]
    """First concepts of the rules."""
    whole: Mapping[str, Sequence[_Phrase]] = field(default_factory=dict)
    """Phrases by their first word."""
    stems: Mapping[str, Sequence[_Phrase]] = field(default_factory=dict)
    """Phrases whose first word continues, by its beginning."""
    lengths: tuple[int, ...] = ()
    """Lengths of the beginnings."""
    within: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Concepts of phrases in languages without spaces."""

    def starting(self, word: str) -> list[_Phrase]:
        """Return the phrases that a word can start."""
        found = list(self.whole.get(word, ()))
        for length in self.lengths:
            if length > len(word):
                break
            found += self.stems.get(word[:length], ())
        return found


@cache
def concepts() -> Concepts:
    """Return the phrases and rules of all languages."""
    definitions = json.loads(files(__package__).joinpath("concepts.json").read_text("utf-8"))
    whole: dict[str, list[_Phrase]] = {}
    stems: dict[str, list[_Phrase]] = {}
    within: dict[str, tuple[str, str]] = {}
    for language, lists in definitions["languages"].items():
        for name, text in lists.items():
            for phrase in text.split(", "):
                if language in _UNSPACED:
                    within[phrase.lower()] = (language, name)
                    continue
                words = tuple(plain(word) for word in phrase.split())
                table = stems if words[0].endswith("*") else whole
                one = _Phrase((language, name), words)
                table.setdefault(words[0].rstrip("*"), []).append(one)
    rules = tuple(
        ConceptRule(
            QuarantineReason(one["reason"]), one["weight"], frozenset(one["concepts"].split())
        )
        for one in definitions["rules"]
    )
    anchors = frozenset(one["concepts"].split()[0] for one in definitions["rules"])
    return Concepts(rules, anchors, whole, stems, tuple(sorted(set(map(len, stems)))), within)


@lru_cache(maxsize=16_384)
def plain(word: str) -> str:
    """Return a word in lower case without accents and vowel marks."""
    if word.isascii():
        return word.lower()
    apart = _MARKS.sub("", unicodedata.normalize("NFD", word.lower()))
    return unicodedata.normalize("NFC", apart).translate(_LETTERS)


def anchors_in(text: str) -> set[str]:
    """Return words that stand in each phrase of an anchor that a folded text could have."""
    spelt: dict[str, list[str]] = {}
    for word in set(_TOKEN.findall(text)):
        spelt.setdefault(plain(word), []).append(word)
    found: set[str] = set()
    for word in spelt:
        for phrase in _starting(word):
            exact = [one for one in phrase.words[1:] if one[-1] not in "*~"]
            if phrase.concept[1] in concepts().anchors and all(one in spelt for one in exact):
                found.update(spelt[max(word, *exact, key=len) if exact else word])
    names = concepts().anchors
    return found | {phrase for phrase, (_, name) in _unspaced(text) if name in names}


def concepts_in(text: str) -> dict[str, set[str]]:
    """Return the concepts of a folded sentence, by language."""
    found: dict[str, set[str]] = {}
    tokens = [plain(one) for one in _TOKEN.findall(text)]
    for at, token in enumerate(tokens):
        for phrase in _starting(token):
            if len(phrase.words) == 1 or _continues(phrase.words, tokens, at):
                found.setdefault(phrase.concept[0], set()).add(phrase.concept[1])
    for _, (language, name) in _unspaced(text):
        found.setdefault(language, set()).add(name)
    common = _common(text) if found else set()
    return {language: names | common for language, names in found.items()}


@lru_cache(maxsize=16_384)
def _starting(token: str) -> tuple[_Phrase, ...]:
    return tuple(concepts().starting(token))


def _continues(words: Sequence[str], tokens: Sequence[str], at: int) -> bool:
    """Return whether the rest of a phrase follows a token."""
    place, gap = at + 1, 0
    for word in words[1:]:
        if word == "~":
            gap = _GAP
            continue
        stop = min(place + gap + 1, len(tokens))
        while place < stop and not _is(tokens[place], word):
            place += 1
        if place == stop:
            return False
        place, gap = place + 1, 0
    return True


def _is(token: str, word: str) -> bool:
    return token == word or (word[-1] == "*" and token.startswith(word[:-1]))


def _unspaced(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    if _IDEOGRAPH.search(text):
        yield from (one for one in concepts().within.items() if one[0] in text)


def _common(text: str) -> set[str]:
    found = {DESTINATION} if _ADDRESS.search(text) else set()
    return found | {PIPE} if _COMMAND.search(text) else found
