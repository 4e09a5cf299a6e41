"""Learnings page: memories of one or all workspaces, now or in the past."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from memoranda.banks.model import GLOBAL
from memoranda.exceptions import InvalidInput
from memoranda.json_data import iso_time, parse_iso_time
from memoranda.memories.model import Category, MemoryStatus
from memoranda.web.answers import Answer, View
from memoranda.web.memory_views import MemoryData, place, places, remembered_text, rows, trust
from memoranda.web.page_request import ALL, LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage(
    "/learnings", "Memories", MenuGroup.KNOWLEDGE, 2,
    styles=("learnings.css",), scripts=("moments.js",),
)  # fmt: skip
TURNS_FROM = 200
"""Number of newest memories whose validity changes are on the slider."""
MAX_CHANGES = 12
"""Number of changes of validity that are listed."""


@dataclass(frozen=True, slots=True)
class ValidityChange:
    """Time at which a memory became valid or invalid."""

    at: str
    """Time in ISO 8601 format."""
    began: int
    ended: int


def shown(request: PageRequest) -> Answer:
    """Show memories that are or were valid."""
    moment = _moment(request)
    page = request.call(
        "memories.list",
        workspace=request.workspace,
        status=request.text("status") or None,
        category=request.text("category") or None,
        critical=request.ticked("critical"),
        as_of=moment,
        ever=request.ticked("ever") and moment is None,
        cursor=request.cursor,
        limit=LIMIT,
    )
    values = {
        "page": {**page, "items": rows(page["items"], places(request))},
        "asked_for": {
            name: request.text(name) for name in ("status", "category", "critical", "ever")
        },
        "as_of": moment,
        "turns": _turns(request),
        "now": iso_time(request.now),
        "statuses": [status.value for status in MemoryStatus],
        "categories": [category.value for category in Category],
        "clash": bool(
            request.call("memories.conflicts", workspace=request.workspace, limit=1)["items"]
        ),
    }
    return View("learnings.html", values)


def _moment(request: PageRequest) -> str | None:
    """Return the requested time in full.

    Form fields omit the zone and may omit the seconds.
    """
    text = request.text("as_of").strip()
    if not text:
        return None
    moment = parse_iso_time(text)
    if moment is None:
        raise InvalidInput(f"as of must be a time such as 2026-01-31T12:00, not {text[:40]!r}")
    return iso_time(moment)


def _turns(request: PageRequest) -> list[ValidityChange]:
    """Return when the newest memories became valid or invalid, oldest first."""
    page = request.call("memories.list", workspace=request.workspace, ever=True, limit=TURNS_FROM)
    return turns(page["items"], iso_time(request.now))


def turns(memories: list[dict[str, Any]], now: str) -> list[ValidityChange]:
    """Return past times of memories becoming valid or invalid, oldest first."""
    began = Counter(item["valid_from"] for item in memories if item["valid_from"])
    ended = Counter(memory["valid_until"] for memory in memories if memory["valid_until"])
    times = sorted(at for at in began.keys() | ended.keys() if at <= now)
    return [ValidityChange(at, began[at], ended[at]) for at in times[-MAX_CHANGES:]]


def banks(request: PageRequest) -> Answer:
    """Show the memories of each workspace."""
    page = request.call("banks.list", cursor=request.cursor, limit=LIMIT)
    return View("learning-places.html", {"page": page})


def bank(request: PageRequest) -> Answer:
    """Show the valid memories of one workspace only."""
    name = request.named["name"]
    category = request.text("category") or None
    sheet = request.call("banks.show", name=name)
    page = request.call(
        "banks.entries", name=name, category=category, cursor=request.cursor, limit=LIMIT
    )
    values = {
        "name": name,
        "bank": sheet["bank"],
        "tasks": sheet["tasks"],
        "category": category,
        "page": {**page, "items": rows(page["items"], places(request))},
    }
    return View("learning-place.html", values)


def new(request: PageRequest) -> Answer:
    """Show the form for a new memory."""
    values = {
        "places": sorted(places(request).values()),
        "place": request.text("place")
        or ("" if request.workspace == ALL else request.text("workspace")),
        "category": request.text("category") or Category.INSIGHT.value,
        "categories": [category.value for category in Category],
    }
    return View("learning-new.html", values)


def remember(request: PageRequest) -> Answer:
    """Store a new memory."""
    began, where = request.now, request.text("place")
    statement: dict[str, Any] = {
        "content": request.text("content"),
        "category": request.text("category", Category.INSIGHT.value),
        "tags": split_tags(request.text("tags")),
        "visibility": "workspace" if where and where != GLOBAL else "team",
    }
    if request.ticked("critical"):
        statement["critical"] = True
    for name in ("valid_from", "valid_until"):
        if text := request.text(name).strip():
            statement[name] = text
    named = where if where and where != GLOBAL else None
    memory = request.call("remember", statement=statement, workspace=named)
    return remembered_text(
        request, memory, request.link(f"/learnings/{memory['id']}"), began, "Remembered."
    )


def split_tags(text: str) -> list[str]:
    """Return tags that were typed as a comma-separated list."""
    return [item.strip() for item in text.split(",") if item.strip()]


def conflicts(request: PageRequest) -> Answer:
    """Show memories that contradict each other, side by side."""
    page = request.call(
        "memories.conflicts", workspace=request.workspace, cursor=request.cursor, limit=LIMIT
    )
    names = places(request)
    pairs = [
        {
            **item,
            "sides": [_side("Older", item["older"], names), _side("Newer", item["newer"], names)],
        }
        for item in page["items"]
    ]
    return View("learning-conflicts.html", {"page": {**page, "items": pairs}})


def _side(label: str, memory: MemoryData, names: dict[str, str]) -> dict[str, Any]:
    return {
        "label": label, "memory": memory, "trust": trust(memory), "place": place(memory, names),
    }  # fmt: skip


ROUTES = (
    reads("/learnings", shown),
    reads("/learnings/new", new),
    acts("/learnings/new", remember),
    reads("/learnings/conflicts", conflicts),
    reads("/learnings/places", banks),
    reads("/learnings/places/{name:path}", bank),
)
