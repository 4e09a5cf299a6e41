"""Measure search precision among 20,000 distractors.

Questions use the words of the records, or other words.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.observations.model import Origin

CONCEPTS = (
    ("database migrations", "schema changes", "altering the layout of stored tables"),
    ("login sessions", "sign-in tokens", "how long somebody stays authenticated"),
    ("invoice rounding", "billing precision", "cutting amounts to whole cents"),
    ("email delivery", "outgoing mail", "messages that reach a customer's inbox"),
    ("test coverage", "untested code", "how much of the program is exercised automatically"),
    ("log retention", "keeping log files", "when old traces of the program are thrown away"),
    ("image uploads", "picture files", "photos that people send to the site"),
    ("search ranking", "order of results", "which match a visitor sees first"),
    ("password resets", "forgotten passwords", "letting someone back in who lost a secret phrase"),
    ("rate limiting", "request throttling", "slowing down callers who ask too often"),
    ("holiday calendars", "public holidays", "days on which nobody works"),
    ("currency conversion", "exchange rates", "turning euros into dollars"),
    ("barcode scanning", "reading barcodes", "recognising the stripes on a package"),
    ("backup schedules", "nightly backups", "making spare copies of everything"),
    ("dark mode", "night theme", "light letters on a black background"),
    ("memory leaks", "growing memory use", "a process that swells until it dies"),
    ("delivery routes", "driver routing", "the way a van takes through town"),
    ("tax exemptions", "tax-free customers", "buyers who owe the state nothing"),
    ("spell checking", "typo correction", "finding words that are written wrongly"),
    ("code review", "reviewing pull requests", "a colleague reading a change before it lands"),
    ("time zones", "local times", "clocks that differ between countries"),
    ("printer drivers", "label printers", "machines that put ink on paper"),
    ("stock levels", "inventory counts", "how many pieces lie in the warehouse"),
    ("customer refunds", "paying money back", "returning what a buyer has spent"),
    ("weather data", "forecast feeds", "whether it will rain tomorrow"),
)
"""Each subject in its own words, in other words, and by description."""
PROJECTS = ("Juniper", "Atlas", "Marigold", "Pelican")
SAYINGS = (
    "In {project}, {subject} went wrong twice last month.",
    "{person} looks after {subject} for {project} now.",
    "We agreed that {subject} in {project} comes before anything else this quarter.",
    "The {project} team wrote three pages about {subject}.",
    "{subject} in {project}: the cause was a missing index, says {person}.",
    "Nobody but {person} understands {subject} in {project}.",
    "For {project} we bought a tool for {subject} and dropped it again.",
    "{person} promised to finish {subject} of {project} by Friday.",
    "The budget of {project} has {number} hours for {subject}.",
    "Customers of {project} complained about {subject} {number} times.",
    "{subject} in {project} needs a second pair of eyes.",
    "Before the release of {project}, {person} checked {subject} by hand.",
)
PEOPLE = ("Ines", "Tomas", "Yuki", "Amara", "Felix", "Noor", "Greta", "Luca", "Mei", "Oskar")
OTHERS = (
    "office chairs", "coffee beans", "parking spaces", "badge photos", "lunch orders",
    "window blinds", "team jackets", "desk lamps", "bike racks", "garden tools", "door keys",
    "meeting notes", "phone plans", "travel forms", "paper towels", "board games", "guest rooms",
    "quiz nights", "running shoes", "wall paint", "fire drills", "birthday cakes", "house plants",
)  # fmt: skip
QUESTION = "What do we know about {subject} in {project}?"
LEVELS = ("in its own words", "in other words", "described, not named")
FIRST = 5


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject within a project."""

    project: str
    wordings: tuple[str, str, str]

    @property
    def key(self) -> str:
        """The prefix of its records' keys."""
        return f"{self.project}/{self.wordings[0]}/"


def topics(half: str) -> list[Topic]:
    """Return the topics of one half: every other subject."""
    chosen = CONCEPTS[0 if half == "first" else 1 :: 2] if half != "both" else CONCEPTS
    return [Topic(project, wordings) for wordings in chosen for project in PROJECTS]


def records(dice: random.Random, distractors: int) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of distractors and of 6 to 12 records per topic."""
    for topic in topics("both"):
        for number, saying in enumerate(dice.sample(SAYINGS, dice.randint(6, 12))):
            yield f"{topic.key}{number}", _statement(dice, saying, topic.project, topic.wordings[0])
    for number in range(distractors):
        subject = dice.choice(OTHERS)
        if dice.random() < 0.5:
            subject = f"{subject} and {dice.choice(OTHERS)}"
        text = _statement(dice, dice.choice(SAYINGS), dice.choice(PROJECTS), subject)
        yield f"other/{number}", f"{text} Room {dice.randint(1, 999)}."


def _statement(dice: random.Random, saying: str, project: str, subject: str) -> str:
    text = saying.format(
        project=project, subject=subject, person=dice.choice(PEOPLE), number=dice.randint(2, 90)
    )
    return text[0].upper() + text[1:]


def fill(memory: Memoranda, made: list[tuple[str, str]]) -> dict[str, str]:
    """Store records, each in its own session; return their keys by title."""
    events = [
        Event(
            kind=EventKind.MESSAGE,
            host="bench",
            session=str(number),
            source=EventSource.API,
            key=key,
            origin=Origin.AGENT,
            text=text,
        )
        for number, (key, text) in enumerate(made)
    ]
    memory.capture.take(events)
    memory.index.reembed(progress=lambda done, total: progress(f"{done:,} of {total:,} vectors"))
    return {text: key for key, text in made}


def precision(memory: Memoranda, keys: dict[str, str], level: int, half: str) -> float:
    """Return the mean share of the first five hits that are of the topic."""
    shares = []
    for topic in topics(half):
        question = QUESTION.format(subject=topic.wordings[level], project=topic.project)
        hits = memory.search(question, limit=FIRST).hits
        found = [keys[memory.observations.show(hit.id).content] for hit in hits]
        shares.append(sum(key.startswith(topic.key) for key in found) / FIRST)
    return sum(shares) / len(shares)


def main() -> int:
    """Fill a store and query every topic at every level."""
    options = parser(__doc__)
    options.add_argument("--distractors", type=int, default=20_000)
    options.add_argument("--half", choices=("first", "second", "both"), default="both")
    chosen = options.parse_args()
    report = Report("precision", vars(chosen))
    dice = random.Random(chosen.seed)
    made = list({text: (key, text) for key, text in records(dice, chosen.distractors)}.values())
    with tempfile.TemporaryDirectory(prefix="memoranda-precision-") as folder:
        settings = load_settings({"data_dir": folder})
        with Memoranda.open(settings=settings, workspace="made") as memory:
            keys = fill(memory, made)
            report.add("store", "records", len(made))
            report.add("store", "topics asked about", len(topics(chosen.half)))
            for level, name in enumerate(LEVELS):
                share = precision(memory, keys, level, chosen.half)
                report.add("precision of the first five, questions", name, round(share, 3))
                if level < 2:
                    report.claim(f"questions {name}: at least .95 of the first five", share >= 0.95)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
