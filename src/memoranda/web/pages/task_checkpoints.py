"""Checkpoint pages of a task: create, compare, roll back, fork.

A rollback has a preview.
"""

from __future__ import annotations

from typing import Any

from memoranda.checkpoints.model import TaskPhase
from memoranda.json_data import dump_json
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.differences import DiffLine
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages.tasks import PAGE as PAGE
from memoranda.web.registry import acts, reads

_KINDS = {"-": "gone", "+": "new", " ": "same"}
_HEADS = ("--- ", "+++ ")
MAX_LINES = 2_000
MAX_LENGTH = 2_000
"""Maximum number of characters of a line."""


def lines(diff: str) -> tuple[DiffLine, ...]:
    """Return the lines of a diff: ``same``, ``gone`` or ``new``.

    ``gap`` between hunks.
    """
    diff_lines: list[DiffLine] = []
    for number, line in enumerate(diff.split("\n")[:MAX_LINES]):
        if number < len(_HEADS) and line.startswith(_HEADS[number]):
            continue
        kind = _KINDS.get(line[:1], "gap")
        if kind == "gap" and (line.startswith("@@") or not line):
            text = "later" if diff_lines and line else ""
        else:
            text = line if kind == "gap" else line[1:]
        if text or kind != "gap":
            diff_lines.append(DiffLine(kind, ((False, text[:MAX_LENGTH]),)))
    return tuple(diff_lines)


NOW = "now"


def listed(request: PageRequest) -> Answer:
    """Show the checkpoints of a task, newest first."""
    task = _task(request)
    page = request.call("checkpoints.list", task=task["id"], cursor=request.cursor, limit=LIMIT)
    values = {
        "task": task,
        "here": "checkpoints",
        "page": page,
        "phases": [phase.value for phase in TaskPhase],
    }
    return View("task-checkpoints.html", values)


def take(request: PageRequest) -> Answer:
    """Create a checkpoint."""
    task = _task(request)
    made = request.call(
        "checkpoints.create",
        task=task["id"],
        phase=request.text("phase"),
        description=request.text("description").strip(),
    )
    message = f"Checkpoint {made['sequence']} stores the current blocks and state."
    return Done(request.link(f"/tasks/{task['number']}/checkpoints"), message)


def one(request: PageRequest) -> Answer:
    """Show a checkpoint with its state and its blocks."""
    task = _task(request)
    found = request.call(
        "checkpoints.show", task=task["id"], checkpoint=request.named["checkpoint"]
    )
    values = {
        "task": task,
        "here": "checkpoints",
        "one": found["checkpoint"],
        "held": found["blocks"],
        "state": dump_json(found["state"], indent=2) if found["state"] else "",
    }
    return View("task-checkpoint.html", values)


def compare(request: PageRequest) -> Answer:
    """Show what changed between two checkpoints, or since one of them."""
    task = _task(request)
    old, new = request.text("old"), request.text("new") or NOW
    diffs = _diffs(request, task, old, new) if old else {}
    values = {"task": task, "here": "checkpoints", "old": old, "new": new, "diffs": diffs}
    return View("task-diff.html", values)


def preview(request: PageRequest) -> Answer:
    """Show what a rollback would change, without changing anything."""
    task, name = _task(request), request.named["checkpoint"]
    tried = request.call("checkpoints.rollback", task=task["id"], checkpoint=name, dry_run=True)
    changed = {*tried["blocks"], "state"}
    diffs = _diffs(request, task, NOW, str(tried["checkpoint"]["sequence"]))
    values = {
        "task": task,
        "here": "checkpoints",
        "tried": tried,
        "diffs": {label: lines for label, lines in diffs.items() if _label(label) in changed},
    }
    return View("task-rollback.html", values)


def rollback(request: PageRequest) -> Answer:
    """Roll back to a checkpoint; the result can be undone."""
    task, name = _task(request), request.named["checkpoint"]
    done = request.call("checkpoints.rollback", task=task["id"], checkpoint=name)
    place = f"/tasks/{task['number']}/checkpoints"
    undo = done["undo"]["sequence"]
    changed = ", ".join(done["blocks"][:20]) or "no block differed"
    message = f"Restored checkpoint {done['checkpoint']['sequence']} ({changed})."
    if done["left_alone"]:
        message += f" Read-only and unchanged: {', '.join(done['left_alone'][:20])}."
    message += f" The previous state is checkpoint {undo}."
    again = Undo(f"{place}/{undo}/rollback", {"workspace": request.text("workspace")})
    return Done(request.link(place), message, again)


def fork(request: PageRequest) -> Answer:
    """Start a new task from a checkpoint."""
    task, name = _task(request), request.named["checkpoint"]
    goal = request.text("goal").strip()
    made = request.call("checkpoints.fork", task=task["id"], checkpoint=name, goal=goal)
    message = f"Task {made['number']} continues from checkpoint {name} of task {task['number']}."
    return Done(request.link(f"/tasks/{made['number']}"), message)


def _task(request: PageRequest) -> dict[str, Any]:
    result: dict[str, Any] = request.call("tasks.show", id=request.task)
    return result


def _diffs(request: PageRequest, task: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    found = request.call("checkpoints.diff", task=task["id"], old=old, new=new)
    return {label: lines(diff) for label, diff in found.items()}


def _label(name: str) -> str:
    """Return the label of a block from its name, which may include the id.

    The id is included if two blocks have the same label.
    """
    return name.partition(" (")[0]


ROUTES = (
    reads("/tasks/{id}/checkpoints", listed),
    acts("/tasks/{id}/checkpoints", take),
    reads("/tasks/{id}/diff", compare),
    reads("/tasks/{id}/checkpoints/{checkpoint}", one),
    reads("/tasks/{id}/checkpoints/{checkpoint}/rollback", preview),
    acts("/tasks/{id}/checkpoints/{checkpoint}/rollback", rollback),
    acts("/tasks/{id}/checkpoints/{checkpoint}/fork", fork),
)
