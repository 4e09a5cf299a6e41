"""Plant facts in conversations to measure what shorter texts keep.

A fact is kept if one line of the result has its value and its head word, and is negated exactly if
the fact is.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Draw = Callable[[random.Random], str]

DENIAL = re.compile(r"\b(?:not|never|no|without|nobody)\b|n't\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ROLE = re.compile(r"(\w+): ")

FIRST = ("Jorunn", "Mateus", "Keiko", "Lwazi", "Odile", "Ivo", "Nadia", "Pavel", "Signe", "Omar")
LAST = ("Falk", "Braga", "Oda", "Dube", "Perrin", "Stanek", "Haddad", "Horak", "Vinter", "Sayegh")
PLACES = ("Gdansk", "Porto", "Uppsala", "Izmir", "Malaga", "Riga", "Split", "Cork", "Graz")
TOOLS = ("Redpanda", "Typesense", "Dragonfly", "Podman", "Haproxy", "Quarkus", "Nomad", "Varnish")
MONTHS = ("January", "March", "June", "October", "December")
FOODS = ("peanuts", "mussels", "walnuts", "celery", "lentils", "mustard")


def number(low: int, high: int) -> Draw:
    """Return a function that draws a number from a range."""
    return lambda draw: str(draw.randint(low, high))


def one_of(things: Sequence[str]) -> Draw:
    """Return a function that draws one of some values."""
    return lambda draw: draw.choice(things)


def date(draw: random.Random) -> str:
    """Draw a date."""
    return f"{draw.randint(1, 28)} {draw.choice(MONTHS)}"


def clock(draw: random.Random) -> str:
    """Draw a time of day."""
    return f"{draw.randint(6, 21)}:{draw.randint(10, 59)}"


def person(draw: random.Random) -> str:
    """Draw a full name."""
    return f"{draw.choice(FIRST)} {draw.choice(LAST)}"


def ticket(draw: random.Random) -> str:
    """Draw a ticket id."""
    return f"{draw.choice(('OPS', 'REL', 'QX'))}-{draw.randint(1000, 9999)}"


def commit(draw: random.Random) -> str:
    """Draw a commit hash."""
    return f"{draw.randrange(1 << 24, 1 << 28):07x}"


def folder(draw: random.Random) -> str:
    """Draw a path."""
    return f"/data/{draw.choice(('blue', 'north', 'spool'))}/v{draw.randint(100, 999)}"


def mail(draw: random.Random) -> str:
    """Draw an e-mail address."""
    return f"{draw.choice(FIRST).lower()}@example.net"


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with slots: a value {v}, and words {a}, {b} of the context."""

    text: str
    head: str
    """The word required next to the value; empty: the whole sentence."""
    draw: Draw


@dataclass(frozen=True, slots=True)
class Planted:
    """A fact that was put into a text."""

    sentence: str
    value: str
    head: str

    def kept(self, text: str) -> bool:
        """Return whether a text still has the fact."""
        if not self.head:
            return self.sentence.rstrip(".") in text
        denied = bool(DENIAL.search(self.sentence.lower()))
        return any(
            self.value in line
            and re.search(rf"\b{self.head}", line.lower())
            and bool(DENIAL.search(line.lower())) == denied
            for line in split(text)
        )


MARKED = (
    Template("The ceiling for the {a} is {v} requests.", "ceiling", number(1001, 99_999)),
    Template("It is compulsory to sign in through {v}.", "sign", commit),
    Template("Under no circumstances remove the folder {v}.", "folder", folder),
    Template("Deploying from {v} is forbidden.", "deploying", ticket),
    Template("The {a} shall stay below {v} MB.", "stay", number(120, 980)),
    Template("You have to hand in the {a} by {v}.", "hand", date),
    Template("{v} cannot be told about the {a}.", "told", person),
    Template("It is vital that {v} reads the {a} first.", "reads", person),
    Template("Spending beyond {v} EUR is off the table.", "spending", number(1000, 9999)),
    Template("Nobody may touch {v} on weekends.", "touch", ticket),
)
"""Constraints without the words that the cue-word control looks for."""
PLAIN = (
    Template("{v} owns the {a} from here on.", "owns", person),
    Template("We picked {v} for the {a}.", "picked", one_of(TOOLS)),
    Template("My cousin moved to {v}.", "cousin", one_of(PLACES)),
    Template("I get a rash from {v}.", "rash", one_of(FOODS)),
    Template("It broke again after {v}.", "broke", commit),
    Template("{v} is still open.", "open", ticket),
    Template("Send the {a} to {v} please.", "send", mail),
    Template("they paid ${v} for it", "paid", number(120, 990)),
    Template("The {b} sits in {v} now.", "sits", folder),
    Template("{v} said the {a} can wait.", "wait", one_of(FIRST)),
    Template("Our {a} has {v} rows.", "rows", number(1001, 98_000)),
    Template("We dropped {v} because of the {a}.", "dropped", one_of(TOOLS)),
    Template("Dinner is at {v} with the others.", "dinner", clock),
    Template("The {a} times out after {v} seconds.", "times", number(21, 900)),
    Template("Her birthday is {v}.", "birthday", date),
    Template("We don't run {v} any more.", "run", one_of(TOOLS)),
    Template("my laptop has {v} GB left", "laptop", number(21, 480)),
    Template("The {a} runs as user svc{v}.", "user", number(101, 999)),
    Template("The vendor promised it by {v}.", "vendor", date),
    Template("Lunch was on {v} this time.", "lunch", one_of(FIRST)),
)
TOPICAL = (
    Template("We have {v} {b} in the {a}.", "", number(31, 999)),
    Template("I turned the {a} off for the {b}.", "", number(1, 2)),
    Template("It was the {b}, not the {a}.", "", number(1, 2)),
    Template("The {a} isn't in the {b}.", "", number(1, 2)),
    Template("He left the {a} at {v}.", "", number(31, 999)),
    Template("The {a} {b} went down to {v}.", "", number(31, 999)),
    Template("I want the {a} without the {b}.", "", number(1, 2)),
    Template("The {b} has to wait for the {a} until {v}.", "", date),
    Template("We both saw {v} {b} before the {a}.", "", number(31, 999)),
    Template("Your {a} came out at {v} {b}.", "", number(31, 999)),
)
"""All words but the value are frequent in the surrounding text."""
CHANGES = (
    ("The review is on {v}.", "The review is now on {v}.", "review", date),
    ("We keep the images on {v}.", "We moved the images to {v}.", "images", one_of(TOOLS)),
    ("The proxy has port {v}.", "The proxy port changed to {v}.", "port", number(20_001, 60_000)),
    ("{v} runs the workshop.", "{v} runs the workshop now.", "workshop", person),
    ("The hall holds {v} people.", "Actually the hall holds {v} people.", "hall", number(31, 990)),
)


def split(text: str) -> list[str]:
    """Split a text into sentences."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def plant(
    items: Sequence[str], templates: Sequence[Template], count: int, draw: random.Random
) -> tuple[list[str], list[Planted]]:
    """Insert facts between sentences; return the messages and the facts."""
    made, topics = list(items), _topics(items)
    facts = []
    for template in draw.sample(templates, count):
        one, two = draw.sample(topics, 2)
        value = template.draw(draw)
        text = template.text.replace("{v}", value).replace("{a}", one).replace("{b}", two)
        put(made, text, draw.randrange(len(made)), draw)
        facts.append(Planted(text, value, template.head))
    return made, facts


def plant_sentences(
    items: Sequence[str], facts: Sequence[Planted], draw: random.Random
) -> list[str]:
    """Put sentences of other authors between those of messages."""
    made = list(items)
    for fact in facts:
        put(made, fact.sentence, draw.randrange(len(made)), draw)
    return made


def plant_changes(
    items: Sequence[str], count: int, draw: random.Random
) -> tuple[list[str], list[tuple[Planted, Planted]]]:
    """Plant statements in the first half, their replacements in the second."""
    made, facts = list(items), []
    half = len(items) // 2
    for old, new, head, value in draw.sample(CHANGES, count):
        pair = []
        for text, low, high in ((old, 0, half), (new, half, len(items))):
            drawn = value(draw)
            put(made, text.replace("{v}", drawn), draw.randrange(low, high), draw)
            pair.append(Planted(text.replace("{v}", drawn), drawn, head))
        if pair[0].value != pair[1].value:
            facts.append((pair[0], pair[1]))
    return made, facts


def put(items: list[str], sentence: str, at: int, draw: random.Random) -> None:
    """Put a sentence between two sentences of a message."""
    mark = _ROLE.match(items[at])
    role, body = (mark[0], items[at][mark.end() :]) if mark else ("", items[at])
    sentences = split(body)
    sentences.insert(draw.randrange(len(sentences) + 1), sentence)
    items[at] = role + "\n".join(sentences)


def _topics(items: Sequence[str]) -> list[str]:
    counts: Counter[str] = Counter()
    for item in items:
        counts.update(sorted(set(re.findall(r"\b[a-z]{5,12}\b", item))))
    frequent = [word for word, count in counts.most_common(400) if count >= 4]
    return frequent[60:200] or frequent or ["project", "result"]
