"""A memory whose profile is crowded and whose learnings fill pages, made through operations."""

from __future__ import annotations

from pathlib import Path

from made_store import HOSTILE, WORKSPACE, Made

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.json_data import parse_iso_time
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.profile.model import CATEGORIES

PAGED = 104
"""Entries of the profile: more than one page has."""
IMAGE = '"><img src=x onerror=alert(1)>'
CJK = "运费按区域计算,四舍五入到分"
LONG = (
    "When a quote is made for an order, the parcel is measured first, and it is then weighed, and "
    "basically the tariff file of its zone is looked up in order to find the price; it should be "
    "noted that the amount is in whole cents, and that the total of the order is rounded only once "
    "at the very end, half up. It is perhaps worth mentioning that the zones were named by hand at "
    "some point in time, which is to say that nobody generated them. At the end of the day the "
    "customer sees the total, and of course the customer may ask how the total came about, in "
    "which case the answer is to be found in the log of the quote, which keeps each of the steps."
)


def make(folder: Path) -> Made:
    """Make it; ``ids`` names what the stories speak of, ``keys`` has one for each role."""
    made = Made(folder)
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace=WORKSPACE) as person:
        _profile(person, made)
        _over_time(person, made)
        for role in ("reader", "member", "reviewer"):
            made.keys[role] = person.tokens.create(role, subject=f"{role}-1").secret
        made.keys["agent"] = person.tokens.create("agent", agent="bob").secret
        person.capture.drain()
    return made


def _profile(person: Memoranda, made: Made) -> None:
    for number in range(PAGED):
        text = (
            f"Rule {number} of the tariffs: zone {number} is priced by weight step {number * 7}, "
            f"taken from table {number * 13} and checked by hand against invoice {number * 31} of "
            f"carrier {number * 3}; its surcharge is {number * 11} cents, and its limit is "
            f"{number * 17} grams, as contract {number * 19} has it since issue {number * 23}"
        )
        person.profile.add(text, category=CATEGORIES[number % len(CATEGORIES)])
    kept = person.profile.add("Prefers small commits with a reason in the message", protected=True)
    made.ids["protected"] = kept.id
    for name, text in (
        ("twin", "Tests are run with pnpm test before each push"),
        ("other twin", "Tests are run with `pnpm test` before each push."),
        ("long", LONG),
        ("image", IMAGE),
        ("cjk", CJK),
    ):
        made.ids[name] = person.profile.add(text, category="project_pattern").id


def _over_time(person: Memoranda, made: Made) -> None:
    seen = person.observe("gateway.toml says port = 8080", task="gateway")
    person.capture.drain()
    reported = (
        ("port", "The gateway listens on port 8080", "2024-01-01", "2025-03-01", (seen.id,)),
        ("new port", "The gateway listens on port 9090", "2025-03-01", None, ()),
    )
    for name, text, start, end, evidence in reported:
        statement = NewMemory(
            text,
            category=Category.INSIGHT,
            tags=("gateway",),
            valid_from=parse_iso_time(start),
            valid_until=parse_iso_time(end) if end else None,
            evidence=evidence,
        )
        made.ids[name] = person.remember(statement).id
    made.ids["evidence"] = seen.id
    made.ids["deploy"] = person.remember("Deployments are done on Tuesdays").id
    made.ids["not tuesdays"] = person.remember("Deployments are never done on Tuesdays").id
    made.ids["hostile"] = person.remember(HOSTILE + " " + "w" * 10_000).id
    rule = NewMemory("Tariff files are generated; edit the generator instead", critical=True)
    made.ids["critical"] = person.remember(rule).id
    team = NewMemory("Pin what is fast-moving", category=Category.PATTERN)
    made.ids["team"] = person.remember(team).id
    person.memories.promote(made.ids["team"], reason="every project needs it")
    person.memories.conflicts()
