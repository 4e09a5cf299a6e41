"""Critical facts of a text: what must not be lost when it is put into fewer words.

That is what somebody lays down, decides or tells with a value, and how it went: errors, outcomes,
the last state. Found by rules of its own, so that it can judge what others choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.distil.extract.sampling import bound, sampled
from memoranda.distil.extract.sentences import is_sentence
from memoranda.distil.extract.words import STOP, stem, words
from memoranda.text import normalise, one_line, visible
from memoranda.values.compression import Passage, Speaker

_UNIT = (
    r"(?:%|°[CF]?|[kMGT]i?B\b|[mµn]?s\b|ms\b|sec(?:ond)?s?\b|min(?:ute)?s?\b|h(?:ou)?rs?\b|days?\b"
    r"|weeks?\b|months?\b|years?\b|tokens?\b|requests?\b|users?\b|rows?\b|people\b|USD\b|EUR\b"
    r"|dollars?\b|euros?\b|[ap]\.?m\b|k?m\b|kg\b|[GMk]?Hz\b)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_VALUE = re.compile(
    r"\b[a-z]{2,9}://[^\s<>\"')\]]+|\b[\w.+-]{1,64}@[\w-]+\.[\w.-]*\w"
    r"|(?<![\w/.])~?(?:/[\w.@+-]*\w)+|\b\w[\w.-]*/[\w./-]*\.\w{1,5}\b"
    rf"|\b{_MONTH} \d{{1,2}}\b(?:, \d{{4}})?|\b\d{{1,2}} {_MONTH}\b(?: \d{{4}})?"
    r"|\b\d{4}-\d\d-\d\d"
    rf"|[$€£]\s?\d[\d,.]*\d?|\bv?\d+\.\d+\.\d+[\w.-]*|\b\d{{1,2}}:\d\d\b|\b\d[\d.,]*\s?{_UNIT}"
    r"|\b[A-Z]{2,}-\d+\b|\bE_[A-Z][A-Z_0-9]+\b|\b[A-Z]\w{0,60}(?:Error|Exception)\b"
    r"|\b(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{7,40}\b|\b\w{1,40}_\w[\w]{0,60}\b"
    r"|\bexit (?:code|status) \d+|\b\d{3,}\b"
)
_LAID_DOWN = re.compile(
    r"\b(?:must|never|always|do not|don't|may not|should not|shall|not allowed|at (?:most|least)"
    r"|no more than|required|mandatory|forbidden|prohibited|deadline|limit is|budget|allergic"
    r"|remember that|important)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:I|we)(?:'ve|'ll| have| will| are| am|'re|'m)?(?: \w+ly| all| now| also)? "
    r"(?:decided|chose|agreed|settled|rejected|approved|picked|switch(?:ed|ing) to|going with"
    r"|moved to|fixed|reverted|deployed|merged)\b|\broot cause\b|\bdecision:",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:error|fatal|failed|failure|exception|denied|refused|timed out|crash\w*|panic"
    r"|exit (?:code|status) [1-9])\b|Error\b|Exception\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:\d+ (?:passed|failed)|exit (?:code|status)|succeeded|success\w*|completed|finished"
    r"|deployed|installed|resolved)\b",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\b(?:not|never|no|nobody|none|nothing|neither|nor|without|cannot)\b|n't\b", re.IGNORECASE
)
_END = re.compile("(?<=[.!?])[\"')\\]]*\\s+|[\u3002\uff01\uff1f]|\n")
_MASK = re.compile(r"\d+|0x[0-9a-f]+|\"[^\"]*\"|'[^']*'")
_SHORTEST, _LONGEST = 8, 320
_PROGRAM = frozenset({Speaker.TOOL})


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is said in one sentence or line."""

    ref: str
    text: str
    values: frozenset[str]
    """In lower case."""
    stems: frozenset[str]
    """Of its words without the values."""
    denied: bool
    stated: bool
    """Somebody says it; otherwise a program printed it, and its values are the fact."""


def critical_facts(passages: Sequence[Passage]) -> list[Fact]:
    """Return the critical facts of passages in their order, each once."""
    most = bound(len(passages))
    found: dict[tuple[frozenset[str], frozenset[str]], Fact] = {}
    for passage in passages:
        told = _printed if passage.speaker in _PROGRAM else _stated
        for fact in told(passage, _sentences(passage, most)):
            found.setdefault((fact.stems, fact.values), fact)
    return list(found.values())


def values(text: str) -> frozenset[str]:
    """Return the values of a text: numbers with units, dates, paths, identifiers, errors."""
    return frozenset(value.lower().rstrip(".,;:") for value in _VALUE.findall(text))


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words that say something, without those of values."""
    said = words(_VALUE.sub(" ", text))
    return frozenset(stem(word) for word in said if word.lower() not in STOP)


def denies(text: str) -> bool:
    """Say whether a text denies something."""
    return bool(DENIAL.search(text.replace("\u2019", "'")))


def _sentences(passage: Passage, most: int) -> Iterator[str]:
    text = sampled(visible(normalise(passage.text)), most)
    for part in _END.split(text):
        plain = one_line(part)
        if _SHORTEST <= len(plain) <= _LONGEST:
            yield plain


def _stated(passage: Passage, said: Iterator[str]) -> Iterator[Fact]:
    """What a person lays down, decides or tells with a value; of others, what they decided."""
    person = passage.speaker is not Speaker.ASSISTANT
    for text in said:
        if text.endswith("?"):
            continue
        if not is_sentence(text.rstrip(".!") + "."):
            continue
        if _DECIDED.search(text) or (person and (values(text) or _LAID_DOWN.search(text))):
            yield _fact(passage, text, stated=True)


def _printed(passage: Passage, said: Iterator[str]) -> Iterator[Fact]:
    """Errors with a value, the first of each pattern, and the last outcome."""
    patterns: set[str] = set()
    last = ""
    for text in said:
        if _OUTCOME.search(text):
            last = text
        pattern = _MASK.sub("#", text)
        if pattern not in patterns and _TROUBLE.search(text) and values(text):
            patterns.add(pattern)
            yield _fact(passage, text, stated=False)
    if last and values(last):
        yield _fact(passage, last, stated=False)


def _fact(passage: Passage, text: str, *, stated: bool) -> Fact:
    return Fact(passage.ref, text, values(text), stems(text), denies(text), stated)
