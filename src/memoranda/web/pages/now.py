"""Start page: status, pending decisions and latest activity."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from memoranda.json_data import iso_time
from memoranda.supervision.model import InterventionState
from memoranda.text import counted
from memoranda.web import stage_bands as stretches
from memoranda.web.answers import Answer, View
from memoranda.web.filters import seconds_between
from memoranda.web.memory_views import places
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.pages.errors import by_day
from memoranda.web.pages.pending import contradicting
from memoranda.web.proposals import ShownProposal, refs, show_proposal as proposed
from memoranda.web.registry import MenuGroup, MenuPage, reads

STYLES = ("search.css", "pending.css", "context.css", "now.css")
PAGE = MenuPage("/", "Now", MenuGroup.FIRST, 1, styles=STYLES)
CROWDED = 0.8
WORD = 4
"""Approximate characters per token, for a share that is shown as "about"."""
LATE_SECONDS = 3_600
"""Age in seconds above which spooled events are reported as not processed."""
NEWEST = 2
"""Number of proposals that are shown here."""
NAMED = 3
"""Maximum number of observations that a warning links to."""
TASKS, HOSTS = 50, 5
"""Number of newest tasks whose agents are listed, and maximum number of agents."""
LINES = 5
"""Number of newest lines shown of the latest task."""


@dataclass(frozen=True, slots=True)
class HealthWarning:
    """A problem, with the pages or command that explain or fix it."""

    what: str
    links: tuple[tuple[str, str], ...] = ()
    """Paths, each with its label."""
    command: str = ""
    kind: str = "warn"


def shown(request: PageRequest) -> Answer:
    """Show the status of the memory."""
    status = request.call("store.status", workspace=request.workspace)
    clashes, names = contradicting(request), places(request)
    task = _latest(request)
    there = _place(request, task)
    waiting = _waiting(request)
    profile = request.call("profile.show", workspace=there, limit=1)
    values = {
        "status": status,
        "days": _days(status["days"], request.now),
        "hosts": _hosts(request),
        "saved": saved(status),
        "budget": request.call("costs.budget") if request.may("costs.budget") else None,
        "newest": _newest(request),
        "profile": profile,
        "there": names.get(there or "", there or ""),
        "warnings": [
            *_failed(request, status),
            *_quarantined(request),
            *_raised(request),
            *_feedback_warning(status),
            *_untidy(profile, clashes),
            *_late(request, status),
            *_unrecorded(request),
        ],
        "pending": request.call("proposals.count", workspace=request.workspace),
        "waiting": waiting,
        "refs": refs(request, waiting),
        "contradicting": clashes,
        "places": names,
        **_worked_on(request, task),
    }
    return View("now.html", values)


def saved(status: dict[str, Any]) -> float | None:
    """Return the approximate share of captured tokens not read by agents."""
    raw = status["raw_tokens"]
    return max(0.0, 1 - status["summary_characters"] / WORD / raw) if raw else None


def _days(counts: Sequence[int], now: int) -> list[tuple[str, int]]:
    """Return the UTC dates of the last days with their numbers."""
    dates = [date for date, _ in by_day({}, now, len(counts))]
    return list(zip(dates, counts, strict=True))


def _hosts(request: PageRequest) -> list[tuple[str, str]]:
    """Return the agents of the newest tasks, with their last capture."""
    page = request.call("tasks.list", workspace=request.workspace, limit=TASKS)
    last: dict[str, str] = {}
    for item in page["items"]:
        last[item["agent"]] = max(item["last_event_at"], last.get(item["agent"], ""))
    return sorted(last.items(), key=lambda found: found[1], reverse=True)[:HOSTS]


def _newest(request: PageRequest) -> dict[str, Any] | None:
    found = request.call("observations.index", workspace=request.workspace, limit=1)["items"]
    return found[0] if found else None


def _waiting(request: PageRequest) -> list[ShownProposal]:
    if not request.may("proposals.list"):
        return []
    page = request.call("proposals.list", workspace=request.workspace, limit=NEWEST)
    return [proposed(request, item) for item in page["items"]]


def _latest(request: PageRequest) -> dict[str, Any] | None:
    found = request.call("tasks.list", workspace=request.workspace, limit=1)["items"]
    return found[0] if found else None


def _place(request: PageRequest, task: dict[str, Any] | None) -> str | None:
    """Return the likely workspace of the next session."""
    chosen = request.workspace or request.principal.workspace
    if chosen in (None, ALL):
        return task["workspace"] if task else None
    return chosen


def _worked_on(request: PageRequest, task: dict[str, Any] | None) -> dict[str, Any]:
    """Return a task with its newest lines, stages and failures.

    Stages are segments of a bar.
    """
    if task is None:
        return {"task": None}
    steps = task["observations"]
    after = max(0, steps - LINES)
    cursor = str(after) if after else None
    lines = request.call("observations.index", task=task["id"], limit=LINES, cursor=cursor)["items"]
    found = stretches.around(request, task["id"], max(1, steps))
    pieces, sums = stretches.bands(found, steps)
    (errors,) = request.call("errors.count", tasks=[task["id"]])
    return {"task": task, "last": lines, "pieces": pieces, "sums": sums, "errors": errors}


def _failed(request: PageRequest, status: dict[str, Any]) -> list[HealthWarning]:
    """Return a warning about background jobs that failed permanently."""
    where = (("/health", "How to fix it"),) if request.may("store.doctor") else ()
    return [
        HealthWarning(
            f"Failed after {item['attempts']} attempts: {item['kind']} ({item['error'][:200]}).",
            where,
            "" if where else "memoranda doctor",
            "bad",
        )
        for item in status["failures"]
    ]


def _quarantined(request: PageRequest) -> list[HealthWarning]:
    """Return quarantined captures that read like instructions."""
    page = request.call("quarantine.list", workspace=request.workspace, limit=NAMED)
    found = [item["observation"] for item in page["items"]]
    if not found:
        return []
    message = "Captured content that reads like an instruction to the agent is quarantined:"
    links = tuple((f"/observations/{one['id']}", one["ref"]) for one in found)
    return [HealthWarning(message, links, "memoranda quarantine list" if page["cursor"] else "")]


def _raised(request: PageRequest) -> list[HealthWarning]:
    """Return a warning about tasks that a supervisor should review."""
    page = request.call(
        "supervisor.interventions",
        workspace=request.workspace,
        state=InterventionState.OPEN.value,
        limit=1,
    )
    if not page["items"]:
        return []
    where = (("/errors/interventions", "Show details"),)
    return [HealthWarning("A task needs attention, and no outcome is recorded.", where)]


def _feedback_warning(status: dict[str, Any]) -> list[HealthWarning]:
    """Return a warning if feedback awaits a person's decision."""
    count = status["feedback_asking"]
    if not count:
        return []
    message = (
        f"{counted(count, 'message')} may be feedback, without effect until you confirm the type: "
        "list them, then run memoranda feedback correct ID TYPE."
    )
    everywhere = "" if status["workspace"] else " --workspace all"
    return [HealthWarning(message, command=f"memoranda feedback list --state asking{everywhere}")]


def _untidy(profile: dict[str, Any], clashes: Collection[str]) -> list[HealthWarning]:
    """Return problems of the profile and the memories."""
    warnings = []
    used, limit = profile["used"], profile["limit"]
    if limit and used > CROWDED * limit:
        message = f"The profile is nearly full: {used:,} of {limit:,} tokens."
        warnings.append(HealthWarning(message, (("/profile", "Free space"),)))
    if clashes:
        message = "Memories contradict each other."
        warnings.append(HealthWarning(message, (("/learnings/conflicts", "Resolve it"),)))
    return warnings


def _late(request: PageRequest, status: dict[str, Any]) -> list[HealthWarning]:
    """Return spooled events that no process imports."""
    oldest = status["spool_oldest_at"]
    if not oldest or seconds_between(oldest, iso_time(request.now)) <= LATE_SECONDS:
        return []
    message = "Spooled events have not been stored for more than an hour."
    where = (("/health", "How to fix it"),) if request.may("store.doctor") else ()
    return [HealthWarning(message, where, "memoranda drain")]


def _unrecorded(request: PageRequest) -> list[HealthWarning]:
    """Return a warning about agents whose hooks are missing or do not work."""
    if not request.may("store.doctor"):
        return []
    return [
        HealthWarning(
            f"{item['check'][:1].upper()}{item['check'][1:]}: {item['detail']}.",
            (("/health", "How to fix it"),),
            item["fix"],
            "bad" if item["verdict"] == "failure" else "warn",
        )
        for item in request.call("store.doctor", quick=True)
        if item["check"].startswith("hooks") and item["verdict"] != "ok"
    ]


ROUTES = (reads("/", shown),)
