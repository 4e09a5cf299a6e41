"""Detects pasted lines of logs, traces, JSON and commands in a message."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.prose import CODE, FENCES, is_list_item

MIN_LIKELY = 3
"""Minimum number of adjacent lines that count as pasted if none certainly is."""
MIN_REPEATED = 8
"""Minimum number of lines that differ only in numbers, as in a log."""
LINE = 600
"""Number of characters of a line that are examined."""
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL|SEVERE|ERR|DBG|WRN|INF)"
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_DAY = r"\d{4}[-/]\d\d[-/]\d\d"
_CERTAIN = lazy_pattern(
    rf"\W{{0,3}}(?:{_DAY}[T ])?{_TIME}\W.{{0,80}}?\b(?:{_LEVEL}|{_LEVEL.lower()})\b"
    rf"|\W{{0,3}}{_DAY}[T ]\d\d:\d\d:\d\d(?:[.,]\d|Z|\+\d)"
    rf"|\W{{0,3}}{_LEVEL}\W{{1,4}}(?:{_DAY}|{_TIME})"
    rf"|(?:<\d+>)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d {_TIME} \S+ \S+"
    r"|\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \["
    r"|\s*(?:time|ts|timestamp|level|lvl|severity)=\S+ .{0,200}\w=\S"
    r"|\s+File \".{1,300}\", line \d|Traceback \(most recent call last\)"
    r"|\s+at (?:async )?[\w.$<>\[\]/ ]{1,200}\(.{0,300}\)|\s+at \S+:\d+:\d+"
    r"|Exception in thread \"|Caused by: [\w.]+"
    r"|\s*\{\s*\"[\w.@-]+\"\s*:.*\}\s*,?\s*$"
    r"|\$ [a-z./~]"
)
_LIKELY = lazy_pattern(
    rf"\W{{0,3}}(?:{_DAY}[T ])?\d\d:\d\d:\d\d\b|\W{{0,3}}{_LEVEL}\b"
    r"|\[(?:info|debug|warn(?:ing)?|error|trace)\]|(?:info|debug|warn|trace)\b ?[:|\]]"
    r"|npm (?:ERR!|error|WARN)|(?:error(?:\[E\d+\])?|warning|fatal|panic): |E {2,}|>>> |={3}"
    r"|(?:\+\+\+|---|@@) |diff --git|[\w.]{0,80}(?:Error|Exception)\b[:(]|Caused by|Exception in"
    r"|[\w./\\-]{1,200}(?::\d+(?::\d+)?: (?:error|warning|note|fatal)\b|::\w)"
    r"|\s*\"[\w.@ -]+\"\s*:|\s*[\]}],?\s*$|[d-](?:[r-][w-][xsSt-]){3}[.+@]?\s"
)
_COMMAND = lazy_pattern(r"\$ [a-z./~]")
_OUTPUT = lazy_pattern(r"[\d/\\=_]|\S {2,}\S|\S\t")
"""Part of a line that a command printed."""
_NUMBERS = re.compile(r"\b[0-9a-f]*\d[0-9a-f]*\b")


def without_pasted(text: str) -> str:
    """Return a text with each run of pasted lines replaced by an ellipsis.

    The text is unchanged if it has no such lines. Fenced code is unchanged too.

    Example:
        >>> without_pasted("It fails:\\n2026-11-20 10:14:59 ERROR no answer\\nAlways retry.")
        'It fails:\\n…\\nAlways retry.'
    """
    if "\n" not in text and not _CERTAIN.match(text):
        return text
    lines = text.split("\n")
    pasted = _pasted(lines)
    if not pasted:
        return text
    return "\n".join(
        "\u2026" if number in pasted else line
        for number, line in enumerate(lines)
        if number not in pasted or number - 1 not in pasted
    )


def _pasted(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the pasted lines."""
    kinds = list(_kinds(lines))
    found: set[int] = set()
    run: list[int] = []
    for number, kind in enumerate([*kinds, 0]):
        if kind:
            run.append(number)
        elif kind == 0 or not run:
            if len(run) >= MIN_LIKELY or any(kinds[at] == _SURE for at in run):
                found.update(run)
            run = []
    return found


_SURE = 2


def _kinds(lines: Sequence[str]) -> Iterator[int | None]:
    """Yield 2 for a certainly pasted line, 1 for a likely one, 0, or None."""
    shapes = Counter(_shape(line) for line in lines) if len(lines) >= MIN_REPEATED else Counter()
    fenced = False
    above, prints = 0, False
    for line in lines:
        head = line[:LINE]
        if head.lstrip().startswith(FENCES):
            fenced, above, prints = not fenced, 0, False
            yield 0
            continue
        if not head.strip():
            prints = False
            yield None
            continue
        shape = "" if fenced else _shape(line)
        repeated = bool(shape) and shapes[shape] >= MIN_REPEATED
        above = 0 if fenced else _SURE if repeated else _kind(head, above, prints)
        prints = (prints and above > 0) or _COMMAND.match(head) is not None
        yield above


def _kind(line: str, above: int, prints: bool) -> int:
    """Return the kind of a line that follows another, such as a command."""
    if _CERTAIN.match(line):
        return _SURE
    if line.startswith("|") or is_list_item(line):
        return 0
    if prints and line.rstrip()[-1] not in ".!?:" and _OUTPUT.search(line):
        return 1
    if above and line.startswith((" ", "\t")):
        return 1  # the line continues the line above
    return int(bool(_LIKELY.match(line) or CODE.match(line.strip())))


def _shape(line: str) -> str:
    """Return a line without its numbers, or an empty text if it has none."""
    shape, count = _NUMBERS.subn("0", line[:LINE])
    return shape if count and not is_list_item(line) else ""
