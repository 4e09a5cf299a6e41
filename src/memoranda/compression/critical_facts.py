"""Critical facts of a text, which compression must not lose.

Critical facts are requirements, decisions, statements with a value, and results: errors, outcomes,
the last state. The rules for them are independent of the compressors, so that they can measure a
compressor's selection.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.compression.extract.sample import sample_limit, sampled
from memoranda.compression.model import CompressedLine, Passage, PassageSpeaker
from memoranda.language.months import CAPITAL_FULL_MONTH as MONTH
from memoranda.language.words import GRAMMAR, spelt_words, stem
from memoranda.statements.assertions import (
    MAX_LENGTH,
    MIN_LENGTH,
    Rank,
    assertions,
    narrates,
    rank,
    rows,
    thinks_aloud,
)
from memoranda.statements.case_insensitive_patterns import CaselessPattern
from memoranda.statements.requirement_cues import is_natural_language
from memoranda.text import normalise, one_line, visible

_UNIT = (
    r"(?:%|°[CF]?|[kMGT]i?B\b|[mµn]?s\b|ms\b|sec(?:ond)?s?\b|min(?:ute)?s?\b|h(?:ou)?rs?\b|days?\b"
    r"|weeks?\b|months?\b|years?\b|tokens?\b|requests?\b|users?\b|rows?\b|people\b|USD\b|EUR\b"
    r"|dollars?\b|euros?\b|[ap]\.?m\b|k?m\b|kg\b|[GMk]?Hz\b)"
)
_VALUE = re.compile(
    r"(?:\b|(?=[$€£/~]))"  # skips the many alternatives where none of them can begin
    r"(?:\b[a-z]{2,9}://[^\s<>\"')\]]+|\b[\w.+-]{1,64}@[\w-]+\.[\w.-]*\w"
    r"|(?<![\w/.])~?(?:/[\w.@+-]*\w)+|\b\w[\w.-]*/[\w./-]*\.\w{1,5}\b"
    rf"|\b{MONTH} \d{{1,2}}\b(?:, \d{{4}})?|\b\d{{1,2}} {MONTH}\b(?: \d{{4}})?"
    r"|\b\d{4}-\d\d-\d\d"
    rf"|[$€£]\s?\d[\d,.]*\d?|\bv?\d+\.\d+\.\d+[\w.-]*|\b\d{{1,2}}:\d\d\b|\b\d[\d.,]*\s?{_UNIT}"
    r"|\b[A-Z]{2,}-\d+\b|\bE_[A-Z][A-Z_0-9]+\b|\b[A-Z]\w{0,60}(?:Error|Exception)\b"
    r"|\b(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{7,40}\b|\b\w{1,40}_\w[\w]{0,60}\b"
    r"|\bexit (?:code|status) \d+|\b\d{3,}\b)"
)
_TROUBLE = CaselessPattern(
    r"\b(?:error|fatal|failed|failure|exception|denied|refused|timed out|crash\w*|panic"
    r"|exit (?:code|status) [1-9])\b|(?:error|exception)\b"
)
_RAISED = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_OUTCOME = CaselessPattern(
    r"\b(?:\d+ (?:passed|failed)|exit (?:code|status)|succeeded|success\w*|completed|finished"
    r"|deployed|installed|resolved)\b"
)
DENIAL = CaselessPattern(
    r"\b(?:not|never|no|nobody|none|nothing|neither|nor|without|cannot)\b|n't\b"
)
_END = re.compile("(?<=[.!?])[\"')\\]]*\\s+|[\u3002\uff01\uff1f]|\n")
_MASK = re.compile(r"\w*\d\w*|0x[0-9a-f]+|\"[^\"]*\"|'[^']*'")
_ROUTINE = CaselessPattern(
    r"\b(?:has been (?:updated|created|modified)|successfully|running|done|building|computing"
    r"|checks passed|up to date|set up to track|switched to|on branch|from the index|todo list"
    r"|run with --|use -|full (?:log|insights|report)|stack trace|log output|see the (?:report|log)"
    r"|re-?run|for more (?:info\w*|details|help)|snapshot is written)\b"
    r"|^(?:[0-9a-f]{7,40} |(?:feat|fix|docs|test|chore|refactor|style|build|ci|perf|spike|revert)"
    r"(?:\([^)]*\))?!?: )"
)
"""Routine output of tools, hints on how to call them, and commit titles."""
_FEW_ALIKE = 4
"""Maximum number of printed lines or reports that differ only in numbers; more of them are treated
as a table.
"""
_WEIGHTS: Mapping[PassageSpeaker, tuple[float, float, float, float]] = {
    PassageSpeaker.USER: (4.0, 4.0, 2.5, 1.0),
    PassageSpeaker.ASSISTANT: (2.0, 2.0, 1.2, 0.0),
    PassageSpeaker.SYSTEM: (2.0, 2.0, 1.2, 0.0),
    PassageSpeaker.TOOL: (1.6, 1.3, 0.8, 0.0),
}
"""Weights by rank: requirements, decisions, values, remarks.

A person's statements count most; requirements and decisions count from any speaker.
"""
_FEW_WORDS = 5
"""Minimum number of words of a person's sentence without a cue word or a value.

Such a sentence may be a rule, as rules can have any wording.
"""
_CONTINUES = re.compile(r"\W*(?:and|also|plus|but|except)\b", re.IGNORECASE)
_CONTINUED = 3
"""Minimum number of words of a sentence that continues the previous one: "And include gift cards".
"""
_PRINTED = 0.5
_SHORT, _SHORTNESS = 32, 0.75
"""Minimum length charged for a fact, and the exponent applied to its length."""
_REPORTS = re.compile(
    r"\W*(?:i|i'[a-z]+|we|now|done|fixed|committed|pushed|green|all|next|both|then)\b",
    re.IGNORECASE,
)
"""Openings of an agent's reports on its own actions."""
_REPORTED = 0.4


@dataclass(frozen=True, slots=True)
class Fact:
    """Statement made in one sentence or line."""

    ref: str
    speaker: PassageSpeaker
    text: str
    values: frozenset[str]
    """Values, in lower case."""
    stems: frozenset[str]
    """Stems of the words of the statement, without the values."""
    denied: bool
    stated: bool
    """Whether the fact is a statement.

    Otherwise the line is program output, and its values are the fact.
    """
    rank: Rank = Rank.VALUE


def critical_facts(passages: Sequence[Passage]) -> list[Fact]:
    """Return the critical facts of passages in order, without duplicates.

    Program output contributes the first error of each kind and the last outcome.
    """
    most = sample_limit(len(passages))
    stated: dict[tuple[frozenset[str], frozenset[str]], Fact] = {}
    printed = _Printed()
    alike: Counter[str] = Counter()
    for passage in passages:
        text = sampled(visible(normalise(passage.text)), most)
        for fact in _stated(passage, text):
            if fact.speaker is PassageSpeaker.TOOL and fact.rank is Rank.VALUE:
                pattern = _MASK.sub("#", fact.text)
                alike[pattern] += 1
                if alike[pattern] > _FEW_ALIKE:
                    continue
            stated.setdefault((fact.stems, fact.values), fact)
        if passage.speaker is PassageSpeaker.TOOL:
            printed.read(passage, text)
    facts = [*_without_repeats(list(stated.values())), *printed.facts()]
    return list({(item.ref, item.text): item for item in reversed(facts)}.values())[::-1]


def repeats(texts: Sequence[str], times: Sequence[int]) -> Mapping[int, int]:
    """Return how often similar reports of an agent occur, by position.

    Similar reports differ only in numbers. The newest report of each pattern has the number of all
    its reports, the others have 0; other texts, and patterns with few reports, are left out. A text
    may represent several reports (``times``).
    """
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        if _REPORTS.match(text):
            alike[_MASK.sub("#", text)].append(at)
    result: dict[int, int] = {}
    for places in alike.values():
        count = sum(times[at] for at in places)
        if count > _FEW_ALIKE and rank(texts[places[-1]]) in (Rank.VALUE, Rank.REMARK):
            result |= dict.fromkeys(places, 0) | {places[-1]: count}
    return result


def _without_repeats(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield facts; drop older reports that differ only in numbers."""
    by_agent = [fact.text if fact.speaker is PassageSpeaker.ASSISTANT else "" for fact in facts]
    repeated = repeats(by_agent, [1] * len(by_agent))
    yield from (fact for at, fact in enumerate(facts) if repeated.get(at, 1))


class _Printed:
    """Results in program output: the errors by kind, and the last outcome."""

    def __init__(self) -> None:
        self._errors: dict[str, tuple[Passage, str]] = {}
        self._outcome: list[tuple[Passage, str]] = []

    def read(self, passage: Passage, text: str) -> None:
        """Read the lines of an output that report an error or an outcome.

        Few lines report one, so a cheap pattern is tested first.
        """
        for line in _lines(text):
            trouble, outcome = _TROUBLE.search(line), _OUTCOME.search(line)
            if not (trouble or outcome) or not _VALUE.search(line):
                continue
            if not CompressedLine(passage.ref, passage.speaker, line).tells:
                continue
            if trouble:
                self._errors.setdefault(_kind(line), (passage, line))
            if outcome:
                self._outcome = [(passage, line)]

    def facts(self) -> Iterator[Fact]:
        """Yield the facts taken from error lines and from the outcome line."""
        for passage, line in (*self._errors.values(), *self._outcome):
            yield _fact(passage, line, Rank.VALUE, stated=False)


def _kind(line: str) -> str:
    """Return a line's exception name, or else the line without numbers."""
    named = _RAISED.search(line)
    return named[0] if named else _MASK.sub("#", line)


def by_weight(facts: Sequence[Fact]) -> list[Fact]:
    """Return facts by priority for a limited budget.

    Facts with the highest weight relative to their length come first.
    """
    return sorted(facts, key=_density, reverse=True)


def weight(fact: Fact) -> float:
    """Return how important it is to keep a fact, 0 to 4."""
    if not fact.stated:
        return _PRINTED
    passing = fact.speaker is not PassageSpeaker.USER and fact.rank is Rank.VALUE
    reported = passing and _REPORTS.match(fact.text) is not None
    return _WEIGHTS[fact.speaker][fact.rank] * (_REPORTED if reported else 1.0)


def _density(fact: Fact) -> float:
    return float(weight(fact) / max(_SHORT, len(fact.text)) ** _SHORTNESS)


def values(text: str) -> frozenset[str]:
    """Return the values of a text.

    Values are numbers with units, dates, paths, identifiers and errors.
    """
    return _parted(text)[0]


def stems(text: str) -> frozenset[str]:
    """Return the stems of content words, except in values."""
    return _parted(text)[1]


def _parted(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the values of a text, and the stems of its other words."""
    found: list[str] = []

    def apart(value: re.Match[str]) -> str:
        found.append(value[0])
        return " "

    tokens = spelt_words(_VALUE.sub(apart, text))
    return (
        frozenset(value.lower().rstrip(".,;:") for value in found),
        frozenset(stem(word) for word in tokens if word.lower() not in GRAMMAR),
    )


def denies(text: str) -> bool:
    """Return whether a text contains a negation."""
    return bool(DENIAL.search(text.replace("\u2019", "'")))


def _stated(passage: Passage, text: str) -> Iterator[Fact]:
    printed = passage.speaker is PassageSpeaker.TOOL
    for sentence in assertions(text, printed=printed):
        found = rank(sentence)
        few = _CONTINUED if _CONTINUES.match(sentence) else _FEW_WORDS
        person = passage.speaker is PassageSpeaker.USER and len(spelt_words(sentence)) >= few
        if (person or found is not Rank.REMARK) and not _is_idle(passage.speaker, sentence, found):
            yield _fact(passage, sentence, found, stated=True)
    for row in rows(text):
        yield _fact(passage, row, min(Rank.VALUE, rank(row)), stated=True)


def _is_idle(speaker: PassageSpeaker, sentence: str, found: Rank) -> bool:
    if speaker is PassageSpeaker.ASSISTANT:
        return narrates(sentence) and found is not Rank.DECISION
    if speaker is PassageSpeaker.TOOL:
        routine = _ROUTINE.search(sentence) is not None
        return routine or (found is Rank.VALUE and not is_natural_language(sentence.split()))
    return thinks_aloud(sentence)


def _lines(text: str) -> Iterator[str]:
    for part in _END.split(text):
        plain = one_line(part)
        if MIN_LENGTH <= len(plain) <= MAX_LENGTH:
            yield plain


def _fact(passage: Passage, text: str, found: Rank, *, stated: bool) -> Fact:
    parts = _parted(text)
    return Fact(passage.ref, passage.speaker, text, *parts, denies(text), stated, found)
