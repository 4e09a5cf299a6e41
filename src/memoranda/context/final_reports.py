"""Extracts the agent's final report on the state of each task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from memoranda.context.user_sentences import Remark
from memoranda.language.prose import is_list_item, without_list_mark
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import content_stems
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

LATEST = 3
"""Number of last messages of a task that are considered as its report."""
MIN_TOKENS = 40
"""Minimum number of tokens of a report; a shorter message may be a passing remark."""
MAX_LENGTH = 1_200
"""Maximum number of characters read of a report."""
ENOUGH = 100
"""Number of tokens in reports after which no earlier messages are read."""
SHARED = 2
"""Minimum number of common stems of unfinished work and a later sentence that reports completion.
"""
PROSE = 250
"""Maximum number of characters of a report line; a longer line is an essay."""

_VALUE = re.compile(r"[\d`/_]|\w\.\w|[a-z][A-Z]")
_UNFINISHED = re.compile(
    r"\b(?:not|yet|still|waits?|waiting|open|pending|left|until|draft|to (?:be|do)|todo|undone"
    r"|missing|unpushed|no longer|next|\w+n['\u2019]t|pendiente|todav[íi]a|a[úu]n|sin|falta\w*"
    r"|hasta|abierto|siguiente|sigue\w*|noch|offen\w*|fehlt|wartet|n[äa]chste\w*|bis|encore"
    r"|reste|ouvert|attend|prochain\w*|ancora|manca|aperto|ainda)\b",
    re.IGNORECASE,
)
"""Phrases for unfinished work, which a later session may have finished."""
_DONE = re.compile(
    r"\b(?:fixed|solved|resolved|done|finished|merged|shipped|deployed|green|passes|passed|works"
    r"|went (?:in|through|out)|cross (?:it|that|this) off|off (?:the|your|my) list|no longer fails?"
    r"|erledigt|behoben|gr[u\u00fc]n|hecho|arreglad[oa]|listo|r[e\u00e9]gl[e\u00e9]|corrig[e\u00e9]|fait)\b",
    re.IGNORECASE,
)
"""Phrases for finished work."""
_GENERAL = content_stems(
    "test suite run commit push branch file code work change check error fix done open left still"
    " local main merge review"
)
"""Stems common to all work, which do not identify what was done."""
_NEXT = re.compile(r"^\W*(?:next|siguiente|n[äa]chste\w*|prochain\w*|prossim\w*)\b", re.I)
_QUOTED = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"\w(?:[\w./:@-]*\w)?")
_NAMED = re.compile(r"[/_@]|\d{3}|[A-Za-z]-?\d+$|\w\.[a-z]{1,4}$|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class TaskReport:
    """An agent's closing message at the end of a task."""

    observation: Observation
    lines: Sequence[str]
    """Significant lines and sentences in order, without list markers.

    The list is never empty.
    """


_STANDS = re.compile(
    r"^\W*(?:(?:still|also) )?(?:open|pending|left|missing|undone|blocked|waiting|remaining|next"
    r"|to ?do|not (?:done|yet)|pendiente|abierto|queda\w*|falta\w*|siguiente|offen|noch offen"
    r"|fehlt|n[äa]chste\w*|reste|ouvert|prochain\w*|suivant|aperto|manca|restano|aberto)\b",
    re.IGNORECASE,
)
"""Openings of sentences about open or next steps."""


def reports(tx: Transaction, team: str, tasks: Sequence[Task]) -> Iterator[TaskReport]:
    """Yield the closing report of each task that has one, in task order.

    A report is chosen among the last `LATEST` messages after the last call: the newest with at
    least `MIN_TOKENS` tokens and a significant line, else the newest with a significant line. For
    the newest task, further messages are added up to `ENOUGH` tokens.
    """
    last = {t.id: observations.closing_messages(tx, t.team, t.id, LATEST) for t in tasks}
    ids = [observation.id for found in last.values() for observation in found]
    texts = contents.texts(tx, team, ids)
    newest = next((found for found in last.values() if found), [])
    for found in last.values():
        long_first = sorted(found, key=lambda one: one.tokens < MIN_TOKENS)
        read = (
            TaskReport(item, list(_lines(texts.get(item.id, "")[:MAX_LENGTH])))
            for item in long_first
        )
        room = ENOUGH if found is newest else 1
        for report in read:
            if report.lines and room > 0:
                room -= report.observation.tokens
                yield report


def untouched(found: Sequence[TaskReport], remarks: Sequence[Remark]) -> Iterator[TaskReport]:
    """Yield reports, newest task first, without outdated lines.

    In reports on earlier tasks, lines about next steps are outdated, and so are lines about
    unfinished work if a later report, or a person's later statement, mentions one of its names or
    numbers, or says with `SHARED` of its words that something is done.
    """
    newer: list[str] = []
    for report in found:
        earlier = report.observation.task != found[0].observation.task
        before = newer if earlier else ()
        report = replace(report, lines=_current_lines(report, before, remarks, earlier=earlier))
        newer += report.lines
        if report.lines:
            yield report


def _current_lines(
    report: TaskReport, newer: Sequence[str], remarks: Sequence[Remark], *, earlier: bool
) -> list[str]:
    own = report.observation
    spoken = [
        remark.sentence.text
        for remark in remarks
        if remark.observation.counted_at > own.counted_at and remark.observation.task != own.task
    ]
    done = [content_stems(text) for text in (*newer, *spoken) if _DONE.search(text)]
    named = frozenset[str]().union(*map(_words, (*newer, *spoken))) if earlier else frozenset()
    return [
        line
        for line in report.lines
        if not (earlier and _NEXT.match(line)) and not _is_over(line, named, done)
    ]


def _is_over(line: str, later: Set[str], done: Sequence[frozenset[str]]) -> bool:
    if not _UNFINISHED.search(line):
        return False
    own = content_stems(line) - _GENERAL
    return not later.isdisjoint(_names(line)) or any(len(own & one) >= SHARED for one in done)


def _words(text: str) -> set[str]:
    return {item.lower() for item in (*_QUOTED.findall(text), *_NAME.findall(text))}


def _names(text: str) -> set[str]:
    """Return the names in a text, and its numbers of three or more digits."""
    quoted = {item.lower() for item in _QUOTED.findall(text)}
    return quoted | {one.lower() for one in _NAME.findall(text) if _NAMED.search(one)}


def _lines(text: str) -> Iterator[str]:
    """Yield short list items, and short sentences with a value or open step."""
    for line in text.split("\n"):
        listed = is_list_item(line)
        for start, end in sentence_spans(line):
            part = line[start:end]
            telling = listed or _VALUE.search(part) or _STANDS.search(part)
            if telling and len(part) <= PROSE and (cleaned := _line(part)):
                yield cleaned


def _line(text: str) -> str:
    """Return a line as a sentence, without list, heading, fence or bold marks."""
    line = without_list_mark(text.strip(" \t#>"))
    line = " ".join(line.replace("**", "").strip(" \t*").removeprefix("```").split())
    return line + "." if line[-1:].isalnum() else line
