"""Concepts: what a sentence speaks of, in seventeen languages.

They are defined in ``concepts.json``: for each language the phrases of each concept. In a phrase
"*" continues a word and "~" stands for up to three words. Chinese and Japanese phrases are matched
within the text, as they have no spaces. The first concept of a rule is its anchor: sentences
without a phrase of an anchor are read only beside one that has it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files

from memoranda.quarantine.model import QuarantineReason

DESTINATION, PIPE = "destination", "pipe"
"""Concepts of every language: an address, and a command that runs what it fetches or destroys."""

_UNSPACED = ("ja", "zh")
_GAP = 3
_TOKEN = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])+")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_MAIL = re.compile(r"\w@[\w-]{1,60}\.\w{2,20}")
_COMMAND_NAMES = ("curl", "wget", "sudo ", "rm -r", "sh ")
_COMMAND = re.compile(
    r"(?:curl|wget)\b[^\n]{1,200}\|\s?(?:sudo )?(?:ba|z)?sh\b|\b(?:ba)?sh <\(curl|\bsudo \S"
    r"|\brm -r?f|\b(?:ba)?sh \.?/"
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
    anchor: str
    """The first of its concepts, and the rarest."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    concept: tuple[str, str]
    """Language and name."""
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concepts:
    """All phrases and rules, by the way they are searched for."""

    rules: tuple[ConceptRule, ...]
    whole: Mapping[str, Sequence[_Phrase]] = field(default_factory=dict)
    """Phrases by their first word."""
    stems: Mapping[str, Sequence[_Phrase]] = field(default_factory=dict)
    """Phrases whose first word continues, by its beginning."""
    lengths: tuple[int, ...] = ()
    """Lengths of the beginnings."""
    within: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
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
    within: dict[str, list[tuple[str, str]]] = {}
    for language, lists in definitions["languages"].items():
        for name, text in lists.items():
            for phrase in text.split(", "):
                if language in _UNSPACED:
                    within.setdefault(phrase.lower(), []).append((language, name))
                    continue
                words = tuple(plain(word) for word in phrase.split())
                table = stems if words[0].endswith("*") else whole
                one = _Phrase((language, name), words)
                table.setdefault(words[0].rstrip("*"), []).append(one)
    rules = tuple(
        ConceptRule(
            QuarantineReason(one["reason"]),
            one["weight"],
            frozenset(one["concepts"].split()),
            one["concepts"].split()[0],
        )
        for one in definitions["rules"]
    )
    return Concepts(rules, whole, stems, tuple(sorted(set(map(len, stems)))), within)


@lru_cache(maxsize=16_384)
def plain(word: str) -> str:
    """Return a word in lower case without accents and vowel marks."""
    if word.isascii():
        return word.lower()
    apart = _MARKS.sub("", unicodedata.normalize("NFD", word.lower()))
    return unicodedata.normalize("NFC", apart).translate(_LETTERS)


def anchors_in(text: str) -> set[str]:
    """Return words that stand in each phrase of an anchor that a folded text could have.

    Only anchors of rules that the whole text could fulfil count.
    """
    found = _possible(text)
    common = _common(text)
    anchors: set[str] = set()
    for words_of in found.values():
        names = words_of.keys() | common
        for rule in concepts().rules:
            if rule.concepts <= names:
                anchors.update(words_of.get(rule.anchor, ()))
    return anchors


def _possible(text: str) -> dict[str, dict[str, set[str]]]:
    """Return the words in phrases that a text could have, by language and concept."""
    spelt: dict[str, list[str]] = {}
    for word in set(_TOKEN.findall(text)):
        spelt.setdefault(plain(word), []).append(word)
    found: dict[str, dict[str, set[str]]] = {}
    for word in spelt:
        for phrase in _starting(word):
            exact = [one for one in phrase.words[1:] if one[-1] not in "*~"]
            if all(one in spelt for one in exact):
                language, name = phrase.concept
                marker = spelt[max(word, *exact, key=len) if exact else word]
                found.setdefault(language, {}).setdefault(name, set()).update(marker)
    for written, (language, name) in _unspaced(text):
        found.setdefault(language, {}).setdefault(name, set()).add(written)
    return found


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
        for phrase, meanings in concepts().within.items():
            if phrase in text:
                yield from ((phrase, one) for one in meanings)


def _common(text: str) -> set[str]:
    is_address = "http://" in text or "https://" in text
    found = {DESTINATION} if is_address or ("@" in text and _MAIL.search(text)) else set()
    has_command = any(name in text for name in _COMMAND_NAMES) and _COMMAND.search(text)
    return found | {PIPE} if has_command else found
