"""Lines of JSON, damaged in the ways in which records of coding agents come damaged."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Lines = list[bytes]
Form = Callable[[Lines], bytes]
"""Makes one document of the lines that are its records."""
ODD_TEXTS = (
    "\x00", "\u202e\u2066", "e\u0301\u0323" * 40, "\u2028\u2029\x85", "\ufeff", "\u200d\U000e0041",
    "\r\n", "<private>", "</memoranda-context>", "'; drop table observations; --", "%00", "",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, -(2**70), 1e308, 10**400, "", "x", [], {}, [[]], {"": {}},
    ["text", None, 3], "9999-99-99T99:99:99Z", "0001-01-01T00:00:00Z", "1e5", *ODD_TEXTS,
)  # fmt: skip
RAW = (
    b"", b"{", b"null", b"[]", b'"text"', b"{}", b"NaN", b'{"type": NaN}', b'{"type": 1e999}',
    b'{"a":1}{"b":2}', b'{"type":"\\ud800"}', b'{"\\udfff":1}', b"\xff\xfe{}", b"\xef\xbb\xbf{}",
    b'{"type":"user","type":"assistant"}', b"\x00\x00\x00",
)  # fmt: skip
DEPTHS = (50, 500, 5_000, 100_000)
LONG = 300_000
"""Characters of a text that is far too long."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """Lines after some mutations, and how many records may have come of it."""

    lines: Lines
    names: tuple[str, ...]
    touched: int
    """How many lines were changed or added; each may give one record more than before."""
    cut: bool = False
    """Whether the last line lacks its end."""

    def text(self, form: Form | None = None) -> bytes:
        """Return the lines as a file, which is one document where it has a form."""
        if form is None:
            return b"\n".join(self.lines) + (b"" if self.cut else b"\n")
        return form(self.lines) if not self.cut else form(self.lines).rstrip(b"\n]}")


def mutated(lines: Lines, chance: random.Random) -> Mutant:
    """Return the lines after one to three mutations."""
    made = Mutant(list(lines), (), 0)
    for _ in range(chance.randint(1, 3)):
        if made.lines:
            mutate = chance.choice(MUTATIONS)
            made = mutate(made, chance)
    return made


def repeated(lines: Lines, chance: random.Random) -> Mutant:
    """Return the lines with some of them standing there again, at once or later."""
    made = list(lines)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(made))
        made.insert(chance.randint(at, len(made)), made[at])
    return Mutant(made, ("repeated",), 0)


def _with_entry(
    mutant: Mutant, chance: random.Random, name: str, change: Callable[[Any], object]
) -> Mutant:
    at = chance.randrange(len(mutant.lines))
    try:
        entry = json.loads(mutant.lines[at])
    except (ValueError, RecursionError):
        return mutant  # damaged already
    if not isinstance(entry, dict) or not entry:
        return mutant
    change(entry)
    line = json.dumps(entry, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")
    return _replaced(mutant, at, [line], name)


def _replaced(mutant: Mutant, at: int, new: Lines, name: str) -> Mutant:
    lines = [*mutant.lines[:at], *new, *mutant.lines[at + 1 :]]
    names = (*mutant.names, name)
    return Mutant(lines, names, mutant.touched + max(1, len(new)), mutant.cut)


def _place(entry: dict[str, Any], chance: random.Random) -> tuple[Any, Any]:
    """Return a random container within an entry and one of its keys."""
    container: Any = entry
    while True:
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        key = chance.choice(keys)
        inner = container[key]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.3:
            return container, key
        container = inner


def _missing(mutant: Mutant, chance: random.Random) -> Mutant:
    def change(entry: dict[str, Any]) -> None:
        container, key = _place(entry, chance)
        del container[key]

    return _with_entry(mutant, chance, "missing", change)


def _odd_value(mutant: Mutant, chance: random.Random) -> Mutant:
    def change(entry: dict[str, Any]) -> None:
        container, key = _place(entry, chance)
        container[key] = copy.deepcopy(chance.choice(ODD_VALUES))

    return _with_entry(mutant, chance, "odd value", change)


def _unknown(mutant: Mutant, chance: random.Random) -> Mutant:
    def change(entry: dict[str, Any]) -> None:
        for key in ("type", "hook_event_name", "kind"):
            if key in entry:
                entry[key] = "a-kind-of-next-year"
        entry["a_field_of_next_year"] = {"deep": [1, 2]}

    return _with_entry(mutant, chance, "unknown", change)


def _deep(mutant: Mutant, chance: random.Random) -> Mutant:
    at, depth = chance.randrange(len(mutant.lines)), chance.choice(DEPTHS)
    opened, closed = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
    nest = opened * depth + b"1" + closed * depth
    line = mutant.lines[at]
    if line.startswith(b"{") and line.endswith(b"}"):
        nest = b'{"nest":' + nest + b"," + line[1:]
    return _replaced(mutant, at, [nest], "deep")


def _long(mutant: Mutant, chance: random.Random) -> Mutant:
    def change(entry: dict[str, Any]) -> None:
        container, key = _place(entry, chance)
        container[key] = chance.choice(("x", "word ", "é\n", "\\")) * (LONG // 4)

    return _with_entry(mutant, chance, "long", change)


def _cut_short(mutant: Mutant, chance: random.Random) -> Mutant:
    at = chance.randrange(len(mutant.lines))
    line = mutant.lines[at]
    return _replaced(mutant, at, [line[: chance.randint(0, len(line))]], "cut short")


def _cut_off(mutant: Mutant, chance: random.Random) -> Mutant:
    whole = b"\n".join(mutant.lines)
    lines = whole[: chance.randint(1, len(whole))].split(b"\n")
    return Mutant(lines, (*mutant.names, "cut off"), mutant.touched + 1, cut=True)


def _garbage(mutant: Mutant, chance: random.Random) -> Mutant:
    at = chance.randrange(len(mutant.lines))
    return _replaced(mutant, at, [chance.choice(RAW), mutant.lines[at]], "garbage")


def _moved(mutant: Mutant, chance: random.Random) -> Mutant:
    lines = list(mutant.lines)
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randint(0, len(lines)), line)
    return Mutant(lines, (*mutant.names, "moved"), mutant.touched + 1, mutant.cut)


def _shuffled(mutant: Mutant, chance: random.Random) -> Mutant:
    lines = chance.sample(mutant.lines, len(mutant.lines))
    return Mutant(lines, (*mutant.names, "shuffled"), mutant.touched + len(lines), mutant.cut)


MUTATIONS: tuple[Callable[[Mutant, random.Random], Mutant], ...] = (
    _missing, _missing, _odd_value, _odd_value, _odd_value, _unknown, _deep, _long,
    _cut_short, _cut_off, _garbage, _moved, _shuffled,
)  # fmt: skip
