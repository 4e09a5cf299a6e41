"""Conversion of failures and notes to error records and occurrences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from memoranda.errors.model import KINDS, ErrorNote, ErrorRecord, error_type, severity
from memoranda.errors.occurrence import Occurrence
from memoranda.errors.signature import signature
from memoranda.errors.table import CapturedError, ErrorResolution
from memoranda.observations.content import DOING
from memoranda.observations.model import Observation

Failed: TypeAlias = Observation | CapturedError
Fix: TypeAlias = Observation | ErrorResolution

ARROW = " \u2192 "
"""Separator in a summary between an action and its result."""
UNKNOWN = "error"
"""Kind of failure if it cannot be determined from the text."""
PLACE = "at "
"""Prefix that marks the location of an error, which is not part of its description."""
MIN_WORDS = 3
"""Minimum number of words of an informative outcome."""
_TOTAL = re.compile(r"\d+ errors: ")
_COUNTS = re.compile(r"\d+ (?:failed|errors?|passed|skipped)\b|exit code \d")


def with_signature(record: ErrorRecord) -> ErrorRecord:
    """Return a record with its signature."""
    return replace(record, signature=signature(record.kind, record.description))


def without_signature(error: Failed, fix: Fix | None, *, open: bool) -> ErrorRecord:
    """Convert a captured failure to a record without its signature.

    The signature takes long to compute.
    """
    kind, target, line = failure_parts(error)
    return ErrorRecord(
        team=error.team,
        id=error.ref,
        task=error.task,
        workspace=error.workspace,
        stage=error.stage,
        agent=error.agent,
        type=error_type(kind, error.tags),
        kind=kind,
        description=line,
        context=target,
        recovery=_first_line(fix.summary) if fix else "",
        severity=severity(kind),
        signature="",
        observation=error.id,
        resolved_by=fix.id if fix else None,
        created_at=error.created_at,
        open=open,
    )


def with_note(record: ErrorRecord, note: ErrorNote | None) -> ErrorRecord:
    """Return a record with the data of a note; keep a captured fix."""
    if note is None:
        return record
    noted = replace(
        record,
        type=note.type,
        severity=note.severity,
        recovery=note.recovery or record.recovery,
        resolved_by=note.resolved_by or record.resolved_by,
        failed_again="" if note.recovery else record.failed_again,
    )
    if not note.by_hand:
        return noted
    kind = note.type.value if record.kind == UNKNOWN else record.kind
    return replace(
        noted,
        description=note.description,
        context=note.context,
        kind=kind,
        stage=note.stage or record.stage,
    )


def record_of_note(note: ErrorNote) -> ErrorRecord:
    """Convert a note to a record."""
    return ErrorRecord(
        team=note.team,
        id=note.id,
        task=note.task or "",
        workspace=note.workspace,
        stage=note.stage,
        agent=note.agent or "human",
        type=note.type,
        kind=note.type,
        description=note.description,
        context=note.context,
        recovery=note.recovery,
        severity=note.severity,
        signature=signature(note.type, note.description),
        observation=None,
        resolved_by=note.resolved_by,
        created_at=note.created_at,
        open=not note.recovery,
    )


def occurrence_of(error: Failed, fix: Fix | None, note: ErrorNote | None) -> Occurrence:
    """Convert a captured failure to an occurrence for patterns."""
    kind, target, line = failure_parts(error)
    stage = error.stage
    if note and note.by_hand:
        kind = note.type.value if kind == UNKNOWN else kind
        target, line, stage = note.context, note.description, note.stage or stage
    contexts = {"tool": error.tool, "stage": stage, "agent": error.agent}
    ended = _first_line(fix.summary) if fix else ""
    return Occurrence(
        task=error.task,
        step=error.sequence,
        signature=signature(kind, line),
        contexts={name: value for name, value in contexts.items() if value},
        ref=error.ref,
        created_at=error.created_at,
        line=line,
        target=target,
        fix=note.recovery or ended if note else ended,
    )


def occurrence_of_note(note: ErrorNote) -> Occurrence:
    """Convert a note to an occurrence for patterns.

    A note without a task counts as a task of its own.
    """
    contexts = {"stage": note.stage, "agent": note.agent or "human"}
    return Occurrence(
        task=note.task or note.id,
        step=note.position,
        signature=signature(note.type, note.description),
        contexts={name: value for name, value in contexts.items() if value},
        ref=note.id,
        created_at=note.created_at,
        line=note.description,
        target=note.context,
        fix=note.recovery,
    )


def failure_parts(error: Failed) -> tuple[str, str, str]:
    """Return a failure's kind, action and error message."""
    return failure_parts_of(error.tags, error.summary)


def kind_of(tags: Sequence[str]) -> str:
    """Return the kind of a failure with the given tags."""
    return next((tag for tag in tags if tag in KINDS), UNKNOWN)


def failure_parts_of(tags: Sequence[str], summary: str) -> tuple[str, str, str]:
    """Return a failure's kind, action and message, from tags and summary."""
    return kind_of(tags), action(summary), own_words(summary)


def action(summary: str) -> str:
    """Return the action that failed."""
    first, *rest = summary.split("\n")
    doing = (line.removeprefix(DOING) for line in rest if line.startswith(DOING))
    return first.partition(ARROW)[0] if ARROW in first else next(doing, first)


def own_words(summary: str) -> str:
    """Return the error message in a summary.

    The message is the outcome in the title. If the outcome only counts tests, is cut or is too
    short, the message is the line below the title.
    """
    first, _, rest = summary.partition("\n")
    outcome, below = first.partition(ARROW)[2], _first_line(rest)
    if below.startswith((PLACE, DOING)):
        below = ""
    outcome = _TOTAL.sub("", outcome)
    whole = len(outcome.split()) >= MIN_WORDS and not outcome.endswith("\u2026")
    if whole and not _COUNTS.match(outcome) and not below.startswith(outcome):
        return outcome
    return below or outcome or first


def change_line(summary: str, separator: str, room: int) -> str:
    """Return the first line of a step, with what it removed and added.

    If the line does not fit in ``room`` characters, the added text comes before the removed text.
    """
    first, _, rest = summary.partition("\n")
    lines = [line.strip() for line in rest.split("\n") if line.startswith(("+", "-"))]
    gone = [line for line in lines if line[0] == "-"]
    come = [line for line in lines if line[0] == "+"]
    shown = [gone[0], come[0]] if gone and come else lines[:2]
    text = separator.join([first, *shown])
    if len(text) <= room:
        return text
    return separator.join([first, *sorted(shown, key=lambda line: line[0])])


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
