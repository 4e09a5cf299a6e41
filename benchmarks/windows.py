"""Measure facts kept by a context of 5,000 tokens from 25,000.

The facts are planted ones, and labelled ones for a query.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring.nuggets import Nugget, stretches
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.language.words import STOP_WORDS, stems, words
from memoranda.models.tokens import ToktokCounter
from memoranda.observations.model import Origin
from quality import harness, interval

CHATS = "beam_100k_1-10.json.xz"
WINDOW, BUDGET = 25_000, 5_000
PLANTED = 8
"""Facts per window; half have words such as must and never."""
CONTROLS = ("lead", "tail", "centroid", "cues")
"""The harness's controls; ``cues`` looks for the words of marked facts."""
OURS = "memoranda"
NAMES = (OURS, *CONTROLS)
KINDS = ("marked", "plain", "laid down by a person")
AHEAD = 0.15
WORKSPACE = "windows"

Fact = tuple[str, str, bool, bool]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a chat with facts planted in it."""

    name: str
    messages: Sequence[tuple[str, str]]
    """(speaker, text), where the speaker is user or assistant."""
    facts: Sequence[Fact]
    asked: Sequence[Nugget]

    def texts(self) -> list[str]:
        """Return the messages as a control reads them."""
        return [f"{role}: {text}" for role, text in self.messages]


@dataclass(slots=True)
class Kept:
    """For each way of shortening a window: whether it has each fact, 1 or 0."""

    planted: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(_lists))
    nuggets: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    tokens: list[int] = field(default_factory=list)
    """Tokens of the contexts."""


def _lists() -> dict[str, list[float]]:
    return defaultdict(list)


def windows(module: Any, path: Path, seed: int, limit: int) -> Iterator[Window]:
    """Split chats into windows and plant facts in each."""
    found = stretches(module.load(str(path)), path, WINDOW)
    for number, part in enumerate(found[:limit] if limit else found):
        pairs = [item.partition(": ") for item in part.items]
        bare = [text or " " for _, _, text in pairs]
        texts, facts = module.plant(bare, random.Random(f"{seed}-{number}"), PLANTED)
        roles = [role for role, _, _ in pairs]
        messages = list(zip(roles, texts, strict=True))
        yield Window(f"window-{number}", messages, facts, part.nuggets)


def store(memory: Memoranda, window: Window) -> str:
    """Store a window as messages of one task with derived data.

    Returns the task.
    """
    events = [
        Event(
            kind=EventKind.MESSAGE,
            host="bench",
            session=window.name,
            source=EventSource.API,
            key=str(number),
            origin=Origin.HUMAN if role == "user" else Origin.AGENT,
            text=text,
        )
        for number, (role, text) in enumerate(window.messages)
    ]
    report = memory.capture.take(events, workspace=WORKSPACE)
    memory.capture.drain(wait=True)
    return next(iter(report.tasks))


def laid_down(memory: Memoranda, task: str) -> str:
    """Return a person's standing statements, which no context leaves out."""
    seen = memory.observations.list(task=task, limit=1_000)
    return "\n".join(sentence for one in seen for sentence in one.constraints)


def by_words(module: Any, texts: Sequence[str], budget: int, question: str) -> str:
    """Return whole messages by rare words of the question: a control.

    The last one is cut to fill the budget.
    """
    stem_sets = [frozenset(stems(words(text))) for text in texts]
    having = Counter(stem for one in stem_sets for stem in one)
    wanted = frozenset(stems(word for word in words(question) if word not in STOP_WORDS))
    worth = [
        sum(math.log(1 + len(stem_sets) / having[stem]) for stem in one & wanted)
        for one in stem_sets
    ]
    chosen: list[tuple[int, str]] = []
    for place in sorted(range(len(texts)), key=lambda place: (-worth[place], place)):
        cost = module.tokens(texts[place]) + 1
        if cost > budget:
            chosen.append((place, texts[place][: 3 * budget]))
            break
        chosen.append((place, texts[place]))
        budget -= cost
    return "\n".join(text for _, text in sorted(chosen))


def measure(memory: Memoranda, module: Any, window: Window, kept: Kept) -> None:
    """Build the contexts of a window, and the controls of equal size."""
    task, texts = store(memory, window), window.texts()
    critical = laid_down(memory, task)
    brief = memory.context(task=task, budget=BUDGET)
    kept.tokens.append(brief.tokens)
    made: dict[str, str] = {OURS: brief.text}
    for name in CONTROLS:
        made[name] = getattr(module, name)(texts, BUDGET)
    for name, text in made.items():
        for fact in window.facts:
            share = float(module.kept(text, fact))
            kept.planted[name]["marked" if fact[3] else "plain"].append(share)
            if fact[0] in critical:
                kept.planted[name]["laid down by a person"].append(share)
        kept.nuggets[name] += [float(one.kept(text)) for one in window.asked]
    _ask(memory, module, window, task, kept)


def _ask(memory: Memoranda, module: Any, window: Window, task: str, kept: Kept) -> None:
    texts = window.texts()
    for question in dict.fromkeys(one.question for one in window.asked):
        brief = memory.context(task=task, budget=BUDGET, query=question)
        kept.tokens.append(brief.tokens)
        control = by_words(module, texts, BUDGET, question)
        for one in window.asked:
            if one.question == question:
                kept.nuggets[f"{OURS}, asked"].append(float(one.kept(brief.text)))
                kept.nuggets["whole messages, asked"].append(float(one.kept(control)))


def show(report: Report, kept: Kept, embedder: str) -> None:
    """Report every share with its interval, and the aims reached."""
    report.add("contexts", "most tokens", max(kept.tokens), note=f"of {len(kept.tokens)}")
    report.add("contexts", "embedder", embedder)
    report.claim(f"no context has more than {BUDGET:,} tokens", max(kept.tokens) <= BUDGET)
    for kind in KINDS:
        for name in NAMES:
            _share(report, f"planted facts kept, {kind}", name, kept.planted[name][kind])
    for name, values in kept.nuggets.items():
        _share(report, "labelled facts kept", name, values)
    ours = kept.planted[OURS]
    report.claim("what a person laid down: 100 %", _mean(ours["laid down by a person"]) == 1.0)
    report.claim("planted facts with a marking word: 100 %", _mean(ours["marked"]) == 1.0)
    report.claim("planted facts without: at least 85 %", _mean(ours["plain"]) >= 0.85)
    share = _mean(kept.nuggets[f"{OURS}, asked"])
    report.claim("labelled facts that are asked for: at least 90 %", share >= 0.90)
    for what, chosen in (("planted, plain", ("plain",)), ("planted, all", ("marked", "plain"))):
        mine, *others = ([v for kind in chosen for v in kept.planted[name][kind]] for name in NAMES)
        _ahead(report, what, mine, dict(zip(CONTROLS, others, strict=True)))
    rivals = {name: kept.nuggets[name] for name in CONTROLS}
    _ahead(report, "labelled, not asked", kept.nuggets[OURS], rivals)
    whole = "whole messages, asked"
    _ahead(report, "labelled, asked", kept.nuggets[f"{OURS}, asked"], {whole: kept.nuggets[whole]})


def _share(report: Report, section: str, name: str, values: Sequence[float]) -> None:
    if values:
        low, high = interval(values, report.arguments["seed"])
        note = f"[{low:.3f}, {high:.3f}] of {len(values)}"
        report.add(section, name, f"{_mean(values):.3f}", note=note)


def _ahead(
    report: Report, what: str, ours: Sequence[float], rivals: dict[str, Sequence[float]]
) -> None:
    """Report the margin over the best control, compared fact by fact."""
    name = max(rivals, key=lambda name: _mean(rivals[name]))
    gaps = [one - other for one, other in zip(ours, rivals[name], strict=True)]
    if not gaps:
        return
    low, high = interval(gaps, report.arguments["seed"])
    found = f"{100 * _mean(gaps):+.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    report.add("points ahead of the best control", what, found, note=name)
    report.claim(f"{what}: at least 15 points ahead of {name}", _mean(gaps) >= AHEAD)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--harness", type=Path, required=True, help="its Python file")
    made.add_argument("--data", type=Path, required=True, help="folder of the public chats")
    made.add_argument("--windows", type=int, default=0, help="how many; all if not given")
    made.add_argument("--embedder", default="local", help="what makes vectors, or none")
    made.add_argument("--report", action="store_true", help="exit 0 though a claim is broken")
    return made.parse_args(arguments)


def counting(module: Any) -> None:
    """Let the controls count tokens as a context does."""
    counter = ToktokCounter()
    count: Callable[[str], int] = counter.count
    module.tokens = count


def main(arguments: list[str] | None = None) -> int:
    """Measure every window, each in a store of its own."""
    chosen = options(arguments)
    sys.path.insert(0, str(chosen.harness.parent))  # for the imports of the harness
    module = harness(chosen.harness)
    counting(module)
    report = Report("windows", vars(chosen))
    kept, messages = Kept(), []
    for window in windows(module, chosen.data / CHATS, chosen.seed, chosen.windows):
        progress(window.name)
        messages.append(len(window.messages))
        with tempfile.TemporaryDirectory(prefix="windows-") as folder:
            settings = load_settings({"data_dir": folder, "embedder": chosen.embedder})
            with Memoranda.open(settings=settings, workspace=WORKSPACE) as memory:
                measure(memory, module, window, kept)
    progress("")
    note = f"{sum(messages) / len(messages):.0f} messages each, {PLANTED} planted facts"
    report.add("contexts", "windows", len(messages), note=note)
    show(report, kept, chosen.embedder)
    code = report.finish(as_json=chosen.json)
    return 0 if chosen.report else code


if __name__ == "__main__":
    sys.exit(main())
