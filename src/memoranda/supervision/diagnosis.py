"""From figures of a task to what a supervisor is told first. The table is data, beside this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

WELL = "well"
MOST = 2
"""States that lead at once: the worst, then the next."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What leads a context, and why."""

    state: str
    """The worst that the figures tell; well where they tell nothing bad."""
    sections: tuple[str, ...]
    """Those of the worst state, then those of the next."""
    order: tuple[str, ...]
    """All sections, those that lead first."""


def diagnose(metrics: Mapping[str, float]) -> Diagnosis:
    """Return what leads for some figures; of those that are missing nothing is concluded.

    How bad a figure is follows from where it lies between the value from which it is bad and the
    worst that is told apart, so that figures of different scales compare. Of equals the first in
    the table leads.
    """
    table = _table()
    worst: dict[str, float] = {}
    for name, limits in table["metrics"].items():
        if name in metrics:
            bad = _badness(metrics[name], limits["from"], limits["to"])
            if bad >= 0:
                worst[limits["state"]] = max(bad, worst.get(limits["state"], 0.0))
    states = sorted(worst, key=lambda state: -worst[state])[:MOST] or [WELL]
    sections = tuple(dict.fromkeys(name for one in states for name in table["leads"][one]))
    order = tuple(dict.fromkeys([*sections, *table["order"]]))
    return Diagnosis(states[0], sections, order)


def known_sections() -> tuple[str, ...]:
    """Return every section that the table knows."""
    return tuple(_table()["order"])


def _badness(value: float, start: float, end: float) -> float:
    """Return 0 where a figure begins to be bad, 1 at the worst told apart; below 0: it is well."""
    return min(1.0, (value - start) / (end - start))


@cache
def _table() -> dict:  # type: ignore[type-arg]
    text = resources.files("memoranda.supervision").joinpath("states.json").read_text("utf-8")
    table: dict = json.loads(text)  # type: ignore[type-arg]
    return table
