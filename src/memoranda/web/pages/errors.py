"""Errors page: recurring errors with their trend, and the list of errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memoranda.clock import MICROSECONDS
from memoranda.errors.model import ErrorType, PatternKind
from memoranda.exceptions import InvalidInput
from memoranda.json_data import iso_time, parse_iso_time
from memoranda.stages.model import StageName
from memoranda.web.answers import Answer, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/errors", "Errors", MenuGroup.KNOWLEDGE, 5, styles=("errors.css",))
DAYS = 30
DAY = 86_400 * MICROSECONDS
PATTERNS = 50
BACK = 3
"""Maximum number of recurring causes shown with an example."""
REFINED = 10
"""Number of patterns passed to a language model per request."""
TYPES = tuple(error_type.value for error_type in ErrorType)
STAGES = tuple(name.value for name in StageName)
STATES = (("open", "open"), ("resolved", "resolved"))
BAD = (("0.5", "0.5 or higher"), ("0.6", "0.6 or higher"), ("0.7", "0.7 or higher"))
HEADINGS: Mapping[str, tuple[str, str]] = {
    PatternKind.FREQUENCY: (
        "Recurring",
        "The same cause at least three times, in at least two tasks.",
    ),
    PatternKind.SEQUENCE: (
        "Sequences",
        "A cause that is shortly followed by another one, more often than by chance.",
    ),
    PatternKind.CONTEXT: (
        "Conditions",
        "A cause that occurs mostly with one tool, stage, agent or language.",
    ),
}


def shown(request: PageRequest) -> Answer:
    """Show recurring patterns, and the number of errors per day."""
    found = request.call(
        "errors.patterns", workspace=request.workspace, task=_task(request), limit=PATTERNS
    )
    return View("errors.html", _recurring(request, [{"pattern": item} for item in found]))


def refined(request: PageRequest) -> Answer:
    """Show recurring patterns as described by a language model, at a cost."""
    found = request.call(
        "errors.refine", workspace=request.workspace, task=_task(request), limit=REFINED
    )
    return View("errors.html", _recurring(request, found))


def listed(request: PageRequest) -> Answer:
    """Show the errors themselves."""
    page = request.call(
        "errors.list",
        where=where(request) or None,
        workspace=request.workspace,
        task=_task(request),
        cursor=request.cursor,
        limit=LIMIT,
    )
    names = ("type", "stage", "severity", "state", "task")
    values = {
        "errors": page,
        "chosen": {name: request.text(name).strip() for name in names},
        "types": TYPES,
        "stages": STAGES,
        "states": STATES,
        "bad": BAD,
    }
    return View("errors-list.html", values)


def where(request: PageRequest) -> dict[str, Any]:
    """Return the selected filter as arguments of the operation."""
    result: dict[str, Any] = {}
    for name in ("type", "stage"):
        if chosen := request.text(name).strip():
            result[name] = chosen
    if value := request.text("severity").strip():
        result["severity"] = severity(value)
    if state := request.text("state").strip():
        if state not in dict(STATES):
            raise InvalidInput(f"the state of an error is open or resolved, not {state[:40]!r}")
        result[state] = True
    return result


def severity(value: str) -> float:
    """Parse a severity.

    Raises:
        InvalidInput: the severity is not a number from 0 to 1.
    """
    try:
        result = float(value)
    except ValueError:
        result = math.nan
    if not 0 <= result <= 1:
        raise InvalidInput(f"severity must be between 0 and 1, not {value[:40]!r}")
    return result


def by_day(counts: Mapping[str, int], now: int, days: int = DAYS) -> list[tuple[str, int]]:
    """Return the count for each UTC day up to today, oldest first."""
    today = datetime.fromtimestamp(now // MICROSECONDS, UTC).date()
    names = [(today - timedelta(days=back)).isoformat() for back in reversed(range(days))]
    return [(name, counts.get(name, 0)) for name in names]


def returned(found: Iterable[Mapping[str, Any]], worked: int) -> dict[str, Any]:
    """Return how many causes recently recurred in another task.

    The newest errors of some of these causes are included.

    Args:
        worked: time of the last activity; errors more than a month older are ignored.
    """
    patterns = [item["pattern"] for item in found]
    again = [
        pattern
        for pattern in patterns
        if pattern["kind"] == PatternKind.FREQUENCY and pattern["last_seen"] > worked - DAYS * DAY
    ]
    again.sort(key=lambda one: -int(one["last_seen"]))
    newest = [(one["signature"], one["examples"][0]) for one in again[:BACK]]
    return {"count": len(again), "newest": newest}


def _worked(request: PageRequest) -> int:
    """Return the time of the last activity."""
    found = request.call("tasks.list", workspace=request.workspace, limit=1)["items"]
    return (parse_iso_time(found[0]["last_event_at"]) if found else None) or request.now


def _recurring(request: PageRequest, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    task = _task(request)
    days = request.call("errors.days", workspace=request.workspace, task=task)
    return {
        "groups": [
            (title, about, [item for item in found if item["pattern"]["kind"] == kind])
            for kind, (title, about) in HEADINGS.items()
        ],
        "most": PATTERNS,
        "iso_time": iso_time,
        "full": len(found) >= PATTERNS,
        "refined": REFINED,
        "task": task or "",
        "seen": sum(one["errors"] for one in days),
        "open_now": sum(one["open"] for one in days),
        "again": sum(day["failed_again"] for day in days),
        "standing_out": sum(1 for item in found if item["pattern"]["significant"]),
        "back": returned(found, _worked(request)),
        "days": by_day({one["day"]: one["errors"] for one in days}, request.now),
    }


def _task(request: PageRequest) -> str | None:
    return request.text("task").strip() or None


ROUTES = (reads("/errors", shown), acts("/errors/refine", refined), reads("/errors/all", listed))
