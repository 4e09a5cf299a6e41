"""Splits a message into sentences, and separates temporary clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.language.sentences import sentence_spans
from memoranda.utterances.sentence_checks import is_momentary

MIN_WORDS = 4
"""Minimum number of words of a clause that is separated."""

_EMOJI = re.compile("(?<=[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f])\\s+")
"""End of a sentence that ends with an emoji instead of a punctuation mark."""
_CLAUSE = re.compile(
    r"(?<=[,;])\s+(?!(?:not|pas|nicht|non?|n\u00e3o)\s)|\s+(?=[\u2013\u2014-]\s)"
    r"|\s+(?=(?:but|and then|then|pero|y luego|aber|und dann|mais|et puis)\s)",
    re.IGNORECASE,
)


def clause_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence, temporary clauses separately.

    "Rules never change here, you may skip one today" is a rule and a temporary exception.

    Example:
        >>> said = "Never use -target in this repo, but you may do it today."
        >>> [said[start:end] for start, end in clause_spans(said)]
        ['Never use -target in this repo,', 'but you may do it today.']
    """
    for start, end in sentence_spans(text):
        for first, last in _divided(text, start, end, _EMOJI):
            yield from _clause_runs(text, first, last)


def _divided(text: str, start: int, end: int, gaps: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for gap in gaps.finditer(text, start, end):
        if (
            len(text[start : gap.start()].split())
            >= MIN_WORDS
            <= len(text[gap.end() : end].split())
        ):
            yield start, gap.start()
            start = gap.end()
    yield start, end


def _clause_runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence, or its runs of temporary and of other clauses.

    Clauses are not separated if one of them would have fewer than four words.
    """
    if not is_momentary(text[start:end]):
        yield start, end
        return
    runs: list[tuple[int, int, bool]] = []
    for first, last in _divided(text, start, end, _CLAUSE):
        passing = is_momentary(text[first:last])
        if runs and runs[-1][2] == passing:
            runs[-1] = (runs[-1][0], last, passing)
        else:
            runs.append((first, last, passing))
    yield from ((first, last) for first, last, _ in runs)
