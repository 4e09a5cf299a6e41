"""Approval rules page: rules that approve new memories automatically."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.model import Category, MemorySource
from memoranda.proposals.approval_rule import TRUST
from memoranda.web.answers import Answer, Confirm, Done, Undo, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages.pending import PAGE, places
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
PATH = "/pending/rules"
MOST = 200
"""Number of rules that are searched for one."""


def listed(asked: PageRequest) -> Answer:
    """Show the rules, and a form for another one."""
    return _page(asked)


def add(asked: PageRequest) -> Answer:
    """Add a rule."""
    try:
        rule = asked.call(
            "rules.add",
            source=asked.text("source") or None,
            category=asked.text("category") or None,
            confidence=_confidence(asked),
            origin=asked.text("origin") or None,
            agents=asked.ticked("agents"),
            workspace=asked.text("place") or None,
        )
    except (InvalidInput, NotFound) as error:
        return _page(asked, str(error), error.http_status)
    gone = Undo(f"{PATH}/{rule['id']}/remove", {}, "Undo")
    return Done(asked.link(PATH), "The rule is active.", gone)


def removing(asked: PageRequest) -> Answer:
    """Ask for confirmation before a rule is removed."""
    rule = _found(asked)
    return Confirm(
        "Remove this rule?",
        _worded(rule, places(asked)),
        f"{PATH}/{rule['id']}/remove",
        "Remove it",
        facts=(
            "Memories that it approved stay approved.",
            "New memories of this kind will need approval.",
        ),
        back=asked.link(PATH),
    )


def remove(asked: PageRequest) -> Answer:
    """Remove a rule."""
    rule = _found(asked)
    asked.call("rules.remove", id=rule["id"])
    fields = {
        "source": rule["source"] or "",
        "category": rule["category"] or "",
        "confidence": str(rule["confidence"]),
        "origin": rule["origin"],
        "agents": "yes" if rule["agents"] else "",
        "place": rule["workspace"] or "all",
    }
    return Done(asked.link(PATH), "The rule is removed.", Undo(PATH, fields, "Undo"))


def _page(asked: PageRequest, trouble: str = "", status: int = 200) -> View:
    page = asked.call("rules.list", workspace=asked.workspace, cursor=asked.cursor, limit=LIMIT)
    names = places(asked)
    typed = ("source", "category", "confidence", "origin", "agents", "place")
    values = {
        "page": page,
        "worded": {one["id"]: _worded(one, names) for one in page["items"]},
        "sources": [one.value for one in MemorySource],
        "categories": [one.value for one in Category],
        "origins": [one.value for one in TRUST],
        "workspaces": sorted(names.values()),
        "typed": {name: asked.text(name) for name in typed},
        "trouble": trouble,
    }
    return View("pending-rules.html", values, status)


def _confidence(asked: PageRequest) -> float | None:
    said = asked.text("confidence").strip()
    try:
        return float(said) if said else None
    except ValueError as error:
        raise InvalidInput(f"confidence must be a number from 0 to 1, not {said[:40]!r}") from error


def _found(asked: PageRequest) -> dict[str, Any]:
    listed = asked.call("rules.list", workspace="all", limit=MOST)["items"]
    for one in listed:
        if one["id"] == asked.named["id"]:
            rule: dict[str, Any] = one
            return rule
    raise NotFound("no such rule; it may have been removed")


def _worded(rule: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the meaning of a rule as a sentence."""
    sort = f" of the category {rule['category'].replace('_', ' ')}" if rule["category"] else ""
    source = f" that were {_HOW[rule['source']]}" if rule["source"] else ""
    where = f" in {names.get(rule['workspace'], rule['workspace'])}" if rule["workspace"] else ""
    sure = f", confidence at least {rule['confidence']:.0%}" if rule["confidence"] else ""
    who = "including statements by agents" if rule["agents"] else "only facts from the record"
    return f"New memories{sort}{source}{where}{sure}, with minimum trust {rule['origin']}, {who}."


_HOW = {
    "manual": "stated",
    "learned": "from user feedback",
    "analyzed": "derived from records",
    "inferred": "inferred from accepted suggestions",
    "execution": "from a finished task",
}

ROUTES = (
    reads(PATH, listed),
    acts(PATH, add),
    reads(f"{PATH}/{{id}}/remove", removing),
    acts(f"{PATH}/{{id}}/remove", remove),
)
