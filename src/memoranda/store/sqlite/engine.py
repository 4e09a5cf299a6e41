"""SQLite as a `Database`: one file, group commit, a few readers.

apsw is used because SQLite before 3.51.3 can corrupt a write-ahead log when two processes write, as
hooks, commands and a server do on one file; apsw bundles its own, recent SQLite.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw

from memoranda.exceptions import Conflict, NotFound, StorageBusy, StorageUnusable
from memoranda.store.database import Transaction
from memoranda.store.sqlite import encryption, filesystem
from memoranda.store.sqlite.filesystem import damaged, storage_faults
from memoranda.store.sqlite.migrations import APPLICATION_ID, check_version, is_current, migrate
from memoranda.store.sqlite.transaction import LazyBlockCache, SqliteTransaction

T = TypeVar("T")

SAFE_SQLITE = (3, 51, 3)
BUSY_TIMEOUT_MS = 30_000
CACHE_KIB = 16_000
READERS = 6
"""Maximum number of connections for reading.

This is enough for the concurrent searches of a server and additional short reads.
"""
MAPPED = 2_000_000_000
"""Number of bytes of the file that readers map into memory.

Without the mapping, reading a page costs twice as much.
"""

log = logging.getLogger(__name__)


class SqliteDatabase:
    """One database file, opened by this process.

    Writes of several threads that arrive during a commit share the next commit. Each write has its
    own savepoint, so that a failed write does not affect the others (group commit). With
    ``synchronous=FULL`` a write has reached the disk when `write` returns.
    """

    dialect = "sqlite"

    def __init__(
        self,
        path: Path,
        key: bytes | None = None,
        *,
        vfs: str | None = None,
        readers: int = READERS,
    ) -> None:
        """Open the file, creating it (mode 0600) and its tables if needed.

        With a key (32 bytes), the file, its log and every backup are encrypted.

        Raises:
            StorageUnusable: the file cannot be opened, is not a Memoranda database, or does not
                belong to this key.
            SchemaTooNew: a newer Memoranda wrote the file; nothing was changed.
        """
        self.path = path
        self.key = key
        self._vfs = vfs
        self._pid = os.getpid()
        self._waiting: list[_Turn[Any]] = []
        self._arriving = threading.Lock()
        self._leading = threading.Lock()
        self._leader = 0
        """Id of the thread that is committing, or 0.

        The thread may have ended because of an interrupt.
        """
        self._closed = False
        self._shelf = LazyBlockCache()
        _refuse_old_library()
        if key is not None:
            encryption.refuse_plain_build()
        with storage_faults(path), encryption.wrong_keys(path, key):
            filesystem.make_private(path)
            self._remote = filesystem.is_remote(path)
            encryption.refuse_mismatch(path, key)
            self._reads_only = False
            """Whether the disk was too full to open the file for writing."""
            self._writer = self._opened()
            self._readers: queue.LifoQueue[apsw.Connection | None] = queue.LifoQueue()
            """Idle connections for reading, the most recently used on top; None if not opened yet.
            """
            for _ in range(readers - 1):
                self._readers.put(None)
            self._readers.put(self._reader())

    def of(self, team: str) -> SqliteDatabase:
        """Return this store; anyone who can open the file can read all teams."""
        return self

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a function on one snapshot of the database."""
        self._refuse_misuse()
        reader = self._readers.get()
        try:
            with storage_faults(self.path):
                self._resume()
                if reader and reader.readonly("main") and not self._reads_only:
                    reader.close()
                    reader = None
                reader = reader or self._reader()
                with _transaction(reader, "begin"):
                    return work(SqliteTransaction(reader, self._shelf))
        finally:
            self._readers.put(reader)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a function atomically; return when it is on the disk."""
        self._refuse_misuse()
        if self._leader == threading.get_ident() and self._leading.locked():
            raise RuntimeError("a write inside a write would wait for itself; pass the transaction")
        with storage_faults(self.path):
            self._resume()
        turn = _Turn(work)
        with self._arriving:
            self._waiting.append(turn)
        with self._leading:
            if not turn.ended:
                with self._arriving:
                    turns, self._waiting = self._waiting, []
                self._leader = threading.get_ident()
                try:
                    self._commit(turns)
                finally:
                    self._leader = 0
        return turn.outcome()

    def vacuum_into(self, target: Path) -> None:
        """Write a compact, consistent copy of the database to a new file.

        Raises:
            Conflict: the file exists; it was not changed.
            CorruptData: the database is damaged.
            InvalidInput: the path is not valid UTF-8.
            NotFound: the folder of the path does not exist.
            StorageError: the file could not be written; no partial file is left.
        """
        with storage_faults(target):
            if not target.parent.exists():
                raise NotFound(f"no folder {target.parent}; create it first")
            if not filesystem.make_private(target):
                raise Conflict(f"{target} exists; choose another name")
            try:
                # not the writer, which may be locking the store for a restore
                with closing(self._connect()) as reader:
                    reader.execute("vacuum into ?", (str(target),))
            except (apsw.Error, UnicodeEncodeError) as error:
                target.unlink()
                if isinstance(error, apsw.CorruptError | apsw.NotADBError):
                    raise damaged(self.path, error) from error  # the store is damaged, not the copy
                raise

    def replace_content(self, source: Path, save: Callable[[], object] = lambda: None) -> None:
        """Replace the content with that of another file, in one transaction.

        ``save`` copies the content first. No process can write in between, so that each write is in
        the copy or follows the replacement.

        Raises:
            StorageBusy: another process wrote during the copy; this can happen on a network file
                system, where a locked store cannot be read. Nothing was replaced.
        """
        with storage_faults(self.path), self._leading:
            origin = encryption.open_copy(source, self.key)
            try:
                if self._remote:
                    save()
                version = self._writer.data_version()
                with self._writer.backup("main", origin, "main") as copying:
                    copying.step(0)  # locks the store for writing until the end of the transaction
                    if not self._remote:
                        save()
                    elif self._writer.data_version() != version:
                        raise _written_during_copy(self.path)
                    while not copying.done:
                        copying.step(1000)
            finally:
                origin.close()
            migrate(self._writer)

    def reclaim(self) -> str | None:
        """Release the space of deleted rows and empty the write-ahead log.

        Return what remains if another process is reading an older snapshot.
        """
        with storage_faults(self.path), self._leading:
            self._writer.execute("pragma incremental_vacuum").fetchall()  # each step frees one page
            ((busy, _, _),) = self._writer.execute("pragma wal_checkpoint(truncate)").fetchall()
            if not busy:
                return None
            return "the write-ahead log, which another process is reading; run forget again"

    def pragma(self, name: str) -> list[tuple[Any, ...]]:
        """Run one of SQLite's checks (``integrity_check``); return its rows."""
        with storage_faults(self.path), self._leading:
            return list(self._writer.execute(f"pragma {name}"))

    def close(self) -> None:
        """Close every connection; the last process merges the log into the file."""
        if self._closed or os.getpid() != self._pid:
            return
        self._closed = True
        with self._leading:
            while not self._readers.empty():
                if reader := self._readers.get():
                    reader.close()
            self._writer.close()

    def _opened(self) -> apsw.Connection:
        """Return a connection to a file; the connection is ready for use.

        If the disk is full and SQLite cannot create its log, the file can still be read.
        """
        try:
            writer = self._connect()
            self._prepare(writer)
        except (apsw.IOError, apsw.FullError, apsw.CantOpenError):
            wal = self.path.with_name(f"{self.path.name}-wal")
            logged = wal.exists() and wal.stat().st_size > 0
            if logged or not filesystem.is_full(self.path):
                raise
            self._reads_only = True
            writer = self._connect()
            if check_version(writer, self.path) == 0 or not is_current(writer):
                raise
            log.warning(
                "the disk of %s is full; the store can be read, but nothing can be stored",
                self.path,
            )
        return writer

    def _resume(self) -> None:
        """Open the file for writing again if the disk has space again."""
        if not self._reads_only or filesystem.is_full(self.path):
            return
        with self._leading:
            if self._reads_only:
                self._writer.close()
                self._reads_only = False
                self._writer = self._opened()

    def _connect(self) -> apsw.Connection:
        if self._reads_only:
            return encryption.open_copy(self.path, self.key, alone=True)
        connection = apsw.Connection(
            str(self.path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs
        )
        encryption.unlock(connection, self.key)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.pragma("foreign_keys", True)
        connection.pragma("synchronous", "full")
        connection.pragma("secure_delete", True)
        connection.pragma("temp_store", "memory")
        connection.pragma("cache_size", -(encryption.CACHE_KIB if self.key else CACHE_KIB))
        return connection

    def _reader(self) -> apsw.Connection:
        """Return a connection for reading; open a new one only if all are in use."""
        reader = self._connect()
        reader.pragma("query_only", True)
        if not self._remote:
            reader.pragma("mmap_size", MAPPED)
        return reader

    def _prepare(self, writer: apsw.Connection) -> None:
        """Create or upgrade the file; several processes may do so concurrently."""
        give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                self._make_ready(writer)
            except apsw.BusyError:
                # SQLite refuses instead of waiting while a new file is switched to WAL
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.01)
            else:
                return

    def _make_ready(self, writer: apsw.Connection) -> None:
        version = check_version(writer, self.path)
        if version == 0:
            writer.pragma("auto_vacuum", "incremental")
        mode = "delete" if self._remote else "wal"
        writer.pragma("journal_mode", mode)
        writer.pragma("journal_size_limit", 16 << 20)
        if version == 0:
            # no data can be lost yet; the first write syncs the tables to the disk
            if mode == "wal":
                writer.pragma("synchronous", "normal")
            writer.pragma("application_id", APPLICATION_ID)
        migrate(writer)
        writer.pragma("synchronous", "full")

    def _commit(self, turns: list[_Turn[Any]]) -> None:
        try:
            with storage_faults(self.path), _transaction(self._writer, "begin immediate"):
                for turn in turns:
                    turn.run(self._writer, self._shelf, self.path, alone=len(turns) == 1)
        except BaseException as error:
            # after any error, no caller may receive a success
            for turn in turns:
                turn.fail(error)
        for turn in turns:
            turn.ended = True

    def _refuse_misuse(self) -> None:
        if self._closed:
            raise StorageUnusable("the store is closed; open it again")
        if os.getpid() != self._pid:
            raise StorageUnusable("the store was opened before a fork; open it in this process")


class _Turn(Generic[T]):
    """One caller's function in a shared commit, and its result."""

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self.ended = False
        self._work = work
        self._result: T | None = None
        self._error: BaseException | None = None

    def run(
        self, connection: apsw.Connection, shelf: LazyBlockCache, path: Path, *, alone: bool
    ) -> None:
        transaction = SqliteTransaction(connection, shelf)
        if alone:
            self._result = self._work(transaction)
            return
        connection.execute("savepoint turn")
        try:
            with storage_faults(path):
                self._result = self._work(transaction)
        except Exception as error:
            if not connection.in_transaction:
                raise
            connection.execute("rollback to turn")
            self._error = error
        connection.execute("release turn")

    def fail(self, error: BaseException) -> None:
        self._error = self._error or error

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


@contextmanager
def _transaction(connection: apsw.Connection, begin: str) -> Iterator[None]:
    if connection.in_transaction:
        # Ctrl-C interrupted an earlier transaction between its start and its end
        connection.execute("rollback")
    try:
        connection.execute(begin)
        yield
        connection.execute("commit")
    finally:
        if connection.in_transaction:
            connection.execute("rollback")


def _written_during_copy(path: Path) -> StorageBusy:
    return StorageBusy(
        f"another process wrote to {path} during the copy, so nothing was replaced; stop servers"
        f" and agents that use the store, then try again"
    )


def _refuse_old_library() -> None:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < SAFE_SQLITE:
        raise StorageUnusable(
            f"SQLite {apsw.sqlite_lib_version()} can corrupt a database to which two processes"
            f" write; install apsw 3.51.3 or newer"
        )
