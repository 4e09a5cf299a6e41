"""Test the optimiser on generated profiles of 12,000 tokens.

A profile has stale memories, some repeated in similar or other words, long ones with filler around
their facts, protected and critical ones, and near-duplicates that differ in a value. Measured is
whether the result fits, what is kept, and what can be restored.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contract.records import Records
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.compression.critical_facts import critical_facts
from memoranda.compression.model import CompressedLine, CompressedText, Passage, PassageSpeaker
from memoranda.compression.quality import quality
from memoranda.config import load_settings
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.ports import TokenCounter
from memoranda.profile.model import CATEGORIES, DAY, ProfileChange, ProfileSuggestionKind, cost
from memoranda.profile.optimization.essential_facts import lost_facts, plain_sentences
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Transaction

WHOLE = 12_000
TARGETS = (8_000, 10_000)


def words(text: str) -> tuple[str, ...]:
    """Split a text into a tuple of words."""
    return tuple(text.split())


PARTS = words(
    "gateway ledger parcel invoice courier tariff depot label quote pallet refund voucher dispatch"
    " customs manifest carrier basket checkout catalogue returns tracking insurance surcharge"
)
TASKS = words("listens runs polls retries answers writes rotates caches")
PEOPLE = words("Ana Bruno Chen Dora Emil Farah Goran Hana")
OPENINGS = words("Honestly Perhaps Still Meanwhile Anyway Naturally Somehow Lately Often Later")
MOODS = words("pleasant odd quiet lively familiar gentle curious ordinary cheerful slow fond warm")
TIMES = words("morning evening afternoon lunch winter summer spring autumn week holiday walk trip")


def talk(dice: random.Random) -> str:
    """Return a sentence without facts."""
    one, other, time_of, again = (
        dice.choice(MOODS), dice.choice(MOODS), dice.choice(TIMES), dice.choice(TIMES)
    )  # fmt: skip
    opening = dice.choice(OPENINGS)
    return dice.choice(
        (
            f"{opening} it was a {one} {time_of} and everybody had a {other} view of it all.",
            f"{opening} some of us felt that the {time_of} had been rather {one} and {other}.",
            f"{opening} people spoke of a {one} {time_of} and of a {other} {again} long past.",
            f"{opening} the mood that {time_of} was {one}, much as on any {other} {again}.",
        )
    )


@dataclass(frozen=True, slots=True)
class Made:
    """A generated profile, and the sort of each memory."""

    memories: tuple[Memory, ...]
    sorts: dict[str, str]
    pairs: tuple[tuple[str, str], ...]
    """Memories that contradict each other in a value."""


def fact(dice: random.Random, number: int) -> str:
    """Return a sentence with unique values."""
    part, person = dice.choice(PARTS), dice.choice(PEOPLE)
    return dice.choice(
        (
            f"The {part} service {dice.choice(TASKS)} on port {8_000 + number}.",
            f"Never change src/{part}/rates_{number}.py by hand.",
            f"Ask {person} before the {part} job {number} is run again.",
            f"The {part} totals are rounded to {number % 7 + 2} places in {part}_{number}.",
            f"Always run `make {part}-{number}` before a release.",
            f"We keep {part} events of shard {number} for {number % 80 + 10} days.",
        )
    )


def texts(dice: random.Random) -> Iterator[tuple[str, str, int]]:
    """Yield (sort, text, pair) endlessly; texts of a pair differ in a value."""
    number = 0
    while True:
        number += 1
        result = fact(dice, number)
        sort = dice.choice(("plain", "stale", "same", "reworded", "verbose", "verbose", "protected",
                            "critical", "differ"))  # fmt: skip
        if sort == "same":
            yield sort, result, 0
            yield sort, f"{result} {fact(dice, 50_000 + number)}", 0
        elif sort == "reworded":
            yield sort, f"Use tool-{number} for the {PARTS[number % 23]} work.", 0
            yield sort, f"For the {PARTS[number % 23]} work, use tool-{number}.", 0
        elif sort == "verbose":
            messages = [*(talk(dice) for _ in range(5)), result, fact(dice, 70_000 + number)]
            dice.shuffle(messages)
            yield sort, " ".join(messages), 0
        elif sort == "differ":
            part = dice.choice(PARTS)
            yield sort, f"The {part} queue {number} waits for {number + 10} seconds.", number
            yield sort, f"The {part} queue {number} waits for {number + 40} seconds.", number
        else:
            yield sort, result, 0


def generated(seed: int, place: tuple[str, int], now: int, counter: TokenCounter) -> Made:
    """Make a profile of 12,000 tokens; ``place`` is (workspace, id seed)."""
    workspace, salt = place
    dice, records = random.Random(seed), Records(seed=salt)
    made, sorts, pairs = list[Memory](), dict[str, str](), dict[int, list[str]]()
    for sort, text, pair in texts(dice):
        if sum(map(cost, made)) >= WHOLE:
            break
        marks = {sort: True} if sort in ("protected", "critical") else {}
        made.append(
            records.memory(
                workspace,
                text,
                tokens=counter.count(text),
                category=_category(sort, text),
                confidence=0.2 if sort == "stale" else dice.choice((0.6, 0.8, 1.0)),
                uses=0 if sort == "stale" else dice.randrange(30),
                updated_at=now - dice.randrange(40, 200) * DAY,
                **marks,
            )
        )
        sorts[made[-1].id] = sort
        if pair:
            pairs.setdefault(pair, []).append(made[-1].id)
    whole = tuple((one[0], one[1]) for one in pairs.values() if len(one) == 2)
    return Made(tuple(made), sorts, whole)


def _category(sort: str, text: str) -> Category:
    if sort in ("same", "reworded", "differ"):
        return Category.LEARNED_RULE
    return CATEGORIES[len(text) % len(CATEGORIES)]


def kept(sources: list[str], message: str) -> tuple[int, int]:
    """Return the numbers of critical facts in texts, and of those kept."""
    passages = [Passage(str(n), PassageSpeaker.USER, text) for n, text in enumerate(sources)]
    refs = [passage.ref for passage in passages]
    lines = tuple(
        CompressedLine(ref, PassageSpeaker.USER, one)
        for ref in refs
        for one in plain_sentences(message)
    )
    found = quality(passages, CompressedText(message, 1, 1, lines, (), 0, 0, "extract"))
    assert found.facts == len(critical_facts(passages))
    return found.facts, found.kept


@dataclass(slots=True)
class Tally:
    """Results over all profiles."""

    fits: int = 0
    lasting_changed: int = 0
    not_restored: int = 0
    pairs_merged: int = 0
    facts: int = 0
    kept: int = 0
    lost: int = 0
    """Values, names and rules that no replacing text has."""
    merged_facts: int = 0
    merged_kept: int = 0
    profiles: int = 0


class Run:
    """Runs profiles through a store."""

    def __init__(self, memory: Memoranda, tally: Tally) -> None:
        self._memory = memory
        self._tally = tally
        self.freed: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self.of_sort: dict[str, int] = {}
        self.seconds: list[float] = []

    def profile(self, seed: int, target: int) -> None:
        """Make a profile, apply the suggestion, and undo it."""
        memory, name = self._memory, f"shop-{seed}-{target}"
        place = memory._named_or_new(name).id
        now = memory._services.clock.now()
        made = generated(seed, (place, seed * 100_000 + target), now, memory._services.counter)
        memory._database.write(lambda tx: _plant(tx, made))
        started = time.process_time()
        preview = memory.profile.optimize(workspace=name, target=target)
        self.seconds.append(time.process_time() - started)
        done = memory.profile.apply(preview.hash, workspace=name)
        self._judge(made, preview, memory.profile.show(workspace=name).used, target)
        memory.profile.undo(done.id)
        after = self._states(made)
        lost = sum(after[one.id] != MemoryState.of(one) for one in made.memories)
        self._tally.not_restored += lost
        self._tally.profiles += 1

    def _judge(self, made: Made, preview: ProfileChange, used: int, target: int) -> None:
        tally, states = self._tally, self._states(made)
        tally.fits += used <= target
        for one in made.memories:
            sort = made.sorts[one.id]
            changed = states[one.id] != MemoryState.of(one)
            tally.lasting_changed += changed and sort in ("protected", "critical")
            self.of_sort[sort] = self.of_sort.get(sort, 0) + 1
            left = states[one.id].status is MemoryStatus.ARCHIVED
            self.gone[sort] = self.gone.get(sort, 0) + left
        tally.pairs_merged += sum(
            states[one].superseded_by == other or states[other].superseded_by == one
            for one, other in made.pairs
        )
        for suggestion in preview.suggestions:
            kind = suggestion.kind
            self.freed[kind] = self.freed.get(kind, 0) + suggestion.freed
            if kind in (ProfileSuggestionKind.MERGE, ProfileSuggestionKind.SHORTEN):
                self._count(made, states, suggestion.kind, [s.memory for s in suggestion.steps])

    def _count(
        self,
        made: Made,
        states: dict[str, MemoryState],
        kind: ProfileSuggestionKind,
        ids: list[str],
    ) -> None:
        """Count the facts of the sources that the replacing text has."""
        known = {one.id: one for one in made.memories}
        heads = {states[id].superseded_by or id for id in ids}
        (head,) = heads
        sources = [known[id].content for id in dict.fromkeys([*ids, head])]
        result = states[head].content
        facts, stored = kept(sources, result)
        self._tally.lost += sum(len(lost_facts(source, result)) for source in sources)
        if kind is ProfileSuggestionKind.MERGE:
            self._tally.merged_facts += facts
            self._tally.merged_kept += stored
        else:
            self._tally.facts += facts
            self._tally.kept += stored

    def _states(self, made: Made) -> dict[str, MemoryState]:
        from memoranda.memories import table as memories

        ids, team = [one.id for one in made.memories], self._memory.settings.team
        found = self._memory._database.read(lambda tx: memories.of_any_agent(tx, team, ids))
        return {id: MemoryState.of(one) for id, one in found.items()}


def _plant(tx: Transaction, made: Made) -> None:
    for one in made.memories:
        Records().plant_memory(tx, one)


def measure(report: Report, memory: Memoranda, seeds: int, first: int, name: str) -> None:
    """Report the results of all profiles in one store."""
    tally = Tally()
    for target in TARGETS:
        run = Run(memory, tally)
        for seed in range(first, first + seeds):
            progress(f"{name}, target {target:,}, profile {seed - first + 1} of {seeds}")
            run.profile(seed, target)
        section = f"{name}, {seeds} profiles of {WHOLE:,} tokens, target {target:,}"
        for kind, freed in sorted(run.freed.items()):
            report.add(section, f"freed by {kind}", freed // seeds, "tokens a profile")
        for sort, count in sorted(run.of_sort.items()):
            report.add(section, f"archived of {sort}", f"{run.gone[sort] / count:.2f}")
        report.add(section, "preview", f"{statistics.median(run.seconds):.2f}", "s CPU, median")
    _claim(report, tally, name)


def _claim(report: Report, tally: Tally, name: str) -> None:
    section = f"{name}, all"
    report.add(section, "within the target", f"{tally.fits} of {tally.profiles}")
    report.add(section, "facts kept by merging", f"{tally.merged_kept} of {tally.merged_facts}")
    report.add(section, "facts kept by shortening", f"{tally.kept} of {tally.facts}")
    report.add(section, "values, names and rules lost", tally.lost)
    report.claim(f"{name}: no value, name or rule is lost", not tally.lost)
    report.claim(f"{name}: every profile fits", tally.fits == tally.profiles)
    report.claim(f"{name}: protected and critical ones are as before", not tally.lasting_changed)
    report.claim(f"{name}: undone, everything is as before", not tally.not_restored)
    report.claim(f"{name}: different values are never merged", not tally.pairs_merged)
    report.claim(f"{name}: merging keeps every fact", tally.merged_kept == tally.merged_facts > 0)
    report.claim(f"{name}: shortening keeps every fact", tally.kept == tally.facts > 0)


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--seeds", type=int, default=20, help="profiles for each target")
    made.add_argument("--embedder", default="local", choices=("local", "none"))
    made.add_argument("--database-url", default="", help="an empty PostgreSQL store beside a file")
    return made.parse_args()


def main() -> int:
    """Measure in a new file, and on a server if one is named."""
    chosen = options()
    shown = {key: str(value) for key, value in vars(chosen).items() if key != "database_url"}
    report = Report("optimiser", shown)
    with tempfile.TemporaryDirectory() as folder:
        arguments = {"data_dir": Path(folder) / "data", "embedder": chosen.embedder}
        settings = load_settings(arguments, {})
        with Memoranda.open(settings=settings) as memory:
            measure(report, memory, chosen.seeds, chosen.seed, "SQLite")
        if chosen.database_url:
            served = replace(settings, database_url=chosen.database_url)
            with Memoranda.open(settings=served) as memory:
                measure(report, memory, chosen.seeds, chosen.seed, "PostgreSQL")
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
