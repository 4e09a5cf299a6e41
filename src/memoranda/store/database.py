"""The seam between what Memoranda stores and the engine that stores it.

Tables are written once, in portable SQL with ``:name`` parameters, against `Transaction`; an
engine implements `Database`, `Transaction` and `TextIndex`. A list parameter is written
``in :name[]`` and passed as a JSON array; each engine unfolds it in its own dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextEntry:
    """What the full-text index learns about one row of a searchable table."""

    team: str
    id: str
    workspace: str | None
    task: str | None
    text: str
    """Prose and output, indexed by word stems."""
    identifiers: Sequence[str]
    """Names, paths, codes and CJK runs, indexed by their trigrams."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Words to look for; an empty query matches nothing."""

    team: str
    words: Sequence[str]
    identifiers: Sequence[str] = ()
    workspace: str | None = None
    task: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class TextHit:
    """One match. ``score`` is positive, higher is better, comparable within one query only."""

    id: str
    score: float


class TextIndex(Protocol):
    """Full text over one table. Every call stays inside the transaction it came from."""

    def add(self, entries: Iterable[TextEntry]) -> None:
        """Index rows that were inserted in this transaction."""
        ...

    def remove(self, team: str, ids: Sequence[str]) -> None:
        """Take rows out of the index; must run before the rows are deleted."""
        ...

    def search(self, query: TextQuery) -> list[TextHit]:
        """Return at most ``query.limit`` hits of the team (and workspace, task), best first."""
        ...

    def purge(self) -> None:
        """Rewrite the index so that no trace of removed text stays in it."""
        ...


class Transaction(Protocol):
    """One atomic unit of reads and writes. Valid only inside the call that received it."""

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement; return how many rows it changed."""
        ...

    def many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for every row, in order."""
        ...

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query; return its rows in the order the query gives."""
        ...

    def first(self, sql: str, parameters: Parameters) -> Row | None:
        """Run one query; return its first row, or None."""
        ...

    def text(self, table: str) -> TextIndex:
        """Return the full-text index of a searchable table."""
        ...


class Database(Protocol):
    """An open store. Safe to use from several threads."""

    dialect: str

    def of(self, team: str) -> Database:
        """Return the same store as another team sees it; both share what is open.

        An engine for many teams lets a transaction touch the rows of its own team only, whatever
        its statements say. The embedded engine trusts the statements, all of which name the team.
        """
        ...

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work on one consistent snapshot.

        Raises:
            StorageError: the engine could not carry it out.
        """
        ...

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work atomically; return once it is durable.

        The work may run on another thread and together with others in one commit; if it raises,
        none of its changes stay and the error is raised here.

        Raises:
            StorageError: the engine could not carry it out; nothing was changed.
        """
        ...

    def reclaim(self) -> str | None:
        """Give back the space of deleted rows; return what may still hold them, None if nothing."""
        ...

    def close(self) -> None:
        """Finish what is running and let go of the store. Idempotent."""
        ...


def load_statements(module_file: str) -> dict[str, str]:
    """Read the named statements that lie beside a module: same name, ending in ``.sql``.

    Each begins with a line ``-- name: words that say what it does``.
    """
    statements: dict[str, str] = {}
    name = ""
    for line in Path(module_file).with_suffix(".sql").read_text("utf-8").splitlines():
        if line.startswith("-- "):
            name = line[3:].split(":", 1)[0].strip()
            statements[name] = ""
        elif line.strip():
            statements[name] += line.rstrip() + "\n"
    return statements
