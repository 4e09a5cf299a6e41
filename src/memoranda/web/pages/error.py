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


def shown(request: PageRequest) -> Answer:
    """Show one error."""
    detail = request.call("errors.show", id=request.named["id"], workspace=request.workspace)
    ended = str(detail["record"]["resolved_by"] or "")
    values = {
        "detail": detail,
        "name": detail["record"]["observation"] or detail["record"]["id"],
        "iso_time": iso_time,
        "fix": ended if _OBSERVATION.fullmatch(ended) else "",
    }
    return View("errors-one.html", values)


def end(request: PageRequest) -> Answer:
    """Record the resolution of an error."""
    found = request.call(
        "errors.resolve",
        id=request.named["id"],
        recovery=request.text("recovery"),
        workspace=request.workspace,
    )
    return Done(
        request.link(_path(found)), "Marked as resolved. A new resolution replaces this one."
    )


def new(request: PageRequest) -> Answer:
    """Show the form for an error that no tool reported."""
    chosen = request.workspace or request.principal.workspace or ""
    values = {"types": errors.TYPES, "stages": errors.STAGES, "place": chosen}
    return View("errors-new.html", values)


def record(request: PageRequest) -> Answer:
    """Record an error."""
    bad = request.text("severity").strip()
    found = request.call(
        "errors.record",
        description=request.text("description"),
        type=request.text("type"),
        workspace=request.text("place").strip() or request.workspace,
        task=request.text("task").strip() or None,
        stage=request.text("stage") or None,
        severity=errors.severity(bad) if bad else None,
        context=request.text("context"),
        recovery=request.text("recovery"),
    )
    return Done(request.link(_path(found)), "Recorded; contexts include the error from now on.")


def _path(found: dict[str, Any]) -> str:
    return f"/errors/{quote(found['observation'] or found['id'], safe='')}"


ROUTES = (
    reads("/errors/new", new),
    acts("/errors/new", record),
    reads("/errors/{id}", shown),
    acts("/errors/{id}/end", end),
)
