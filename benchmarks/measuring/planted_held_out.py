"""A held-out set of planted sentences: other wordings, languages, places.

They are in the middle of long tool outputs, in comments of code, in exception messages at the end
of a stack trace, and in rows of tables; a third is German or Spanish. The compressor was not
developed on them: its developers see the figures of this set, not its sentences.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Sequence

from measuring.planted import MOST, SPEAKERS, Planted, Row, Sentence, filled, spoken

CARRIERS = {"prose": "sentence", "comment": "sentence", "trace": "raise", "table": "row"}
"""Places of a sentence, and the form of the patterns for each."""
_LONG = 1_500
"""Minimum characters of a long tool output."""
_MIDDLE = 0.25, 0.75
_COMMENTS = (
    *("# NB {}", "-- {}", "/* {} */", "<!-- {} -->", ";; {}", "  // {}", "return rows  # {}"),
    *("REM {}", '  """{}"""', "     * @note {}"),
)
_CODE = (
    "def settle(batch):\n    return [one for one in batch if one.open]",
    "export const sum = (xs: number[]) => xs.reduce((a, b) => a + b, 0);",
    "select id, state from runs where state <> 'done' order by id;",
    "fn main() {\n    let rows = load(&path)?;\n}",
)
_FRAMES = (
    '  File "/srv/app/jobs/{}.py", line {}, in run\n    self.step(batch)',
    '  File "/srv/app/lib/{}.py", line {}, in step\n    check(row, self.schema)',
    '  File "/usr/lib/python3.11/{}.py", line {}, in call\n    return func(*args, **kwargs)',
)
_ROWS = (
    *("retry delay;4 s;default;", "colour;blue;default;", "workers;8;default;as before"),
    *("locale;C;default;", "log level;info;default;", "cache;on;default;see above"),
)


def plant_held_out(
    rows: Sequence[Row], patterns: Sequence[Sentence], count: int, draw: random.Random
) -> tuple[list[Row], list[Planted]]:
    """Return a transcript's rows with planted sentences, and the sentences."""
    found = copy.deepcopy(list(rows))
    places = {speaker: list(spoken(found, speaker)) for speaker in SPEAKERS}
    long = [place for place in places["tool"] if len(str(place[0][place[1]])) >= _LONG]
    places["tool"] = long or places["tool"]
    planted: list[Planted] = []
    used: dict[int, int] = {}
    for number in range(count):
        speaker = SPEAKERS[number % len(SPEAKERS)]
        carrier = list(CARRIERS)[number // len(SPEAKERS) % len(CARRIERS)]
        if not places[speaker]:
            continue
        fitting = [one for one in patterns if one.form == CARRIERS[carrier]]
        fact = filled(draw.choice(fitting), speaker, carrier, draw)
        holder, key = draw.choice(places[speaker])
        holder[key] = _carried(str(holder[key]), fact, draw)
        planted.append(fact)
        used[id(holder)] = used.get(id(holder), 0) + 1
        if used[id(holder)] == MOST:
            places[speaker].remove((holder, key))
    return found, planted


def _carried(text: str, fact: Planted, draw: random.Random) -> str:
    block = _block(fact, draw)
    if fact.speaker == "tool":
        return _in_the_middle(text, block, draw)
    if fact.carrier == "prose":
        ends = [found.end() for found in re.finditer(r"[.!?](?=\s|\Z)", text)]
        at = draw.choice(ends) if ends else len(text)
        return f"{text[:at].rstrip()} {block}{text[at:]}"
    return f"{text.rstrip()}\n\n{block}\n" if fact.carrier == "table" else _fenced(text, block)


def _fenced(text: str, block: str) -> str:
    return f"{text.rstrip()}\n\n```\n{block}\n```\n"


def _block(fact: Planted, draw: random.Random) -> str:
    if fact.carrier == "comment":
        return "\n".join(
            (draw.choice(_CODE), draw.choice(_COMMENTS).format(fact.text), draw.choice(_CODE))
        )
    if fact.carrier == "trace":
        frames = [
            draw.choice(_FRAMES).format(
                draw.choice(("runner", "queue", "io")), draw.randint(9, 400)
            )
            for _ in range(draw.randint(3, 8))
        ]
        return "\n".join(("Traceback (most recent call last):", *frames, fact.text))
    if fact.carrier == "table":
        return "\n".join(_table(fact.text, draw))
    return fact.text


def _table(row: str, draw: random.Random) -> list[str]:
    """Return a table of a few rows, with pipes or with columns of spaces."""
    result = draw.sample(_ROWS, 4)
    result.insert(draw.randint(1, 3), row)
    cells = [one.split(";") for one in ("name;value;state;note", *result)]
    if draw.random() < 0.5:
        return [f"| {' | '.join(one)} |" for one in cells]
    return ["".join(f"{cell:<34}" for cell in one).rstrip() for one in cells]


def _in_the_middle(text: str, block: str, draw: random.Random) -> str:
    lines = text.split("\n")
    low, high = (int(share * len(lines)) for share in _MIDDLE)
    at = max(1, draw.randint(low, max(low, high)))
    return "\n".join([*lines[:at], block, *lines[at:]])
