"""Search page: the hits that an agent gets, their cost, and their ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.clock import MICROSECONDS
from memoranda.json_data import iso_time
from memoranda.memories.model import Category
from memoranda.observations.model import ObservationType
from memoranda.search.model import HitKind, SearchMode
from memoranda.web.answers import Answer, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, reads

PAGE = MenuPage("/search", "Search", MenuGroup.FIRST, 2, key="/", styles=("search.css",))
HOUR, DAY = 3_600, 86_400
"""Seconds to which time limits are rounded, so that repeated queries are equal."""
SINCE = (("1", "the last day"), ("7", "the last week"), ("30", "the last 30 days"))
AROUND = 2
"""Number of observations shown before and after an opened one."""
NAMED = 3
"""Maximum number of critical memories that are listed although they are not hits."""
WHOLE = "3"
"""The layer with the full content."""


def shown(request: PageRequest) -> Answer:
    """Show the hits of a query, and next to them the opened row."""
    query = (request.text("q") or request.text("query")).strip()
    opened = request.text("open")
    result = _found(request, query) if query else None
    values = {
        "query": query,
        "facets": _facets(request),
        "result": result,
        "left_out": _left_out(request, result) if result else [],
        "open": _opened(request, opened) if opened else None,
        "whole": request.text("layer") == WHOLE,
        "kinds": [kind.value for kind in HitKind],
        "types": [observation_type.value for observation_type in ObservationType],
        "categories": [category.value for category in Category],
        "modes": [mode.value for mode in SearchMode],
        "since": SINCE,
    }
    return View("search.html", values)


def _facets(request: PageRequest) -> dict[str, str]:
    names = ("kind", "type", "category", "mode", "since", "task")
    return {name: request.text(name).strip() for name in names}


def _found(request: PageRequest, query: str) -> Any:
    where: dict[str, Any] = {}
    for name, member in (("kind", "kinds"), ("type", "types"), ("category", "categories")):
        if chosen := request.text(name):
            where[member] = [chosen]
    if days := request.number("since"):
        began = (request.now // MICROSECONDS - days * DAY) // HOUR * HOUR
        where["since"] = iso_time(began * MICROSECONDS)
    return request.call(
        "search",
        query=query,
        workspace=request.workspace,
        task=request.text("task").strip() or None,
        where=where or None,
        mode=request.text("mode") or None,
        limit=LIMIT,
        cursor=request.cursor,
        explain=True,
    )


def _left_out(request: PageRequest, result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return ids and titles of the first critical memories that are not hits."""
    named = result["validation"]["left_out"][:NAMED]
    found = [request.call("memories.show", id=item)["memory"] for item in named]
    return [(one["id"], one["title"]) for one in found]


def _opened(request: PageRequest, id: str) -> dict[str, Any]:
    """Return the second layer of a row, with access to the third."""
    if request.text("of") == HitKind.MEMORY:
        return {"memory": request.call("memories.show", id=id)}
    if request.text("of") == HitKind.BLOCK:
        return {"block": request.call("blocks.show", label=id)}
    found = request.call("observations.show", id=id)
    around = request.call("observations.timeline", id=id, before=AROUND, after=AROUND)
    return {"observation": found["observation"], "content": found["content"], "around": around}


ROUTES = (reads("/search", shown),)
