"""Block data for pages: location by name, and author."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import NotFound
from memoranda.web.page_request import ALL, PageRequest

ONE_LINE = 400
"""Maximum number of characters of a value in a list."""


def where(request: PageRequest) -> dict[str, str | None]:
    """Return the scope for finding a block by its id, wherever it belongs.

    An agent finds a task's own blocks only with the task.
    """
    return {"workspace": ALL, "task": request.text("task") or None}


def find_block(request: PageRequest) -> dict[str, Any]:
    """Return the block in the URL.

    Raises:
        NotFound: there is no such block here, or it was deleted.
    """
    block: dict[str, Any] = request.call("blocks.show", label=request.named["id"], **where(request))
    return block


def version_of(request: PageRequest, id: str, number: int) -> dict[str, Any] | None:
    """Return a version of a block, which may be deleted; None if missing."""
    page = request.call(
        "blocks.history", label=id, cursor=str(number + 1), limit=1, **where(request)
    )
    items: list[dict[str, Any]] = page["items"]
    return items[0] if items and items[0]["version"] == number else None


def newest(request: PageRequest, id: str) -> dict[str, Any]:
    """Return the newest version of a block: its author and reason."""
    page = request.call("blocks.history", label=id, limit=1, **where(request))
    version: dict[str, Any] = page["items"][0]
    return version


def writable(request: PageRequest, block: Mapping[str, Any]) -> bool:
    """Return whether the caller gets the form to change a block."""
    return request.may("blocks.rethink") and not (block["read_only"] and request.principal.agent)


class BlockPlaces:
    """Returns where blocks belong; looks up each workspace and task once."""

    def __init__(self, request: PageRequest) -> None:
        listed = request.call("workspaces.list", limit=200)["items"]
        self.workspaces: dict[str, str] = {item["id"]: item["name"] for item in listed}
        self._request = request
        self._tasks: dict[str, str] = {}

    def describe(self, block: Mapping[str, Any]) -> str:
        """Return where a block belongs, as text."""
        place = block["place"]
        name = self.workspaces.get(place["workspace"], place["workspace"])
        there = f"workspace {name}" if name else "the whole team"
        if place["task"]:
            there = f"task {self._task(place['task'])}"
        if place["agent"]:
            return f"{place['agent']}'s own, {there}"
        return f"shared, {there}" if place["shared"] else there

    def _task(self, id: str) -> str:
        if id not in self._tasks:
            try:
                self._tasks[id] = str(self._request.call("tasks.show", id=id)["number"])
            except NotFound:
                self._tasks[id] = id[:8]
        return self._tasks[id]
