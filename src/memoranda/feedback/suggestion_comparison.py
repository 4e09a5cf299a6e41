"""Comparison of suggestions: whether two texts suggest the same thing.

Similar vectors alone would equate "Add a lamp" and "Remove the lamp". Therefore opposite verbs,
negation, amounts, days, names, and a single differing word in otherwise equal sentences are
compared first. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product, takewhile

from memoranda.language.text_overlap import jaccard
from memoranda.language.words import EMPTY, stem, table_rows, word_set
from memoranda.statements.antonyms import exclude
from memoranda.statements.tokens import Token, scan
from memoranda.text import one_line

NEAR = 0.6
"""Minimum cosine of equal suggestions for which `differ` is false."""
ALIKE = 0.5
"""Minimum Jaccard similarity of the words, used if the cosine is unknown."""
MAX_LENGTH = 400
"""Maximum number of characters that are read of a suggestion."""
REMOVAL = 0
"""Row of opposites.tsv with the words for addition and removal."""


@cache
def _opposites() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Load pairs of sets of stems that exclude each other, once."""
    return tuple(
        (frozenset(map(stem, item.split())), frozenset(map(stem, other.split())))
        for item, other in table_rows("memoranda.feedback", "opposites.tsv")[1:]
    )


_RID = re.compile(
    r"(?:let's |please |we should ){0,2}(?:get rid|take [^.]{1,60} out\b|throw|ditch|no )"
)
_FILLER = EMPTY | word_set(
    "add use make put using let lets go please try every all several new also whole entire instead"
    " rather we'd we'll i'd i'll"
)
_DENIES = re.compile(r"\b(?:not|never|no|without|avoid|stop|don't|do not)\b|n't\b")
_SWAP = re.compile(r"\b(?:instead of|rather than|over|in place of|not)\b")
_NAME = re.compile(
    r"(?<=[a-z,] )[A-Z][\w.+#-]{0,60}|\b[A-Z][a-z]{0,20}[A-Z]\w{0,40}|\b[a-z]{1,40}[A-Z]\w{0,40}"
    r"|\b\w{1,40}[_.]\w{1,40}"
)
_FRAME = 2
"""Minimum number of words of a common beginning."""
_STEM = 4
"""Number of first letters that two forms of a word share, as in cache and caching."""


@dataclass(frozen=True, slots=True)
class ParsedSuggestion:
    """Parsed suggestion."""

    text: str
    order: tuple[str, ...]
    """Stems of the content words, in order."""
    stems: frozenset[str]
    """Stems of all words."""
    names: frozenset[str]
    """Names in lower case: words with a capital letter, underscore or dot."""
    amounts: frozenset[tuple[float, str]]
    dates: frozenset[str]
    denies: bool


@lru_cache(maxsize=512)
def suggestion(text: str) -> ParsedSuggestion:
    """Parse a suggestion; for a long one, only the beginning."""
    plain = one_line(text[: 2 * MAX_LENGTH].replace("\u2019", "'"))[:MAX_LENGTH]
    tokens = scan(plain)
    return ParsedSuggestion(
        text=plain.lower(),
        order=tuple(token.stem for token in tokens if _carries(token)),
        stems=frozenset(token.stem for token in tokens if token.stem),
        names=frozenset(found.lower() for found in _NAME.findall(plain)),
        amounts=frozenset((t.number, t.dimension) for t in tokens if t.number is not None),
        dates=frozenset(token.date for token in tokens if token.date),
        denies=len(_DENIES.findall(plain.lower())) % 2 == 1,
    )


def _carries(token: Token) -> bool:
    return bool(token.word) and token.word not in _FILLER and token.number is None


def same_suggestion(one: str, other: str, cosine: float | None = None) -> bool:
    """Return whether two texts suggest the same thing. Symmetric.

    ``cosine`` is the cosine of their vectors; without it common words decide, which finds little
    more than edited copies. The relation is not transitive: compare all pairs of several
    suggestions.
    """
    first, second = suggestion(one), suggestion(other)
    if not first.stems or not second.stems or differ(first, second):
        return False
    if first.text.strip(" .!?") == second.text.strip(" .!?"):
        return True
    if cosine is None:
        return jaccard(frozenset(first.order), frozenset(second.order)) >= ALIKE
    return cosine >= NEAR


def differ(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether two texts suggest different things, however similar."""
    return (
        one.denies != other.denies
        or _have_other_values(one.amounts, other.amounts)
        or _have_other_values(one.dates, other.dates)
        or _other_names(one, other)
        or _opposite(one, other)
        or _removal_of_one(one, other)
        or _reversed(one, other)
        or _one_swapped(one, other)
        or _other_end(one, other)
    )


def _have_other_values(one: frozenset[object], other: frozenset[object]) -> bool:
    """Return whether both have values of the same kind that differ."""
    return bool(one and other) and one != other


def _other_names(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether both contain names, but none in common."""
    if not one.names or not other.names:
        return False
    return not any(_share_stem(a, b) for a, b in product(one.names, other.names))


def _opposite(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    mine, theirs = one.stems - other.stems, other.stems - one.stems
    for left, right in _opposites():
        if _faces(mine, theirs, left, right) or _faces(mine, theirs, right, left):
            return True
    return any(exclude(a, b) for a, b in product(_content(mine), _content(theirs)))


def _faces(
    mine: frozenset[str], theirs: frozenset[str], left: frozenset[str], right: frozenset[str]
) -> bool:
    """Return whether one has only left words and the other only right words."""
    return bool(mine & left and theirs & right) and not (mine & right or theirs & left)


def _content(stems: Iterable[str]) -> list[str]:
    return [word for word in stems if word not in EMPTY]


def _removal_of_one(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether exactly one text starts with a removal."""
    return _removes(one) != _removes(other)


def _removes(one: ParsedSuggestion) -> bool:
    return one.order[:1] != () and (
        one.order[0] in _opposites()[REMOVAL][1] or _RID.match(one.text) is not None
    )


def _reversed(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether the same two things are preferred in opposite order."""
    swaps = _SWAP.search(one.text) and _SWAP.search(other.text)
    return (
        bool(swaps)
        and frozenset(one.order) == frozenset(other.order) != frozenset()
        and (one.order != other.order)
    )


def _one_swapped(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether two texts of at least three words differ in one word.

    For example "the red door", "the red gate". The first word, usually the verb, may differ: "paint
    the fence", "coat the fence".
    """
    if len(one.order) != len(other.order) or len(one.order) < 3:
        return False
    pairs = [
        (place, a, b)
        for place, (a, b) in enumerate(zip(one.order, other.order, strict=True))
        if a != b
    ]
    return len(pairs) == 1 and pairs[0][0] > 0 and not _share_stem(*pairs[0][1:])


def _other_end(one: ParsedSuggestion, other: ParsedSuggestion) -> bool:
    """Return whether two texts start alike and end with unrelated things."""
    pairs = zip(one.order, other.order, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    mine, theirs = one.order[same:], other.order[same:]
    if same < _FRAME or not mine or not theirs:
        return False
    return not any(_share_stem(a, b) for a, b in product(mine, theirs))


def _share_stem(one: str, other: str) -> bool:
    return one[:_STEM] == other[:_STEM]
