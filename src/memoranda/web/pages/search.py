"""Search: the rows an agent sees, what each costs to open, and why it stands where it stands."""

from __future__ import annotations

from typing import Any

from memoranda.clock import MICROSECONDS
from memoranda.values.json import iso_time
from memoranda.values.memory import Category
from memoranda.values.observation import ObservationType
from memoranda.values.recall import FACTORS, HitKind, SearchMode
from memoranda.web.answers import Answer, View
from memoranda.web.asking import LIMIT, Asked
from memoranda.web.registry import Group, Page, reads

PAGE = Page("/search", "Search", Group.FIRST, 2, key="/", styles=("search.css",))
DAY = 86_400
SINCE = (("1", "the last day"), ("7", "the last week"), ("30", "the last 30 days"))
AROUND = 2
"""Observations before and after one that its panel shows."""
WHOLE = "3"
"""The layer with the whole content."""


def shown(asked: Asked) -> Answer:
    """Show what a question finds, and beside it the row that was opened."""
    query = asked.text("q").strip()
    opened = asked.text("open")
    values = {
        "query": query,
        "facets": _facets(asked),
        "result": _found(asked, query) if query else None,
        "open": _opened(asked, opened) if opened else None,
        "whole": asked.text("layer") == WHOLE,
        "kinds": [one.value for one in HitKind],
        "types": [one.value for one in ObservationType],
        "categories": [one.value for one in Category],
        "modes": [one.value for one in SearchMode],
        "since": SINCE,
        "weights": FACTORS,
    }
    return View("search.html", values)


def _facets(asked: Asked) -> dict[str, str]:
    names = ("kind", "type", "category", "mode", "since", "task")
    return {name: asked.text(name).strip() for name in names}


def _found(asked: Asked, query: str) -> Any:
    where: dict[str, Any] = {}
    for name, member in (("kind", "kinds"), ("type", "types"), ("category", "categories")):
        if chosen := asked.text(name):
            where[member] = [chosen]
    if days := asked.number("since"):
        where["since"] = iso_time(asked.now - days * DAY * MICROSECONDS)
    return asked.call(
        "search",
        query=query,
        workspace=asked.workspace,
        task=asked.text("task").strip() or None,
        where=where or None,
        mode=asked.text("mode") or None,
        limit=LIMIT,
        cursor=asked.cursor,
        explain=True,
    )


def _opened(asked: Asked, id: str) -> dict[str, Any]:
    """Return the second layer of a row, with the third at hand."""
    if asked.text("of") == HitKind.MEMORY:
        return {"memory": asked.call("memory.show", id=id)}
    found = asked.call("observation.show", id=id)
    around = asked.call("timeline", id=id, before=AROUND, after=AROUND)
    return {"observation": found["observation"], "content": found["content"], "around": around}


ROUTES = (reads("/search", shown),)
