"""A sweep: every question of a caller through every door, about what is there and what is not.

For each text that may name something, the caller sends what belongs to another, and something of
the same form that does not exist. Both answers have to be the same to the byte, at every door with
the same verdict, and none may hold anything of another.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoranda.jsonrpc.methods import methods
from memoranda.operations import Access
from sweep_cells import ENDING, Field, absent, asked_fields, names, usual
from sweep_doors import Door, Said, doors
from sweep_worlds import UUID, Victim

MADE = ("label", "place", "agent", "key", "channel")
"""Kinds whose names callers choose: what another has may be made again."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z?")
OTHERS = 2
"""Things of other kinds that each text is tried with, beside those it is for."""


@dataclass(slots=True)
class Tally:
    """What a sweep saw."""

    cells: int = 0
    calls: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    oracles: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    by_door: Counter[str] = field(default_factory=Counter)


class Sweep:
    """One caller at all doors, and what it must not see."""

    def __init__(
        self,
        port: int,
        token: str,
        victim: Victim,
        make: Callable[[str], str],
        seed: int = 1,
    ) -> None:
        """``make`` has another team make a new thing with a chosen name, and returns the name."""
        self.doors = doors(port, token)
        self.tally = Tally()
        self._victim = victim
        self._make = make
        self._names: dict[str, str] = {}
        self._dice = random.Random(seed)
        self._fresh = itertools.count(1)

    def close(self) -> None:
        """Let go of the connections."""
        for door in self.doors:
            door.close()

    def run(self, operations: Sequence[str] | None = None) -> Tally:
        """Ask everything; reads come first."""
        chosen = list(operations or names())
        chosen.sort(key=lambda name: methods()[name].access is Access.WRITE)
        for name in chosen:
            self._plainly(name)
            for one in asked_fields(name, wanted=False):
                if methods()[name].access is Access.READ:
                    self._compared(one, self._victim.marker, "word")
            for one in asked_fields(name):
                for kind, value in self._values(one):
                    self._compared(one, value, kind)
        return self.tally

    def _plainly(self, name: str) -> None:
        """Ask as somebody would who means something of their own, or everything."""
        if name not in ENDING:
            for door in self.doors:
                self._ask(door, name, usual(name, self._fresh), "")

    def _values(self, one: Field) -> Iterator[tuple[str, str]]:
        things = self._victim.things
        for kind in one.right:
            if kind in things:
                value = self._dice.choice(things[kind])
                yield kind, value
                if UUID.fullmatch(value):
                    yield f"beginning of {kind}", value[:-6]
            if kind in MADE and kind not in things:
                yield kind, ""
        rest = sorted(kind for kind in things if kind not in (*one.right, *MADE))
        for kind in self._dice.sample(rest, min(OTHERS, len(rest))):
            yield kind, self._dice.choice(things[kind])

    def _compared(self, one: Field, value: str, kind: str) -> None:
        """Ask for something foreign and for nothing, at each door."""
        verdicts: dict[str, str] = {}
        base = usual(one.operation, self._fresh)
        for door in self.doors:
            foreign = value or self._name(kind)
            nothing = absent(foreign, self._dice)
            there = self._ask(door, one.operation, one.given(base, foreign), foreign)
            if there is None:
                continue
            here = self._ask(door, one.operation, one.given(base, nothing), nothing)
            assert here is not None
            self.tally.cells += 1
            told = f"{one.operation} {'.'.join(one.path)}={kind} at {door.name}"
            if self._differ(one, there, here, foreign, nothing):
                self.tally.oracles.append(f"{told}: {there.text[-300:]} / {here.text[-300:]}")
            writes = methods()[one.operation].access is Access.WRITE
            if there.verdict == "ok" and writes:
                self._names.pop(kind, None)
            if not (door.name == "MCP" and one.operation in ("observation.show", "memory.show")):
                verdicts[door.name] = there.verdict
            if "ok" in verdicts.values() and writes and not value:
                base = usual(one.operation, self._fresh)
        if len(set(verdicts.values())) > 1:
            self.tally.differing.append(f"{one.operation} {'.'.join(one.path)}={kind}: {verdicts}")

    def _differ(self, one: Field, there: Said, here: Said, foreign: str, nothing: str) -> bool:
        if there.verdict != here.verdict:
            return True
        if there.verdict == "ok" and methods()[one.operation].access is Access.WRITE:
            return False  # what was made has an id and a number of its own
        return _bare(there.text, foreign) != _bare(here.text, nothing)

    def _name(self, kind: str) -> str:
        if kind not in self._names:
            self._names[kind] = self._make(kind)
        return self._names[kind]

    def _ask(self, door: Door, name: str, given: dict[str, Any], sent: str) -> Said | None:
        said = door.ask(name, given)
        if said is not None:
            self.tally.calls += 1
            self.tally.by_door[door.name] += 1
            self.tally.verdicts[said.verdict] += 1
            for leak in self._victim.leaked(said.text, sent):
                self.tally.leaks.append(f"{name} at {door.name} with {sent!r} told {leak}")
        return said


def _bare(text: str, sent: str) -> str:
    """Return an answer without what was sent and what every answer has of its own."""
    return UUID.sub("@id", _TIME.sub("@time", text.replace(sent, "@sent")))
