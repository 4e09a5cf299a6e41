"""Measure facts kept by compression without a model, with controls.

The harness is a Python file with ``load(path)``, which returns conversations, ``COMPRESSORS``,
functions of items and a number of tokens, and ``plant(items, random)`` and ``kept(text, fact)``,
its own facts. A token is four characters in comparisons with its controls.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from measuring.agent_runs import Run, runs
from measuring.made_logs import found, made_logs
from measuring.nuggets import Stretch, foreign, stretches
from measuring.page import Plot, page
from measuring.planting import MARKED, PLAIN, TOPICAL, plant, plant_changes, plant_sentences
from measuring.plots import Line, lines
from measuring.report import Report, parser, progress
from memoranda.compression.extract.compressor import ExtractCompressor
from memoranda.compression.model import CompressedText, Passage, PassageSpeaker
from memoranda.compression.quality import quality
from memoranda.models.tokens import ToktokCounter
from memoranda.ports import TokenCounter
from memoranda.text import one_line

Shorten = Callable[[list[str], int], str]

OURS = "ours"
RATIOS = (2.0, 5.0, 10.0, 20.0)
WINDOW, CONTEXT = 25_000, 5_000
PLANTED, MARKED_PLANTED = 8, 4
ROUNDS = 10
_ROLE = re.compile(r"^(user|assistant|system|tool): ", re.MULTILINE)
_NAME = re.compile(r"([A-Z][a-z]+): ")
_EARLY = 400


class Quarters:
    """A token counter that counts four characters as a token, as the harness."""

    name = "quarters"

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        return (len(text) + 3) // 4

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, in order."""
        return [self.count(text) for text in texts]

    def truncate(self, text: str, limit: int) -> str:
        """Return the beginning of a text."""
        return text[: 4 * limit]


class Ours:
    """Memoranda's compressor as a function of items; keeps its last result."""

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self.compressor = ExtractCompressor(counter)
        self.last: CompressedText | None = None
        self.over = 0
        self.unfaithful = 0
        self.lines = 0
        self.seconds: list[float] = []

    def __call__(self, items: list[str], budget: int, query: str | None = None) -> str:
        result = passages(items)
        begun = time.process_time()
        made = self.compressor.compress(result, budget, query=query)
        size = sum(map(Quarters().count, items))
        self.seconds.append((time.process_time() - begun) * WINDOW / max(1, size))
        self.over += made.tokens > budget
        self.lines += len(made.lines)
        self.unfaithful += unfaithful(made, result)
        self.last = made
        return made.text


def passages(items: Sequence[str], task: int = 1, pinned: Sequence[str] = ()) -> list[Passage]:
    """Return items with their speakers; without one, a tool's output."""
    made = []
    for number, item in enumerate(items):
        mark = _ROLE.search(item, 0, _EARLY)
        name = None if mark else _NAME.match(item)
        if mark:
            speaker, text = PassageSpeaker(mark[1]), item[: mark.start()] + item[mark.end() :]
        else:
            speaker = PassageSpeaker.USER if name else PassageSpeaker.TOOL
            text = item[name.end() :] if name else item
        parts = tuple(part for part in pinned if part in text)
        made.append(Passage(f"{task}#{number}", speaker, text, parts))
    return made


def unfaithful(made: CompressedText, entries: Sequence[Passage]) -> int:
    """Count lines whose words are not in their passage in the same order."""
    texts = {one.ref: one_line(one.text.replace("**", "")) for one in entries}
    count = 0
    for line in made.lines:
        at = 0
        for part in line.text.split(" \u2026 "):
            at = texts[line.ref].find(part.replace("**", ""), at)
            if at < 0:
                count += 1
                break
    return count


def size_of(items: Sequence[str]) -> int:
    """Return the tokens of items as the harness counts them."""
    return sum(map(Quarters().count, items))


class Bench:
    """All tables over one set of stretches."""

    def __init__(self, report: Report, harness: Any, found: Sequence[Stretch]) -> None:
        self.report = report
        self.harness = harness
        self.stretches = found
        self.ours = Ours(Quarters())
        self.systems: dict[str, Shorten] = {OURS: self.ours, **harness.COMPRESSORS}
        self.seed = report.arguments["seed"]

    def curve(self, ratios: Sequence[float], others: Sequence[Any]) -> None:
        """Report planted facts by compression ratio."""
        for name, shorten in self.systems.items():
            for ratio in ratios:
                progress(f"{name} {ratio:g}:1")
                kept: dict[str, list[bool]] = {}
                for number, stretch in enumerate(self.stretches):
                    draw = random.Random(f"{self.seed} {number}")
                    self._planted(shorten, stretch, ratio, draw, others, kept)
                for kind, results in kept.items():
                    share = statistics.mean(results)
                    note = f"{share:.3f} of {len(results)}"
                    self.report.add(f"{kind} · {ratio:g}:1", name, share, "", note)
                    if name == OURS and ratio == 10:
                        self._claim(kind, share)

    def _planted(
        self,
        shorten: Shorten,
        stretch: Stretch,
        ratio: float,
        draw: random.Random,
        others: Sequence[Any],
        kept: dict[str, list[bool]],
    ) -> None:
        items, facts = plant(stretch.items, MARKED, MARKED_PLANTED, draw)
        items, plain = plant(items, PLAIN, PLANTED, draw)
        text = shorten(items, int(size_of(items) / ratio))
        kept.setdefault("constraints", []).extend(fact.kept(text) for fact in facts)
        kept.setdefault("plain facts", []).extend(fact.kept(text) for fact in plain)
        items, topical = plant(stretch.items, TOPICAL, PLANTED, draw)
        text = shorten(items, int(size_of(items) / ratio))
        kept.setdefault("on-topic facts", []).extend(fact.kept(text) for fact in topical)
        items, values = self.harness.plant(stretch.items, draw)
        text = shorten(items, int(size_of(items) / ratio))
        retained = [self.harness.kept(text, fact) for fact in values]
        kept.setdefault("facts of the harness", []).extend(retained)
        if others:
            drawn = draw.sample(list(others), PLANTED)
            items = plant_sentences(stretch.items, drawn, draw)
            text = shorten(items, int(size_of(items) / ratio))
            kept.setdefault("sentences of others", []).extend(one.kept(text) for one in drawn)
        text = shorten(stretch.items, int(size_of(stretch.items) / ratio))
        retained = [nugget.kept(text) for nugget in stretch.nuggets]
        kept.setdefault("asked later", []).extend(retained)

    def _claim(self, kind: str, share: float) -> None:
        least = {"constraints": 0.99, "plain facts": 0.95, "on-topic facts": 0.95}
        least |= {"sentences of others": 0.93, "asked later": 0.75}
        if kind in least:
            self.report.claim(f"{kind}: at 10:1 {least[kind]:.0%} are kept", share >= least[kind])

    def changes(self, ratios: Sequence[float]) -> None:
        """Report changed values: new value kept, old value without the new one."""
        for ratio in ratios:
            counter: Counter[str] = Counter()
            for number, stretch in enumerate(self.stretches):
                draw = random.Random(f"changes {self.seed} {number}")
                items, facts = plant_changes(stretch.items, 4, draw)
                lines = self.ours(items, int(size_of(items) / ratio)).split("\n")
                current = "\n".join(line for line in lines if "[outdated]" not in line)
                for old, new in facts:
                    counter["all"] += 1
                    counter["newer kept"] += new.kept(current)
                    counter["older as current"] += old.kept(current)
                    counter["older alone"] += old.kept(current) and not new.kept(current)
            section = f"changed values · {ratio:g}:1"
            for name in ("newer kept", "older as current", "older alone"):
                self.report.add(
                    section, name, counter[name] / counter["all"], "", f"of {counter['all']}"
                )
            if ratio == 10:
                self.report.claim("no outdated value stands alone", not counter["older alone"])

    def rounds(self) -> None:
        """Report ten rounds that each add a tenth of new text to one budget."""
        kept: Counter[int] = Counter()
        for number, stretch in enumerate(self.stretches):
            draw = random.Random(f"rounds {self.seed} {number}")
            items, facts = plant(stretch.items, (*MARKED, *PLAIN), PLANTED, draw)
            budget = size_of(items) // 10
            other = iter(self.stretches[(number + 1) % len(self.stretches)].items)
            made = self.ours.compressor.compress(passages(items), budget)
            for step in range(1, ROUNDS + 1):
                if step > 1:
                    new = _next(other, budget)
                    result = passages(new, step)
                    made = self.ours.compressor.compress(result, budget, earlier=made.lines)
                kept[step] += sum(fact.kept(made.text) for fact in facts)
        for step in (1, 2, 5, ROUNDS):
            share = kept[step] / (PLANTED * len(self.stretches))
            self.report.add("rounds of a tenth of new text", f"after {step}", share)
        share = kept[ROUNDS] / max(1, kept[1])
        self.report.claim("of the facts of the first round 95 % outlive ten", share >= 0.95)

    def window(self) -> None:
        """Report a context of 5,000 real tokens for 25,000, with pinned facts."""
        ours = Ours(ToktokCounter())
        shares: dict[str, list[bool]] = {}
        for number, stretch in enumerate(self.stretches):
            draw = random.Random(f"window {self.seed} {number}")
            items, facts = plant(stretch.items, MARKED, MARKED_PLANTED, draw)
            items, plain = plant(items, PLAIN, PLANTED, draw)
            pins = [fact.sentence for fact in facts]
            made = ours.compressor.compress(passages(items, pinned=pins), CONTEXT)
            ours.over += made.tokens > CONTEXT
            shares.setdefault("critical, pinned", []).append(made.kept == made.pinned)
            text = ours(items, CONTEXT)
            _add(shares, "constraints", (fact.kept(text) for fact in facts))
            _add(shares, "plain facts", (fact.kept(text) for fact in plain))
            _add(shares, "asked later", (one.kept(text) for one in stretch.nuggets))
            retained = [one.kept(ours(items, CONTEXT, one.question)) for one in stretch.nuggets]
            _add(shares, "asked, the question known", retained)
            for name, shorten in self.harness.COMPRESSORS.items():
                text = shorten(items, CONTEXT)
                _add(shares, f"plain facts · {name}", (fact.kept(text) for fact in plain))
                _add(shares, f"constraints · {name}", (fact.kept(text) for fact in facts))
        for name, results in shares.items():
            share = statistics.mean(results) if results else 0.0
            self.report.add("5,000 tokens of 25,000", name, share, "", f"of {len(results)}")
        self.report.claim("a context never has more than its budget", not ours.over)
        self.report.claim("pinned facts always stay", all(shares["critical, pinned"]))

    def quality(self) -> None:
        """Report retention and contradictions by Memoranda's own measure."""
        kept = facts = contradictions = 0
        for stretch in self.stretches:
            result = passages(stretch.items)
            made = self.ours.compressor.compress(result, size_of(stretch.items) // 10)
            found = quality(result, made)
            kept, facts = kept + found.kept, facts + found.facts
            contradictions += found.contradictions
        self.report.add(
            "by its own measure · 10:1", "facts kept", kept / max(1, facts), "", f"{facts}"
        )
        self.report.add("by its own measure · 10:1", "contradictions", contradictions)

    def totals(self) -> None:
        """Check what must hold for every text that was made."""
        ours = self.ours
        self.report.add("all of ours", "lines", ours.lines, "", f"{ours.unfaithful} unfaithful")
        speed = statistics.median(ours.seconds) * 1000
        self.report.add("all of ours", "25,000 tokens", speed, "ms CPU p50")
        self.report.claim("every line is taken from its passage", not ours.unfaithful)
        self.report.claim("the budget is never exceeded", not ours.over)
        self.report.claim("25,000 tokens take less than a second", speed < 1000)


def logs(report: Report, systems: dict[str, Shorten], ratios: Sequence[float], seed: int) -> None:
    """Report facts of generated program outputs, all in one stage."""
    made = made_logs(seed)
    texts = [log.text for log in made]
    for name, shorten in systems.items():
        for ratio in ratios:
            kept, facts = found(made, shorten(texts, int(size_of(texts) / ratio)))
            report.add(f"made logs · {ratio:g}:1", name, kept / facts, "", f"of {facts}")
            if name == OURS and ratio == 10:
                report.claim("logs: at 10:1 90 % of the facts are kept", kept / facts >= 0.9)


def agents(
    report: Report, systems: dict[str, Shorten], recorded: Sequence[Run], title: str
) -> None:
    """Report values of recorded runs: on error lines and ends, or used later."""
    for name, shorten in systems.items():
        for ratio in (5.0, 10.0):
            counter: Counter[str] = Counter()
            for run in recorded:
                text = shorten(run.items, int(size_of(run.items) / ratio))
                counter["salient"] += sum(value in text for value in run.salient)
                counter["used later"] += sum(value in text for value in run.used)
            everything = {
                "salient": sum(len(run.salient) for run in recorded),
                "used later": sum(len(run.used) for run in recorded),
            }
            for kind, count in everything.items():
                share = counter[kind] / max(1, count)
                report.add(f"{title} · {kind} · {ratio:g}:1", name, share, "", f"of {count}")
            if name == OURS and ratio == 10:
                share = counter["salient"] / max(1, everything["salient"])
                report.claim(f"{title}: at 10:1 80 % of the salient facts stay", share >= 0.8)


def plotted(report: Report, systems: Sequence[str]) -> str:
    """Return a page with the facts kept at each ratio, a plot for each kind."""
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for figure in report.figures:
        kind, _, ratio = figure.section.partition(" \u00b7 ")
        if figure.name in systems and ratio.endswith(":1") and not isinstance(figure.value, str):
            drawn = curves.setdefault(kind, {}).setdefault(figure.name, [])
            drawn.append((float(ratio.removesuffix(":1")), figure.value))
    return page(
        [
            Plot(
                f"Kept of {kind}",
                lines(
                    [Line(name, sorted(points), name != OURS) for name, points in drawn.items()],
                    systems,
                    "tokens for each token that is left",
                    "share",
                    1.0,
                ),
            )
            for kind, drawn in curves.items()
        ]
    )


def _add(shares: dict[str, list[bool]], name: str, results: Any) -> None:
    shares.setdefault(name, []).extend(results)


def _next(items: Any, size: int) -> list[str]:
    """Return the next items of about ``size`` tokens."""
    taken: list[str] = []
    while size_of(taken) < size and (item := next(items, None)) is not None:
        taken.append(item)
    return taken


def main(arguments: list[str] | None = None) -> int:
    """Run every measurement for which there is data."""
    options = _options(arguments)
    report = Report("retention", vars(options))
    sys.path.insert(0, str(options.harness.parent))
    harness = import_module(options.harness.stem)
    found = [s for path in options.data for s in stretches(harness.load(str(path)), path, WINDOW)]
    bench = Bench(report, harness, found[:: options.every])
    others = options.foreign
    bench.curve(options.ratios, foreign(harness.load(str(others)), others) if others else [])
    if options.plot:
        options.plot.write_text(plotted(report, list(bench.systems)), "utf-8")
    bench.changes(options.ratios)
    bench.rounds()
    bench.window()
    bench.quality()
    logs(report, bench.systems, options.ratios, options.seed)
    for path in options.runs:
        agents(report, bench.systems, runs(path), path.name.partition("_")[0])
    bench.totals()
    sections = list(dict.fromkeys(figure.section for figure in report.figures))
    report.figures.sort(key=lambda figure: sections.index(figure.section))
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--harness", type=Path, required=True, help="its Python file")
    made.add_argument("--data", type=Path, nargs="+", required=True, help="conversations")
    made.add_argument("--foreign", type=Path, help="conversations whose sentences are planted")
    made.add_argument("--runs", type=Path, nargs="*", default=[], help="recorded runs of agents")
    made.add_argument("--ratios", type=float, nargs="+", default=list(RATIOS))
    made.add_argument("--every", type=int, default=1, help="take every so many stretches")
    made.add_argument("--plot", type=Path, help="write the curves to this HTML file")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
