"""The seam between what Memoranda stores and the engine that stores it.

Tables are written once, in portable SQL with ``:name`` parameters, against `Transaction`; an
engine implements `Database`, `Transaction` and `TextIndex`. A list parameter is written
``in :name[]``, one of whole numbers ``in :name[int]``, and passed as a JSON array; each engine
unfolds it in its own dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from memoranda.text import text_lines

if TYPE_CHECKING:
    from memoranda.ports import Vectors

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
    share: float = 0.0
    """About how much of all that is indexed lies in scope, 0 to 1, where it is known."""


@dataclass(frozen=True, slots=True)
class TextHit:
    """One match. ``score`` is positive, higher is better, comparable within one query only."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many records words stand, of how many in all.

    Both are counted over whatever the index counts cheaply, at least the team, and may count
    records that are gone by now: they tell rare words from common ones, nothing else.
    """

    total: int
    of: Mapping[str, int]
    """By word; 0 for unknown ones."""


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

    def frequencies(self, team: str, words: Sequence[str]) -> Frequencies:
        """Return in how many records each word, or another form of it, stands."""
        ...

    def purge(self) -> None:
        """Rewrite the index so that no trace of removed text stays in it."""
        ...


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """The vector of one passage: part ``place`` of the record ``source``."""

    source: str
    place: int
    vector: Vectors
    """(dimensions,) float32, of length 1."""
    text_hash: str | None = None
    """Of the text that it was made of: a passage that has another text by now is left as it is.
    None: whatever stands there."""


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Where to look for the passages nearest to a vector."""

    team: str
    model: str
    vector: Vectors
    """(dimensions,) float32, of length 1; made by ``model``."""
    workspace: str | None = None
    """Passages of this workspace and of none; None: of all."""
    task: str | None = None
    """Passages of this task and of none; None: of all."""
    among: Sequence[str] | None = None
    """Only passages of these records, every one of which is looked at."""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A passage and its cosine with the vector that was asked for, -1 to 1."""

    source: str
    place: int
    score: float


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as it is taken along to another store, which need not make its vector again."""

    source: str
    place: int
    workspace: str | None
    task: str | None
    text_hash: str
    model: str
    vector: bytes | None
    """float16, little-endian; None as long as there is none."""


class VectorIndex(Protocol):
    """The vectors of passages. Every call stays inside the transaction it came from.

    A passage is a row of the table of that name, added with its record's entry; this index gives
    it a vector, and knows which model made it. Vectors of two models are never compared.
    """

    def put(self, team: str, model: str, entries: Sequence[VectorEntry]) -> None:
        """Give passages their vector, in place of one by another model; unknown ones are left out.

        All vectors of a model have the same number of dimensions.
        """
        ...

    def nearest(self, query: VectorQuery) -> list[VectorHit]:
        """Return at most ``query.limit`` passages in scope, nearest first; equal ones in the order
        of source and place. With ``among`` the answer is exact, otherwise nearly so."""
        ...

    def similarities(
        self, team: str, model: str, vector: Vectors, sources: Sequence[str]
    ) -> dict[tuple[str, int], float]:
        """Return the cosine of every passage of these records that has a vector by the model."""
        ...

    def known(self, team: str, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return vectors that the model made for these texts, by the hash of the text."""
        ...

    def remove(self, team: str, sources: Sequence[str]) -> None:
        """Delete the passages of records, and whatever the index kept of them."""
        ...

    def page(self, team: str, after: tuple[str, int] | None, limit: int) -> list[StoredPassage]:
        """Return passages in the order of source and place, those after one; None: from the start.

        Putting such a vector again leaves it as it is, to the bit.
        """
        ...

    def rebuild(self, team: str) -> None:
        """Make anew whatever the index derives from the vectors."""
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

    def vectors(self) -> VectorIndex:
        """Return the index of the passages' vectors."""
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

    Raises:
        ValueError: one has no text, as where a second line of words follows; it would do nothing.
    """
    statements: dict[str, str] = {}
    name = ""
    for line in text_lines(Path(module_file).with_suffix(".sql").read_text("utf-8")):
        if line.startswith("-- "):
            name = line[3:].split(":", 1)[0].strip()
            statements[name] = ""
        elif line.strip():
            statements[name] += line.rstrip() + "\n"
    if empty := [name for name, text in statements.items() if not text]:
        raise ValueError(f"statements without text beside {module_file}: {', '.join(empty)}")
    return statements
