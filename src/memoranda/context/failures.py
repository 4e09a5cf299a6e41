"""What a context tells of errors: those that nothing has ended yet, and what ended others."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.context.items import brief_of, item_of, shortened
from memoranda.context.provenance import safe_summary
from memoranda.errors import note_table as error_notes
from memoranda.errors.model import ErrorNote, Recovery
from memoranda.observations import table as observations
from memoranda.observations.model import Origin
from memoranda.scope import Scope
from memoranda.search.hits import short, title
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.trust import BY_ORIGIN

OPEN_ERRORS = 4
OPEN_FIRST = 2
"""Of these shown before what was fixed, where the scope names no task."""
AT_THE_END = 30
"""Newest observations of a task whose errors still matter to a session that starts: what failed
long before the end and was not run again was left behind, or mended in a way that nothing shows."""
LOOKED_AT = 24
"""Open errors of which these are told, as some may be held back."""
FAILED, CHANGED = 120, 140
"""Characters of an error that is over, and of a change that ended it."""
ARROW = " → "
"""In a summary, between what was done and what came of it."""
LINES = 2
"""Lines of what a change took out and put in."""


def open_errors(
    tx: Transaction, scope: Scope, task: Task | None, *, at_start: bool
) -> list[ContextItem]:
    """Return errors still open in the current task, newest first.

    ``at_start``: for a session that starts, only those of the end of the task.
    """
    if task is None:
        return []
    since = task.observations - AT_THE_END if at_start else 0
    errors = observations.open_errors(tx, scope.team, task.id, LOOKED_AT)
    told = [(error, safe_summary(error)) for error in errors if error.sequence > since]
    said = [item_of(error, f"Still failing: {brief_of(text)}") for error, text in told if text]
    notes = error_notes.still_open(tx, scope.team, task.id, limit=OPEN_ERRORS)
    return said[:OPEN_ERRORS] + [_told_error(note) for note in notes]


def fixed_of(found: Iterable[Recovery]) -> list[ContextItem]:
    """Return what failed before, and what was changed until it went well."""
    items = []
    for one in found:
        failed, passed = _failed(safe_summary(one.error)), title(safe_summary(one.fix))
        changed = "; ".join(filter(None, (_changed(safe_summary(step)) for step in one.changes)))
        if failed and changed and one.near:
            items.append(item_of(one.fix, f"Failed, then fixed: {failed} ⇒ {changed}"))
        elif failed and (changed or passed):
            ended = f"after {changed}" if changed else passed
            items.append(item_of(one.fix, f"Failed, then passed: {failed} ⇒ {ended}"))
    return items


def _failed(summary: str) -> str:
    """Return what was done and the error's own words, without saying these twice."""
    first, *rest = summary.split("\n")
    call, arrow, outcome = first.partition(ARROW)
    news = (line for line in rest if not line.startswith("exit code"))
    line = next(news, "").partition(" (exit ")[0]
    if outcome and line.startswith(outcome.removesuffix("…")):
        return shortened(f"{call}{arrow}{line}", FAILED)
    return shortened(f"{first} · {line}" if line and line not in first else first, FAILED)


def _changed(summary: str) -> str:
    """Return what was done, and the first lines of what that changed."""
    first, _, rest = summary.partition("\n")
    lines = [line.strip() for line in rest.split("\n") if line.startswith(("+", "-"))]
    return shortened(" · ".join([first, *lines[:LINES]]), CHANGED)


def _told_error(note: ErrorNote) -> ContextItem:
    origin = Origin.AGENT if note.agent else Origin.HUMAN
    text = f"Told as {note.type}: {brief_of(note.description)}"
    ref, trust = short(note.id), BY_ORIGIN[origin]
    return ContextItem(note.id, ref, text, origin, note.created_at, trust=trust)
