"""A sweep: every question of a caller through every door, about what is there and what is not.

For each text that may name something, the caller sends what belongs to another, and something of
the same form that does not exist. Both answers have to be the same to the byte, at every door with
the same verdict, and none may hold anything of another.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import count, islice, takewhile
from typing import Any

from memoranda.api.jsonrpc.methods import methods
from memoranda.operation_declaration import Access
from sweep_cells import ENDING, MADE, Field, absent, asked_fields, names, usual
from sweep_doors import Door, DoorResponse, doors
from sweep_worlds import UUID, Victim

DOORS = ("REST", "JSON-RPC", "MCP", "client")
TRIED = ("observations.show", "memories.show")
"""Operations that one tool for models tries in turn."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z?")
OTHERS = 2
"""Things of other kinds that each text is tried with, beside those it is for."""


class Form(Enum):
    """How much of an id is said."""

    WHOLE = ""
    BEGINNING = "beginning of "
    SHARED = "beginning of two of "

    def of(self, id: str) -> str:
        """Return so much of one id."""
        return id[:-6] if self is Form.BEGINNING else id


@dataclass(slots=True)
class Tally:
    """What a sweep saw."""

    cells: int = 0
    calls: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    oracles: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)
    """Questions for which nothing foreign was left: each is one that was not put."""
    by_door: Counter[str] = field(default_factory=Counter)
    by_form: Counter[Form] = field(default_factory=Counter)


class Sweep:
    """One caller at all doors, and what it must not see."""

    def __init__(
        self,
        port: int,
        token: str,
        victim: Victim,
        make: Callable[[str], str],
        seed: str = "",
        at: Collection[str] = DOORS,
    ) -> None:
        """``make`` has another team make a new thing with a chosen name, and returns what names
        it: what a caller has made of another's name is the caller's own from then on. ``at`` are
        the doors that are tried. Callers of one team need seeds of their own: what one makes of a
        name that nothing had is there for the next.
        """
        self.doors = [one for one in doors(port, token) if one.name in at]
        self.tally = Tally()
        self._victim = victim
        self._make = make
        self._names: dict[str, str] = {}
        self._dice = random.Random(seed)
        self._fresh = count(1)

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
                for kind, form in self._kinds(one):
                    self._compared(one, kind, form)
        return self.tally

    def _plainly(self, name: str) -> None:
        """Ask as somebody would who means something of their own, or everything."""
        if name not in ENDING:
            for door in self.doors:
                self._ask(door, name, usual(name, self._fresh), "")

    def _kinds(self, one: Field) -> Iterator[tuple[str, Form]]:
        """Return the kinds of things to name in a place, each as a whole and by its beginning."""
        things = self._victim.things
        for kind in one.right:
            if kind in MADE or kind in things:
                yield kind, Form.WHOLE
                if kind in ("workspace", "task") or UUID.fullmatch(things.get(kind, [""])[0]):
                    yield kind, Form.BEGINNING
                if kind in self._victim.shared:
                    yield kind, Form.SHARED
        rest = sorted(kind for kind in things if kind not in (*one.right, *MADE))
        yield from ((kind, Form.WHOLE) for kind in islice(self._others(one, rest), OTHERS))

    def _others(self, one: Field, kinds: Sequence[str]) -> Iterator[str]:
        """Return kinds that have things left for each door, in any order. Each is looked at when
        its turn comes: two kinds may have a thing in common, which the first takes."""
        for kind in self._dice.sample(kinds, len(kinds)):
            if len(self._left(one, kind, Form.WHOLE)) >= self._needed(one):
                yield kind

    def _needed(self, one: Field) -> int:
        """Return how many things a question takes: at each door one may become the caller's."""
        burns = one.names_for and methods()[one.operation].access is Access.WRITE
        return len(self.doors) if burns else 1

    def _compared(self, one: Field, kind: str, form: Form = Form.WHOLE) -> None:
        """Ask for something foreign and for nothing, at each door."""
        verdicts: dict[str, str] = {}
        named = f"{one.operation} {'.'.join(one.path)}={form.value}{kind}"
        for door in self.doors:
            left = self._left(one, kind, form)
            if not left:
                self.tally.unasked.append(f"{named} at {door.name}")
                continue
            foreign = self._dice.choice(left)
            nothing = absent(foreign, self._dice)
            base = usual(one.operation, self._fresh)
            there = self._ask(door, one.operation, one.given(base, foreign), foreign)
            if not there:
                continue
            base = usual(one.operation, self._fresh)
            here = self._ask(door, one.operation, one.given(base, nothing), nothing)
            assert here is not None
            self.tally.cells += 1
            self.tally.by_form[form] += 1
            if self._differ(one, there, here, foreign, nothing):
                difference = _unlike(_bare(there.text, foreign), _bare(here.text, nothing))
                self.tally.oracles.append(f"{named} at {door.name}: {difference}")
            if there.verdict == "ok" and methods()[one.operation].access is Access.WRITE:
                self._names.pop(kind, None)
                self._victim.burned.add((one.names_for, foreign))
                self._victim.ids.discard(foreign)
            if not (door.name == "MCP" and one.operation in TRIED):
                verdicts[door.name] = there.verdict
        if len(set(verdicts.values())) > 1:
            self.tally.differing.append(f"{named}: {verdicts}")

    def _left(self, one: Field, kind: str, form: Form) -> list[str]:
        """Return texts that name, in this place, what is another's; nothing where all is burned."""
        if kind == "word":
            return [self._victim.marker]
        if form is Form.SHARED:
            found = [self._victim.shared[kind]]
        elif kind not in self._victim.things or kind in ("workspace", "task"):
            if kind not in self._names:
                self._names[kind] = self._make(kind)
            return [form.of(self._names[kind])]
        else:
            found = [form.of(id) for id in self._victim.things[kind]]
        made = one.names_for
        return [text for text in found if not made or (made, text) not in self._victim.burned]

    def _differ(
        self, one: Field, there: DoorResponse, here: DoorResponse, foreign: str, nothing: str
    ) -> bool:
        if there.verdict != here.verdict:
            return True
        if there.verdict == "ok" and methods()[one.operation].access is Access.WRITE:
            return False  # what was made has an id and a number of its own
        return _bare(there.text, foreign) != _bare(here.text, nothing)

    def _ask(
        self, door: Door, name: str, arguments: dict[str, Any], sent: str
    ) -> DoorResponse | None:
        answer = door.ask(name, arguments)
        if answer is not None:
            self.tally.calls += 1
            self.tally.by_door[door.name] += 1
            self.tally.verdicts[answer.verdict] += 1
            for leak in self._victim.leaked(answer.text, sent):
                self.tally.leaks.append(f"{name} at {door.name} with {sent!r} told {leak}")
        return answer


def _bare(text: str, sent: str) -> str:
    """Return an answer without what was sent and what every answer has of its own."""
    # Ids first: a list of one's own names may hold the very id that is sent as something else.
    return _TIME.sub("@time", UUID.sub("@id", text).replace(sent, "@sent"))


def _unlike(one: str, two: str) -> str:
    """Return two answers from a little before they differ."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))
    start = max(0, sum(1 for _ in same) - 100)
    return f"{one[start : start + 300]} / {two[start : start + 300]}"
