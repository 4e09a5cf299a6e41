"""Task page: timeline, stages, outcome and the text for resuming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memoranda.calls.conversion import read
from memoranda.checkpoints.model import Resumption
from memoranda.observations.model import ObservationType, title
from memoranda.tasks.resumption import pointers
from memoranda.web import stage_bands as stretches
from memoranda.web.answers import Answer, Redirect, View
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.tasks import PAGE as PAGE
from memoranda.web.registry import reads

ROWS = 50
"""Number of observations per page of a timeline."""
EARLIER = 3
"""Number of rows shown before the one that a link refers to."""
PINS = 1_000
"""Number of checkpoints that are read together."""
MAX_READS = 5
TOOLS = 8


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """A line of a timeline: a ``stage``, a ``row``, or a ``pin`` (checkpoint).

    A stage begins at its line, or continues from an earlier page.
    """

    what: str
    value: dict[str, Any]
    stage: str = ""
    title: str = ""


def timeline(request: PageRequest) -> Answer:
    """Show one page of a task's steps in order, from a selected step."""
    task = request.call("tasks.show", id=request.task)
    number, id = task["number"], task["id"]
    at = _at(request, task)
    stages = stretches.around(request, id, at)
    if chosen := request.number("stage"):
        began = request.call("stages.show", task=id, number=chosen)["stage"]["began"]
        return Redirect(f"{request.link(f'/tasks/{number}', at=began)}#stage-{chosen}")
    kind = request.text("type")
    page = _rows(request, id, at, kind)
    rows = page["items"]
    ties = _ties(request, rows)
    pins = [] if kind else _pins(request, id, at, page["cursor"])
    pieces, sums = stretches.bands(stages, task["observations"])
    values = {
        "task": task,
        "here": "timeline",
        "steps": list(_steps(rows, stages, pins)),
        "ties": ties,
        "at": at,
        "before": max(1, at - ROWS),
        "after": int(page["cursor"]) + 1 if page["cursor"] else None,
        "end": max(1, task["observations"] - ROWS + 1),
        "rows": ROWS,
        "earlier": EARLIER,
        "type": kind,
        "types": [observation_type.value for observation_type in ObservationType],
        "stages": stages,
        "pieces": pieces,
        "sums": sums,
    }
    return View("task.html", values)


def stage(request: PageRequest) -> Answer:
    """Show the result of a stage."""
    task = request.call("tasks.show", id=request.task)
    named = request.named["number"]
    number = int(named) if named.isascii() and named.isdecimal() and len(named) < 9 else 0
    found = request.call("stages.show", task=task["id"], number=number)
    return View("task-stage.html", {"task": task, "here": "timeline", **found})


def outcome(request: PageRequest) -> Answer:
    """Show the cost of a task and its lessons."""
    task = request.call("tasks.show", id=request.task)
    spent = request.call("tasks.effort", by="phase", task=task["id"])
    tools = request.call("tools.reliability", workspace=task["workspace"], limit=TOOLS)
    values = {
        "task": task,
        "here": "outcome",
        "execution": request.call("tasks.execution", task=task["id"]),
        "spent": spent,
        "most": {
            name: max((item["effort"][name] for item in spent), default=0)
            for name in ("tokens", "cost", "duration_ms")
        },
        "tools": tools,
    }
    return View("task-outcome.html", values)


def resume(request: PageRequest) -> Answer:
    """Show the text with which a task is resumed."""
    task = request.call("tasks.show", id=request.task)
    found = request.call("tasks.resume", task=task["id"])
    text = pointers(read(Resumption, found))
    return View("task-resume.html", {"task": task, "here": "resume", "found": found, "text": text})


def _at(request: PageRequest, task: dict[str, Any]) -> int:
    last: int = task["observations"]
    return max(1, min(request.number("at", 1) or 1, last))


def _rows(request: PageRequest, task: str, at: int, kind: str) -> dict[str, Any]:
    where: dict[str, Any] = {"with_repeats": True}
    if kind:
        where["type"] = kind
    page: dict[str, Any] = request.call(
        "observations.list", task=task, where=where, cursor=str(at - 1), limit=ROWS
    )
    return page


def _ties(request: PageRequest, rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the records that depend on observations, by observation id."""
    found = request.call("observations.backlinks", ids=[row["id"] for row in rows])
    return {item["observation"]: item for item in found}


def _pins(request: PageRequest, task: str, at: int, last: str | None) -> list[dict[str, Any]]:
    """Return the checkpoints between the first and the last row, oldest first."""
    low, high = (0 if at == 1 else at), (int(last) if last else None)
    found: list[dict[str, Any]] = []
    cursor = None
    for _ in range(MAX_READS):
        page = request.call("checkpoints.list", task=task, cursor=cursor, limit=PINS)
        found += [
            item
            for item in page["items"]
            if low <= item["checkpoint"]["position"]
            and (high is None or item["checkpoint"]["position"] <= high)
        ]
        cursor = page["cursor"]
        if cursor is None or page["items"][-1]["checkpoint"]["position"] < low:
            break
    return found[::-1]


def _steps(
    rows: Sequence[dict[str, Any]], stages: Sequence[dict[str, Any]], pins: Sequence[dict[str, Any]]
) -> Iterator[TimelineStep]:
    """Yield rows, stages at their start, and checkpoints after their step."""
    waiting, current, pin_list = list(pins), 0, list(stages)
    name = ""
    for row in rows:
        while waiting and waiting[0]["checkpoint"]["position"] < row["sequence"]:
            yield TimelineStep("pin", waiting.pop(0), name)
        while pin_list and pin_list[0]["began"] <= row["sequence"]:
            item = pin_list.pop(0)
            if not (item["ended"] and item["ended"] < row["sequence"]):
                current, name = item["number"], item["name"]
                yield TimelineStep("stage", item, name)
        yield TimelineStep("row", row, name if current else "", title(row["summary"]))
    for item in waiting:
        yield TimelineStep("pin", item, name)


ROUTES = (
    reads("/tasks/{id}", timeline),
    reads("/tasks/{id}/stages/{number}", stage),
    reads("/tasks/{id}/outcome", outcome),
    reads("/tasks/{id}/resume", resume),
)
