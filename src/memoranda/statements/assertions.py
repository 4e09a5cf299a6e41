"""Finds asserting sentences in prose, comments and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

from memoranda.language.prose import with_fences
from memoranda.language.sentences import sentences
from memoranda.statements import requirement_cues as cues
from memoranda.statements.case_insensitive_patterns import CaselessPattern
from memoranda.text import one_line

MIN_LENGTH, MAX_LENGTH = 8, 320
"""Minimum and maximum number of characters of a sentence."""
_MIN_WORDS, _MAXIMUM = 3, 60
"""Minimum and maximum number of words of a sentence."""


class Rank(IntEnum):
    """Kind of assertion in a sentence, most important first."""

    REQUIREMENT = 0
    DECISION = 1
    VALUE = 2
    REMARK = 3


_REQUIREMENT = CaselessPattern(
    r"\b(?:must(?:n't)?|never|always|shall|may not|do not|don't|cannot|can't|(?:is|are)(?: not|n't)"
    r" (?:allowed|permitted|supposed)|not (?:allowed|permitted)|no(?: ?one| ?body)\b.{0,60}? may"
    r"|(?:may|can|should|shall) only|only .{1,40}? (?:may|can)|should(?: not|n't)|under no"
    r"|(?:have|has|having|had better|needs?) to|need(?:s|ed)? an?|requir\w+|mandatory|compulsory"
    r"|forbid\w*|forbidden|prohibit\w*|banned|off[- ]limits|off the table|out of bounds|taboo"
    r"|at (?:most|least)|(?:no|not) (?:more|less|fewer|longer) than|maximum of|max(?:imum)?\.? \d"
    r"|(?:keep|keeps|stays?|remain|leave|hold)\b.{1,60}? (?:under|below|above|within|out of|alone"
    r"|as|intact|untouched|unchanged|exactly)|without exception|no exceptions?|make (?:very )?sure"
    r"|ensure|be (?:sure|careful)|from now on|from here on|going forward|avoid|refrain|rule:"
    r"|important|deadline|budget|limit is|remember (?:that|to)|allergic|by all means|hands off"
    r"|is an? (?:no-go|must)|please (?:use|keep|leave|put|write|stick|run|check|ask)|prefers?"
    r"|instead of|rather than|are? (?:not|n't) to|do we too|so do we|so we do too|insists?)\b"
    r"|^(?:please )?(?:no|use|only|stick to|never|nothing|nobody|everything|every|all|any) .{3,}"
    r"|\b(?:nothing|nobody|no \w+) (?:goes|leaves|is|are|may|gets?|touch\w*|but)\b"
)
_DECISION = CaselessPattern(
    r"\b(?:decid\w+|decisions?|cho(?:se|sen|ose|ice)|agreed|settled|rejected|dropped|discarded"
    r"|ruled out|picked|opted|(?:i|we) went (?:with|for|back)|go(?:ing)? with"
    r"|stick(?:ing)? (?:with|to)"
    r"|stay(?:s|ing)? (?:on|with)|mov(?:es?|ed|ing) (?:to|from|off)|switch\w*|replac\w+|migrat\w+"
    r"|won|beats?|on purpose|deliberate\w*|intentional\w*|because|since|so that|due to|the reason"
    r"|therefore|trade-?offs?|root cause|caused by|cause was|turned out|the (?:bug|culprit|fix"
    r"|cause|problem) (?:is|was)|fix(?:ed|es)?|reverted|deployed|merged|approved|abandon\w*"
    r"|in favou?r of"
    r"|went down|was down to|will use|we use|kept)\b"
)
_VALUED = re.compile(
    r"\b\d{2,}\b|\b\d+(?:[.,:]\d+)+|\b\d+ ?[a-zA-Z%]+\b|[$\u20ac\u00a3] ?\d|[\w.-]+/[\w./-]+\w"
    r"|\b\w+\.(?:[a-z]{2,5})\b|\b[A-Za-z]+[-_]\w*\d\w*|\b[A-Z]{2,}-\d+|`[^`]+`|\b\w+_\w+\b|--\w"
    r"|[\w.+-]+@[\w-]+\.\w+|\b[A-Z]\w+(?:Error|Exception)\b"
)
_NAMED = re.compile(r"(?<=[\w,;:)] )(?!I\b)[A-Z]\w[\w'-]+")
"""A name within a sentence."""
_NARRATION = re.compile(
    r"(?:(?:ok(?:ay)?|good|great|perfect|right|now|next|first|then|so|alright|and|also|hmm)\b"
    r"[,.!:]* )*(?:let me|let's|lets|i'll|i will|i'm going|i am going|i need to|i should|i want to"
    r"|i can see"
    r"|we need to (?:see|look|check)|looking|checking|reading|running|here(?:'s| is)|done\b|maybe"
    r"|perhaps|i think|i wonder|hmm)\b",
    re.IGNORECASE,
)
"""Announcement of the next step, or thinking aloud."""
_RAISED = re.compile(r"(?:E +)?[\w.]*(?:Error|Exception|Warning|error|fatal|failed)\b ?:")
_MUSING = re.compile(
    r"(?:hmm+|maybe|perhaps|let me (?:think|see)|i wonder|not sure)\b", re.IGNORECASE
)
_COMMENT = re.compile(
    r"\s*(?:\d{1,6}(?:\u2192|\t|:(?!\d) ?|\s{2,}))?\s*[+-]?\s*"
    r"(?:#+!?|//+[/!]?|/\*+|\*+/?|--|;+|%+|\"\"\"|'''|<!--|rem\b|[-*+>\u2022]|\d{1,3}[.)])?\s*"
    r"(?:[@\\][a-z]+\s+)?",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s*(?:\*+/|\"\"\"|'''|-->)\s*$")
_INLINE = re.compile(r"\s(?:#|//|--|/\*)\s+(?=\S+ \S)")
_LOG_PREFIX = re.compile(
    r"(?:\[?\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?[\d.,]*(?:Z|[+-]\d\d:?\d\d)?)?\]?"
    r"|\[?\d\d:\d\d(?::\d\d)?[\d.,]*\]?|[A-Z][a-z]{2} +\d{1,2}(?: \d\d:\d\d:\d\d)?"
    r"|\[[\w .:/-]{1,40}\]|\(?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|note"
    r"|info|warning|debug)\)?:?"
    r"|<\d{1,3}>(?=\w)|[\w.-]{1,40} (?:[\w./-]{1,40}\[[\w.]{1,40}\]|kernel):|\[ *\d+\.\d+\]"
    r"|[\w./-]{1,40}(?:\[\d+\])?:|[\w./-]{1,40}\[\d+\]|[|>-]+)\s*(?<=[\s>])"
)
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.){12,320})\"|'((?:[^'\\\n]|\\.){12,320})'")
_CODE = re.compile(
    r"[{}<>\\=]|\(\)|\w\([^)]*[,=\"']|::|->|\w\[|;$|^(?:def|class|import|from|return|if|for|while"
    r"|elif|else|try|raise|assert|const|let|var|func|fn|public|private|self|print|package|use)\b"
    r"(?:[^.!?]*[:;,)]?|.*:)$"
    r"|^at [\w.$]+[.$]\w|^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH) [A-Z*]"
)
_CELLS = re.compile(r"\|[^|\n]+\|[^|\n]+\||\S(?:\t+| {2,})\S.*?\S(?:\t+| {2,})\S")
"""Table row of at least three cells, between bars or aligned with spaces."""
_PLAIN_WORD = re.compile(r"(?<![\w./-])[^\W\d_]{3,}(?![\w./-])")
_NO_ROW = re.compile(r"[{}<>\\;=]|\(\)|::|->|\w\(|[:,]$|^[\W\d]+$")
_ROW_WORDS = 3
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")


def assertions(text: str, *, printed: bool) -> Iterator[str]:
    """Yield the sentences of a text with normalised white space.

    With ``printed``, the text is output of a program: code, a log or a document. Then sentences in
    comments, after the head of a log line and in quotation marks are found.
    """
    for line, fenced in with_fences(text.split("\n")):
        for part in _candidates(line, printed or fenced):
            for sentence in sentences(part):
                if reads(sentence, strict=printed or fenced):
                    yield sentence


def rows(text: str) -> Iterator[str]:
    """Yield the table rows that state a value, with normalised white space."""
    for line in text.split("\n"):
        if (row := _row(line)) is not None:
            yield row


def rank(sentence: str) -> Rank:
    """Return the kind of assertion of a sentence."""
    plain = sentence.replace("\u2019", "'")
    if _RAISED.match(plain):  # "cannot import" is no prohibition
        return Rank.VALUE
    if _REQUIREMENT.search(plain) or cues.REQUIREMENT.search(plain):
        return Rank.REQUIREMENT
    if _DECISION.search(plain) or cues.DECISION.search(plain):
        return Rank.DECISION
    return Rank.VALUE if _VALUED.search(plain) or _NAMED.search(plain) else Rank.REMARK


def narrates(sentence: str) -> bool:
    """Return whether a sentence only announces an action or thinks aloud."""
    return _NARRATION.match(sentence.replace("\u2019", "'")) is not None


def thinks_aloud(sentence: str) -> bool:
    """Return whether a sentence is thinking aloud."""
    return _MUSING.match(sentence) is not None


def reads(line: str, *, strict: bool) -> bool:
    """Return whether a line looks like a sentence.

    With ``strict``, lines of code or data are rejected.
    """
    if not MIN_LENGTH <= len(line) <= MAX_LENGTH or line.endswith("?"):
        return False
    if _CJK.search(line):
        return True
    tokens = line.split()
    if not _MIN_WORDS <= len(tokens) <= _MAXIMUM or (strict and _CODE.search(line)):
        return False
    plain = sum(word.strip(".,;:!?'\"()`").replace("'", "").isalpha() for word in tokens)
    least = 0.5 if line[-1] in ".!" else 0.6
    return plain >= least * len(tokens) and (not strict or line[0].isalnum() or line[0] in "`\"'")


def _row(line: str) -> str | None:
    """Return a table row with normalised space if it states a value, or None."""
    if not _CELLS.search(line):
        return None
    plain = one_line(line).strip("| ")
    words = _PLAIN_WORD.findall(plain)
    if (
        not MIN_LENGTH <= len(plain) <= MAX_LENGTH
        or len(words) < _ROW_WORDS
        or _NO_ROW.search(plain)
    ):
        return None
    return plain if _VALUED.search(plain) else None


def _candidates(line: str, printed: bool) -> Iterator[str]:
    plain = one_line(line).replace("**", "")
    if not printed:
        yield plain.lstrip("#>*+-\u2022 ")
        return
    bare = _bare(plain)
    if inline := _INLINE.search(bare):
        bare, after = bare[: inline.start()].rstrip(), bare[inline.end() :]
        yield _CLOSING.sub("", after)
    if any(reads(sentence, strict=True) for sentence in sentences(bare)):
        yield bare
        return
    for quoted in _QUOTED.finditer(bare):
        yield quoted[1] or quoted[2]


def _bare(line: str) -> str:
    """Return a line without comment marks and log line header."""
    mark = _COMMENT.match(line)
    bare = line[mark.end() :] if mark else line
    for _ in range(5):
        if not (head := _LOG_PREFIX.match(bare)):
            break
        if (
            head[0].rstrip().endswith(":")
            and head[0][0].isupper()
            and head[0].strip(": ").isalpha()
        ):
            break  # a meaningful label such as Decision: or Mandatory:
        bare = bare[head.end() :]
    return _CLOSING.sub("", bare).strip()
