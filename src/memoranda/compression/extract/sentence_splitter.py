"""Splitting of a line into sentences, and detection of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.language.sentences import sentences
from memoranda.statements.case_insensitive_patterns import CaselessPattern

MAX_LENGTH = 600
"""Maximum number of characters of a sentence; a longer sentence is split at its separators."""
PART = 240

_GRAMMAR = CaselessPattern(
    r"\b(?:the|a|an|of|to|in|on|at|for|is|are|was|were|it|i|we|my|our|he|she|they|you|and|but|with"
    r"|from|by|this|that|has|have|had|not|no|so|will|be|as|up|out|over|off|went|then|now|us|me|his"
    r"|her)\b|'[a-z]"
)
_UNLIKE = re.compile(r"[{};=<>\\]|\(\)|\w\(|^\W|[:,({\[|]$|^\d(?!\d* [a-z])|::|->|\$\(")
_SEPARATORS = ("}, ", ", ", "; ", " ")


def short_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, each within the maximum length.

    Runs of white space become one space.
    """
    return (part for sentence in sentences(line) for part in short_parts(sentence))


def is_sentence(line: str) -> bool:
    """Return whether a line reads as a person's sentence, not code or a log."""
    if _UNLIKE.search(line):
        return False
    tokens = line.split()
    if not 4 <= len(tokens) <= 60:
        return False
    ended = line[-1] in ".!?"
    least = 2 if not ended else 0 if line[0].isupper() else 1
    if _GRAMMAR.count(line) < least:
        return False
    plain = sum(word.strip(".,!?'\"").replace("'", "").isalpha() for word in tokens)
    return plain >= 0.6 * len(tokens)


def split_line(line: str, size: int = PART) -> Iterator[str]:
    """Split a long line at separators, about every ``size`` characters.

    A line without separators is split at that length.
    """
    start = 0
    while start < len(line):
        end = start + size
        if end < len(line):
            cut = max(line.rfind(mark, start + size // 3, end) for mark in _SEPARATORS)
            end = cut + 1 if cut > start else end
        if part := line[start:end].strip():
            yield part
        start = end


def short_parts(sentence: str) -> Iterator[str]:
    """Yield a sentence or line, in parts if it exceeds the maximum length."""
    return split_line(sentence) if len(sentence) > MAX_LENGTH else iter((sentence,))
