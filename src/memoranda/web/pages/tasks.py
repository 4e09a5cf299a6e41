"""Tasks page: the list of tasks, and the form that ends one."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from memoranda.exceptions import NotFound
from memoranda.tasks.model import TaskStatus
from memoranda.web.answers import Answer, Done, Redirect, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/tasks", "Tasks", MenuGroup.FIRST, 3, styles=("tasks.css",))
_OBSERVATION = re.compile(r"\d+#\d+")


def listed(request: PageRequest) -> Answer:
    """Show tasks, those with the newest activity first."""
    status = request.text("status")
    page = request.call(
        "tasks.list",
        workspace=request.workspace,
        status=status or None,
        cursor=request.cursor,
        limit=LIMIT,
    )
    counts = request.call("errors.count", tasks=[item["id"] for item in page["items"]])
    values = {
        "page": page,
        "errors": {count["task"]: count for count in counts},
        "status": status,
        "statuses": [task_status.value for task_status in TaskStatus],
    }
    return View("tasks.html", values)


def opened(request: PageRequest) -> Answer:
    """Redirect to the page of a task or an observation.

    A number such as 3, or a name, is a task; 3#42 is an observation.
    """
    name = request.text("name").strip()
    if not name:
        return Redirect(request.link("/tasks"))
    if not _OBSERVATION.fullmatch(name):
        with suppress(NotFound):
            return Redirect(request.link(f"/tasks/{request.call('tasks.show', id=name)['number']}"))
    found = request.call("observations.show", id=name)["observation"]
    return Redirect(request.link(f"/observations/{found['id']}"))


def ending(request: PageRequest) -> Answer:
    """Ask for the outcome of a task."""
    return View("task-end.html", {"task": request.call("tasks.show", id=request.task)})


def end(request: PageRequest) -> Answer:
    """End a task; redirect to its result."""
    task = request.task
    left: dict[str, Any] = request.call("tasks.end", task=task, outcome=request.text("outcome"))
    lessons = len(left["learnings"]["proposals"])
    archived = "its approach is archived as a memory" if left["archive"] else "nothing was archived"
    waits = {0: "no new lessons", 1: "one lesson is pending approval"}
    message = f"The task ended as {left['task']['status']}; {archived}; " + waits.get(
        lessons, f"{lessons} lessons are pending approval"
    )
    return Done(request.link(f"/tasks/{left['task']['number']}/outcome"), f"{message}.")


ROUTES = (
    reads("/tasks", listed),
    reads("/tasks/open", opened),
    reads("/tasks/{id}/end", ending),
    acts("/tasks/{id}/end", end),
)
