"""Finding text by other authors in a person's message: quoted, pasted, or following an
introduction.

Such text is content to work on. Instructions in it are not from the person who passes it on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.prose import FENCED
from memoranda.language.sentences import sentence_spans

MIN_WORDS = 4
"""Minimum number of words of a quotation of others; shorter quotations are names: "the 'Save'
button".
"""
MIN_IDEOGRAPHS = 6
"""Minimum number of characters of a quotation without spaces."""
READ = 64
"""Number of messages with cached quotations."""
LONG_WORDS = 16
"""Minimum number of words of a quotation that is text by others without an introduction.

A short quotation may repeat the person's own rule: "forget the 'always both branches' line".
"""
MAX_LENGTH, MAXIMUM = 4_000, 200
"""Maximum number of characters of a quotation, and maximum number of quotations and colons that are
read.
"""
LEAD = 160
"""Maximum number of characters before a quotation or colon that are read as its introduction."""

_QUOTED_LINES = lazy_pattern(r"^[ \t]{0,3}>(?!>>|[\d=.<]).*$", re.MULTILINE)
_MARKS = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
"""Closing quotation marks by opening mark."""
_OPENING = lazy_pattern(
    r"(?:(?<=[\s(\[:\uff1a,\u2014\u2013-])|(?<![^\n]))[\"'\u2018](?=[^\s\"'])"
    r"|[\u201c\u201e\u201a\u00ab\u300c\u300e]"
)
_IDEOGRAPH = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ASKS_AFTER = lazy_pattern(
    r"\W{0,3}(?:(?:and|so|but|ok) )?(?:what (?:does|do|did|is|are|exactly)\b"
    r"|what['\u2019]?s (?:that|this|it)\b|(?:is|are|was|does|do) (?:that|this|it|they)\b"
    r"[^.!\n]{0,80}\?"
    r"|(?:can|could) you (?:explain|translate|summari[sz]e|rephrase|rewrite|shorten)\b"
    r"|(?:please )?(?:explain|translate|summari[sz]e|rephrase|reword)\b"
    r"|how (?:should|do|can) (?:i|we) "
    r"|was (?:heißt|bedeutet)\b|qué significa|que signifie|o que (?:significa|quer))"
    "|\\W{0,3}(?:什么意思|是什么意思|どういう意味)",
    re.IGNORECASE,
)
"""Question about a quotation that precedes it."""
_ASKED = (
    r"(?:^|[,;\u2014-]\s)\W*(?:(?:please|pls|can|could|would|you|now|then|and|hi|hey|ok|okay|just"
    r"|bitte|por favor|peux-tu|kannst du|puedes)[\s,]+){0,4}"
)
"""Start of a request."""
_REWORDING = (
    r"translat(?:e|ion)|summari[sz]e|tl;?dr|proof-?read|paraphrase|rephrase|reword|spell-?check"
    r"|übersetz\w*|fass\w*|traduce|traduza|traduis\w*|traduire|resume|resuma|résume\w*"
)
_WORK = (
    r"review|explain|interpret|rewrite|shorten|polish|comment on|analy[sz]e|(?:have a )?look at"
    r"|reply to|answer|respond to|check|improve|edit|correct|read|use|implement|apply|fix|execute"
    r"|resolve|carry out|work (?:on|through)|(?:continue|proceed|start) with|address|build"
    r"|implementier\w*|umsetz\w*|implement[ae]|implémente\w*|ejecuta|exécute"
    r"|erklär\w*|prüf\w*|korrigier\w*|explica|explique|revisa|revise|corrige|corrija"
)
_TEXT = (
    r"e-?mails?|mails?|memos?|letters?|drafts?|messages?|tickets?|issues?|comments?|posts?|reviews?"
    r"|texts?|sentences?|paragraphs?|quotes?|quotations?|snippets?|pages?|articles?|docs?"
    r"|documentation|readme|manuals?|specs?|polic(?:y|ies)|contracts?|prompts?|transcripts?"
    r"|logs?|output|errors?(?: messages?)?|warnings?|stack ?traces?|tracebacks?|notes?|chat|thread"
    r"|code|file|scripts?|config\w*|descriptions?|reports?|tweets?|newsletters?|press releases?"
    r"|texto|correo|mensaje|satz|text|nachricht|fehler\w*|texte|phrase|message|erreur|mensagem"
)
_PLANS = (
    r"(?:[\w-]+ )?(?:plans?|planes|proposals?|outlines?|roadmaps?|designs?|rfcs?|adrs?"
    r"|stor(?:y|ies))"
)
"""Texts to carry out, which end with their work, unlike rules."""
_THESE = (
    r"(?:the|this|that|these|an?|my|our|his|her|their|following|attached|approved|above|below"
    r"|den|diesen?|folgenden?|el|este|siguiente|le|ce|suivant|o|seguinte)"
)
_OTHERS = (
    r"customers?|clients?|users?|boss|manager|colleagues?|cowork\w+|reviewers?|vendors?|suppliers?"
    r"|linter|compiler|bot|ci|pipeline|server|terminal|console|docs?|documentation|readme|manual"
    r"|legal|support|kunde\w*|chef\w*|cliente|jefe|client|patron|chefe|someone|somebody|they|he|she"
    r"|it|ticket|issue|e-?mail|message|page|site|website|article|spec|policy|error|warning|log"
)
_SAID = (
    r"wrote|writes|says?|said|sent|sends|posted|replied|replies|asked|asks|reported|reports|states"
    r"|stated|reads|prints|printed|shows|claims|complains|answered"
    r"|schr(?:ie|ei)b\w*|sagt\w*|escribi\w+|dice|dijo|a écrit|écrit|dit|escreveu|disse|diz"
)
_NEAR = r"(?: (?!for\b|about\b|how\b|on\b|in\b)[\w'-]+){0,2}"
"""Words between a determiner and the noun of a text."""
_INTRODUCES = lazy_pattern(
    rf"\b(?:{_OTHERS}) (?:(?:just|also|has|have|keeps?|me|us|back|this) ){{0,2}}(?:{_SAID})\b"
    rf"|{_ASKED}(?:{_REWORDING})\b"
    rf"|{_ASKED}(?:{_WORK})(?: (?:the|this|that|an?|my|our|his|her|their|these|following)){{1,2}}"
    rf"{_NEAR} (?:{_TEXT})\b|{_ASKED}(?:{_WORK}) (?:this|that|the following)\W*$"
    rf"|{_ASKED}(?:{_WORK}|follow)(?: {_THESE}){{1,3}} {_PLANS}"
    r"(?: (?:below|here|now|exactly|siguiente|suivant|seguinte|(?:step|phase) \S+)){0,3}\W*$"
    rf"|\bhere(?:['\u2019]?s| is) {_THESE} {_PLANS} (?:from|by|of)\b"
    r"|(?-i:\b[A-Z]\w+) (?:wrote|writes|posted|replied|commented)\W*$"
    rf"|\b(?:{_TEXT}) (?:of|in|for) [\w -]{{1,40}} (?:{_SAID})\W*$"
    rf"|\b(?:here|there)(?:['\u2019]?s| is| are) (?:the|an?|this|his|her|their|these|some|what)"
    rf"{_NEAR} (?:{_TEXT}|{_SAID})\b"
    rf"|\b(?:getting|get|got|see|seeing|with|this is|these are) (?:the|an?|this|these|some)"
    rf"{_NEAR} (?:{_TEXT})\W*$"
    rf"|\b(?:pasted|copied|quoted|quoting|forwarded|excerpt|taken)\b.{{0,40}}\b(?:from|by|of|in)\b"
    rf"|\bfrom (?:the|an?|this|our|their|my)(?: \w+)? (?:{_TEXT})\W*$"
    rf"|\bwhat (?:does|do|did|is) (?:this|that|it|the (?:{_TEXT}))\b.{{0,40}}"
    rf"(?:\b(?:mean|do|say|about)\b)?\W*$"
    rf"|{_ASKED}(?:write|put|draft|compose|save|store) (?:the|an?|this|our|my|some)"
    rf"(?: [\w'-]+){{0,3}}? (?:prompts?|{_TEXT})\b[^:\n]{{0,80}}$"
    rf"|\b(?:{_TEXT}) from (?!me\b|us\b|my\b|now\b|scratch\b)\w"
    "|翻译|翻譯|总结|解释|什么意思|写道|翻訳|要約|意味|번역|요약",
    re.IGNORECASE,
)
"""Introduction of text by others, before a colon or a quotation."""
_REPORTED = lazy_pattern(
    r"\b(?:an?|one|some|another) (?:(?!of\b)\w+ )?(?:customers?|users?|visitors?|readers?|players?"
    r"|guests?|patients?) (?:writes?|wrote|says?|said|complain(?:s|ed)|asks?|asked|wants?|wanted)"
    r" (?:(?:to us|us) )?(?:that|to|for|if|whether)\b",
    re.IGNORECASE,
)
"""Wish of an unnamed person in reported speech; the sentence counts as text of that person."""
_IRONY = lazy_pattern(
    r"(?<![^.!?\n])[ \t]{0,3}(?:(?:yes|yeah|sure|oh)[, ]{1,3})?(?:please|by all means|go ahead)"
    r"[^.!?\n]{3,200}(?:that['\u2019]?s (?:exactly )?what (?:we|i) pay (?:you )?for"
    r"|what (?:could|can) (?:possibly )?go wrong"
    r"|(?:that|this|it) worked (?:out )?so well|because (?:that|it)['\u2019]?s so much fun)"
    r"|(?:(?<=oh great)|(?<=oh wonderful)|(?<=oh brilliant)|(?<=oh fantastic)|(?<=oh perfect))"
    r"[.!,]\s{0,3}(?:yes|sure|yeah),? (?:please|by all means)[^.!?\n]{3,200}",
    re.IGNORECASE,
)
"""Ironic remarks, as after a mishap, which are not meant literally."""
_OUTPUT = lazy_pattern(
    r"\b(?:errors?|warnings?|logs?|output|stack ?traces?|tracebacks?|linter|compiler|ci|console"
    r"|terminal|fehler\w*|erreurs?)\b",
    re.IGNORECASE,
)
"""Output of a program, which ends with its paragraph, unlike a letter."""
_VISIBLE = lazy_pattern(r"\S")
_COLON = lazy_pattern(r":(?=\s)|\uff1a")
_ASKS_LINE = lazy_pattern(
    rf"{_ASKED}(?:{_REWORDING}|{_WORK}|what (?:does|do|is))\b.{{0,60}}"
    rf"\b(?:this|these|(?:the )?following|below)(?:{_NEAR} (?:{_TEXT}|{_PLANS}))?"
    r"(?: (?:mean|do|say|in|into|to|auf|ins) ?\w*)?\W*$",
    re.IGNORECASE,
)
"""A line that requests work on the text below it."""
_MARKUP = lazy_pattern(
    r"(?<!`)</?(?:[\w-]*(?:context|instructions?|reminder|memor(?:y|ies|anda)|result|tool\w*)|system"
    r"|assistant|human|user|errors?-to-avoid)(?:\s[^<>\n]{0,100})?>.*",
    re.IGNORECASE,
)
"""Markup of a host or context, up to the end of its line, which is never a typed request.

Markup in backticks is only mentioned by a person.
"""


def own_text(message: str) -> str:
    """Return a message with text by others replaced by spaces.

    Positions and line ends are preserved.

    Example:
        >>> own_text('Translate "Never open the window." now').split()
        ['Translate', 'now']
    """
    found = quotations(message)
    if not found:
        return message
    parts, at = [], 0
    for start, end in found:
        parts += [message[at:start], re.sub(r"[^\n]", " ", message[start:end])]
        at = end
    return "".join([*parts, message[at:]])


@lru_cache(maxsize=READ)
def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """Return the ranges of a message that others wrote, ordered and disjoint.

    Such ranges are quoted lines, fenced code, longer quotations, what follows a colon that
    introduces the text of others, and reported wishes of unnamed people. Ironic remarks are
    included.

    Example:
        >>> said = "the client wrote: Always pay Bob."
        >>> [said[start:end] for start, end in quotations(said)]
        ['Always pay Bob.']
    """
    found = [item.span() for item in _QUOTED_LINES.finditer(text)] if ">" in text else []
    if "```" in text or "~~~" in text:
        found += [match.span() for match in FENCED.finditer(text)]
    if "<" in text:
        found += [one.span() for one in _MARKUP.finditer(text)]
    found += _in_marks(text)
    found += _reported(text)
    found += [match.span() for match in _IRONY.finditer(text)]
    found += _introduced(text, tuple(found))
    return tuple(_merged(found))


def without_ranges(
    spans: Iterable[tuple[int, int]], ranges: Sequence[tuple[int, int]], text: str
) -> Iterator[tuple[int, int, bool]]:
    """Split spans at the boundaries of ranges.

    Yield the start and end of each part, and whether it is inside a range. Parts without a letter
    or digit are left out.
    """
    for start, end in spans:
        edges = {start, end}
        edges.update(at for pair in ranges for at in pair if start < at < end)
        for first, last in pairwise(sorted(edges)):
            part = text[first:last]
            if len(edges) > 2 and not any(map(str.isalnum, part)):
                continue
            first, last = first + len(part) - len(part.lstrip()), first + len(part.rstrip())
            yield first, last, _within(first, ranges)


def _in_marks(text: str) -> Iterator[tuple[int, int]]:
    """Yield quotations of others, including quotation marks."""
    end = 0
    for opening in islice(_OPENING.finditer(text), MAXIMUM):
        start = opening.start()
        close = _closing(text, start) if start >= end else 0
        if not close:
            continue
        end = close
        quoted = text[opening.end() : end - 1]
        if _is_long(quoted):
            line = text.rfind("\n", 0, start) + 1
            lead = _last_sentence(text[max(line, start - LEAD) : start]).rstrip(" :")
            long = len(quoted.split()) >= LONG_WORDS
            if long or _INTRODUCES.search(lead) or _ASKS_AFTER.match(text, end):
                yield start, end


def _closing(text: str, start: int) -> int:
    """Return the end of the quotation that opens at a position, or 0."""
    for at in range(start + 1, min(len(text), start + MAX_LENGTH)):
        if text[at] == "\n" and text[at : at + 2] == "\n\n" and text[start] in "\"'":
            return 0
        if text[at] not in _MARKS[text[start]]:
            continue
        following = text[at + 1 : at + 2]
        if text[at] not in "'\u2019" or not (following.isalnum() or text[at - 1].isspace()):
            return at + 1
    return 0


def _is_long(quoted: str) -> bool:
    return len(quoted.split()) >= MIN_WORDS or len(_IDEOGRAPH.findall(quoted)) >= MIN_IDEOGRAPHS


def _introduced(text: str, known: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what follows a colon or line that introduces text by others."""
    end = 0
    for colon in islice(_COLON.finditer(text), MAXIMUM):
        at, begins = colon.end(), _next(text, colon.end())
        line = text.rfind("\n", 0, at) + 1
        lead = text[max(line, at - LEAD) : at - 1]
        if at <= end or _within(begins, known) or not _INTRODUCES.search(_last_sentence(lead)):
            continue
        quoted = _closing(text, begins) if text[begins : begins + 1] in _MARKS else 0
        end = quoted or _end_of(text, at, output=_OUTPUT.search(lead) is not None)
        yield begins, end
    at = 0
    for line_text in text.split("\n"):
        at += len(line_text) + 1
        if end < at < len(text) and _asks_below(line_text) and not _within(_next(text, at), known):
            end = len(text)
            yield at, end


def _reported(text: str) -> Iterator[tuple[int, int]]:
    """Yield the reported wishes of unnamed people, up to the sentence end."""
    for match in islice(_REPORTED.finditer(text), MAXIMUM):
        rest = text[match.end() : match.end() + MAX_LENGTH]
        start, end = next(iter(sentence_spans(rest)), (0, len(rest)))
        yield match.end() + start, match.end() + end


def _next(text: str, at: int) -> int:
    """Return the position of the next character that is not white space."""
    match = _VISIBLE.search(text, at)
    return match.start() if match else len(text)


def _within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)


def _asks_below(line: str) -> bool:
    return len(line) <= LEAD and _ASKS_LINE.search(_last_sentence(line)) is not None


def _last_sentence(lead: str) -> str:
    *_, (start, end) = [(0, len(lead)), *sentence_spans(lead)]
    return lead[start:end]


def _end_of(text: str, at: int, *, output: bool) -> int:
    """Return the end of an introduced text.

    On the line of its introduction, output ends with its sentence, and other text with its line.
    Below, output ends with its paragraph, and other text with the message.
    """
    line = text.find("\n", at)
    line = len(text) if line < 0 else line
    if text[at:line].strip():
        first = next(iter(sentence_spans(text[at:line])), (0, line - at))
        return at + first[1] if output else line
    if not output:
        return len(text)
    blank = text.find("\n\n", _next(text, at))
    return len(text) if blank < 0 else blank


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for first, last in sorted(spans):
        if first > end:
            if end > start:
                yield start, end
            start, end = first, last
        else:
            end = max(end, last)
    if end > start:
        yield start, end
