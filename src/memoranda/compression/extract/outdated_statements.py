"""Statements that a later statement with another value supersedes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.compression.extract.passage_statistics import AnalysedUnit, Corpus
from memoranda.compression.extract.sentence_traits import DATE
from memoranda.compression.extract.units import UnitKind
from memoranda.language.months import FULL_MONTH
from memoranda.language.words import GRAMMAR, spelt_words, stem

_CHANGE = re.compile(
    r"\b(?:now|instead|changed?|moved|actually|no longer|switched|updated?|extended|postponed"
    r"|pushed|raised|increased|reduced|lowered|revised|new|scratch|correction|anymore|these days"
    rf"|from (?:now|{FULL_MONTH})|after all|rescheduled|replaced|swapped)\b",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\b(?:(?P<role>(?:is|are|was|were) (?:now )?(?:the|our|my))|is|are|was|were|has|have|had"
    r"|pass(?:es|ed)?|fails?|failed|works?|returns?|holds?|takes?|uses?|needs?)\b",
    re.IGNORECASE,
)
"""Verb of a sentence: "b.py is new" is about b.py, "b.py is the entry" about the entry."""
_SUBJECTS = frozenset({"code", "mixed", "identifier", "path"})
_PAIRED = re.compile(r"\b([A-Z][a-z]+) (?=([A-Z][a-z]+))")
_CLASSES = {
    "money": "amount",
    "number": "amount",
    "time": "time",
    "date": "time",
    "name": "name",
    "identifier": "name",
    "mixed": "code",
    "code": "code",
    "hash": "code",
    "version": "version",
    "address": "place",
    "path": "place",
    "mail": "mail",
    "url": "url",
}
"""Class of each kind of value; values of one class can replace each other."""
_MIN_WORTH, _MIN_CHANGE, _MAX_WORDS = 0.15, 0.02, 30
"""Minimum worth of a statement and of a statement with a change; maximum number of words."""
_SAME, _SAME_CHANGED = 0.8, 0.5
"""Minimum fraction of common words; the second value is for a stated change."""
_RARE = 0.015


@dataclass(frozen=True, slots=True)
class _Claim:
    at: int
    about: frozenset[str]
    """Stems of the claim without its values."""
    values: frozenset[tuple[str, str]]
    said: frozenset[str]
    changes: bool
    subjects: frozenset[str]
    """Names in code and paths that are the claim's subject and have no successor."""


def successors(stage: Corpus, worths: Sequence[float]) -> dict[int, int]:
    """Map each outdated statement to the later one that contradicts it."""
    claims = [
        claim
        for at, reading in enumerate(stage.readings)
        if worths[at] >= _MIN_CHANGE
        and (claim := _claim(at, reading)) is not None
        and (claim.changes or worths[at] >= _MIN_WORTH)
    ]
    rare = _RARE * len(stage.readings)
    about: defaultdict[str, list[int]] = defaultdict(list)
    result: dict[int, int] = {}
    for number, claim in enumerate(claims):
        shared = Counter(other for word in sorted(claim.about) for other in about[word])
        near = [
            (count / len(claim.about | claims[other].about), -other)
            for other, count in shared.items()
            if _replaces(stage, claim, claims[other], count, rare)
        ]
        if near:
            result[claims[-max(near)[1]].at] = claim.at
        for word in claim.about:
            about[word].append(number)
    return result


def _claim(at: int, reading: AnalysedUnit) -> _Claim | None:
    unit = reading.unit
    if (
        unit.kind is not UnitKind.PROSE
        or len(reading.words) > _MAX_WORDS
        or unit.text.endswith("?")
    ):
        return None
    values = frozenset(
        (_CLASSES[atom.kind], atom.value) for atom in reading.atoms if atom.kind in _CLASSES
    )
    if not values:
        return None
    valued = {word.lower() for _, value in values for word in spelt_words(value)}
    pairs = _PAIRED.finditer(unit.text)
    valued |= {pair[1].lower() for pair in pairs if pair[2].lower() in valued}
    tokens = frozenset(word for word in reading.words if word not in GRAMMAR)
    about = frozenset(
        stem(word)
        for word in tokens - valued
        if not (word.isdigit() or _CHANGE.fullmatch(word) or _is_date(word))
    )
    changes = bool(_CHANGE.search(unit.text))
    return _Claim(at, about, values, tokens, changes, _subjects(reading)) if about else None


def _subjects(reading: AnalysedUnit) -> frozenset[str]:
    verb = _PREDICATE.search(reading.unit.text)
    if verb is None or verb["role"]:
        return frozenset()
    head = reading.unit.text[: verb.start()].lower()
    named = (atom.value for atom in reading.atoms if atom.kind in _SUBJECTS)
    return frozenset(value for value in named if value.lower() in head)


def _is_date(word: str) -> bool:
    return bool(DATE.fullmatch(word) or DATE.fullmatch(word.title()))


def _replaces(stage: Corpus, new: _Claim, old: _Claim, shared: int, rare: float) -> bool:
    """Return whether a claim replaces an older one."""
    both = len(new.about | old.about)
    if shared / both < (_SAME_CHANGED if new.changes else _SAME):
        return False
    telling = new.changes and (both <= 2 or _share_rare(stage, new, old, rare))
    if shared < (1 if telling else 2):
        return False
    if new.subjects - old.subjects and old.subjects - new.subjects:
        return False
    readings = stage.readings
    if readings[new.at].unit.source is readings[old.at].unit.source:
        return False
    classes = {kind for kind, _ in new.values} & {kind for kind, _ in old.values}
    ours = {value for value in new.values if value[0] in classes}
    theirs = {value for value in old.values if value[0] in classes}
    return bool(ours - theirs and theirs - ours)


def _share_rare(stage: Corpus, new: _Claim, old: _Claim, rare: float) -> bool:
    return any(stage.units_with[word] <= rare for word in new.said & old.said)
