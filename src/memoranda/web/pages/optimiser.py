"""Profile optimiser page: preview, apply and undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.profile.model import TARGET
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages import profile
from memoranda.web.registry import acts, reads

PAGE = profile.PAGE
READ_AT_ONCE = 200
"""Entries of the profile per page when loading those of a preview."""
ABOUT: Mapping[str, str] = {
    "stale": "Archive unused memories with low confidence",
    "merge": "Merge similar memories",
    "shorten": "Shorten memories",
    "fit": "Archive the least important memories",
}


@dataclass(frozen=True, slots=True)
class OptimisationEffect:
    """Effect on one memory: the text of both states."""

    memory: str
    freed: int
    before: str
    after: str
    archived: bool


def preview(asked: PageRequest) -> Answer:
    """Show the possible steps, and the effect of each."""
    target = asked.number("target", TARGET)
    change = asked.call("profile.optimize", workspace=asked.workspace, target=target)
    known = _contents(asked) if change["suggestions"] else {}
    freed = sum(_freed(one) for one in change["suggestions"])
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
                "effects": [effect(step, known) for step in one["steps"]],
            }
            for one in change["suggestions"]
        ],
    }
    return View("optimiser.html", values)


def effect(step: Mapping[str, Any], known: Mapping[str, str]) -> OptimisationEffect:
    """Return the effect of a step on a memory.

    Its content is among those that are known.
    """
    after = step["after"]
    gone = after["status"] == "archived"
    before = known.get(step["memory"], after["content"])
    return OptimisationEffect(
        step["memory"], step["freed"], before, "" if gone else after["content"], gone
    )


def _freed(suggestion: Mapping[str, Any]) -> int:
    return sum(step["freed"] for step in suggestion["steps"])


def _contents(asked: PageRequest) -> dict[str, str]:
    """Return the contents of the profile's entries by id.

    It has fewer than a thousand.
    """
    found: dict[str, str] = {}
    cursor = None
    while True:
        page = asked.call(
            "profile.show", workspace=asked.workspace, cursor=cursor, limit=READ_AT_ONCE
        )["memories"]
        found |= {one["id"]: one["content"] for one in page["items"]}
        cursor = page["cursor"]
        if cursor is None:
            return found


def apply(asked: PageRequest) -> Answer:
    """Apply the ticked ones of the steps that were shown."""
    numbers = [int(one) for one in asked.texts("suggestion") if one.isdecimal() and len(one) < 9]
    if not numbers:
        raise InvalidInput("select at least one suggestion; nothing changed")
    change = asked.call(
        "profile.apply",
        shown=asked.text("shown"),
        suggestions=numbers,
        workspace=asked.workspace,
    )
    freed = sum(_freed(one) for one in change["suggestions"])
    told = f"Done: {freed:,} tokens freed; the profile has {change['used'] - freed:,} now."
    undo = Undo(f"/profile/history/{change['id']}/undo")
    return Done(asked.link("/profile"), told, undo)


def history(asked: PageRequest) -> Answer:
    """Show the steps that made profiles smaller."""
    page = asked.call(
        "profile.history", workspace=asked.workspace, cursor=asked.cursor, limit=LIMIT
    )
    items = [
        {**one, "freed": sum(_freed(each) for each in one["suggestions"])} for one in page["items"]
    ]
    return View("profile-history.html", {"page": {**page, "items": items}})


def undone(asked: PageRequest) -> Answer:
    """Restore every memory to its state before a change."""
    asked.call("profile.undo", id=asked.named["id"])
    return Done(asked.link("/profile"), "Undone: every entry is restored.")


ROUTES = (
    reads("/profile/optimize", preview),
    acts("/profile/optimize", apply),
    reads("/profile/history", history),
    acts("/profile/history/{id}/undo", undone),
)
