"""Selects the leading context sections for a task from its metrics.

The table is a data file in this folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

WELL = "well"
MAXIMUM = 2
"""Maximum number of states whose sections lead: the worst state, then the next."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The leading sections of a context, and why they lead."""

    state: str
    """The worst state that the figures indicate; ``well`` if no figure is bad."""
    sections: tuple[str, ...]
    """Sections for the worst state, followed by those for the next state."""
    order: tuple[str, ...]
    """All sections, with the leading ones first."""


def diagnose(metrics: Mapping[str, float]) -> Diagnosis:
    """Return the leading sections for the given figures.

    Missing figures are ignored. The badness of a figure is its position between the value at which
    it begins to be bad and the worst value that is distinguished, so that figures with different
    scales are comparable. In case of a tie, the state that is first in the table leads.
    """
    table = _table()
    worst: dict[str, float] = {}
    for name, limits in table["metrics"].items():
        if name in metrics:
            bad = _badness(metrics[name], limits["from"], limits["to"])
            if bad >= 0:
                worst[limits["state"]] = max(bad, worst.get(limits["state"], 0.0))
    states = sorted(worst, key=lambda state: -worst[state])[:MAXIMUM] or [WELL]
    sections = tuple(dict.fromkeys(name for item in states for name in table["leads"][item]))
    order = tuple(dict.fromkeys([*sections, *table["order"]]))
    return Diagnosis(states[0], sections, order)


def _badness(value: float, start: float, end: float) -> float:
    """Return the badness of a figure.

    Badness is 0 where the figure begins to be bad, 1 at the worst value that is distinguished, and
    negative for a good value.
    """
    return min(1.0, (value - start) / (end - start))


@cache
def _table() -> dict:  # type: ignore[type-arg]
    text = resources.files("memoranda.supervision").joinpath("states.json").read_text("utf-8")
    table: dict = json.loads(text)  # type: ignore[type-arg]
    return table
