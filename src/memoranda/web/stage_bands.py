"""The stages around one step of a task, at bounded cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memoranda.web.charts import Band
from memoranda.web.page_request import PageRequest

WINDOW = 200
"""Maximum number of stages that are read and drawn."""
BEFORE = 60
"""Maximum number of stages before the viewed step."""


def around(request: PageRequest, task: str, at: int) -> Sequence[dict[str, Any]]:
    """Return the stage of step ``at`` and those around it, in order."""
    first = _after(request, task, 0, WINDOW)
    if len(first) < WINDOW or first[-1]["began"] > at:
        return first
    low, high = WINDOW - 1, WINDOW * 2
    while _began(request, task, high, at):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _began(request, task, middle, at) else (low, middle)
    return _after(request, task, max(0, low - BEFORE), WINDOW)


def bands(stages: Sequence[dict[str, Any]], last: int) -> tuple[list[Band], list[tuple[str, int]]]:
    """Return stages as bar segments, and the number of steps by kind of stage.

    The width of a segment corresponds to its number of steps.

    Args:
        last: the number of the last step of the task.
    """
    pieces, sums = [], Counter[str]()
    for stage in stages:
        steps = max(1, (stage["ended"] or last) - stage["began"] + 1)
        sums[stage["name"]] += steps
        label = f"{stage['number']}. {stage['name']}: {steps:,} steps from #{stage['began']}"
        pieces.append(Band(label, steps, stage["name"]))
    return pieces, sums.most_common()


def _began(request: PageRequest, task: str, number: int, at: int) -> bool:
    """Return whether the stage after a number begins at or before a step."""
    found = _after(request, task, number, 1)
    return bool(found) and found[0]["began"] <= at


def _after(request: PageRequest, task: str, number: int, limit: int) -> list[dict[str, Any]]:
    page = request.call(
        "stages.list", task=task, cursor=str(number) if number else None, limit=limit
    )
    result: list[dict[str, Any]] = page["items"]
    return result
