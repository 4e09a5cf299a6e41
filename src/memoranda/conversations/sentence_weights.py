"""Weights of sentences by their facts, for summaries of conversations.

A fact is a number with its unit, an identifier, a path, an address, a name, a quotation, or a
sentence that states a requirement, a decision or an outcome. Ordinary terms have a small weight, so
that among sentences without facts, those with new terms are preferred.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from memoranda.language.months import CAPITAL_MONTH
from memoranda.language.sentences import sentences
from memoranda.language.words import EMPTY, STOP_WORDS, cjk_bigrams, word_set
from memoranda.text import one_line, text_lines

MAX_LENGTH = 240
"""Maximum number of characters of a piece; a longer sentence is split at its spaces."""

WEIGHTS: Mapping[str, float] = {
    "laid down": 3.0,
    "decided": 2.0,
    "address": 2.0,
    "path": 1.6,
    "number": 1.6,
    "quoted": 1.6,
    "identifier": 1.5,
    "outcome": 1.5,
    "bounded": 1.0,
    "name": 1.0,
    "again": 0.6,
    "word": 0.2,
}
"""Weight of one fact by kind; "again" is for a further fact on a known subject."""
_UNITS = (
    r"(?:%|°[CF]?|[kMGT]i?B|bytes?|[mµun]?s\b|ms|sec(?:ond)?s?|min(?:ute)?s?|h(?:ours?|rs?)?\b|days?"
    r"|weeks?|months?|years?|tokens?|requests?|users?|rows?|USD|EUR|dollars?|euros?|p\.?m\.?|a\.?m\.?"
    r"|k?m\b|cm|mm|kg|[GMk]?Hz|[kM]?W\b|x\b)"
)
_FACT = re.compile(
    r"(?P<address>\b[a-z][a-z0-9+]{1,15}://[^\s<>\"'`)\]]+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+)"
    r"|(?P<quoted>\"[^\"]{2,80}\"|\u201c[^\u201d]{2,80}\u201d|`[^`]{1,80}`)"
    r"|(?P<path>(?<![\w/])~?(?:/[\w.@+-]+)+/?|\b[\w.@+-]+(?:/[\w.@+-]+)+|\b\w[\w-]+\.[a-z]\w{1,4}\b)"
    rf"|(?P<number>{CAPITAL_MONTH} \d{{1,2}}(?:, \d{{4}})?\b"
    rf"|\b\d{{1,2}} {CAPITAL_MONTH}(?: \d{{4}})?\b"
    rf"|[$€£]?(?<![\w.])v?\d(?:[\d.,:/-]*\d)?(?![\w-])(?:\s?{_UNITS})?"
    rf"|(?<![\w.])\d(?:[\d.,]*\d)?{_UNITS}(?!\w))"
    r"|(?P<identifier>--[\w-]+|#\d+|\b(?=[\w:.-]{0,30}[\d_])\w+(?:[:.-]\w+)*"
    r"|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+(?:[A-Z]\w*)+|\b[A-Z][A-Z0-9]{1,}s?\b)"
    r"|(?P<name>(?<=[\w,;:)] )[A-Z][\w'\u2019-]+)"
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = (
    STOP_WORDS
    | EMPTY
    | word_set(
        "another came come each even every give going good great know little looks made maybe mean"
        " much need okay quite right said says seems soon sure take thank thanks thing things think"
        " together upon want well without yeah yours"
    )
)
"""Words without content, including chat phrases."""

_LAID_DOWN = re.compile(
    r"\b(?:must|mustn't|never|always|do not|don't|cannot|can't|may not|should not|shouldn't"
    r"|not allowed|no longer|at (?:most|least)|no more than|requir\w+|mandatory|forb\w+"
    r"|prohibit\w*|avoid|deadline|important|make sure|ensure|instead of|rather than|prefers?"
    r"|allergic)\b"
    r"|\u7981\u6b62|\u4e0d\u8981|\u5fc5\u987b|\u5fc5\u9808|\u52a1\u5fc5|\u5fc5\u305a|\ubc18\ub4dc\uc2dc"
)
_BOUNDED = re.compile(
    r"\b(?:only|up to|within|before|until|except|unless|due|limit\w*|budget|remember)\b"
)
_DECIDED = re.compile(
    r"\b(?:decid\w+|decision|chose[n]?|choos\w+|agreed|approved|rejected|we(?:'ll| will) use"
    r"|let's use|going with|go with|settled|switch(?:ed|ing)? to|mov(?:ed|ing) to|migrat\w+"
    r"|adopt\w*|is called|is named|lives? (?:in|at)|belongs to|is owned by|stands? for)\b"
)
_OUTCOME = re.compile(
    r"\b(?:errors?|fail\w*|exception|traceback|crash\w*|broke\w*|timed? out|timeout|root cause"
    r"|caused by|because of|fix(?:ed|es)?|resolved|solved|passe[sd]|succeeded|work(?:s|ed) now"
    r"|turned out|reproduc\w+|bug|regression|incident|outage|leak\w*|deployed|released|merged)\b"
)
_CUES = {"laid down": _LAID_DOWN, "bounded": _BOUNDED, "decided": _DECIDED, "outcome": _OUTCOME}


def facts(piece: str) -> Mapping[str, str]:
    """Return the facts of a piece of text, each with its kind."""
    plain = piece.casefold().replace("\u2019", "'")
    result = {f"{kind}: {plain}": kind for kind, cue in _CUES.items() if cue.search(plain)}
    words = [word for word in _WORD.finditer(plain) if word[0] not in _COMMON]
    for mark in _FACT.finditer(piece):
        kind = mark.lastgroup or "name"
        quoted = mark[0].strip('"`\u201c\u201d').casefold()
        about = f"{_about(mark, words)} {quoted}"
        if kind == "number":  # a number is meaningful only with the thing that is counted
            result[about] = kind
        else:
            result[quoted] = kind
            result.setdefault(about, "again")
    for item in (*(word[0] for word in words), *cjk_bigrams(plain)):
        result.setdefault(item, "word")
    return result


def weight(kinds: Iterable[str]) -> float:
    """Return the weight of facts, which grows with the root of their number.

    Otherwise a table of figures would have the highest weight.
    """
    return sum(WEIGHTS[kind] * sqrt(count) for kind, count in Counter(kinds).items())


def _about(mark: re.Match[str], words: Sequence[re.Match[str]]) -> str:
    """Return the two words before a fact, or the one after it."""
    before = [word[0] for word in words if word.end() <= mark.start()]
    after = [word[0] for word in words if word.start() >= mark.end()]
    return " ".join(before[-2:] or after[:1])


def pieces(text: str) -> list[str]:
    """Split a text into sentences of limited length, normalising white space."""
    return [
        piece
        for line in text_lines(text)
        for sentence in sentences(one_line(line))
        for piece in _short(sentence)
    ]


def _short(sentence: str) -> list[str]:
    found: list[str] = []
    while len(sentence) > MAX_LENGTH:
        cut = sentence.rfind(" ", 0, MAX_LENGTH + 1)
        if cut <= 0:  # such a long text without a space is unreadable
            following = sentence.find(" ", MAX_LENGTH)
            found.append(f"{sentence[: MAX_LENGTH - 1]}\u2026")
            sentence = sentence[following + 1 :] if following > 0 else ""
        else:
            found.append(sentence[:cut])
            sentence = sentence[cut + 1 :]
    return [*found, sentence] if sentence else found
