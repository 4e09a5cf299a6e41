"""The stages around one step of a task, of its first 1,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memoranda.page import MAX_LIMIT
from memoranda.web.charts import Band
from memoranda.web.page_request import PageRequest

WINDOW = 200
"""Maximum number of stages that are drawn."""
BEFORE = 60
"""Maximum number of them before the viewed step."""


def around(request: PageRequest, task: str, at: int) -> Sequence[dict[str, Any]]:
    """Return the stage of step ``at`` and those around it, in order."""
    stages: list[dict[str, Any]] = request.call("stages.list", task=task, limit=MAX_LIMIT)["items"]
    begun = sum(stage["began"] <= at for stage in stages)
    first = 0 if begun < WINDOW else begun - 1 - BEFORE
    return stages[first : first + WINDOW]


def bands(stages: Sequence[dict[str, Any]], last: int) -> tuple[list[Band], list[tuple[str, int]]]:
    """Return stages as bar segments, and the number of steps by kind of stage.

    Each segment is as wide as its steps.

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
