"""Simulate whether errors recur, and rank their remedies.

The agent is a script: it errs at a pitfall unless the warning is in its context. No model takes
part, so the figures describe the contexts, not what a live agent does with them.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measuring.report import Report, parser, progress
from measuring.work import Desk
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.errors.model import ErrorContext
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.observations.model import Origin
from memoranda.search.model import TaskContext

PARTS = (
    "pump", "lamp", "valve", "boiler", "meter", "filter", "relay", "sensor", "heater", "fan",
    "mixer", "scale", "press", "drill", "lathe", "crane", "winch", "hoist", "gauge", "motor",
)  # fmt: skip
DEEDS = ("start", "migrate", "export", "deploy")
PITFALLS = 24
TASKS = 40
MET = 4
"""Pitfalls per task."""
BETWEEN = 6
"""Ordinary steps before each."""
BUDGET = 2_000
FIRST = 5
ERRORS = (
    "ModuleNotFoundError: No module named '{name}'",
    "{name}.toml: No such file or directory",
    "KeyError: '{name}'",
    "{name}: command not found",
    "ConnectionError: could not reach {name}:5432",
)
FIXES = (
    "pip install {name}-compat",
    "cp {name}.example.toml {name}.toml",
    "python tools/fill.py --key {name}",
    "brew install {name}",
    "docker compose up -d {name}",
)


@dataclass(frozen=True, slots=True)
class Pitfall:
    """A step that fails unless something is done before."""

    number: int
    deed: str
    part: str

    @property
    def name(self) -> str:
        """The name in its error."""
        return f"{self.part}_{self.deed}_kit"

    @property
    def step(self) -> str:
        """The failing command."""
        return f"python {self.part}/{self.deed}.py"

    @property
    def error(self) -> str:
        """The error's output."""
        return ERRORS[self.number % len(ERRORS)].format(name=self.name)

    @property
    def fix(self) -> str:
        """The remedy, which a warning has to name."""
        return FIXES[self.number % len(FIXES)].format(name=self.name)


def pitfalls() -> list[Pitfall]:
    """Return all pitfalls."""
    pairs = [(deed, part) for deed in DEEDS for part in PARTS]
    return [Pitfall(n, *pairs[n * 7 % len(pairs)]) for n in range(PITFALLS)]


@dataclass(slots=True)
class Workshop:
    """A memory, and the transcript of everything that was done in it."""

    memory: Memoranda
    desk: Desk
    said: list[str] = field(default_factory=list)
    count: int = 0

    def ran(self, session: str, command: str, output: str, *, failed: bool = False) -> None:
        """Run one step."""
        self.count += 1
        self.memory.capture.take([_event(session, f"{self.count}", command, output, failed)],
                         workspace="shop")  # fmt: skip
        self.said.append(f"$ {command}\n{output}")

    def ordinary(self, session: str) -> None:
        """Run a step that succeeds."""
        event = self.desk.event(session, f"o{self.count}")
        self.count += 1
        self.memory.capture.take([event], workspace="shop")
        self.said.append(f"$ {event.input}\n{event.output}")


def _event(session: str, key: str, command: str, output: str, failed: bool) -> Event:
    return Event(
        kind=EventKind.TOOL_RESULT,
        host="bench",
        session=session,
        source=EventSource.API,
        key=key,
        origin=Origin.TOOL,
        tool="Bash",
        input={"command": command},
        output=output,
        failed=failed,
    )


Told = Callable[[Workshop, Pitfall, str], str]
"""Returns the agent's context before a step of a session."""


def nothing(shop: Workshop, pitfall: Pitfall, session: str) -> str:
    """Return no context."""
    return ""


def window(shop: Workshop, pitfall: Pitfall, session: str) -> str:
    """Return the end of the transcript, with as many tokens."""
    counter, kept, room = shop.memory._services.counter, list[str](), BUDGET
    for text in reversed(shop.said):
        room -= counter.count(text)
        if room < 0:
            break
        kept.append(text)
    return "\n".join(reversed(kept))


def at_start(shop: Workshop, pitfall: Pitfall, session: str) -> str:
    """Return Memoranda's context without a query."""
    return shop.memory.context(budget=BUDGET, workspace="shop").text


def at_step(shop: Workshop, pitfall: Pitfall, session: str) -> str:
    """Return Memoranda's context with the next action as query."""
    wanted = f"{pitfall.deed} the {pitfall.part}"
    return shop.memory.context(budget=BUDGET, workspace="shop", query=wanted).text


@dataclass(slots=True)
class Tally:
    """Counts of the agent's repeated errors."""

    met: int = 0
    erred: int = 0
    first: int = 0

    @property
    def rate(self) -> float:
        """The share of known pitfalls at which it erred again."""
        return self.erred / max(1, self.met)


def simulate(result: Told, folder: Path, seed: int) -> Tally:
    """Run all tasks with one kind of context."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    dice, tally, known = random.Random(seed), Tally(), set[int]()
    with Memoranda.open(settings=settings) as memory:
        shop = Workshop(memory, Desk(f"recurrence {seed}"))
        for number in range(TASKS):
            progress(f"{result.__name__}: task {number + 1} of {TASKS}")
            session = f"task-{number}"
            for pitfall in dice.sample(pitfalls(), MET):
                for _ in range(BETWEEN):
                    shop.ordinary(session)
                memory.capture.drain()
                warned = pitfall.fix in _plain(result(shop, pitfall, session))
                _do(shop, pitfall, session, warned)
                if pitfall.number in known:
                    tally.met += 1
                    tally.erred += not warned
                else:
                    tally.first += 1
                known.add(pitfall.number)
    return tally


def _do(shop: Workshop, pitfall: Pitfall, session: str, warned: bool) -> None:
    if not warned:
        shop.ran(session, pitfall.step, f"{pitfall.error}\nexit code 1", failed=True)
    shop.ran(session, pitfall.fix, "done")
    shop.ran(session, pitfall.step, "all is well")


def _plain(text: str) -> str:
    return text.replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<")


def measure_recurrence(report: Report, folder: Path, seed: int) -> None:
    """Report the rate of repeated errors with each kind of context."""
    section = f"simulation: {TASKS} tasks, {PITFALLS} pitfalls, contexts of {BUDGET:,} tokens"
    found: dict[str, Tally] = {}
    for method in (nothing, window, at_start, at_step):
        found[method.__name__] = tally = simulate(method, folder / method.__name__, seed)
        note = f"{tally.erred} of {tally.met} met again; {tally.first} met first"
        report.add(section, f"erred again, {method.__doc__}", tally.rate, note=note)
    ours, other = found["at_step"].rate, found["window"].rate
    report.add(section, "fewer than without memory", 1 - ours)
    report.add(section, "fewer than with the end of the transcript", 1 - ours / max(other, 1e-9))
    report.claim("recurrence at least 40% below both", ours <= 0.6 * other and ours <= 0.6)


# --- ranking --------------------------------------------------------------------------------


def fill(memory: Memoranda, chosen: Sequence[Pitfall], dice: random.Random) -> dict[str, str]:
    """Store remedies of each pitfall among similar memories.

    Returns the pitfall's name by id.
    """
    shop, owners = Workshop(memory, Desk("ranking")), dict[str, str]()
    for pitfall in chosen:
        session = f"earlier-{pitfall.number}"
        shop.ran(session, pitfall.step, f"{pitfall.error}\nexit code 1", failed=True)
        shop.ran(session, pitfall.fix, "done")
        shop.ran(session, pitfall.step, "all is well")
        (error,) = memory.errors.list(task=memory.tasks.list(limit=1).items[0].id, limit=1).items
        assert error.resolved_by is not None
        known = (
            (f"{pitfall.name} is missing on fresh machines; {pitfall.fix} puts it there.",
             Category.TROUBLESHOOTING, ()),
            (f"Before the {pitfall.part} {pitfall.deed} runs, do the usual preparation first.",
             Category.INSIGHT, (error.resolved_by,)),
        )  # fmt: skip
        for text, category, evidence in known:
            stated = NewMemory(text, category=category, evidence=evidence)
            owners[memory.remember(stated, workspace="shop").id] = pitfall.name
        owners[error.resolved_by] = pitfall.name
        for number in range(6):
            who = dice.choice(("Ines", "Tomas", "Yuki"))
            text = (
                f"To {pitfall.deed} the {pitfall.part} again, {who} wants a note of day {number}.",
                f"How the {pitfall.part} should {pitfall.deed}: {who} drew plan {number} of it.",
            )[number % 2]
            category = (Category.DECISION, Category.ANTI_PATTERN)[number % 2]
            memory.remember(NewMemory(text, category=category), workspace="shop")
    return owners


RANKINGS = ("without", "by tags alone", "error-aware")


def precision(memory: Memoranda, pitfall: Pitfall, owners: dict[str, str], kind: str) -> float:
    """Return the precision of remedies among the first five hits.

    The divisor is the number of remedies if there are fewer than five.
    """
    work = {
        "without": TaskContext(trouble=ErrorContext(names=frozenset({"\0"}))),
        "by tags alone": TaskContext(errors=_tags(memory)),
        "error-aware": TaskContext(),
    }[kind]
    question = f"how do we {pitfall.deed} the {pitfall.part} again"
    hits = memory.search(question, workspace="shop", limit=FIRST, work=work).hits
    every = Counter(owners.values())[pitfall.name]
    right = sum(owners.get(hit.id) == pitfall.name for hit in hits)
    return right / min(FIRST, every)


def _tags(memory: Memoranda) -> tuple[str, ...]:
    (error,) = memory.errors.list(limit=1).items
    assert error.observation is not None
    return memory.observations.show(error.observation).observation.tags


def measure_ranking(report: Report, folder: Path, seed: int, embedder: str) -> None:
    """Report the ranking of remedies after an error, by kind of ranking."""
    settings = load_settings({"data_dir": folder, "embedder": embedder}, {})
    dice, chosen = random.Random(seed), pitfalls()
    found: dict[str, list[float]] = {kind: [] for kind in RANKINGS}
    with Memoranda.open(settings=settings) as memory:
        owners = fill(memory, chosen, dice)
        memory.capture.drain(wait=True)
        memory.index.reembed()
        shop = Workshop(memory, Desk("now"), count=10_000)
        for pitfall in chosen:
            progress(f"question {pitfall.number + 1} of {len(chosen)}")
            output = f"{pitfall.error}\nexit code 1"
            shop.ran(f"now-{pitfall.number}", pitfall.step, output, failed=True)
            memory.capture.drain()
            for kind in RANKINGS:
                found[kind].append(precision(memory, pitfall, owners, kind))
    section = f"{len(chosen)} made questions after an error, embedder {embedder}"
    means = {kind: sum(values) / len(values) for kind, values in found.items()}
    for kind, mean in means.items():
        report.add(section, f"precision@{FIRST}, {kind}", mean, note=f"{means['without']:.3f} bare")
    gain = means["error-aware"] - means["without"]
    report.add(section, "gain", gain)
    report.claim("error-aware ranking gains at least .05", gain >= 0.05)


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--embedder", choices=("none", "local"), default="none")
    return made.parse_args()


def main() -> int:
    """Run the simulation, then the rankings."""
    chosen = options()
    report = Report("recurrence", vars(chosen))
    with tempfile.TemporaryDirectory(prefix="memoranda-recurrence-") as folder:
        place = Path(folder)
        measure_ranking(report, place / "ranking", chosen.seed, chosen.embedder)
        measure_recurrence(report, place, chosen.seed)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
