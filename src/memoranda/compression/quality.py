"""Quality of a compressed text: facts kept, lost and contradicted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memoranda.compression.critical_facts import Fact, critical_facts, denies, stems
from memoranda.compression.extract.sentence_splitter import is_sentence
from memoranda.compression.model import (
    CompressedLine,
    CompressedText,
    Passage,
    PassageSpeaker,
    Quality,
)
from memoranda.statements.conflict_result import ConflictKind
from memoranda.statements.conflicts import conflict
from memoranda.statements.statement import Statement
from memoranda.text import normalise, one_line, visible

_LOST = 100
"""Maximum number of lost facts that are listed."""
_LOST_LENGTH = 200
_SAME = 0.6
"""Minimum fraction of words that identifies a fact without a value."""
_SAME_VALUED = 0.5
_SHARED = 2
"""Minimum number of shared words for two statements to be compared."""
_GAP = "\u2026"
_CONDITION = r"(?:if|unless|until|except|provided|as long as|in case)"
_BEFORE = re.compile(
    rf"\b{_CONDITION}\b[^.;:!?\n]*[, ]$|\b(?:not|never|cannot|n't) $", re.IGNORECASE
)
_AFTER = re.compile(rf"[, ]*\b(?:only )?{_CONDITION}\b", re.IGNORECASE)


def quality(
    passages: Sequence[Passage], made: CompressedText, facts: Sequence[Fact] | None = None
) -> Quality:
    """Measure how many critical facts are kept; count contradictions.

    A fact is kept if one line has its values, enough of its words and the same negations; for a
    fact of program output, the values may occur anywhere. ``facts`` are the facts of the passages,
    if the caller already has them.
    """
    if facts is None:
        facts = critical_facts(passages)
    reading = _AnalysedText(made)
    retained = [reading.keeps(fact) for fact in facts]
    lost = [fact for fact, is_retained in zip(facts, retained, strict=True) if not is_retained]
    return Quality(
        facts=len(facts),
        kept=sum(retained),
        lost=tuple(fact.text[:_LOST_LENGTH] for fact in lost[:_LOST]),
        contradictions=_distorted(passages, made.lines) + _stale(facts, retained, reading),
    )


class _AnalysedText:
    """Compressed text after parsing."""

    def __init__(self, made: CompressedText) -> None:
        self._text = made.text.lower()
        self._lines = [(line, line.text.lower(), stems(line.text)) for line in made.lines]

    def keeps(self, fact: Fact) -> bool:
        """Return whether a line states a fact."""
        if not fact.stated:
            return all(value in self._text for value in fact.values)
        return any(True for _ in self._lines_with(fact))

    def as_current(self, fact: Fact) -> bool:
        """Return whether a line states a fact without being marked outdated."""
        return any(not line.outdated for line in self._lines_with(fact))

    def _lines_with(self, fact: Fact) -> Iterator[CompressedLine]:
        least = (_SAME_VALUED if fact.values else _SAME) * len(fact.stems)
        whole = fact.text.lower()
        for line, text, line_stems in self._lines:
            if whole in text:
                yield line
                continue
            if fact.ref not in line.ref.split(" "):
                continue  # a fact that is only similar is a different fact
            if len(line_stems & fact.stems) < least or denies(text) != fact.denied:
                continue
            if all(value in text for value in fact.values):
                yield line


def _stale(facts: Sequence[Fact], retained: Sequence[bool], reading: _AnalysedText) -> int:
    """Count statements shown as current although their replacement was lost."""
    about: defaultdict[str, list[int]] = defaultdict(list)
    read: dict[int, Statement] = {}
    count = 0
    stated = [at for at, fact in enumerate(facts) if fact.stated]
    for new in stated:
        shared = Counter(old for word in facts[new].stems for old in about[word])
        for word in facts[new].stems:
            about[word].append(new)
        if retained[new]:
            continue
        for old, common in shared.items():
            least = min(_SHARED, len(facts[new].stems), len(facts[old].stems))
            if common < least or not retained[old] or not reading.as_current(facts[old]):
                continue
            for at in (old, new):
                if at not in read:
                    read[at] = Statement.of(facts[at].text)
            statement_conflict = conflict(read[old], read[new], 0.0)
            count += (
                statement_conflict is not None and statement_conflict.kind is ConflictKind.UPDATE
            )
    return count


def _distorted(passages: Sequence[Passage], lines: Sequence[CompressedLine]) -> int:
    """Count lines that overstate their passage.

    A line overstates its passage if a condition or a negation was cut off.
    """
    refs = {line.ref for line in lines}
    texts = {
        passage.ref: "\n".join(
            map(one_line, visible(normalise(passage.text)).replace("**", "").split("\n"))
        )
        for passage in passages
        if passage.ref in refs
    }
    return sum(_is_distorted(line, texts) for line in lines)


def _is_distorted(line: CompressedLine, texts: Mapping[str, str]) -> bool:
    if line.speaker is PassageSpeaker.TOOL and not is_sentence(line.text):
        return False  # an "if" in code is not a condition of the text before it
    text = texts.get(line.ref, "")
    for part in line.text.split(_GAP):
        plain = part.strip()
        at = text.find(plain) if plain else -1
        if at < 0:
            continue
        ended = plain.endswith((".", "!", "?", ";", ":"))
        before = text[max(0, at - 120) : at]
        if _BEFORE.search(before) or (not ended and _AFTER.match(text, at + len(plain))):
            return True
    return False
