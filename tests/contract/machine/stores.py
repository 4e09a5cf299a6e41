"""Several stores and a model, called together and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import partial
from typing import Any, TypeAlias

from contract.model import name_of, twin
from contract.model.content import Model
from contract.model.rows import rows
from memoranda.exceptions import InvalidInput, MemorandaError
from memoranda.store.database import Database, Transaction
from memoranda.store.table_catalogue import TABLES

MOST = 10_000
"""More rows than an example puts into one table."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a table function: its arguments after the transaction."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    unordered: bool = False
    """The returned list has no defined order."""

    def on_tables(self, tx: Transaction) -> Any:
        """Call it on an engine."""
        return self._shaped(self.function(tx, *self.arguments, **self.options))

    def on_model(self, model: Model) -> Any:
        """Call its counterpart in the model."""
        return self._shaped(twin(self.function)(model, *self.arguments, **self.options))

    def _shaped(self, answer: Any) -> Any:
        return sorted(answer) if self.unordered else answer


def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
    """Make a call, to be run later."""
    return Call(function, arguments, options)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal, as an answer of a store."""

    error: str
    """The class of the error."""


Answer: TypeAlias = list[Any] | Refused


class Difference(AssertionError):
    """Two stores, or a store and the model, differ."""


class Stores:
    """Databases that must behave the same, and the model as the reference."""

    def __init__(self, databases: Sequence[Database], tally: Counter[str]) -> None:
        """Work on open databases; ``tally`` counts calls by function name."""
        self.model = Model()
        self.tally = tally
        self.differ = False
        """Whether a difference was found; from then on everything differs."""
        self.fails_next = False
        """Whether the next write is to raise after its work."""
        self._databases = databases

    def read(self, team: str, *calls: Call) -> Answer:
        """Call in one transaction per store; return the answers if they agree."""
        self._count(calls)
        return self._agreed(
            calls,
            _answer(lambda: [each.on_model(self.model) for each in calls]),
            lambda db: db.of(team).read(lambda tx: [each.on_tables(tx) for each in calls]),
        )

    def write(self, team: str, *calls: Call) -> Answer:
        """Write in one transaction per store; a refusal must change nothing."""
        self._count(calls)
        fails, self.fails_next = self.fails_next, False

        def work(on: Callable[[Call], Any]) -> list[Any]:
            answers = [on(each) for each in calls]
            if fails:
                raise InvalidInput("changed my mind")
            return answers

        draft = self.model.copy()
        expected = _answer(lambda: work(lambda each: each.on_model(draft)))
        agreed = self._agreed(
            calls,
            expected,
            lambda db: db.of(team).write(lambda tx: work(lambda each: each.on_tables(tx))),
        )
        if isinstance(agreed, Refused):
            self.tally[f"writes that ended in {agreed.error}"] += 1
            return agreed
        self.model = draft
        return agreed

    def compare(self, team: str) -> None:
        """Read every table of a team and compare it with the model.

        Raises:
            Difference: a store holds other rows.
        """
        self.tally["whole teams compared"] += 1
        expected = rows(self.model, team)
        for number, database in enumerate(self._databases):
            place = f"{database.dialect} (store {number})"
            stored = database.of(team).read(lambda tx: _everything(tx, team))
            for name, wanted in expected.items():
                self.tally["rows compared"] += len(wanted)
                if not alike(stored[name], wanted):
                    self._differs(f"table {name}", place, _only(stored[name], wanted))

    def _agreed(
        self, calls: Sequence[Call], expected: Answer, ask: Callable[[Database], list[Any]]
    ) -> Answer:
        for number, database in enumerate(self._databases):
            found = _answer(partial(ask, database))
            if not alike(found, expected):
                place = f"{database.dialect} (store {number})"
                self._differs(*_first_difference(calls, place, found, expected))
        return expected

    def _differs(self, what: str, place: str, how: str) -> None:
        self.differ = True
        raise Difference(f"{what}\n {place} {how}")

    def _count(self, calls: Sequence[Call]) -> None:
        self.tally.update(name_of(each.function) for each in calls)


def alike(one: Any, other: Any) -> bool:
    """Return whether two values and their types are equal: 1 is not True."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if is_dataclass(one):
        names = one.__dataclass_fields__
        return all(alike(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)


def _first_difference(
    calls: Sequence[Call], place: str, found: Answer, expected: Answer
) -> tuple[str, str, str]:
    """Describe the first of several calls with different answers."""
    if isinstance(found, list) and isinstance(expected, list):
        for each, theirs, wanted in zip(calls, found, expected, strict=True):
            if not alike(theirs, wanted):
                return str(each), place, f"answered {theirs!r}\n the model {wanted!r}"
    return str(calls), place, f"answered {found}\n the model {expected}"


def _answer(ask: Callable[[], list[Any]]) -> Answer:
    """Call; an error of Memoranda's own is an answer as well."""
    try:
        return ask()
    except MemorandaError as error:
        return Refused(type(error).__name__)


def _everything(tx: Transaction, team: str) -> dict[str, list[Any]]:
    return {table.name: table.page(tx, team, None, MOST) for table in TABLES}


def _only(records: list[Any], wanted: list[Any]) -> str:
    """Describe rows that are on one side only, or in another order."""
    ours, theirs = set(map(repr, records)), set(map(repr, wanted))
    return f"has, and the model has not: {ours - theirs}\n lacks: {theirs - ours}"
