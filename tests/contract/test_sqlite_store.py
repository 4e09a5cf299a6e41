"""SQLite meets the contract and detects changes of its file by others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import copyfile

import apsw
import pytest

from contract.contract_journal import note
from contract.contract_text import TextContract
from contract.records import Records
from contract.store_contract import StoreContract
from memoranda.exceptions import StorageError
from memoranda.journal import table as journal
from memoranda.memories import extraction_table as memory_encodings, table as memories
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.profile import table as profiles
from memoranda.scope import Scope
from memoranda.search import filter_table as filtering, table as entries
from memoranda.search.filters import SearchFilter
from memoranda.store.database import Transaction, load_statements
from memoranda.store.sqlite import fulltext
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.transaction import SqliteTransaction, in_dialect
from memoranda.store.table_catalogue import TABLES

OPEN_TRIGGERS = "drop trigger journal_keeps_its_words; drop trigger journal_keeps_its_entries;"


@pytest.fixture
def database(tmp_path: Path, empty_store: Path) -> Iterator[SqliteDatabase]:
    opened = SqliteDatabase(copyfile(empty_store, tmp_path / "store.db"))
    yield opened
    opened.close()


class TestSqlite(StoreContract):
    @pytest.fixture
    def database(self, database: SqliteDatabase) -> SqliteDatabase:  # type: ignore[override]
        return database


class TestTextOfMany(TextContract):
    """The searches of the contract when each word is in very many memories."""

    @pytest.fixture
    def database(self, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> SqliteDatabase:  # type: ignore[override]
        monkeypatch.setattr(fulltext, "WALKED", 0)
        monkeypatch.setattr(fulltext, "COMMON", 0)
        return database


def test_the_catalogue_has_the_columns_and_keys_of_the_store(database: SqliteDatabase) -> None:
    for table in TABLES:
        columns = {row[1] for row in database.pragma(f"table_info({table.name})")}
        assert columns - set(table.columns) <= {"docid", "block"}
        assert set(table.columns) <= columns
        indexes = [row[1] for row in database.pragma(f"index_list({table.name})") if row[2]]
        keys = [{row[2] for row in database.pragma(f"index_info({name})")} for name in indexes]
        assert {"team", *table.key} in keys


@pytest.mark.parametrize(
    ("tampering", "broken_at"),
    [
        ("update journal set actor = 'nobody' where sequence = 3", 3),
        ("update journal set detail = '{}' where sequence = 1", 1),
        ("update journal set at = at + 1 where sequence = 6", 6),
        ("update journal set subject = subject || ' ' where sequence = 2", 2),
        ("update journal set previous = hash where sequence = 4", 4),
        ("delete from journal where sequence = 1", 1),
        ("delete from journal where sequence = 3", 3),
        ("delete from journal where sequence = 6", 6),
        ("delete from journal where sequence > 2", 3),
        ("delete from journal", 1),
        ("delete from journal_head", 7),
        ("update journal_head set sequence = 5", 7),
        (
            "update journal set sequence = 99 where sequence = 2; "
            "update journal set sequence = 2 where sequence = 3; "
            "update journal set sequence = 3 where sequence = 99",
            2,
        ),
        ("update journal set team = 'other' where sequence = 2", 2),
        (
            "insert into journal select team, 7, at, actor, operation, subject, detail, hash, hash "
            "from journal where sequence = 6",
            7,
        ),
    ],
)
def test_what_was_done_to_the_journal_is_found_with_its_place(
    database: SqliteDatabase, tampering: str, broken_at: int
) -> None:
    def fill(tx: Transaction) -> None:
        for number in range(1, 7):
            journal.append(tx, "local", note(number))

    database.write(fill)
    stranger = apsw.Connection(str(database.path))
    stranger.execute(OPEN_TRIGGERS + tampering)
    stranger.close()
    check = database.read(lambda tx: journal.verify(tx, "local"))
    assert not check.intact
    assert (check.broken_at, bool(check.reason)) == (broken_at, True)


@pytest.mark.parametrize(
    "sql", ["update journal set actor = 'x'", "delete from journal where sequence = 1"]
)
def test_the_engine_itself_refuses_to_change_the_journal(
    database: SqliteDatabase, sql: str
) -> None:
    database.write(lambda tx: journal.append(tx, "local", note(1)))
    with pytest.raises(StorageError, match="append-only"):
        database.write(lambda tx: tx.execute(sql, {}))
    assert database.read(lambda tx: journal.verify(tx, "local")).intact


def test_the_space_of_deleted_rows_is_released(database: SqliteDatabase) -> None:
    records = Records()

    def fill(tx: Transaction) -> list[str]:
        task = records.plant_task(tx)
        return [records.plant(tx, task, n, f"{n} {'x y z ' * 300}").id for n in range(1, 301)]

    ids = database.write(fill)
    database.reclaim()
    full = database.path.stat().st_size

    def forget(tx: Transaction) -> None:
        removed = observations.delete(tx, records.team, ids, 0)
        blobs.delete_unused(tx, records.team, removed.hashes)
        tx.text("observation").purge()

    database.write(forget)
    database.reclaim()
    assert database.pragma("freelist_count") == [(0,)]
    assert database.path.stat().st_size < full / 2
    assert not database.path.with_name("store.db-wal").stat().st_size


def test_no_frequent_query_scans_all_memories(database: SqliteDatabase) -> None:
    bindings = {"team": "local", "workspace": "w", "agent": None, "now": 1, "limit": 9,
                "content_hash": "c", "exact_hash": "e", "version": 1, "model": "m",
                "categories": "[]", "among": "[]"}  # fmt: skip
    bindings |= SearchFilter().bindings(Scope("local"))
    for sql, reads in (
        (profiles.SQL["members"], "memory_in_profile (team=? AND status=?"),
        (
            filtering.SQL["verdicts"] + filtering.SQL["seen_memories"] + filtering.SQL["of_some"],
            "(team=? AND id=?)",
        ),
        (memories.SQL["by_content"], "memory_by_content (team=? AND content_hash=?)"),
        (entries.SQL["memories_without"], "SEARCH u "),
        (memory_encodings.SQL["waiting"], "memory_encoding_by_version (team=? AND version<?)"),
        (memory_encodings.SQL["uncompared"], "encoding_by_compared (team=? AND compared=?)"),
    ):
        explained = f"explain query plan {sql}"
        plan = database.read(partial(SqliteTransaction.fetch, sql=explained, parameters=bindings))
        steps = [row[3] for row in plan]
        assert any(reads in step for step in steps), f"{sql}: {steps}"
        whole = [step for step in steps if step.endswith("(team=?)") and " u " not in step]
        assert not whole, f"{sql}: {steps}"


def test_forgetting_looks_contents_up_instead_of_reading_every_row(
    database: SqliteDatabase,
) -> None:
    bindings = {"team": "local", "hashes": "[]", "ids": "[]"}
    for sql in (
        blobs.SQL["delete_unused"],
        observations.SQL["ids_of"],
        observations.SQL["unlink_repeats"],
        observations.SQL["delete"],
    ):
        explained = f"explain query plan {sql}"
        plan = database.read(partial(SqliteTransaction.fetch, sql=explained, parameters=bindings))
        steps = [row[3] for row in plan if " o " in row[3] or "observation" in row[3]]
        assert steps
        assert all("team=? AND" in step for step in steps), f"{sql}: {steps}"


def test_a_list_parameter_is_unfolded_and_nothing_else() -> None:
    sql = "select ':x[]' from t where a in :x[] and b = :y"
    assert in_dialect(sql).endswith("a in (select value from json_each(:x)) and b = :y")


def test_every_statement_beside_a_module_has_a_name_and_a_body() -> None:
    folder = Path(blobs.__file__).parent
    for path in [*folder.glob("*.sql"), *(folder.parent / "sqlite").glob("*.sql")]:
        statements = load_statements(str(path.with_suffix(".py")))
        assert statements
        for name, sql in statements.items():
            assert name.isidentifier(), f"{path.name}: {name!r}"
            assert sql.strip(), f"{path.name}: {name} is empty"
