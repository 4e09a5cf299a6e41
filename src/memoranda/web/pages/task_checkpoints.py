"""Checkpoints of a task: created, compared, rolled back to, forked from.

A rollback has a preview.
"""

from __future__ import annotations

from typing import Any

from memoranda.checkpoints.model import TaskPhase
from memoranda.json_data import dump_json
from memoranda.web import hunks
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages.tasks import PAGE as PAGE
from memoranda.web.registry import acts, reads

NOW = "now"


def listed(asked: PageRequest) -> Answer:
    """Show the checkpoints of a task, newest first."""
    task = _task(asked)
    page = asked.call("checkpoints.list", task=task["id"], cursor=asked.cursor, limit=LIMIT)
    values = {
        "task": task,
        "here": "checkpoints",
        "page": page,
        "phases": [one.value for one in TaskPhase],
    }
    return View("task-checkpoints.html", values)


def take(asked: PageRequest) -> Answer:
    """Create a checkpoint."""
    task = _task(asked)
    made = asked.call(
        "checkpoints.create",
        task=task["id"],
        phase=asked.text("phase"),
        description=asked.text("description").strip(),
    )
    told = f"Checkpoint {made['sequence']} stores the current blocks and state."
    return Done(asked.link(f"/tasks/{task['number']}/checkpoints"), told)


def one(asked: PageRequest) -> Answer:
    """Show a checkpoint with its state and its blocks."""
    task = _task(asked)
    found = asked.call("checkpoints.show", task=task["id"], checkpoint=asked.named["checkpoint"])
    values = {
        "task": task,
        "here": "checkpoints",
        "one": found["checkpoint"],
        "held": found["blocks"],
        "state": dump_json(found["state"], indent=2) if found["state"] else "",
    }
    return View("task-checkpoint.html", values)


def compare(asked: PageRequest) -> Answer:
    """Show what changed between two checkpoints, or from one until now."""
    task = _task(asked)
    old, new = asked.text("old"), asked.text("new") or NOW
    diffs = _diffs(asked, task, old, new) if old else {}
    values = {"task": task, "here": "checkpoints", "old": old, "new": new, "diffs": diffs}
    return View("task-diff.html", values)


def preview(asked: PageRequest) -> Answer:
    """Show what a rollback would change, without changing anything."""
    task, name = _task(asked), asked.named["checkpoint"]
    tried = asked.call("checkpoints.rollback", task=task["id"], checkpoint=name, dry_run=True)
    changed = {*tried["blocks"], "state"}
    diffs = _diffs(asked, task, NOW, str(tried["checkpoint"]["sequence"]))
    values = {
        "task": task,
        "here": "checkpoints",
        "tried": tried,
        "diffs": {label: lines for label, lines in diffs.items() if _label(label) in changed},
    }
    return View("task-rollback.html", values)


def rollback(asked: PageRequest) -> Answer:
    """Roll back to a checkpoint; the result offers to undo it."""
    task, name = _task(asked), asked.named["checkpoint"]
    done = asked.call("checkpoints.rollback", task=task["id"], checkpoint=name)
    place = f"/tasks/{task['number']}/checkpoints"
    undo = done["undo"]["sequence"]
    changed = ", ".join(done["blocks"][:20]) or "no block differed"
    told = f"Restored checkpoint {done['checkpoint']['sequence']} ({changed})."
    if done["left_alone"]:
        told += f" Read-only and unchanged: {', '.join(done['left_alone'][:20])}."
    told += f" The previous state is checkpoint {undo}."
    again = Undo(f"{place}/{undo}/rollback", {"workspace": asked.text("workspace")})
    return Done(asked.link(place), told, again)


def fork(asked: PageRequest) -> Answer:
    """Start a new task from a checkpoint."""
    task, name = _task(asked), asked.named["checkpoint"]
    goal = asked.text("goal").strip()
    made = asked.call("checkpoints.fork", task=task["id"], checkpoint=name, goal=goal)
    told = f"Task {made['number']} continues from checkpoint {name} of task {task['number']}."
    return Done(asked.link(f"/tasks/{made['number']}"), told)


def _task(asked: PageRequest) -> dict[str, Any]:
    found: dict[str, Any] = asked.call("tasks.show", id=asked.task)
    return found


def _diffs(asked: PageRequest, task: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    found = asked.call("checkpoints.diff", task=task["id"], old=old, new=new)
    return {label: hunks.lines(diff) for label, diff in found.items()}


def _label(name: str) -> str:
    """Return the label of a block that is named with its id.

    Such as where two have one label.
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
