"""Approval rules page: rules that approve new memories automatically."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.model import Category, MemorySource
from memoranda.proposals.approval_rule import TRUST
from memoranda.web.answers import Answer, Confirm, Done, Undo, View
from memoranda.web.memory_views import places
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages.pending import PAGE
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
PATH = "/pending/rules"
MAXIMUM = 200
"""Maximum number of rules read to find one."""


def listed(request: PageRequest) -> Answer:
    """Show the rules, and a form for another one."""
    return _page(request)


def add(request: PageRequest) -> Answer:
    """Add a rule."""
    try:
        rule = request.call(
            "rules.add",
            source=request.text("source") or None,
            category=request.text("category") or None,
            confidence=_confidence(request),
            origin=request.text("origin") or None,
            agents=request.ticked("agents"),
            workspace=request.text("place") or None,
        )
    except (InvalidInput, NotFound) as error:
        return _page(request, str(error), error.http_status)
    undo = Undo(f"{PATH}/{rule['id']}/remove", {}, "Undo")
    return Done(request.link(PATH), "The rule is active.", undo)


def removing(request: PageRequest) -> Answer:
    """Ask for confirmation before a rule is removed."""
    rule = _found(request)
    return Confirm(
        "Remove this rule?",
        _as_sentence(rule, places(request)),
        f"{PATH}/{rule['id']}/remove",
        "Remove it",
        facts=(
            "Memories that the rule approved remain approved.",
            "New memories of this kind will need approval.",
        ),
        back=request.link(PATH),
    )


def remove(request: PageRequest) -> Answer:
    """Remove a rule."""
    rule = _found(request)
    request.call("rules.remove", id=rule["id"])
    fields = {
        "source": rule["source"] or "",
        "category": rule["category"] or "",
        "confidence": str(rule["confidence"]),
        "origin": rule["origin"],
        "agents": "yes" if rule["agents"] else "",
        "place": rule["workspace"] or "all",
    }
    return Done(request.link(PATH), "The rule is removed.", Undo(PATH, fields, "Undo"))


def _page(request: PageRequest, trouble: str = "", status: int = 200) -> View:
    page = request.call(
        "rules.list", workspace=request.workspace, cursor=request.cursor, limit=LIMIT
    )
    names = places(request)
    typed = ("source", "category", "confidence", "origin", "agents", "place")
    values = {
        "page": page,
        "worded": {item["id"]: _as_sentence(item, names) for item in page["items"]},
        "sources": [source.value for source in MemorySource],
        "categories": [category.value for category in Category],
        "origins": [origin.value for origin in TRUST],
        "workspaces": sorted(names.values()),
        "typed": {name: request.text(name) for name in typed},
        "trouble": trouble,
    }
    return View("pending-rules.html", values, status)


def _confidence(request: PageRequest) -> float | None:
    value = request.text("confidence").strip()
    try:
        return float(value) if value else None
    except ValueError as error:
        raise InvalidInput(
            f"confidence must be a number from 0 to 1, not {value[:40]!r}"
        ) from error


def _found(request: PageRequest) -> dict[str, Any]:
    listed = request.call("rules.list", workspace="all", limit=MAXIMUM)["items"]
    for item in listed:
        if item["id"] == request.named["id"]:
            rule: dict[str, Any] = item
            return rule
    raise NotFound("no such rule; it may have been removed")


def _as_sentence(rule: Mapping[str, Any], names: Mapping[str, str]) -> str:
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
