"""Combine results written with --json into one Markdown and HTML report.

It also takes the results of a retrieval harness: a list with an object for each adapter and set of
questions, which has ``data``, ``label`` and metrics such as ``recall@10``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring.page import Block, Heading, Plot, Table, page
from measuring.plots import Bar, Line, bars, legend, lines
from measuring.report import shown

OURS = "memoranda"
PLOTTED = {"recall@5": "R@5", "recall@10": "R@10", "ndcg@10": "nDCG@10"}
WITHIN = re.compile(r"\[([\d.]+), ([\d.]+)\]")
P95 = re.compile(r"p95 ([\d.,]+)")
BUDGET = re.compile(r"recall@(\d+)tok")
SAME = {"queries": "questions", "tokens_at_10": "tokens@10"}
"""Different names of the same metric in the two kinds of results."""
SIZE = re.compile(r"([\d,]+) records$")


@dataclass(slots=True)
class Quality:
    """Metrics of one system on one set of questions."""

    values: dict[str, float] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)

    def bar(self, metric: str) -> Bar | None:
        """Return a metric as a bar."""
        if metric not in self.values:
            return None
        return Bar(self.values[metric], *self.ranges.get(metric, (None, None)))

    def cell(self, metric: str) -> str:
        """Return a metric as text."""
        if metric not in self.values:
            return ""
        value = self.values[metric]
        small = isinstance(value, float) and abs(value) <= 1
        digits = 3 if small else 1
        written = f"{value:.3f}" if small else shown(value)
        if metric not in self.ranges:
            return written
        low, high = self.ranges[metric]
        return f"{written} [{low:.{digits}f}, {high:.{digits}f}]"


Sets = dict[str, dict[str, Quality]]
"""By (set of questions, system)."""


def main(arguments: list[str] | None = None) -> int:
    """Read results and write both reports."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("results", type=Path, nargs="+", help="what --json printed")
    options.add_argument("--out", type=Path, required=True, help="the folder to write into")
    chosen = options.parse_args(arguments)
    found = [json.loads(path.read_text("utf-8")) for path in chosen.results]
    runs = [one for one in found if isinstance(one, dict)]
    blocks = list(written(runs, quality(found)))
    chosen.out.mkdir(parents=True, exist_ok=True)
    markdown = "\n\n".join(filter(None, (block.markdown() for block in blocks)))
    (chosen.out / "report.md").write_text(markdown + "\n", "utf-8")
    (chosen.out / "report.html").write_text(page(blocks), "utf-8")
    print(f"written: {chosen.out / 'report.md'}, {chosen.out / 'report.html'}")
    return 0


def quality(found: Sequence[Any]) -> Sets:
    """Collect the retrieval metrics from results.

    Runs over different numbers of questions are kept apart; of equal ones the last counts.
    """
    sets: Sets = {}
    for one in found:
        if isinstance(one, list):
            for scores in one:
                values = {SAME.get(name, name): value for name, value in scores.items()}
                known = Quality({name: values[name] for name in values if _is_number(values[name])})
                _place(sets, scores["data"], scores["label"], known)
        elif one["benchmark"] == "quality":
            for section, figures in one["figures"].items():
                data, _, label = section.partition(" · ")
                if "failed" not in figures:
                    _place(sets, data, label, _measured(figures))
    return {data: _ours_first(systems) for data, systems in sets.items()}


def written(runs: Sequence[Mapping[str, Any]], sets: Sets) -> Iterator[Block]:
    """Yield the blocks of the report in order."""
    yield Heading(1, "Benchmarks")
    if runs:
        yield _machines(runs)
    if sets:
        yield Heading(2, "Quality of retrieval")
    names = list(_ours_first({name: one for kept in sets.values() for name, one in kept.items()}))
    for data, systems in sets.items():
        yield Heading(3, data)
        yield from _quality_plots(systems, names)
        metrics = list(dict.fromkeys(name for one in systems.values() for name in one.values))
        rows = [[name, *(one.cell(name) for one in systems.values())] for name in metrics]
        yield Table(["metric", *systems], rows)
    if times := _times([run for run in runs if run["benchmark"] == "latency"]):
        yield from _latency(times)
    for run in runs:
        if run["benchmark"] == "quality":
            yield from _failures(run)
        else:
            yield from _figures(run)


def _machines(runs: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for run in runs:
        machine, values = run["machine"], run["arguments"]
        result = " ".join(
            f"--{name.replace('_', '-')} {_formatted(value)}"
            for name, value in values.items()
            if value and name != "json"
        )
        where = f"{machine['cores']} cores, {machine['system']}, Python {machine['python']}"
        load = f"{machine['load_before'][0]} → {machine['load_after'][0]}"
        rows.append([run["benchmark"], result, f"{run['seconds']:,.0f}", where, load])
    return Table(["benchmark", "arguments", "seconds", "machine", "load before → after"], rows)


def _formatted(value: Any) -> str:
    """Return an argument as text; of a path, the last part."""
    if isinstance(value, list):
        return " ".join(map(_formatted, value))
    return "" if value is True else str(value).rpartition("/")[2]


def _quality_plots(systems: Mapping[str, Quality], names: Sequence[str]) -> Iterator[Block]:
    """Draw the quality plots; a system keeps its colour in every plot.

    The colour is that of its position in ``names``.
    """
    drawn = [
        (name, [one.bar(metric) for metric in PLOTTED])
        for name, one in systems.items()
        if any(metric in one.values for metric in PLOTTED)
    ]
    if drawn:
        caption = "Share of what answers a question that is among the first"
        known = any(one.ranges for one in systems.values())
        picture = bars(list(PLOTTED.values()), drawn, names)
        key = legend([name for name, _ in drawn], names)
        yield Plot(caption + (", with 95 % intervals." if known else "."), key + picture)
    curves = [Line(name, points) for name, one in systems.items() if (points := _budgets(one))]
    if curves:
        yield Plot(
            "What is found within a number of tokens.",
            lines(curves, names, "tokens of what is handed over", "recall", 1.0),
        )


def _budgets(one: Quality) -> list[tuple[float, float]]:
    """Return the recall by number of tokens; empty if there is only one."""
    found = [(BUDGET.fullmatch(name), value) for name, value in one.values.items()]
    points = sorted((float(match[1]), value) for match, value in found if match)
    return points if len(points) > 1 else []


def _times(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[float, tuple[float, float]]]:
    """Return p50 and p95 of each kind of search, by number of records."""
    times: dict[str, dict[float, tuple[float, float]]] = {}
    for run in runs:
        for section, figures in run["figures"].items():
            for name, figure in figures.items():
                size = SIZE.match(section)
                tail = P95.search(figure.get("note", ""))
                if size and tail and figure.get("unit") == "ms p50":
                    records, p95 = (float(found[1].replace(",", "")) for found in (size, tail))
                    times.setdefault(name, {})[records] = figure["value"], p95
    return times


def _latency(times: Mapping[str, Mapping[float, tuple[float, float]]]) -> Iterator[Block]:
    yield Heading(2, "Time of a search")
    sizes = sorted({size for at in times.values() for size in at})
    for place, share in enumerate(("p50", "p95")):
        drawn = [
            Line(
                name.partition(":")[0],
                [(size, at[size][place]) for size in sizes if size in at],
                floor=name.startswith("floor"),
            )
            for name, at in times.items()
        ]
        caption = f"{share} of a search; the floor is the least that any search must do."
        names = [line.name for line in drawn if not line.floor]
        yield Plot(caption, lines(drawn, names, "records in the store", "milliseconds"))
    rows = [
        [name, *(" / ".join(map(shown, at.get(size, ()))) for size in sizes)]
        for name, at in times.items()
    ]
    yield Table(["milliseconds, p50 / p95", *(f"{size:,.0f} records" for size in sizes)], rows)


def _figures(run: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(2, run["benchmark"])
    for section, figures in run["figures"].items():
        yield Heading(3, section)
        rows = [
            [name, f"{shown(one['value'])} {one.get('unit', '')}".strip(), one.get("note", "")]
            for name, one in figures.items()
        ]
        yield Table(["what", "value", "note"], rows)
    if run["claims"]:
        rows = [[text, "held" if passed else "BROKEN"] for text, passed in run["claims"].items()]
        yield Table(["claim", "in this run"], rows)


def _failures(run: Mapping[str, Any]) -> Iterator[Block]:
    rows = [
        [section, figures["failed"]["value"]]
        for section, figures in run["figures"].items()
        if "failed" in figures
    ]
    if rows:
        yield Heading(2, "What did not run")
        yield Table(["questions and system", "why"], rows)


def _measured(figures: Mapping[str, Any]) -> Quality:
    made = Quality()
    for name, figure in figures.items():
        if "unit" not in figure:
            made.values[name] = figure["value"]
            if found := WITHIN.search(figure.get("note", "")):
                made.ranges[name] = float(found[1]), float(found[2])
    return made


def _place(sets: Sets, data: str, label: str, known: Quality) -> None:
    text = f"{data}, {known.values.get('questions', 0):,.0f} questions"
    sets.setdefault(text, {})[label] = known


def _ours_first(systems: Mapping[str, Quality]) -> dict[str, Quality]:
    order = sorted(systems, key=lambda name: not name.lower().startswith(OURS))
    return {name: systems[name] for name in order}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


if __name__ == "__main__":
    sys.exit(main())
