"""Mentions of names: runs of capitalised words, with their context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from memoranda.language.words import word_set
from memoranda.memories.extraction.entity_type_terms import (
    DEPARTMENTS,
    NO_NAMES,
    ORGANIZATIONS,
    PASTS,
    RECEIVED,
    ROLES,
    TITLES,
)

MAX_MENTIONS = 200

_TOKEN = re.compile(r"[^\W_]+(?:['.&-][^\W_]+)*[+#]{0,2}|[^\w\s]|\n")
_SENTENCE_ENDS = frozenset(".!?:;\n\u2022")
_ROLES = TITLES | ROLES
_SHORT_TITLES = word_set("dr mr mrs ms prof st")
_JOINTS = word_set("de van von der den la le du di da del bin ibn al")
_NO_LAST = word_set("of for and the in on at")
_AROUND = 6
"""Number of words before and after a mention that are examined."""


class TextToken(NamedTuple):
    """Word or punctuation mark of a text."""

    text: str
    """Text of the word without a possessive 's."""
    low: str
    start: int
    end: int
    owns: bool
    """Whether a possessive 's follows the word."""
    capital: bool
    """Whether the word starts with a capital letter."""


class Mention(NamedTuple):
    """Position where a text mentions a name."""

    name: str
    words: tuple[str, ...]
    """Words of the name, in lower case."""
    begins: bool
    """Whether the mention starts a sentence, so that its capital letter is no evidence."""
    title: bool
    """Whether a title such as Dr precedes the mention."""
    owns: bool
    """Whether a possessive 's follows the word."""
    before: tuple[str, ...]
    """Words and marks before the mention in the sentence, nearest first."""
    after: tuple[str, ...]


class _WordRange(NamedTuple):
    """Range of words of a text, from first to last (exclusive)."""

    first: int
    last: int


def scan(text: str) -> list[TextToken]:
    """Return the words and punctuation marks of a text."""
    tokens: list[TextToken] = []
    for match in _TOKEN.finditer(text):
        whole = match[0]
        owns = whole.endswith("'s")
        plain = whole[:-2] if owns else whole
        tokens.append(
            TextToken(
                plain,
                plain.lower(),
                match.start(),
                match.start() + len(plain),
                owns,
                plain[:1].isupper(),
            )
        )
    return tokens


def mentions(text: str, words: list[TextToken], known_names: Collection[str] = ()) -> list[Mention]:
    """Return the mentions of names in a text, in order, at most 200.

    ``known_names`` contains the words, in lower case, of names seen before: such a word is treated
    as a name even if it begins a sentence.
    """
    inside = _inside(words)
    result: list[Mention] = []
    for run in _runs(words):
        trimmed = _trimmed(words, run, inside, known_names)
        if trimmed.first < trimmed.last:
            result.append(_mention(text, words, run, trimmed))
            if len(result) == MAX_MENTIONS:
                break
    return result


def _inside(words: list[TextToken]) -> Counter[str]:
    """Count capitalised words that do not start a sentence."""
    return Counter(
        word.low for at, word in enumerate(words) if word.capital and not _begins(words, at)
    )


def _begins(words: list[TextToken], at: int) -> bool:
    if at and words[at - 1].text in "\"'([*_":
        at -= 1
    return at == 0 or (words[at - 1].text in _SENTENCE_ENDS and not _is_titled(words, at))


def _is_titled(words: list[TextToken], at: int) -> bool:
    """Return whether a word follows an abbreviated title with a full stop."""
    return at > 1 and words[at - 1].text == "." and words[at - 2].low in _SHORT_TITLES


def _runs(words: list[TextToken]) -> Iterator[_WordRange]:
    at = 0
    while at < len(words):
        if not words[at].capital:
            at += 1
            continue
        last = _run_end(words, at)
        yield _WordRange(at, last)
        at = last


def _run_end(words: list[TextToken], first: int) -> int:
    """Return the end position of a run of capitalised words.

    The run ends after a possessive 's, or where no capitalised word follows, even after "of".
    """
    last, joined = first + 1, False
    while last < len(words) and not words[last - 1].owns:
        step, over = _joint(words, last, joined)
        if not step:
            break
        joined = joined or over
        last += step
    return last


def _joint(words: list[TextToken], at: int, joined: bool) -> tuple[int, bool]:
    """Return the number of words in the next part of a name.

    The number is 0 if there is no such part. The function also returns whether the part follows
    "of".
    """
    low, before = words[at].low, words[at - 1]
    if words[at].capital:
        return int(words[at].start == before.end + 1), False
    following = at + 1 < len(words) and words[at + 1].capital
    if following and (low in _JOINTS or low == "&" or (low == "." and len(before.text) == 1)):
        return 2, False
    of = low == "of" or (low == "for" and before.low in ORGANIZATIONS)
    if of and before.low in ORGANIZATIONS:
        the = at + 2 < len(words) and words[at + 1].low == "the" and words[at + 2].capital
        return (2, True) if following else (3, True) if the else (0, False)
    return (2, True) if following and low == "and" and joined else (0, False)


def _trimmed(
    words: list[TextToken], run: _WordRange, inside: Counter[str], known_names: Collection[str]
) -> _WordRange:
    """Remove words that only look like part of the name."""
    first, last = run.first, run.last
    begins = _begins(words, first)
    while first < last:
        word = words[first]
        follows = last - first > 1
        opens = begins and follows and first == run.first and not inside[word.low]
        verb = opens and word.low not in known_names and _is_verb(word.low, last - first)
        if not (word.low in NO_NAMES or verb or (follows and word.low in TITLES)):
            break
        first += 1
    while last > first and _is_no_end(words[last - 1].low, last - first):
        last -= 1
    return _WordRange(first, last)


def _is_verb(low: str, length: int) -> bool:
    """Return whether a sentence starts with a verb that refers to the name."""
    if low in RECEIVED or low in PASTS or low.endswith(("ed", "ly")):
        return True
    return low.endswith("ing") and length == 2 and len(low) > 5


def _is_no_end(low: str, length: int) -> bool:
    return low in NO_NAMES or low in _NO_LAST or (length > 1 and low in DEPARTMENTS)


def _mention(text: str, words: list[TextToken], run: _WordRange, span: _WordRange) -> Mention:
    own = words[span.first : span.last]
    title = any(words[at].low in _ROLES for at in range(run.first, span.first)) or _is_titled(
        words, span.first
    )
    return Mention(
        name=" ".join(text[own[0].start : own[-1].end].split()),
        words=tuple(word.low for word in own),
        begins=_begins(words, span.first),
        title=title,
        owns=own[-1].owns,
        before=_before(words, span.first),
        after=_after(words, span.last),
    )


def _before(words: list[TextToken], at: int) -> tuple[str, ...]:
    found: list[str] = []
    for word in reversed(words[max(0, at - _AROUND) : at]):
        if word.text in _SENTENCE_ENDS:
            break
        found.append(word.low)
    return tuple(found)


def _after(words: list[TextToken], at: int) -> tuple[str, ...]:
    found: list[str] = []
    for word in words[at : at + _AROUND]:
        if word.text in ".!?\n":
            break
        found.append(word.low)
    return tuple(found)
