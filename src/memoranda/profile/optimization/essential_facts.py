"""Facts in a profile text that must be kept: values, names and rules."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise, permutations

from memoranda.language.prose import without_list_mark
from memoranda.language.sentences import sentences
from memoranda.language.words import stem, table_rows, word_set
from memoranda.text import normalise, one_line

_TOKEN = re.compile(r"[^\W_](?:[\w'\u2019]{0,60}[^\W_])?")
_VALUE = re.compile(
    r"https?://[^\s<>\"']{1,300}"
    r"|`[^`\n]{1,120}`"
    r"|\"[^\"\n]{1,120}\""
    r"|(?:[\w.@~*-]{0,60}/){1,12}[\w.@~*-]{0,80}"
    r"|\b[\w.+-]{1,60}@[\w.-]{1,80}"
    r"|(?<!\w)-{1,2}[a-z][\w-]{0,40}"
    r"|\b\w{1,60}(?:[._:-]\w{1,60}){1,8}"
    r"|\b\w{0,60}(?:_|[a-z0-9][A-Z]|\d)\w{0,60}"
    r"|[$€£]\s?\d[\d.,]{0,20}"
)
_NAME = re.compile(r"\b[A-Z][\w'\u2019]{0,60}")
_START = re.compile(r"(?:^|[.!?:\u2022]\s+|\n\s*(?:[-*]\s+)?)$")
_PREFERS = re.compile(r"\b(?:instead of|rather than|over)\b|, not\b", re.IGNORECASE)
"""Phrases that prefer one thing to another."""
_DENIES = re.compile(
    r"\b(?:not|never|no|none|without|cannot|except|unless|only|if)\b|n['\u2019]t\b", re.IGNORECASE
)
_FILLER = frozenset(
    map(
        stem,
        word_set(
            "the a an user users person we i you they it our my your always please should must"
            " shall use using used do does happen happens done is are be been will all for with to"
            " on in of at by directly that this everything make sure each every"
        ),
    )
)
"""Words that do not change the meaning of a sentence."""
_PREFERS_TO = re.compile(r"\b(prefer(?:s|red)?(?: [\w.+#-]{1,40}){1,4}) to (?=\w)", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?) (?:\w+ )?\w{2,30}(?:ed|en|wn|nt|pt|de) by\b",
    re.IGNORECASE,
)
_JOINS = frozenset({"and", "or", "both"})
"""Words whose operands may be swapped without a change of meaning."""
_MINIMUM = 2
"""Minimum number of content words that two equivalent sentences share."""
TURNED = 40
"""Maximum number of words of a sentence that are checked for swaps."""
KNOWN = 1_024
"""Number of texts whose analyses are cached, because each text is compared with many others."""
_EDGES = ".,;:!?()[]{}\"'`"


@lru_cache(maxsize=1)
def _words() -> dict[str, frozenset[str]]:
    rows = table_rows("memoranda.profile.optimization", "words.tsv")
    return {name: word_set(words) for name, words in rows}


@lru_cache(maxsize=KNOWN)
def plain_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences and lines of a text, without list markers."""
    lines = map(without_list_mark, normalise(text).split("\n"))
    return tuple(sentence for line in lines for sentence in sentences(line))


@lru_cache(maxsize=KNOWN)
def values(text: str) -> frozenset[str]:
    """Return the specific values of a text in lower case.

    They are numbers, paths, code identifiers, quotations and proper names.
    """
    text = normalise(text)
    found = {match[0].strip(_EDGES).lower() for match in _VALUE.finditer(text)}
    for match in _NAME.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        if not match[0][1:].islower() or not _START.search(before):
            found.add(match[0].lower())
    return frozenset(found - {"", "i"} - _words()["empty"])


@lru_cache(maxsize=KNOWN)
def tokens(text: str) -> tuple[str, ...]:
    """Return the content words of a text in lower case, in order."""
    empty = _words()["empty"]
    matches = (
        match[0].lower().replace("\u2019", "'") for match in _TOKEN.finditer(normalise(text))
    )
    return tuple(word for word in matches if word not in empty)


def rules(text: str) -> list[str]:
    """Return the sentences that state a rule or the condition of a rule."""
    binding = _words()["binding"]
    return [item for item in plain_sentences(text) if not binding.isdisjoint(tokens(item))]


def lost_facts(text: str, other: str) -> list[str]:
    """Return the essential parts of a text that another text lacks.

    They are the sentences that state a rule, verbatim, then values.
    """
    normalised = one_line(normalise(other))
    lower = normalised.lower()
    missing = [item for item in rules(text) if one_line(item) not in normalised]
    return missing + sorted(value for value in values(text) if one_line(value) not in lower)


def covers(one: str, other: str) -> bool:
    """Return whether one sentence contains everything that another one states.

    The first sentence must contain the other one verbatim between clause boundaries, and no further
    words that could reverse or restrict it.
    """
    whole, part = tokens(one), tokens(other)
    if not part:
        return True
    ends = _clause_ends(one)
    if not any(whole[start:end] == part for start in ends for end in ends):
        return False
    if _turning(whole) != _turning(part):
        return False
    normalised = normalise(one).lower()
    return all(value in normalised for value in values(other))


def restates(one: str, other: str) -> bool:
    """Return whether two sentences state the same thing in other words.

    They must have the same content, the same values and the same number of negations; if they state
    a preference, the order must be the same too.

    "Prefers tabs" restates "The user prefers tabs"; "Use tabs in Go" restates neither.
    """
    one, other = (_PREFERS_TO.sub(r"\1 over ", text) for text in (one, other))
    mine, theirs = _content(one), _content(other)
    if len(set(mine)) < _MINIMUM or set(mine) != set(theirs):
        return False
    prefer = _PREFERS.search(one) is not None
    if _denials(one) != _denials(other) or prefer != (_PREFERS.search(other) is not None):
        return False
    return mine == theirs or not prefer


def turned(one: str, other: str) -> bool:
    """Return whether two operands around a word are swapped in a sentence.

    "Copy staging to production" is swapped in "copy production to staging". Reordered clauses ("in
    CI, run lint") and the passive ("lint is run by CI") do not count as swaps.
    """
    mine, theirs = _places(one), _places(other)
    common = mine.keys() & theirs.keys()
    around = [
        (theirs[a] < theirs[pivot] < theirs[b], theirs[b] < theirs[pivot] < theirs[a])
        for pivot in common - _JOINS
        for a, b in permutations(common - _FILLER - {pivot}, 2)
        if mine[a] < mine[pivot] < mine[b]
    ]
    same_side, swapped = any(same for same, _ in around), any(other for _, other in around)
    if bool(_PASSIVE.search(one)) != bool(_PASSIVE.search(other)):
        return same_side and not swapped
    return swapped


@lru_cache(maxsize=KNOWN)
def _places(text: str) -> dict[str, int]:
    """Return the position of each word that occurs once."""
    words = [_root(word) for word in tokens(text)[:TURNED]]
    return {word: at for at, word in enumerate(words) if words.count(word) == 1}


@lru_cache(maxsize=KNOWN)
def _content(text: str) -> tuple[str, ...]:
    return tuple(
        word for word in map(_root, tokens(_PREFERS.sub(" ", text))) if word not in _FILLER
    )


def _root(word: str) -> str:
    return word if any(map(str.isdigit, word)) else stem(word)


def _denials(text: str) -> int:
    return len(_DENIES.findall(_PREFERS.sub(" ", text)))


def differ(one: str, other: str) -> bool:
    """Return whether two sentences with similar words have different values."""
    mine, theirs = values(one), values(other)
    if mine <= theirs or theirs <= mine:
        return False
    first, second = (
        frozenset(tokens(text)) - shared_tokens
        for text, shared_tokens in ((one, mine), (other, theirs))
    )
    least = min(len(first), len(second))
    return least == 0 or 2 * len(first & second) >= least


def _turning(words: tuple[str, ...]) -> list[str]:
    turning = _words()["turning"]
    return sorted(word for word in words if word in turning)


@lru_cache(maxsize=KNOWN)
def _clause_ends(text: str) -> tuple[int, ...]:
    """Return the numbers of words at which clauses end, and 0 for the start."""
    ends = [0]
    for clause in re.split(r"[,;:\u2014](?=\s)|\s[-\u2013]\s", text):
        ends.append(ends[-1] + len(tokens(clause)))
    return tuple(end for before, end in pairwise([-1, *ends]) if end != before)
