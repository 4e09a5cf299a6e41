"""Reports of benchmarks: figures, claims and their outcome, machine load."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value."""

    section: str
    name: str
    value: Any
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A promise of Memoranda, and whether this run confirms it."""

    text: str
    held: bool


@dataclass(slots=True)
class Report:
    """Collects figures and prints them once at the end."""

    name: str
    arguments: dict[str, Any]
    figures: list[Figure] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    load_before: tuple[float, ...] = field(default_factory=os.getloadavg)
    started: float = field(default_factory=time.monotonic)

    def add(self, section: str, name: str, value: Any, unit: str = "", note: str = "") -> None:
        """Add a figure under a heading."""
        self.figures.append(Figure(section, name, value, unit, note))

    def claim(self, text: str, held: bool) -> None:
        """Add a claim and its outcome."""
        self.claims.append(Claim(text, held))

    def finish(self, *, as_json: bool) -> int:
        """Print everything; return 0 when every claim held, otherwise 1."""
        seconds = round(time.monotonic() - self.started, 1)
        loads = [[round(load, 2) for load in at] for at in (self.load_before, os.getloadavg())]
        if as_json:
            print(json.dumps(self._payload(seconds, loads), indent=2, default=str))
        else:
            self._print(seconds, loads)
        return 0 if all(claim.held for claim in self.claims) else 1

    def _payload(self, seconds: float, loads: list[list[float]]) -> dict[str, Any]:
        sections: dict[str, dict[str, Any]] = {}
        for figure in self.figures:
            value = {"value": figure.value, "unit": figure.unit, "note": figure.note}
            found = {key: values for key, values in value.items() if values != ""}
            sections.setdefault(figure.section, {})[figure.name] = found
        return {
            "benchmark": self.name,
            "arguments": self.arguments,
            "machine": {
                "cores": os.cpu_count(),
                "python": platform.python_version(),
                "system": f"{platform.system()} {platform.machine()}",
                "load_before": loads[0],
                "load_after": loads[1],
            },
            "seconds": seconds,
            "figures": sections,
            "claims": {claim.text: claim.held for claim in self.claims},
        }

    def _print(self, seconds: float, loads: list[list[float]]) -> None:
        width = max((len(figure.name) for figure in self.figures), default=0)
        section = ""
        for figure in self.figures:
            if figure.section != section:
                section = figure.section
                print(f"\n{section}")
            value = f"{shown(figure.value)} {figure.unit}".rstrip()
            print(f"  {figure.name.ljust(width)}  {value.ljust(14)}  {figure.note}".rstrip())
        if self.claims:
            print("\nclaims")
        for claim in self.claims:
            print(f"  {'held  ' if claim.held else 'BROKEN'}  {claim.text}")
        print(
            f"\n{seconds} s on {os.cpu_count()} cores, Python {platform.python_version()}; "
            f"load before {loads[0]}, after {loads[1]}"
        )


def shown(value: Any) -> str:
    """Format a value: three significant digits, thousands separated."""
    if isinstance(value, float):
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share (0 to 1) of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return an argument parser with the options of every benchmark."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--json", action="store_true", help="print JSON instead of a table")
    made.add_argument("--seed", type=int, default=1, help="start of everything that is random")
    return made


def progress(text: str) -> None:
    """Show the progress of a long run on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
