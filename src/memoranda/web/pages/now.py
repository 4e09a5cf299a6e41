"""Now: whether it works, what waits for a word, what was done last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memoranda.web.answers import Answer, View
from memoranda.web.asking import Asked
from memoranda.web.drawing import Band
from memoranda.web.registry import Group, Page, reads

PAGE = Page("/", "Now", Group.FIRST, 1, styles=("search.css",))
WORD = 4
"""Characters of a token, roughly: for a share that is told as "about"."""
LATE_SECONDS = 3_600
"""After which what waits in the spool says that nothing takes it in."""


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


def _warnings(asked: Asked, status: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return what is not well: a kind, what it is, what to do."""
    found = [
        (
            "bad",
            f"Given up after {one['attempts']} tries: {one['kind']} ({one['error'][:200]})",
            "It is made again at the next event; `memoranda doctor` tells more.",
        )
        for one in status["failures"]
    ]
    held = asked.call("quarantine.list", workspace=asked.workspace, limit=1)["items"]
    if held:
        found.append(("warn", "Something that was captured reads like an order to the agent, and "
                      "is held back.", "`memoranda quarantine list` shows it; a person releases "
                      "it or leaves it."))  # fmt: skip
    profile = asked.call("profile.show", workspace=asked.workspace, limit=1)
    if profile["limit"] and profile["used"] > 0.8 * profile["limit"]:
        used, limit = profile["used"], profile["limit"]
        found.append(("warn", f"The profile is crowded: {used:,} of {limit:,} tokens.",
                      "`memoranda optimize` previews what could be freed."))  # fmt: skip
    clash = asked.call("memory.conflicts", workspace=asked.workspace, limit=1)["items"]
    if clash:
        found.append(("warn", "Memories contradict each other.",
                      "`memoranda memory conflicts` shows which."))  # fmt: skip
    return found


ROUTES = (reads("/", shown),)
