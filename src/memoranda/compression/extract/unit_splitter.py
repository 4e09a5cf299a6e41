"""Splitting of passages into units: prose sentences and log lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memoranda.compression.extract.sample import MINIMUM, sample_limit, sampled
from memoranda.compression.extract.sentence_splitter import (
    is_sentence,
    short_parts,
    short_sentences,
    split_line,
)
from memoranda.compression.extract.units import Unit, UnitKind, UnitSource
from memoranda.compression.model import CompressedLine, Passage, PassageSpeaker
from memoranda.language.prose import with_fences
from memoranda.text import normalise, one_line, visible

_LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[[^\]]{1,30}\]|\d+:|[+\-@]{1,3}\s|diff |Traceback"
    r"|commit [0-9a-f]{7}|File \"|E  |>>> |\$ |#\d+ |\S+:\d+:|[\w.-]+/\S+"
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
    r"|(?:Get|Hit|Ign|Err|Inst|Conf|Setting|Unpacking|Selecting|Preparing|Collecting|Requirement"
    r"|Downloading|Installing):?\d*\b)|\.\.\.|={3,}|\s{3,}\S|[{}\[\];|]\s*$|::| = |\(\)"
    r"|^\s*[\w.]+=\S"
)
_BULLET = re.compile(r"^(?:[#>*+\-\u2022]+\s+|\d{1,3}[.)]\s+|\*\*(?=\S)|\|\s*)+")
_NUMBERED = re.compile(r"\d+:(?!\d)")
"""A file's line with its number in front, as some tools show it."""
_RULED = re.compile(r"^[=!_*~\-]{4,}\s*|\s*[=!_*~\-]{4,}$")
"""Separator characters that programs print around a section title."""
_LABEL = re.compile(
    r"[A-Za-z_][\w-]{0,30}:"
    r"|(?:replaceAll|userModified|isImage|isSymlink|interrupted|noOutputExpected|truncated): false"
    r"|(?:gitDiff|originalFile|returnCodeInterpretation|backgroundTaskId): (?:null|None)"
)
"""Label of a field whose value is elsewhere, or a host's empty remark."""
_SEEN = 200
"""Maximum number of lines read to determine the type of a passage."""
_LOG_SHARE, _PROSE_SHARE = 0.45, 0.4
_LONG_DATA, _DATA_PART = 120, 90
_TABLE_MARKS = 3
_HEADING = 90
_PARAGRAPH = 120
"""Number of characters above which a line may contain several sentences."""
_CJK_SENTENCE = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}[^\n]{0,80}[\u3002\uff01\uff1f]"
)
SHORT = 90
"""Maximum length of a sentence that is never split."""
_MIN_LENGTH, _LAST = 28, 12
"""Minimum number of characters of a clause, and of the last clause."""
_SUBJECT = (
    r"(?:I|we|he|she|they|it|you|my|our|his|her|their|the|this|that|there|can|could|how|what|now)"
)
_CUT = re.compile(
    rf"(?:,|;|\s[-\u2013\u2014])\s+(?=(?:(?:and|but|so)\s+{_SUBJECT}|because|which|who|can|could"
    r"|would|will|how|what|I|it|we|since|should|do|does|please|given|considering|especially)\b)"
    r"|;\s+|\s+(?=(?:and (?:I|we|can|how)|but|so (?:I|can)|because|can you|could you)\b)"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|until|till|when(?:ever)?|once|except|provided|assuming|as long as|in case"
    r"|otherwise|whether)\b",
    re.IGNORECASE,
)


def split_units(passages: Sequence[Passage], earlier: Sequence[CompressedLine]) -> list[Unit]:
    """Return the units of an earlier result and of passages, in order."""
    units = list(_reread(earlier))
    place = units[-1].source.place + 1 if units else 0
    most = sample_limit(len(passages))
    for number, passage in enumerate(passages, place):
        source = UnitSource(number, passage.ref, passage.speaker)
        units += _of_passage(source, passage, most)
    return units


def _reread(earlier: Sequence[CompressedLine]) -> Iterator[Unit]:
    """Yield lines of an earlier result as units, without splitting them."""
    source = None
    for number, line in enumerate(earlier):
        if source is None or (source.ref, source.speaker) != (line.ref, line.speaker):
            place = source.place + 1 if source else 0
            source = UnitSource(place, line.ref, line.speaker)
        if text := clean(line.text):
            prose = line.speaker is not PassageSpeaker.TOOL or is_sentence(text)
            kind = UnitKind.PROSE if prose else UnitKind.LOG
            yield Unit(
                source,
                kind,
                text,
                number,
                text,
                pinned=line.pinned,
                outdated=line.outdated,
                times=line.times,
                carried=True,
            )


def clean(text: str) -> str:
    """Return a text without invisible characters, with white space folded."""
    return one_line(visible(normalise(text)))


def informative(line: str) -> str:
    """Return a line of program output without surrounding separators.

    The result is empty if nothing or only a field label remains.
    """
    plain = _RULED.sub("", line)
    return "" if _LABEL.fullmatch(plain) else plain


def _of_passage(source: UnitSource, passage: Passage, most: int) -> Iterator[Unit]:
    number = 0
    text = visible(normalise(passage.text))
    for piece, pinned in _pieces(text, passage.pinned):
        if pinned:
            whole = one_line(piece)
            yield Unit(source, UnitKind.PROSE, whole, number, whole, pinned=True)
            number += 1
            continue
        share = max(MINIMUM, most * len(piece) // len(text))
        for unit in _of_text(source, sampled(piece, share), number):
            yield unit
            number = unit.number + 1


def _pieces(text: str, pinned: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pinned and the other parts of a text in order.

    The flag is true for pinned parts; overlapping ones are merged.
    """
    start = 0
    for begin, end in _merged(sorted(_places(text, pinned))):
        yield text[start:begin], False
        yield text[begin:end], True
        start = end
    if start < len(text):
        yield text[start:], False


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in spans:
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _places(text: str, pinned: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of pinned parts; ignore differences in white space."""
    for part in dict.fromkeys(pinned):
        tokens = clean(part).split(" ")
        if tokens == [""]:
            continue
        found = text.find(part)
        if found >= 0:
            yield found, found + len(part)
        elif spaced := re.search(r"\s+".join(map(re.escape, tokens)), text):
            yield spaced.span()


def _of_text(source: UnitSource, text: str, number: int) -> Iterator[Unit]:
    lines = text.split("\n")
    log = _is_log(source.speaker, lines)
    for line, fenced in with_fences(lines):
        plain = informative(one_line(line)) if log else one_line(line)
        if not plain:
            continue
        for unit in _of_line(source, plain, number, log, fenced):
            yield unit
            number = unit.number + 1


def _of_line(source: UnitSource, line: str, number: int, log: bool, fenced: bool) -> Iterator[Unit]:
    if len(line) > _LONG_DATA and line[0] in "{[":
        kind, found = UnitKind.DATA, split_line(line, _DATA_PART)
    elif log or fenced:
        kind, found = _record_kind(line, log), short_parts(line)
    elif line.count("|") >= _TABLE_MARKS:
        kind, found = UnitKind.CODE, short_parts(line)
    else:
        yield from _of_prose(source, line, number)
        return
    for piece in found:
        yield Unit(source, kind, piece, number, piece)
        number += 1


def _record_kind(line: str, log: bool) -> UnitKind:
    if is_sentence(line):
        return UnitKind.PROSE
    return UnitKind.LOG if log and not _NUMBERED.match(line) else UnitKind.CODE


def _of_prose(source: UnitSource, line: str, number: int) -> Iterator[Unit]:
    heading = line.startswith("#") or line.endswith((":", "\uff1a"))
    plain = _BULLET.sub("", line).replace("**", "").strip()
    for sentence in short_sentences(plain):
        if len(sentence) < 2:
            continue
        if heading and len(sentence) < _HEADING:
            yield Unit(source, UnitKind.HEADING, sentence, number, sentence)
        else:
            for start, end in clauses(sentence):
                yield Unit(source, UnitKind.PROSE, sentence[start:end], number, sentence, start)
        number += 1


def _is_log(speaker: PassageSpeaker, lines: Sequence[str]) -> bool:
    """Return whether a passage was written by a program, not a person."""
    if speaker not in (PassageSpeaker.TOOL, PassageSpeaker.SYSTEM):
        return False
    shown = [line for line in lines if line.strip()][:_SEEN]
    if sum(bool(_LOG_LINE.search(line)) for line in shown) > _LOG_SHARE * len(shown):
        return True
    prose = sum(_is_prose(line.strip()) for line in shown)
    return speaker is PassageSpeaker.TOOL and prose < _PROSE_SHARE * len(shown)


def _is_prose(line: str) -> bool:
    """Return whether a line reads as a sentence, or a paragraph of several."""
    if is_sentence(line) or _CJK_SENTENCE.search(line):
        return True
    parts = list(short_sentences(one_line(line))) if len(line) > _PARAGRAPH else []
    return len(parts) > 1 and 2 * sum(map(is_sentence, parts)) >= len(parts)


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the start and end of each clause; do not separate conditions.

    Clauses are split before a new subject or a request. A clause with a condition keeps the rest of
    the sentence, because the end of the condition is unknown.
    """
    if len(sentence) <= SHORT:
        return [(0, len(sentence))]
    found: list[tuple[int, int]] = []
    start = 0
    for cut in _CUT.finditer(sentence):
        long_enough = cut.start() - start >= _MIN_LENGTH and len(sentence) - cut.end() >= _LAST
        if long_enough and not _CONDITION.search(sentence, start, cut.end()):
            found.append((start, cut.start()))
            start = cut.end()
    return [*found, (start, len(sentence))]
