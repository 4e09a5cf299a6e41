"""The agent's final report of each task, about the state of the work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.observations import content_table as contents, table as observations
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.utterances import sentence_spans

LATEST = 3
"""Last messages of a task that may be its report."""
SHORTEST = 40
"""Tokens from which on a message is a report, not a passing remark."""
LONGEST = 1_200
"""Maximum characters read of a report."""
PROSE = 250
"""Maximum characters of a report line; a longer one is an essay."""

_LISTED = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)])\s")
_VALUE = re.compile(r"[\d`/_]|\w\.\w|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Closing message of an agent at the end of a task."""

    observation: Observation
    lines: Sequence[str]
    """Significant lines and sentences in order, without list markers.

    There is at least one.
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

    Of the last `LATEST` messages that no call followed it is the newest that has `SHORTEST` tokens
    or more and a significant line, or else the newest that has one.
    """
    last = {t.id: observations.closing_messages(tx, t.team, t.id, LATEST) for t in tasks}
    ids = [one.id for found in last.values() for one in found]
    texts = contents.texts(tx, team, ids)
    for found in last.values():
        long_first = sorted(found, key=lambda one: one.tokens < SHORTEST)
        read = (
            TaskReport(one, list(_lines(texts.get(one.id, "")[:LONGEST]))) for one in long_first
        )
        report = next((one for one in read if one.lines), None)
        if report:
            yield report


def _lines(text: str) -> Iterator[str]:
    """Yield list items and sentences with a value.

    An essay on what could be done is not included.
    """
    for line in text.split("\n"):
        listed = _LISTED.match(line) is not None
        for start, end in sentence_spans(line):
            part = line[start:end]
            telling = listed or _VALUE.search(part) or _STANDS.search(part)
            if telling and len(part) <= PROSE and (cleaned := _line(part)):
                yield cleaned


def _line(text: str) -> str:
    """Return a line as a sentence, without list, heading, fence or bold marks."""
    line = _LISTED.sub("", text.strip(" \t#>"), count=1)
    line = " ".join(line.replace("**", "").strip(" \t*").removeprefix("```").split())
    return line + "." if line[-1:].isalnum() else line
