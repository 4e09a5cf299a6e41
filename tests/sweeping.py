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
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoranda.jsonrpc.methods import methods
from memoranda.operations import Access
from sweep_cells import ENDING, Field, absent, asked_fields, names, usual
from sweep_doors import Door, Said, doors
from sweep_worlds import UUID, Victim

MADE = ("label", "place", "agent", "key", "channel", "workspace", "task")
"""Kinds that somebody makes by naming them. What a caller has made of another's name or id is the
caller's own from then on, so each is a new one of a third team."""
SHORT = -6
DOORS = ("REST", "JSON-RPC", "MCP", "client")
TRIED = ("observation.show", "memory.show")
"""Operations that one tool for models tries in turn."""
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
        at: Collection[str] = DOORS,
    ) -> None:
        """``make`` has another team make a new thing with a chosen name, and returns what names
        it; ``at`` are the doors that are tried."""
        self.doors = [one for one in doors(port, token) if one.name in at]
        self.tally = Tally()
        self._victim = victim
        self._make = make
        self._names: dict[str, str] = {}
        self._own: set[str] = set()
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
                    self._compared(one, "word")
            for one in asked_fields(name):
                for kind, short in self._kinds(one):
                    self._compared(one, kind, short)
        return self.tally

    def _plainly(self, name: str) -> None:
        """Ask as somebody would who means something of their own, or everything."""
        if name not in ENDING:
            for door in self.doors:
                self._ask(door, name, usual(name, self._fresh), "")

    def _kinds(self, one: Field) -> Iterator[tuple[str, bool]]:
        """Return the kinds of things to name in a place, each as a whole and by its beginning."""
        things = self._victim.things
        for kind in one.right:
            if kind in MADE or kind in things:
                yield kind, False
                if kind in ("workspace", "task") or UUID.fullmatch(things.get(kind, [""])[0]):
                    yield kind, True
        rest = sorted(kind for kind in things if kind not in (*one.right, *MADE))
        for kind in self._dice.sample(rest, min(OTHERS, len(rest))):
            yield kind, False

    def _compared(self, one: Field, kind: str, short: bool = False) -> None:
        """Ask for something foreign and for nothing, at each door."""
        verdicts: dict[str, str] = {}
        named = f"{one.operation} {'.'.join(one.path)}={'beginning of ' * short}{kind}"
        for door in self.doors:
            foreign = self._foreign(kind, short)
            base = usual(one.operation, self._fresh)
            nothing = absent(foreign, self._dice) if foreign else ""
            there = foreign and self._ask(door, one.operation, one.given(base, foreign), foreign)
            if not there:
                continue
            base = usual(one.operation, self._fresh)
            here = self._ask(door, one.operation, one.given(base, nothing), nothing)
            assert here is not None
            self.tally.cells += 1
            if self._differ(one, there, here, foreign, nothing):
                self.tally.oracles.append(
                    f"{named} at {door.name}: {there.text[-300:]} / {here.text[-300:]}"
                )
            if there.verdict == "ok" and methods()[one.operation].access is Access.WRITE:
                self._names.pop(kind, None)
                self._own.add(foreign)
                self._victim.ids.discard(foreign)
            if not (door.name == "MCP" and one.operation in TRIED):
                verdicts[door.name] = there.verdict
        if len(set(verdicts.values())) > 1:
            self.tally.differing.append(f"{named}: {verdicts}")

    def _foreign(self, kind: str, short: bool) -> str:
        """Return something of another's, or the beginning of it; nothing where all is used up."""
        if kind == "word":
            return self._victim.marker
        if kind not in self._victim.things or kind in ("workspace", "task"):
            if kind not in self._names:
                self._names[kind] = self._make(kind)
            return self._names[kind][: SHORT if short else None]
        found = [one[: SHORT if short else None] for one in self._victim.things[kind]]
        return self._dice.choice([one for one in found if one not in self._own] or [""])

    def _differ(self, one: Field, there: Said, here: Said, foreign: str, nothing: str) -> bool:
        if there.verdict != here.verdict:
            return True
        if there.verdict == "ok" and methods()[one.operation].access is Access.WRITE:
            return False  # what was made has an id and a number of its own
        return _bare(there.text, foreign) != _bare(here.text, nothing)

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
