"""The interface between Memoranda and its storage engine.

Tables are defined once, in portable SQL with ``:name`` parameters, using `Transaction`; an engine
implements `Database`, `Transaction` and `TextIndex`. A list parameter is written ``in :name[]``, a
list of integers ``in :name[int]``, and both are passed as a JSON array; each engine expands the
parameter in its own dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from memoranda.text import text_lines

if TYPE_CHECKING:
    from memoranda.ports import Vectors

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextEntry:
    """Full-text entry of one row in a searchable table."""

    team: str
    id: str
    workspace: str | None
    task: str | None
    text: str
    """Prose and output, indexed by word stems."""
    identifiers: Sequence[str]
    """Names, paths, codes and CJK runs, indexed as trigrams."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Words to search for; an empty query matches nothing."""

    team: str
    words: Sequence[str]
    identifiers: Sequence[str] = ()
    workspace: str | None = None
    task: str | None = None
    limit: int = 50
    share: float = 0.0
    """Approximate fraction of indexed rows that are in scope, 0 to 1, if known."""


@dataclass(frozen=True, slots=True)
class TextHit:
    """One match.

    ``score`` is positive; higher is better; scores are comparable only within one query.
    """

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Document frequencies: records per word, and the total number of records.

    Both are counted over the team or a larger set, whichever is cheapest for the index, and may
    include deleted records. They serve only to distinguish rare words from common ones.
    """

    total: int
    of: Mapping[str, int]
    """Number of records by word; 0 for unknown words."""


class TextIndex(Protocol):
    """Full-text index of one table.

    Every call is part of the transaction that the index came from.
    """

    def add(self, entries: Iterable[TextEntry]) -> None:
        """Index rows that were inserted in this transaction."""
        ...

    def remove(self, team: str, ids: Sequence[str]) -> None:
        """Remove rows from the index, before the rows are deleted."""
        ...

    def search(self, query: TextQuery) -> list[TextHit]:
        """Return at most ``query.limit`` hits in scope, best first."""
        ...

    def containing(self, team: str, ids: Sequence[str], words: Sequence[str]) -> set[str]:
        """Return which records contain every word, or another form of the word.

        The result is empty without words. If very many records match, only the newest are
        considered.
        """
        ...

    def frequencies(self, team: str, words: Sequence[str]) -> Frequencies:
        """Return the number of records with each word or another form of it."""
        ...

    def purge(self) -> None:
        """Rewrite the index so that it contains no trace of removed text."""
        ...


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """The vector of one passage: part ``place`` of the record ``source``."""

    source: str
    place: int
    vector: Vectors
    """Unit vector, (dimensions,) float32."""
    text_hash: str | None = None
    """Hash of the embedded text; None matches any text.

    A passage whose text has changed in the meantime is left unchanged.
    """


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Query for the passages nearest to a vector."""

    team: str
    model: str
    vector: Vectors
    """Unit vector, (dimensions,) float32, computed by ``model``."""
    workspace: str | None = None
    """Workspace whose passages are included, with passages without a workspace; None for all
    workspaces.
    """
    task: str | None = None
    """Task whose passages are included, with passages without a task; None for all tasks."""
    among: Sequence[str] | None = None
    """Records to which the query is limited, and which are compared exactly."""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A passage and its cosine with the query vector, -1 to 1."""

    source: str
    place: int
    score: float


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with its vector, for transfer to another store.

    The other store need not embed it again.
    """

    source: str
    place: int
    workspace: str | None
    task: str | None
    text_hash: str
    model: str
    vector: bytes | None
    """float16, little-endian; None if there is no vector yet."""


class VectorIndex(Protocol):
    """Vectors of passages. Each call is part of its transaction.

    A passage is a row of the passages table, inserted with its record's entry; this index stores
    the passage's vector and the name of the model that computed it. Vectors of different models are
    never compared.
    """

    def put(self, team: str, model: str, entries: Sequence[VectorEntry]) -> None:
        """Store the vectors of passages, replacing those of another model.

        Unknown passages are ignored. All vectors of a model have the same number of dimensions.
        """
        ...

    def nearest(self, query: VectorQuery) -> list[VectorHit]:
        """Return at most ``query.limit`` passages in scope, nearest first.

        Ties are ordered by source and place. With ``among`` the result is exact, otherwise
        approximate.
        """
        ...

    def similarities(
        self, team: str, model: str, vector: Vectors, sources: Sequence[str]
    ) -> dict[tuple[str, int], float]:
        """Return the cosines of the records' passages embedded by the model."""
        ...

    def known(self, team: str, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the model's vectors for texts, by text hash."""
        ...

    def remove(self, team: str, sources: Sequence[str]) -> None:
        """Delete the passages of records with all their index data."""
        ...

    def page(self, team: str, after: tuple[str, int] | None, limit: int) -> list[StoredPassage]:
        """Return passages after a key, or all if None, by source and place.

        Storing a returned vector again leaves it bit for bit unchanged.
        """
        ...

    def rebuild(self, team: str) -> None:
        """Recreate all index data derived from the vectors."""
        ...


class Transaction(Protocol):
    """One atomic unit of reads and writes.

    Valid only during the call that received it.
    """

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement; return the number of changed rows."""
        ...

    def many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for every row, in order."""
        ...

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query; return its rows in query order."""
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
        """Return the same store for another team; both share connections.

        A server engine limits a transaction to the rows of its team, whatever its statements say.
        The embedded engine relies on the statements, all of which name the team.
        """
        ...

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a function on one consistent snapshot.

        Raises:
            StorageError: the engine could not run the function.
        """
        ...

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a function atomically; return when its changes are durable.

        The function may run on another thread and share a commit with other functions. If it raises
        an error, its changes are rolled back and the error is raised here.

        Raises:
            StorageError: the engine could not run the function; nothing was changed.
        """
        ...

    def reclaim(self) -> str | None:
        """Release the space of deleted rows; return what may still contain them."""
        ...

    def close(self) -> None:
        """Complete running work and close the store. Idempotent."""
        ...


def load_statements(module_file: str) -> dict[str, str]:
    """Read the named SQL statements from a module's ``.sql`` file.

    Each statement begins with a line ``-- name: description``.

    Raises:
        ValueError: a statement is empty, which happens if two comment lines follow each other.
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
        raise ValueError(f"SQL statements without text next to {module_file}: {', '.join(empty)}")
    return statements


class RowType(Generic[T]):
    """Converts rows to a dataclass whose fields are the columns in order."""

    def __init__(self, kind: type[T], /, **read: Callable[[Any], Any]) -> None:
        """Create the converter for a dataclass.

        ``read`` contains functions that convert the values of fields that a column stores in
        another form; null becomes None.
        """
        self._kind: Callable[..., T] = kind
        names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
        self._read = [(names.index(name), convert) for name, convert in read.items()]

    def __call__(self, row: Row) -> T:
        """Return the dataclass instance for a row."""
        values = list(row)
        for place, convert in self._read:
            if values[place] is not None:
                values[place] = convert(values[place])
        return self._kind(*values)


def row_of(value: Any, /, **others: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as statement parameters.

    ``others`` contains additional parameters, which replace fields that a column stores in another
    form.
    """
    return {name: getattr(value, name) for name in value.__dataclass_fields__} | others
