"""Extracts values from tool outputs that a next call may need.

The values are names, numbers and paths, quoted verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, Origin, Salience
from memoranda.observations.table import ObservationFilter
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.trust import BY_ORIGIN

NEWEST = 60
"""Number of newest observations of a task that are read."""
MAX_LENGTH = 20_000
"""Maximum number of characters read of each observation."""
MAXIMUM = 120
"""Maximum number of values shown."""

MIN_LENGTH, SPAN = 3, 60
"""Minimum and maximum number of characters of a value."""
RECENT = 4
"""Number of observations after which the recency bonus is halved."""
QUARANTINED = Salience.QUARANTINED
AGAIN = 4
"""Maximum number of occurrences of a value that are counted."""
SPOKEN = 1.5
"""Factor for a value that is also in a message."""

_TOKEN = re.compile(r"[\w./@-]+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NAME = re.compile(r"[A-Z]{3,}|[^\W_]\w*_\w*[^\W_]")
_KEY = re.compile(r'"([^\W\d]+\d{0,2})":')
_TIME = re.compile(r"\d\d:\d\d(?::\d\d)?")
ALL = ObservationFilter(with_repeats=True)
SHOWN_BY = frozenset({Origin.TOOL, Origin.WEB})


@dataclass(slots=True)
class _ValuePlace:
    """Occurrences of a value, by the positions of the read observations."""

    shown: int | None = None
    """Position of the first tool output with the value; None if there is none."""
    order: int = 0
    """Position among all values, in order of first occurrence."""
    at: set[int] = field(default_factory=set)
    spoken: bool = False


def seen_values(tx: Transaction, task: Task, in_view: int = 0) -> tuple[ContextItem, ...]:
    """Return recent values from a task's tools, the likeliest first.

    Values in the newest ``in_view`` observations are omitted, and so are numbers from outputs
    without any other value.

    Each item names the observation that first showed it, with its position in the order of events.
    """
    span = (max(0, task.observations - NEWEST), observations.END)
    found = observations.in_task(tx, task.team, task.id, where=ALL, span=span, limit=NEWEST)
    if not any(observation.origin in SHOWN_BY for observation in found):
        return ()
    texts = contents.texts(tx, task.team, [item.id for item in found])
    read = ["" if one.salience is QUARANTINED else texts[one.id][:MAX_LENGTH] for one in found]
    places = _collected(found, read)
    before = len(found) - in_view
    hidden = (value for value, value_place in places.items() if max(value_place.at) < before)
    ranked = sorted(hidden, key=lambda value: (-_score(value, places[value], len(found)), value))
    named = {places[value].shown for value in ranked if not _NUMBER.fullmatch(value)}
    told = [value for value in ranked if places[value].shown in named]
    return tuple(_item(value, places[value], found) for value in told[:MAXIMUM])


def _collected(found: Sequence[Observation], read: Sequence[str]) -> Mapping[str, _ValuePlace]:
    names = {key for text in read for key in _KEY.findall(text)}
    names |= {item.tool for item in found if item.tool}
    seen: dict[str, _ValuePlace] = {}
    for place, (observation, text) in enumerate(zip(found, read, strict=True)):
        for value in _values(text):
            if value in names:
                continue
            value_place = seen.setdefault(value, _ValuePlace(order=len(seen) + 1))
            value_place.at.add(place)
            if observation.origin not in SHOWN_BY:
                value_place.spoken = True
            elif value_place.shown is None:
                value_place.shown = place
    return {
        value: value_place for value, value_place in seen.items() if value_place.shown is not None
    }


def _tokens(text: str) -> Iterator[str]:
    """Yield tokens with a digit, in capitals or with an underscore.

    Takes linear time.
    """
    for token in _TOKEN.findall(text):
        if _DIGIT.search(token):
            yield token
        elif len(token) <= SPAN:
            yield from (part for part in re.split("[./@-]", token) if _NAME.fullmatch(part))


def _values(text: str) -> Iterator[str]:
    for found in _tokens(text):
        value = found.strip(".,/-:")
        if MIN_LENGTH <= len(value) <= SPAN and not _TIME.fullmatch(value):
            yield value


def _score(value: str, seen: _ValuePlace, count: int) -> float:
    """Return the worth of a value.

    The worth is higher for repeated, mentioned, recent and distinctive values, and lower for long
    ones.
    """
    again = min(AGAIN, len(seen.at)) * (SPOKEN if seen.spoken else 1.0)
    new = 1 + 0.5 ** ((count - max(seen.at)) / RECENT)
    return float(again * new * _kind(value) / len(value) ** 0.5)


def _kind(value: str) -> float:
    if value.isdigit():
        return 0.6
    letters = any(char.isalpha() for char in value)
    if letters and any(char.isdigit() or char == "_" for char in value):
        return 3.0
    return 2.0 if "-" in value else 1.0


def _item(value: str, seen: _ValuePlace, found: Sequence[Observation]) -> ContextItem:
    assert seen.shown is not None
    ref, origin = found[seen.shown].ref, found[seen.shown].origin
    return ContextItem(ref, ref, value, origin, 0, place=seen.order, trust=BY_ORIGIN[origin])
