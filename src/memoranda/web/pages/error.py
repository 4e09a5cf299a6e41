"""Error page: details of one error, its resolution, and a new record."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from memoranda.json_data import iso_time
from memoranda.web.answers import Answer, Done, View
from memoranda.web.page_request import PageRequest
from memoranda.web.pages import errors
from memoranda.web.registry import acts, reads

PAGE = errors.PAGE
_OBSERVATION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def shown(asked: PageRequest) -> Answer:
    """Show one error."""
    detail = asked.call("errors.show", id=asked.named["id"], workspace=asked.workspace)
    ended = str(detail["record"]["resolved_by"] or "")
    values = {
        "detail": detail,
        "name": detail["record"]["observation"] or detail["record"]["id"],
        "iso_time": iso_time,
        "fix": ended if _OBSERVATION.fullmatch(ended) else "",
    }
    return View("errors-one.html", values)


def end(asked: PageRequest) -> Answer:
    """Record what ended an error."""
    found = asked.call(
        "errors.resolve",
        id=asked.named["id"],
        recovery=asked.text("recovery"),
        workspace=asked.workspace,
    )
    return Done(asked.link(_path(found)), "Marked as resolved. A new resolution replaces it.")


def new(asked: PageRequest) -> Answer:
    """Show the form for an error that no tool reported."""
    chosen = asked.workspace or asked.principal.workspace or ""
    values = {"types": errors.TYPES, "stages": errors.STAGES, "place": chosen}
    return View("errors-new.html", values)


def record(asked: PageRequest) -> Answer:
    """Record an error."""
    bad = asked.text("severity").strip()
    found = asked.call(
        "errors.record",
        description=asked.text("description"),
        type=asked.text("type"),
        workspace=asked.text("place").strip() or asked.workspace,
        task=asked.text("task").strip() or None,
        stage=asked.text("stage") or None,
        severity=errors.severity(bad) if bad else None,
        context=asked.text("context"),
        recovery=asked.text("recovery"),
    )
    return Done(asked.link(_path(found)), "Recorded; contexts include it from now on.")


def _path(found: dict[str, Any]) -> str:
    return f"/errors/{quote(found['observation'] or found['id'], safe='')}"


ROUTES = (
    reads("/errors/new", new),
    acts("/errors/new", record),
    reads("/errors/{id}", shown),
    acts("/errors/{id}/end", end),
)
