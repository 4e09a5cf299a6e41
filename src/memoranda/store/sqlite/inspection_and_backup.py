"""Maintenance of the embedded store: check, backup, restore, reclaim."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import apsw

from memoranda.exceptions import CorruptData, NotFound
from memoranda.store.contents import damaged_records
from memoranda.store.database import Transaction, load_statements
from memoranda.store.sqlite import filesystem
from memoranda.store.sqlite.encryption import open_copy, wrong_keys
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.filesystem import storage_faults
from memoranda.store.sqlite.migrations import check_version
from memoranda.store.sqlite.transaction import SqliteTransaction
from memoranda.text import counted

T = TypeVar("T")

SQL = load_statements(__file__)
_SCHEMA = "select max(version) from migration"


@dataclass(frozen=True, slots=True)
class Inspection:
    """Result of checking the file; all counts are zero in a healthy store."""

    sqlite_version: str
    schema_version: int
    damage: tuple[str, ...]
    """Messages of SQLite's own integrity check."""
    broken_references: int
    unindexed: int
    """Number of rows that are missing from the full-text index."""
    orphaned: int
    """Number of full-text entries without a corresponding row."""
    missing_contents: int
    damaged_contents: int
    """Number of contents that differ from their hash."""
    damaged_records: tuple[str, ...]
    """Names of the first records with a damaged content, such as ``3#42``."""
    misnumbered: int
    miscounted: int
    """Number of tasks whose totals differ from their observations.

    The totals are recalculated from the observations.
    """
    size_bytes: int
    log_bytes: int
    damaged_blocks: int
    """Number of damaged blocks of sign bits.

    The passages of damaged blocks are compared by their full vectors.
    """
    on_remote_disk: bool
    encrypted: bool

    @property
    def faults(self) -> str:
        """Kinds of data errors with their counts; empty if there are none."""
        wrong = {
            "damaged pages": len(self.damage),
            "broken references": self.broken_references,
            "rows not indexed": self.unindexed,
            "index entries without row": self.orphaned,
            "missing contents": self.missing_contents,
            "tasks numbered wrongly": self.misnumbered,
        }
        found = [f"{number} {what}" for what, number in wrong.items() if number]
        return ", ".join([*found, *filter(None, [self.content_faults])])

    @property
    def content_faults(self) -> str:
        """The number and names of the damaged contents; empty if there are none."""
        if not self.damaged_contents:
            return ""
        more = ", …" if self.damaged_contents > len(self.damaged_records) else ""
        names = ", ".join(self.damaged_records)
        return f"{counted(self.damaged_contents, 'damaged content')} ({names}{more})"

    @property
    def sound(self) -> bool:
        """Whether the data has no errors."""
        return not self.faults


class InspectedDatabase(Protocol):
    """An open database: the store itself or a copy of it."""

    path: Path
    key: bytes | None

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a function on one snapshot."""
        ...

    def pragma(self, name: str) -> list[tuple[Any, ...]]:
        """Run one of SQLite's own checks."""
        ...


def inspect(database: InspectedDatabase, *, contents: bool = True) -> Inspection:
    """Check the whole database.

    Checks pages, references, contents against their hashes, and the full-text index against the
    rows. Without ``contents``, their hashes are not compared.
    """
    damage: list[str] = []
    references, counts = 0, Counter[str]()
    damaged, records = 0, tuple[str, ...]()
    try:
        damage += [row[0] for row in database.pragma("integrity_check") if row[0] != "ok"]
        references = len(database.pragma("foreign_key_check"))
        counts.update(database.read(_counts))
        if contents:
            damaged, records = database.read(damaged_records)
    except CorruptData as error:  # so damaged that the checks themselves fail
        damage.append(str(error))
    size, log = _sizes(database.path)
    return Inspection(
        sqlite_version=apsw.sqlite_lib_version(),
        schema_version=counts["schema"],
        damage=tuple(damage[:20]),
        broken_references=references,
        unindexed=counts["rows_without_words"] + counts["memories_without_words"],
        orphaned=counts["words_without_rows"],
        missing_contents=counts["missing_contents"],
        damaged_contents=damaged,
        damaged_records=records,
        misnumbered=counts["gaps"],
        miscounted=counts["miscounted"],
        size_bytes=size,
        log_bytes=log,
        damaged_blocks=counts["damaged_blocks"],
        on_remote_disk=filesystem.is_remote(database.path),
        encrypted=database.key is not None,
    )


def at_a_glance(database: InspectedDatabase) -> tuple[str, int, int, int]:
    """Return the versions of SQLite and schema, and the file and log sizes."""
    schema = database.read(lambda tx: _number(tx.first(_SCHEMA, {})))
    return apsw.sqlite_lib_version(), schema, *_sizes(database.path)


def _sizes(path: Path) -> tuple[int, int]:
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size, log.stat().st_size if log.exists() else 0


def _counts(tx: Transaction) -> dict[str, int]:
    there = {name for (name,) in tx.fetch("select name from sqlite_schema", {})}
    counts = {
        name: _number(tx.first(sql, {}))
        for name, sql in SQL.items()
        # backups made by earlier versions have none
        if name != "miscounted" or "task_total" in there
    }
    counts["damaged_blocks"] = _damaged_blocks(tx)
    counts["schema"] = _number(tx.first(_SCHEMA, {}))
    return counts


def _damaged_blocks(tx: Transaction) -> int:
    if not tx.first("select 1 from sqlite_schema where name = 'vector_block'", {}):
        return 0  # a backup that was made by an earlier version
    blocks = tx.fetch("select docids, codes, checksum from vector_block", {})
    return sum(
        zlib.crc32(codes, zlib.crc32(docids)) != checksum for docids, codes, checksum in blocks
    )


def _number(row: tuple[Any, ...] | None) -> int:
    return int(row[0]) if row else 0


def backup(database: SqliteDatabase, target: Path, *, contents: bool = True) -> Inspection:
    """Write and check a consistent copy while the store is in use.

    Without ``contents``, it is not checked whether they match their hashes.

    Raises:
        Conflict: the target exists; a backup never overwrites a file.
        CorruptData: the copy did not pass its check and was removed.
    """
    database.vacuum_into(target)
    inspection = verify(target, database.key, contents=contents)
    if not inspection.sound:
        target.unlink()
        raise CorruptData(
            f"the copy did not pass its check: {inspection.faults}; run `memoranda doctor`"
        )
    return inspection


def verify(path: Path, key: bytes | None = None, *, contents: bool = True) -> Inspection:
    """Check a database file without changing it; nothing may write to it.

    Raises:
        NotFound: there is no such file.
        StorageUnusable: the file is not a Memoranda database, or does not belong to this key.
        SchemaTooNew: a newer Memoranda wrote the file.
    """
    if not path.is_file():
        raise NotFound(f"no file {path}")
    copy = _Copy(path, key)
    try:
        return inspect(copy, contents=contents)
    finally:
        copy.close()


class _Copy:
    """A database file that is opened for checking."""

    def __init__(self, path: Path, key: bytes | None) -> None:
        self.path = path
        self.key = key
        with storage_faults(path), wrong_keys(path, key):
            self._connection = open_copy(path, key)
            try:
                check_version(self._connection, path)
            except BaseException:
                self.close()
                raise

    def read(self, work: Callable[[Transaction], T]) -> T:
        with storage_faults(self.path):
            return work(SqliteTransaction(self._connection))

    def pragma(self, name: str) -> list[tuple[Any, ...]]:
        with storage_faults(self.path):
            return list(self._connection.execute(f"pragma {name}"))

    def close(self) -> None:
        self._connection.close()


def restore(source: Path, database: SqliteDatabase, keep: Path | None = None) -> Inspection:
    """Replace the content of an open store with a backup's content.

    The replacement is one transaction. Other processes that have the store open see the old
    content, then the new content. Their writes wait; anything written before is in the copy
    ``keep``.

    Raises:
        CorruptData: the backup does not pass its check; the store was not changed.
    """
    inspection = verify(source, database.key)
    if not inspection.sound:
        raise CorruptData(f"{source} does not pass its check: {inspection.faults}")
    if keep is None:
        database.replace_content(source)
    else:  # the store is locked meanwhile, and damaged contents are no reason to keep them
        database.replace_content(source, lambda: backup(database, keep, contents=False))
    return inspect(database, contents=False)  # they were checked in the source
