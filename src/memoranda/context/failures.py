"""Context lines for open errors, and for fixes of resolved ones."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.capture.hosts.call_outcomes import DENIED
from memoranda.context.fix_commits import naming_commit
from memoranda.context.record_lines import brief_of, item_of, shortened
from memoranda.context.untrusted_text import safe_summary
from memoranda.errors import note_table as error_notes
from memoranda.errors.model import ErrorNote, Recovery
from memoranda.errors.records import change_line
from memoranda.errors.recoveries import stated_text
from memoranda.ids import short
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, Origin, title
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.trust import BY_ORIGIN

OPEN_ERRORS = 4
OPEN_FIRST = 2
"""Number of open errors shown before fixed ones, if the scope has no task."""
RECENT_TASKS = 10
"""Number of a workspace's newest tasks whose open errors are shown at a session's start."""
OPEN_SHARE = 0.25
"""Maximum share of open errors in a start context."""
CHARACTERS = 3.0
"""Number of characters of an open error per token of the budget."""
AT_THE_END = 30
"""Number of newest observations whose errors still matter when a session starts.

An earlier failure that was not run again was abandoned, or fixed without a trace.
"""
EXAMINED = 24
"""Number of open errors read for the selection, as some may be quarantined."""
FAILED, CHANGED = 120, 140
"""Maximum number of characters of a resolved error, and of a change that resolved it."""
STATED = 240
"""Maximum number of characters of a recorded resolution."""
ARROW = " → "
"""Separator in a summary between an action and its result."""


def open_errors(tx: Transaction, scope: Scope, task: Task | None) -> list[ContextItem]:
    """Return errors still open in the current task, newest first."""
    return _open_in(tx, scope, task, 0) if task else []


def open_errors_at_start(
    tx: Transaction, scope: Scope, task: Task | None, budget: int
) -> list[ContextItem]:
    """Return open errors from the end of the workspace's recent tasks.

    Errors of the current task come first. An error is included until it is resolved, even if
    nothing has run in the tasks since.
    """
    if task is None:
        return []
    recent = tasks.listed(tx, scope.team, workspace=task.workspace, limit=RECENT_TASKS)
    places = [task, *(one for one in recent if one.id != task.id)]
    context_items = (
        item for one in places for item in _open_in(tx, scope, one, one.observations - AT_THE_END)
    )
    room, items = OPEN_SHARE * CHARACTERS * budget, list[ContextItem]()
    for item in context_items:
        room -= len(item.text)
        if room < 0:
            break
        items.append(item)
    return items


def _open_in(tx: Transaction, scope: Scope, task: Task, since: int) -> list[ContextItem]:
    """Return the open errors of a task after an observation, newest first."""
    errors = observations.open_errors(tx, scope.team, task.id, EXAMINED)
    summaries = [(error, safe_summary(error)) for error in errors if error.sequence > since]
    shown = [(error, text) for error, text in summaries if text][:OPEN_ERRORS]
    items = [item_of(error, stated_error(tx, error, brief_of(text))) for error, text in shown]
    notes = error_notes.still_open(tx, scope.team, task.id, limit=OPEN_ERRORS)
    return items + [_recorded_error(note) for note in notes if note.observation is None]


def stated_error(
    tx: Transaction, error: Observation, brief: str, lead: str = "Still failing"
) -> str:
    """Return what is recorded about an open error.

    ``lead`` introduces an error whose resolution is unknown. A call that a person refused did not
    fail. A commit of a later task that names the cause may have fixed it.
    """
    if DENIED in error.tags:
        return f"Refused by a person: {brief}"
    if commit := naming_commit(tx, error):
        return f"Perhaps fixed by commit {commit}, not run since: {shortened(brief, FAILED)}"
    return f"{lead}: {brief}"


def fixed_of(found: Iterable[Recovery]) -> list[ContextItem]:
    """Return earlier failures, and the changes until they succeeded."""
    items = []
    for recovery in found:
        failed, passed = _failed(safe_summary(recovery.error)), title(safe_summary(recovery.fix))
        steps = (change_line(safe_summary(step), " · ", CHANGED) for step in recovery.changes)
        changed = "; ".join(shortened(step, CHANGED) for step in steps if step)
        if failed and passed and recovery.stated:
            ended = shortened(stated_text(safe_summary(recovery.fix)), STATED)
            items.append(item_of(recovery.fix, f"Failed, then fixed: {failed} ⇒ {ended}"))
        elif failed and changed and recovery.near:
            items.append(item_of(recovery.fix, f"Failed, then fixed: {failed} ⇒ {changed}"))
        elif failed and (changed or passed):
            ended = f"after {changed}" if changed else passed
            items.append(item_of(recovery.fix, f"Failed, then passed: {failed} ⇒ {ended}"))
    return items


def _failed(summary: str) -> str:
    """Return the action and the error's own text, without repetition."""
    first, *rest = summary.split("\n")
    call, arrow, outcome = first.partition(ARROW)
    news = (line for line in rest if not line.startswith("exit code"))
    line = next(news, "").partition(" (exit ")[0]
    if outcome and line.startswith(outcome.removesuffix("…")):
        return shortened(f"{call}{arrow}{line}", FAILED)
    return shortened(f"{first} · {line}" if line and line not in first else first, FAILED)


def _recorded_error(note: ErrorNote) -> ContextItem:
    origin = Origin.AGENT if note.agent else Origin.HUMAN
    text = f"Told as {note.type}: {brief_of(note.description)}"
    ref, trust = short(note.id), BY_ORIGIN[origin]
    return ContextItem(note.id, ref, text, origin, note.created_at, trust=trust)
