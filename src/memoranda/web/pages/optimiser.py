"""Profile optimiser page: preview, apply and undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.page import Page, every
from memoranda.profile.model import TARGET
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages import profile
from memoranda.web.registry import acts, reads

PAGE = profile.PAGE
READ_AT_ONCE = 200
"""Number of profile entries per page when the entries of a preview are loaded."""
ABOUT: Mapping[str, str] = {
    "stale": "Archive unused memories with low confidence",
    "merge": "Merge similar memories",
    "shorten": "Shorten memories",
    "fit": "Archive the least important memories",
}


@dataclass(frozen=True, slots=True)
class OptimisationEffect:
    """Effect on one memory: its text before and after."""

    memory: str
    freed: int
    before: str
    after: str
    archived: bool


def preview(request: PageRequest) -> Answer:
    """Show the possible steps, and the effect of each."""
    target = request.number("target", TARGET)
    change = request.call("profile.optimize", workspace=request.workspace, target=target)
    contents = _contents(request) if change["suggestions"] else {}
    freed = sum(_freed(item) for item in change["suggestions"])
    values = {
        "change": change,
        "target": target,
        "freed": freed,
        "after": change["used"] - freed,
        "suggestions": [
            {
                **one,
                "about": ABOUT.get(one["kind"], one["kind"]),
                "freed": _freed(one),
                "effects": [effect(step, contents) for step in one["steps"]],
            }
            for one in change["suggestions"]
        ],
    }
    return View("optimiser.html", values)


def effect(step: Mapping[str, Any], contents: Mapping[str, str]) -> OptimisationEffect:
    """Return the effect of a step on a memory.

    ``contents`` contains the texts of memories by id; if a text is missing, the new content is
    used.
    """
    after = step["after"]
    gone = after["status"] == "archived"
    before = contents.get(step["memory"], after["content"])
    return OptimisationEffect(
        step["memory"], step["freed"], before, "" if gone else after["content"], gone
    )


def _freed(suggestion: Mapping[str, Any]) -> int:
    return sum(step["freed"] for step in suggestion["steps"])


def _contents(request: PageRequest) -> dict[str, str]:
    """Return the contents of all profile entries, by id.

    A profile has fewer than 1,000 entries.
    """

    def read(cursor: str | None) -> Page[dict[str, Any]]:
        found = request.call(
            "profile.show", workspace=request.workspace, cursor=cursor, limit=READ_AT_ONCE
        )
        return Page(tuple(found["memories"]["items"]), found["memories"]["cursor"])

    return {item["id"]: item["content"] for item in every(read)}


def apply(request: PageRequest) -> Answer:
    """Apply the selected steps of the preview."""
    numbers = [
        int(item) for item in request.texts("suggestion") if item.isdecimal() and len(item) < 9
    ]
    if not numbers:
        raise InvalidInput("select at least one suggestion; nothing changed")
    change = request.call(
        "profile.apply",
        shown=request.text("shown"),
        suggestions=numbers,
        workspace=request.workspace,
    )
    freed = sum(_freed(one) for one in change["suggestions"])
    message = f"Done: {freed:,} tokens freed; the profile has {change['used'] - freed:,} now."
    undo = Undo(f"/profile/history/{change['id']}/undo")
    return Done(request.link("/profile"), message, undo)


def history(request: PageRequest) -> Answer:
    """Show the steps that made profiles smaller."""
    page = request.call(
        "profile.history", workspace=request.workspace, cursor=request.cursor, limit=LIMIT
    )
    items = [
        {**item, "freed": sum(_freed(each) for each in item["suggestions"])}
        for item in page["items"]
    ]
    return View("profile-history.html", {"page": {**page, "items": items}})


def undone(request: PageRequest) -> Answer:
    """Restore every memory to its state before a change."""
    request.call("profile.undo", id=request.named["id"])
    return Done(request.link("/profile"), "Undone: every entry is restored.")


ROUTES = (
    reads("/profile/optimize", preview),
    acts("/profile/optimize", apply),
    reads("/profile/history", history),
    acts("/profile/history/{id}/undo", undone),
)
