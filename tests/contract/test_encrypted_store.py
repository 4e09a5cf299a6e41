"""An encrypted SQLite file meets the contract; no key, no content."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import apsw
import pytest

import ciphers
from contract.contract_blobs import BlobContract
from contract.contract_entries import EntryContract
from contract.contract_journal import JournalContract
from contract.contract_memories import MemoryContract
from contract.contract_observations import ObservationContract
from contract.contract_text import TextContract
from contract.contract_transactions import TransactionContract
from contract.contract_vectors import VectorContract
from contract.records import Records
from memoranda.exceptions import CorruptData, StorageError, StorageUnusable
from memoranda.store.database import Transaction
from memoranda.store.sqlite import (
    encryption,
    file_encryption as conversion,
    filesystem,
    inspection_and_backup as maintenance,
)
from memoranda.store.sqlite.engine import SqliteDatabase

ciphers.needed()

KEY = bytes(range(32))
OTHER = bytes(32)
SENTENCE = "the heron waits by the frozen weir"
PLAIN_HEADER = b"SQLite format 3"


@pytest.fixture(scope="session")
def empty_stores(tmp_path_factory: pytest.TempPathFactory) -> dict[bytes | None, Path]:
    """Empty stores to copy, one encrypted, one not."""
    folder = tmp_path_factory.mktemp("empty")
    stores: dict[bytes | None, Path] = {KEY: folder / "encrypted.db", None: folder / "plain.db"}
    for key, path in stores.items():
        SqliteDatabase(path, key).close()
    return stores


@pytest.fixture
def opened(
    tmp_path: Path, empty_stores: dict[bytes | None, Path]
) -> Iterator[Callable[[bytes | None], SqliteDatabase]]:
    """Open a new store with or without a key."""
    stores: list[SqliteDatabase] = []

    def open_new(key: bytes | None) -> SqliteDatabase:
        stores.append(SqliteDatabase(copyfile(empty_stores[key], tmp_path / "store.db"), key))
        return stores[-1]

    yield open_new
    for store in stores:
        store.close()


@pytest.fixture
def database(opened: Callable[[bytes | None], SqliteDatabase]) -> SqliteDatabase:
    return opened(KEY)


class TestEncryptedSqlite(
    TransactionContract,
    ObservationContract,
    BlobContract,
    MemoryContract,
    TextContract,
    EntryContract,
    VectorContract,
    JournalContract,
):
    """A cipher lies below the statements, which are those of a plain file: each kind of storage."""

    @pytest.fixture
    def database(self, database: SqliteDatabase) -> SqliteDatabase:  # type: ignore[override]
        return database


def plant(database: SqliteDatabase, rows: int = 50) -> None:
    """Store a sentence in rows and full text, uncompressed."""
    records = Records()

    def fill(tx: Transaction) -> None:
        task = records.plant_task(tx)
        for number in range(1, rows + 1):
            records.plant(tx, task, number, f"{number} {SENTENCE}")
        tx.execute("update task set observations = :rows", {"rows": rows})

    database.write(fill)


CONVERTER = """
import sys
from pathlib import Path
from memoranda.exceptions import MemorandaError
from memoranda.store.sqlite import file_encryption as conversion
try:
    conversion.convert(Path(sys.argv[1]), bytes(range(32)), None)
except MemorandaError as error:
    print(type(error).__name__)
"""


KILLED = """
import os, signal, sys
from pathlib import Path
from memoranda.store.sqlite import file_encryption as conversion
replace, moment = Path.replace, sys.argv[2]

def killed(draft, path):
    if moment == "after":
        replace(draft, path)
    os.kill(os.getpid(), signal.SIGKILL)

Path.replace = killed
conversion.convert(Path(sys.argv[1]), bytes(range(32)), None)
"""


def finished(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def telling(path: Path) -> bool:
    """Return whether a file contains a word of the sentence."""
    content = path.read_bytes()
    return any(word in content for word in (SENTENCE.encode(), b"heron", b"create table"))


def fingerprints(folder: Path) -> dict[str, str]:
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file() and path.stat().st_size and not path.name.endswith("-shm")
    }


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_a_planted_sentence_shows_in_a_plain_store_and_nowhere_in_an_encrypted_one(
    opened: Callable[[bytes | None], SqliteDatabase], tmp_path: Path, key: bytes | None
) -> None:
    database = opened(key)
    plant(database)
    log = tmp_path / "store.db-wal"
    shown = [telling(log)]
    maintenance.backup(database, tmp_path / "backup.db")
    database.close()
    shown += [telling(database.path), telling(tmp_path / "backup.db")]
    assert shown == [key is None] * 3
    for path in (database.path, tmp_path / "backup.db"):
        assert path.read_bytes().startswith(PLAIN_HEADER) == (key is None)


def test_the_journal_of_a_store_on_a_network_disk_is_encrypted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "is_remote", lambda path: True)
    database = SqliteDatabase(tmp_path / "store.db", KEY)
    plant(database)
    journal = tmp_path / "store.db-journal"
    seen: list[bool] = []

    def change(tx: Transaction) -> None:
        tx.execute("update observation set summary = 'no more'", {})
        assert journal.stat().st_size
        seen.append(telling(journal))

    database.write(change)
    database.close()
    assert seen == [False]
    assert not telling(database.path)


@pytest.mark.parametrize("key", [OTHER, None], ids=["another key", "no key"])
def test_the_wrong_key_does_not_roll_the_journal_of_a_killed_process_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: bytes | None
) -> None:
    monkeypatch.setattr(filesystem, "is_remote", lambda path: True)
    database = SqliteDatabase(tmp_path / "store.db", KEY)
    plant(database)
    left = tmp_path / "left by a process that was killed"
    left.mkdir()

    def change(tx: Transaction) -> None:
        tx.execute("pragma cache_size = 1", {})
        tx.execute("pragma cache_spill = 1", {})
        tx.execute("update observation set summary = 'half' || summary", {})
        for name in ("store.db", "store.db-journal"):
            copyfile(tmp_path / name, left / name)

    database.write(change)
    database.close()
    with pytest.raises(StorageUnusable):
        SqliteDatabase(left / "store.db", key)
    again = SqliteDatabase(left / "store.db", KEY)
    count = "select count(*), sum(summary like 'half%') from observation"
    assert again.read(lambda tx: tx.first(count, {})) == (50, 0)
    assert maintenance.inspect(again).sound
    again.close()


def test_looking_at_the_first_bytes_of_an_open_store_lets_no_lock_go(
    database: SqliteDatabase,
) -> None:
    assert encryption.is_plain(database.path) is False
    assert finished(CONVERTER, database.path).stdout == "StorageBusy\n"


@pytest.mark.parametrize("key", [OTHER, None], ids=["another key", "no key"])
def test_the_wrong_key_opens_nothing_and_changes_nothing(
    database: SqliteDatabase, tmp_path: Path, key: bytes | None
) -> None:
    plant(database)
    left = tmp_path / "left by a process that was killed"
    left.mkdir()
    for name in ("store.db", "store.db-wal"):
        copyfile(tmp_path / name, left / name)
    before = fingerprints(left)
    assert set(before) == {"store.db", "store.db-wal"}
    for attempt in (SqliteDatabase, maintenance.verify, conversion.convert):
        with pytest.raises(StorageUnusable, match=r"not open with this key|is encrypted, or not"):
            attempt(left / "store.db", key, *[OTHER] * (attempt is conversion.convert))
        assert fingerprints(left) == before
    again = SqliteDatabase(left / "store.db", KEY)
    assert again.read(lambda tx: tx.first("select count(*) from observation", {})) == (50,)
    assert maintenance.inspect(again).sound
    again.close()


def test_a_plain_store_is_not_opened_with_a_key(
    opened: Callable[[bytes | None], SqliteDatabase], tmp_path: Path
) -> None:
    opened(None).close()
    before = fingerprints(tmp_path)
    with pytest.raises(StorageUnusable, match=r"is not encrypted.*memoranda encrypt .*store\.db"):
        SqliteDatabase(tmp_path / "store.db", KEY)
    assert fingerprints(tmp_path) == before


def test_a_backup_can_be_restored_with_its_key_alone(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    plant(database)
    found = maintenance.backup(database, tmp_path / "backup.db")
    assert found.sound
    assert found.encrypted
    database.write(lambda tx: tx.execute("delete from observation", {}))
    assert maintenance.restore(tmp_path / "backup.db", database).sound
    assert database.read(lambda tx: tx.first("select count(*) from observation", {})) == (50,)
    plain = SqliteDatabase(tmp_path / "plain.db")
    foreign = SqliteDatabase(tmp_path / "foreign.db", OTHER)
    for store in (plain, foreign):
        with pytest.raises(StorageUnusable):
            maintenance.restore(tmp_path / "backup.db", store)
        store.close()
    with pytest.raises(StorageUnusable, match="is not encrypted"):
        maintenance.restore(tmp_path / "plain.db", database)
    assert maintenance.inspect(database).sound


def test_a_page_that_was_changed_or_moved_is_not_believed(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    plant(database, rows=200)
    target = tmp_path / "backup.db"
    assert maintenance.backup(database, target).sound
    page, whole = 4096, target.read_bytes()
    flipped = bytearray(whole)
    flipped[20 * page + 100] ^= 1
    swapped = whole[: 20 * page] + whole[21 * page : 22 * page] + whole[20 * page : 21 * page]
    for content in (bytes(flipped), swapped + whole[22 * page :]):
        target.write_bytes(content)
        assert maintenance.verify(target, KEY).damage


@pytest.mark.parametrize("key", [None, KEY], ids=["to encrypted", "to plain"])
def test_a_converted_file_has_the_same_content_and_no_trace_of_the_old_form(
    opened: Callable[[bytes | None], SqliteDatabase], tmp_path: Path, key: bytes | None
) -> None:
    database = opened(key)
    plant(database)
    database.close()
    new = None if key else KEY
    found = conversion.convert(database.path, key, new)
    assert (found.sound, found.encrypted) == (True, new is not None)
    assert {path.name for path in tmp_path.iterdir()} == {"store.db"}
    assert telling(database.path) == (new is None)
    assert database.path.stat().st_mode & 0o777 == 0o600
    again = SqliteDatabase(database.path, new)
    assert again.read(lambda tx: tx.first("select count(*) from observation", {})) == (50,)
    assert again.pragma("auto_vacuum") == [(2,)]
    again.write(lambda tx: tx.execute("delete from memory", {}))
    assert maintenance.inspect(again).sound
    again.close()


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_nobody_writes_while_the_copy_is_made(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, journal_mode: str
) -> None:
    plant(database)
    database.close()
    raw = apsw.Connection(str(database.path), flags=apsw.SQLITE_OPEN_READWRITE)
    encryption.unlock(raw, KEY)
    assert raw.pragma("journal_mode", journal_mode) == journal_mode
    raw.close()
    check, seen = conversion.verify, list[str]()

    def check_and_try(draft: Path, key: bytes | None) -> maintenance.Inspection:
        seen.append(finished(CONVERTER, database.path).stdout)
        other = apsw.Connection(str(database.path), flags=apsw.SQLITE_OPEN_READWRITE)
        encryption.unlock(other, KEY)
        with pytest.raises(apsw.BusyError):
            other.execute("begin immediate")
        other.close()
        return check(draft, key)

    monkeypatch.setattr(conversion, "verify", check_and_try)
    assert conversion.convert(database.path, KEY, None).sound
    assert seen == ["StorageBusy\n"]


def test_an_interrupted_conversion_changes_nothing(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(database)
    database.close()
    before = fingerprints(tmp_path)
    monkeypatch.setattr(conversion, "verify", lambda path, key: _interrupt())
    with pytest.raises(KeyboardInterrupt):
        conversion.convert(database.path, KEY, None)
    assert {path.name for path in tmp_path.iterdir()} == set(before)
    again = SqliteDatabase(database.path, KEY)
    assert maintenance.inspect(again).sound
    again.close()


def test_what_a_killed_conversion_left_is_no_obstacle(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    database.close()
    draft = tmp_path / "store.db.converting"
    draft.write_text("half a copy")
    assert conversion.convert(database.path, KEY, None).sound
    assert not draft.exists()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_conversion_that_is_killed_leaves_the_one_file_or_the_other_whole(
    database: SqliteDatabase, moment: str
) -> None:
    plant(database)
    database.close()
    assert finished(KILLED, database.path, moment).returncode == -signal.SIGKILL
    key = KEY if moment == "before" else None
    again = SqliteDatabase(database.path, key)
    assert again.read(lambda tx: tx.first("select count(*) from observation", {})) == (50,)
    assert maintenance.inspect(again).sound
    again.close()
    assert conversion.convert(database.path, key, OTHER).sound
    assert {path.name for path in database.path.parent.iterdir()} == {"store.db"}


def test_a_conversion_leaves_the_journal_of_its_successor_alone(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(database)
    database.close()
    journal = tmp_path / "store.db-journal"

    def write(path: Path) -> None:
        if not path.is_dir():
            return  # the copy, before it replaces the file
        assert not journal.exists()
        journal.write_text("of a process that opened the copy at once")

    monkeypatch.setattr(conversion.filesystem, "sync", write)
    conversion.convert(database.path, KEY, None)
    assert journal.read_text().startswith("of a process")


def test_a_damaged_store_is_not_converted(database: SqliteDatabase, tmp_path: Path) -> None:
    plant(database)
    database.write(lambda tx: tx.execute("delete from blob", {}))
    database.close()
    with pytest.raises(CorruptData, match="doctor"):
        conversion.convert(database.path, KEY, None)
    assert not database.path.read_bytes().startswith(PLAIN_HEADER)
    assert {path.name for path in tmp_path.iterdir()} == {"store.db"}


def test_a_failed_copy_does_not_reveal_the_key(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    nowhere = database.path.parent / "none" / "none"
    monkeypatch.setattr(filesystem, "make_private", lambda path: path.symlink_to(nowhere))
    with pytest.raises(StorageError, match="cannot write") as caught:
        conversion.convert(database.path, KEY, OTHER)
    shown = f"{caught.value!r} {caught.value.__cause__!r}"
    assert OTHER.hex() not in shown
    assert KEY.hex() not in shown


def test_a_process_that_opened_the_file_before_it_was_replaced_cannot_write(
    database: SqliteDatabase,
) -> None:
    database.close()
    late = apsw.Connection(str(database.path), flags=apsw.SQLITE_OPEN_READWRITE)
    encryption.unlock(late, KEY)
    conversion.convert(database.path, KEY, None)
    with pytest.raises(apsw.ReadOnlyError):
        late.pragma("journal_mode", "wal")
    with pytest.raises(apsw.ReadOnlyError):
        late.execute("create table late (x)")  # a delete would find nothing to write
    late.close()


def _interrupt() -> None:
    raise KeyboardInterrupt
