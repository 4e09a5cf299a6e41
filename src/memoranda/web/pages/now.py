"""Now: whether it works, what waits for a word, what was done last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoranda.values.json import iso_time
from memoranda.web.answers import Answer, View
from memoranda.web.asking import Asked
from memoranda.web.drawing import Band
from memoranda.web.filters import seconds_between
from memoranda.web.registry import Group, Page, reads

PAGE = Page("/", "Now", Group.FIRST, 1, styles=("search.css",))
CROWDED = 0.8
WORD = 4
"""Characters of a token, roughly: for a share that is told as "about"."""
LATE_SECONDS = 3_600
"""After which what waits in the spool says that nothing takes it in."""


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that is not well, and the command that says more or mends it."""

    what: str
    command: str
    kind: str = "warn"


def shown(asked: Asked) -> Answer:
    """Show how the memory stands."""
    status = asked.call("status", workspace=asked.workspace)
    task = _latest(asked)
    values = {
        "status": status,
        "saved": _saved(status),
        "budget": asked.call("budget.show") if asked.may("budget.show") else None,
        "warnings": _warnings(asked, status),
        "pending": asked.call("pending.count", workspace=asked.workspace),
        "waiting": _waiting(asked),
        "task": task,
        "stages": _bands(asked, task),
        "last": _last(asked, task),
    }
    return View("now.html", values)


def _saved(status: dict[str, Any]) -> float | None:
    """Return about which share of what was captured an agent need not read."""
    raw = status["raw_tokens"]
    return max(0.0, 1 - status["summary_characters"] / WORD / raw) if raw else None


def _waiting(asked: Asked) -> list[dict[str, Any]]:
    if not asked.may("pending.list"):
        return []
    page = asked.call("pending.list", workspace=asked.workspace, limit=2)
    found: list[dict[str, Any]] = page["items"]
    return found


def _latest(asked: Asked) -> dict[str, Any] | None:
    found = asked.call("task.list", workspace=asked.workspace, limit=1)["items"]
    return found[0] if found else None


def _last(asked: Asked, task: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the newest lines of a task, in order."""
    if task is None:
        return []
    after = max(0, task["observations"] - 5)
    page = asked.call(
        "observation.index", task=task["id"], limit=5, cursor=str(after) if after else None
    )
    found: list[dict[str, Any]] = page["items"]
    return found


def _bands(asked: Asked, task: dict[str, Any] | None) -> tuple[Sequence[Band], Sequence[Any]]:
    """Return the stages of a task as pieces of a bar, each as wide as its steps, and their sums."""
    if task is None:
        return (), ()
    stages = asked.call("stage.list", task=task["id"], limit=200)["items"]
    pieces, sums = [], Counter[str]()
    for one in stages:
        steps = (one["ended"] or task["observations"]) - one["began"] + 1
        sums[one["name"]] += steps
        label = f"{one['number']}. {one['name']}: {steps} steps from #{one['began']}"
        pieces.append(Band(label, steps, one["name"]))
    return pieces, sums.most_common()


def _warnings(asked: Asked, status: dict[str, Any]) -> list[Warned]:
    """Return what is not well."""
    place = asked.workspace
    found = [
        Warned(
            f"Given up after {one['attempts']} tries: {one['kind']} ({one['error'][:200]}).",
            "memoranda doctor",
            "bad",
        )
        for one in status["failures"]
    ]
    if asked.call("quarantine.list", workspace=place, limit=1)["items"]:
        told = "Something that was captured reads like an order to the agent, and is held back."
        found.append(Warned(told, "memoranda quarantine list"))
    profile = asked.call("profile.show", workspace=place, limit=1)
    if profile["limit"] and profile["used"] > CROWDED * profile["limit"]:
        used, limit = profile["used"], profile["limit"]
        told = f"The profile is crowded: {used:,} of {limit:,} tokens."
        found.append(Warned(told, "memoranda optimize preview"))
    if asked.call("memory.conflicts", workspace=place, limit=1)["items"]:
        found.append(Warned("Memories contradict each other.", "memoranda memory conflicts"))
    if status["spool_files"] and seconds_between(status["spool_oldest_at"], iso_time(asked.now)) > (
        LATE_SECONDS
    ):
        told = "Nothing takes in what hooks have left for more than an hour."
        found.append(Warned(told, "memoranda drain"))
    return found


ROUTES = (reads("/", shown),)
