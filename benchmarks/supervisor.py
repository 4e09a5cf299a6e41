"""Test the supervisor: leading sections, learned ranks, and speed."""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from measuring.report import Report, parser, progress, quantile
from measuring.work import Desk
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.observations.model import Origin
from memoranda.supervision.model import StrategicContext

LEADS: Mapping[str, str] = {
    "errors": "errors-to-avoid",
    "incoherent": "critical-facts",
    "slow": "what-worked",
    "well": "task-progress",
}
FINE = {"error_rate": 0.05, "repeated_errors": 0, "stalled_steps": 3, "tokens_per_step": 800,
        "repeated_actions": 0.05, "coherence": 1.0}  # fmt: skip
STATES: Sequence[tuple[Mapping[str, float], str]] = (
    ({}, "well"),
    ({"error_rate": 0.2}, "well"),
    ({"repeated_errors": 2}, "well"),
    ({"stalled_steps": 10}, "well"),
    ({"tokens_per_step": 3_000}, "well"),
    ({"repeated_actions": 0.2}, "well"),
    ({"coherence": 0.95}, "well"),
    ({"error_rate": 0.35}, "errors"),
    ({"error_rate": 0.5}, "errors"),
    ({"error_rate": 0.95}, "errors"),
    ({"repeated_errors": 4}, "errors"),
    ({"repeated_errors": 12}, "errors"),
    ({"error_rate": 0.6, "repeated_errors": 5}, "errors"),
    ({"stalled_steps": 20}, "slow"),
    ({"stalled_steps": 45}, "slow"),
    ({"tokens_per_step": 9_000}, "slow"),
    ({"tokens_per_step": 50_000}, "slow"),
    ({"repeated_actions": 0.5}, "slow"),
    ({"repeated_actions": 0.8, "stalled_steps": 30}, "slow"),
    ({"coherence": 0.7}, "incoherent"),
    ({"coherence": 0.4}, "incoherent"),
    ({"coherence": 0.0}, "incoherent"),
    ({"error_rate": 0.9, "stalled_steps": 20}, "errors"),
    ({"error_rate": 0.35, "stalled_steps": 55}, "slow"),
    ({"error_rate": 0.4, "coherence": 0.2}, "incoherent"),
    ({"error_rate": 0.9, "coherence": 0.7}, "errors"),
    ({"coherence": 0.3, "stalled_steps": 20}, "incoherent"),
    ({"coherence": 0.75, "stalled_steps": 50}, "slow"),
    ({"error_rate": 0.8, "coherence": 0.6, "stalled_steps": 25}, "errors"),
    ({"error_rate": 0.31, "coherence": 0.1, "tokens_per_step": 6_000}, "incoherent"),
)
"""Differences from a successful task, and the section that must lead."""
ROUNDS = 50
ARMS, GOOD, SHOWN = 40, 10, 8
"""Memories of the bandit, helpful ones, and the number a context shows."""


def stocked(memory: Memoranda, desk: Desk) -> str:
    """Store something for every section; return the task."""
    memory.capture.take([desk.event("task", f"{n}") for n in range(6)], workspace="shop")
    for key, command, output, failed in (
        ("a", "python lamp.py", "ModuleNotFoundError: No module named 'wick'", True),
        ("b", "pip install wick", "done", False),
        ("c", "python lamp.py", "lit", False),
        ("d", "python fill.py", "KeyError: 'oil'", True),
    ):
        memory.capture.take([_ran(key, command, output, failed)], workspace="shop")
    for text, category, critical in (
        ("Oil is never poured at night.", Category.LEARNED_RULE, True),
        ("Do not import wick lazily.", Category.ANTI_PATTERN, False),
        ("Light one lamp, then the others.", Category.PATTERN, False),
        ("A wick lasts two weeks.", Category.DOMAIN_KNOWLEDGE, False),
    ):
        stated = NewMemory(text, category=category, critical=critical)
        memory.remember(stated, workspace="shop")
    memory.capture.drain()
    return next(one.id for one in memory.tasks.list() if one.session == "task")


def _ran(key: str, command: str, output: str, failed: bool) -> Event:
    return Event(
        kind=EventKind.TOOL_RESULT,
        host="bench",
        session="task",
        source=EventSource.API,
        key=key,
        origin=Origin.TOOL,
        tool="Bash",
        input={"command": command},
        output=output,
        failed=failed,
    )


def measure_states(report: Report, memory: Memoranda, task: str) -> None:
    """Report how often the right section leads, and the budget is met."""
    right, within, critical = 0, 0, 0
    for number, (changes, state) in enumerate(STATES):
        progress(f"state {number + 1} of {len(STATES)}")
        found = memory.supervisor.context(task=task, metrics=FINE | changes, budget=900)
        first = found.context.sections[0].name
        right += (found.state, first) == (state, LEADS[state])
        within += found.context.tokens <= 900
        critical += "Oil is never poured at night." in found.context.text
    section = f"{len(STATES)} states of figures, made"
    report.add(section, "right section first", right)
    report.add(section, "within the budget", within)
    report.add(section, "with the critical fact", critical)
    report.claim("all lead right, within the budget, with what is critical",
                 right == within == critical == len(STATES))  # fmt: skip


# --- outcomes -------------------------------------------------------------------------------


def ranked(found: StrategicContext) -> list[str]:
    """Return the memories of what worked before, in order."""
    sections = (one for one in found.context.sections if one.name == "what-worked")
    return [item.id for section in sections for item in section.items]


def ndcg(order: Sequence[str], good: frozenset[str], k: int = GOOD) -> float:
    """Return the normalised discounted cumulative gain of the first k."""
    gain = sum(1 / math.log2(2 + at) for at, id in enumerate(order[:k]) if id in good)
    return gain / sum(1 / math.log2(2 + at) for at in range(k))


def measure_bandit(report: Report, folder: Path, seed: int) -> None:
    """Report the change of ranks when helpful memories get good outcomes.

    The chance that an intervention helps is the share of helpful memories in its context.
    """
    dice = random.Random(seed)
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    slow = {**FINE, "stalled_steps": 60}
    with Memoranda.open(settings=settings) as memory:
        task = memory.observe("go on", task="bandit", workspace="shop").task
        made = [
            memory.remember(
                NewMemory(f"Way {n} of doing it: begin with part {n * 7 % ARMS}.",
                          category=Category.PATTERN), workspace="shop").id
            for n in range(ARMS)
        ]  # fmt: skip
        critical = [
            memory.remember(NewMemory(f"Rule {n}: never skip part {n}.", critical=True),
                            workspace="shop").content
            for n in range(5)
        ]  # fmt: skip
        good = frozenset(dice.sample(made, GOOD))
        memory.capture.drain()
        whole = memory.supervisor.context(task=task, metrics=slow, budget=20_000)
        before, lost = ndcg(ranked(whole), good), 0
        memory.supervisor.outcome(str(whole.intervention), "helped")
        budget = _budget(memory, task, slow)
        for number in range(ROUNDS):
            progress(f"outcome {number + 1} of {ROUNDS}")
            found = memory.supervisor.context(task=task, metrics=slow, budget=budget)
            lost += sum(text not in found.context.text for text in critical)
            shown = ranked(found)
            share = sum(id in good for id in shown) / max(1, len(shown))
            outcome = "helped" if dice.random() < share else "hurt"
            memory.supervisor.outcome(str(found.intervention), outcome)
        whole = memory.supervisor.context(task=task, metrics=slow, budget=20_000)
        after = ndcg(ranked(whole), good)
    section = f"bandit: {GOOD} of {ARMS} memories help, {ROUNDS} outcomes, seed {seed}"
    report.add(section, f"nDCG@{GOOD} before", before)
    report.add(section, f"nDCG@{GOOD} after", after)
    report.add(section, "critical facts missing in a context", lost)
    report.claim("nDCG rises by .1 at least, no critical fact is lost",
                 after - before >= 0.1 and lost == 0)  # fmt: skip


def _budget(memory: Memoranda, task: str, figures: Mapping[str, float]) -> int:
    """Return a budget for about as many memories as are to be shown."""
    for budget in range(400, 2_000, 20):
        found = memory.supervisor.context(task=task, metrics=figures, budget=budget)
        if len(ranked(found)) >= SHOWN:
            return budget
    return 2_000


def measure_monotony(report: Report, folder: Path) -> None:
    """Report whether one memory only rises on success and sinks on failure."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    slow, places = {**FINE, "stalled_steps": 60}, []
    with Memoranda.open(settings=settings) as memory:
        task = memory.observe("go on", task="one", workspace="shop").task
        stated = [NewMemory(f"Way {n}.", category=Category.PATTERN) for n in range(20)]
        ids = [memory.remember(one, workspace="shop").id for one in stated]
        for at, id in enumerate(ids):
            for n in range(12):
                memory.observations.rate(id, useful=n < at % 13)
        for useful in (True,) * 10 + (False,) * 25:
            found = memory.supervisor.context(task=task, metrics=slow, budget=5_000)
            places.append(ranked(found).index(ids[6]))
            memory.observations.rate(ids[6], useful=useful)
    up, down = pairwise(places[:11]), pairwise(places[10:])
    steady = all(b <= a for a, b in up) and all(b >= a for a, b in down)
    report.add("one memory among 20", "place before, at its best, at last",
               f"{places[0]}, {min(places)}, {places[-1]}")  # fmt: skip
    report.claim("a rank moves one way with outcomes", steady and min(places) < places[0])


# --- time -----------------------------------------------------------------------------------


def measure_time(report: Report, folder: Path, records: int, seed: int) -> None:
    """Report the time of a supervisor's context in a store of many records."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    desk, dice = Desk(f"time {seed}"), random.Random(seed)
    with Memoranda.open(settings=settings) as memory:
        for start in range(0, records, 500):
            progress(f"{start:,} of {records:,} records")
            sessions = f"s{start // 2_000}"
            memory._services.intake.take(
                [desk.event(sessions, f"{start + n}") for n in range(500)],
                actor="bench", workspace="shop",
            )  # fmt: skip
        task = stocked(memory, desk)
        memory.capture.drain(wait=True)
        memory._services.background.stop()  # finishes pending work before the clock starts
        longest = max(memory.tasks.list(limit=500), key=lambda one: one.observations)
        spent = _timed(memory, task, dice)
        long = _timed(memory, longest.id, dice)
    section = f"{records:,} records, 95 contexts of 2,000 tokens"
    for share in (0.5, 0.95):
        report.add(section, f"p{100 * share:.0f}", quantile(spent, share), "ms")
        name = f"p{100 * share:.0f}, a task of {longest.observations:,} steps"
        report.add(section, name, quantile(long, share), "ms")
    report.claim(f"p95 below 100 ms at {records:,} records", quantile(spent, 0.95) < 100)


def _timed(memory: Memoranda, task: str, dice: random.Random) -> list[float]:
    """Return the milliseconds of 95 contexts of a task, after 5 warm-ups."""
    spent = []
    for _ in range(100):
        changes, _ = dice.choice(STATES)
        began = time.perf_counter()
        memory.supervisor.context(task=task, metrics=FINE | changes)
        spent.append(1e3 * (time.perf_counter() - began))
    return spent[5:]


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--records", type=int, default=10_000, help="observations while timed")
    return made.parse_args()


def main() -> int:
    """Measure sections, outcomes, and time."""
    chosen = options()
    report = Report("supervisor", vars(chosen))
    with tempfile.TemporaryDirectory(prefix="memoranda-supervisor-") as folder:
        place = Path(folder)
        settings = load_settings({"data_dir": place / "states", "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            measure_states(report, memory, stocked(memory, Desk("states")))
        measure_bandit(report, place / "bandit", chosen.seed)
        measure_monotony(report, place / "monotony")
        measure_time(report, place / "time", chosen.records, chosen.seed)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
