"""Blocks as people see them: where each belongs, by names rather than ids, and who wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import NotFound
from memoranda.web.page_request import ALL, PageRequest

ONE_LINE = 400
"""Characters of a value that a list shows."""


def where(asked: PageRequest) -> dict[str, str | None]:
    """Return where a block is looked for by its id: anywhere; for an agent, a task's own blocks
    only with the task."""
    return {"workspace": ALL, "task": asked.text("task") or None}


def find_block(asked: PageRequest) -> dict[str, Any]:
    """Return the block that the address names.

    Raises:
        NotFound: there is none here, or it was put away.
    """
    block: dict[str, Any] = asked.call("block.show", label=asked.named["id"], **where(asked))
    return block


def version_of(asked: PageRequest, id: str, number: int) -> dict[str, Any] | None:
    """Return one version of a block, also of one that was put away; None where there is none."""
    page = asked.call("block.history", label=id, cursor=str(number + 1), limit=1, **where(asked))
    items: list[dict[str, Any]] = page["items"]
    return items[0] if items and items[0]["version"] == number else None


def newest(asked: PageRequest, id: str) -> dict[str, Any]:
    """Return the newest version of a block: who wrote it, and why."""
    page = asked.call("block.history", label=id, limit=1, **where(asked))
    version: dict[str, Any] = page["items"][0]
    return version


def writable(asked: PageRequest, block: Mapping[str, Any]) -> bool:
    """Say whether this person or agent is offered to change a block."""
    return asked.may("block.rethink") and not (block["read_only"] and asked.principal.agent)


class BlockPlaces:
    """Says where blocks belong; each workspace and task is looked up once."""

    def __init__(self, asked: PageRequest) -> None:
        listed = asked.call("workspace.list", limit=200)["items"]
        self.workspaces: dict[str, str] = {one["id"]: one["name"] for one in listed}
        self._asked = asked
        self._tasks: dict[str, str] = {}

    def told(self, block: Mapping[str, Any]) -> str:
        """Return where a block belongs, in words."""
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
                self._tasks[id] = str(self._asked.call("task.show", id=id)["number"])
            except NotFound:
                self._tasks[id] = id[:8]
        return self._tasks[id]
