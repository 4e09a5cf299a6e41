"""Generated histories of two workspaces, determined by a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from happenings import START, message_event, ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.capture.event import Event
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import ObservationType, Origin
from memoranda.scope import Scope

SECOND = 1_000_000
DAY = 86_400 * SECOND
SUBJECTS = ("cart", "invoice", "parcel", "tariff", "customer", "ledger", "refund", "voucher")
RULES = (
    "Never edit {0}.csv by hand.",
    "Always run the whole {0} suite before you say it is done.",
    "You must not change the {0} schema.",
)
REMARKS = (
    "I looked at the {0} and found that {1} values are cached twice, once per request.",
    "The {0} total is computed before the {1} discount, which explains the cent that is missing.",
    "Plan: first the {0}, then the {1}, then the documentation of both, and a regression test.",
)
FOREIGN = "zebra"
"""A word in every record of the other workspace, and in no other record."""


@dataclass
class History:
    """The records of the workspace shop."""

    rules: list[str] = field(default_factory=list)
    """Constraints stated in its newest task."""
    critical: list[str] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)
    """Approved memories that are not critical."""


def opened(data_dir: Path, agent: str | None = None) -> Memoranda:
    """Open a memory whose clock returns the same times in every run."""
    settings = load_settings({"data_dir": data_dir, "embedder": "none"}, {})
    services = Services(settings, FixedClock(step=1_000))
    return Memoranda(services, Scope(services.settings.team, agent=agent))


def fill(memory: Memoranda, seed: int) -> History:
    """Fill a store with a generated history and return it."""
    dice, history = random.Random(seed), History()
    for number in range(dice.randint(1, 3)):
        for cwd, foreign in (("/srv/barn", True), ("/srv/shop", False)):
            rules = [rule.format(dice.choice(SUBJECTS)) for rule in dice.sample(RULES, 3)]
            rules = rules[: dice.randint(0, 3)]
            session = f"{cwd[5]}{number}"
            events = list(_session(dice, session, START + number * DAY, rules))
            if foreign:
                events = list(map(_foreign, events))
            else:
                history.rules = rules
            memory.capture.take([replace(event, cwd=cwd) for event in events])
    for number in range(dice.randint(0, 16)):
        text = f"{number}. The {dice.choice(SUBJECTS)} rate is {dice.random()}. "
        text = (text * dice.choice((1, 1, 4))).strip()
        critical = dice.random() < 0.2
        memory.remember(NewMemory(text, critical=critical), workspace="shop")
        (history.critical if critical else history.memories).append(text)
    for number in range(dice.randint(0, 4)):
        statement = NewMemory(f"{FOREIGN} memory {number}", critical=number % 2 == 0)
        memory.remember(statement, workspace="barn")
    return history


def _foreign(event: Event) -> Event:
    if event.tool:
        return replace(event, output=f"{FOREIGN} {event.output}")
    text = event.text.replace(" the ", f" the {FOREIGN} ").replace(". ", f" {FOREIGN}. ")
    return replace(event, text=f"{FOREIGN} {text}")


def _session(dice: random.Random, session: str, begin: int, rules: list[str]) -> Iterator[Event]:
    goal = f"Fix the {dice.choice(SUBJECTS)} in {session}. " + " ".join(rules)
    yield message_event(f"{session}-goal", goal, session=session, occurred_at=begin)
    for step in range(dice.randint(3, 40)):
        event = _step(dice, f"{session}-{step}", step)
        yield replace(event, session=session, occurred_at=begin + step * SECOND)


def _step(dice: random.Random, key: str, step: int) -> Event:
    first, second = dice.sample(SUBJECTS, 2)
    kind = dice.random()
    if kind < 0.3:
        text = dice.choice(REMARKS).format(first, second)
        return message_event(key, f"{text} ({key})", origin=Origin.AGENT)
    if kind < 0.4:
        text = f"Decided to round the {first} once ({key})"
        return message_event(key, text, origin=Origin.AGENT, type=ObservationType.DECISION)
    failed = kind > 0.8
    output = f"{first}.py:{step}: TypeError: {second}" if failed else f"{step} passed"
    return ran(key, f"pytest tests/test_{first}.py", output, failed=failed)
