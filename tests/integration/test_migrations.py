"""Opening new, newer and foreign stores, and killed migrations."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from happenings import finish, start

from memoranda import Memoranda
from memoranda.exceptions import CorruptData, SchemaTooNew, StorageUnusable
from memoranda.store.sqlite import inspection_and_backup as maintenance, migrations
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.workspaces import table as workspaces

pytestmark = pytest.mark.integration

FIRST = Path(__file__).parents[1] / "first_schema" / "sqlite.sql"
"""The schema of the first version, which stores of that time have."""
OF_TABLES = "from sqlite_schema t, {} p where t.type = 'table'"
SCHEMA = {
    "objects": "select type, name, tbl_name, "
    "iif(type = 'table' and sql not like 'create virtual%', null, sql) from sqlite_schema",
    "tables": "select * from pragma_table_list",
    "columns": f"select t.name, p.* {OF_TABLES.format('pragma_table_xinfo(t.name)')}",
    "indexes": f'select t.name, p.name, "unique", origin, partial '
    f"{OF_TABLES.format('pragma_index_list(t.name)')}",
    "index columns": "select i.name, p.* from sqlite_schema i, pragma_index_xinfo(i.name) p "
    "where i.type = 'index'",
    "foreign keys": f"select t.name, p.* {OF_TABLES.format('pragma_foreign_key_list(t.name)')}",
}

STORES = 12
OPENERS = 4
OPENER = """
import sys, time
from pathlib import Path
from memoranda.store.sqlite.engine import SqliteDatabase

print("ready", flush=True)
start = float(sys.stdin.readline())
for number in range(int(sys.argv[3])):
    time.sleep(max(0, start + number * 0.1 - time.time()))
    database = SqliteDatabase(Path(sys.argv[1]) / str(number) / "store.db")
    database.write(lambda tx: tx.execute(
        "insert into workspace values (:team, :id, :id, null, 0)", {"team": "t", "id": sys.argv[2]}
    ))
    database.close()
"""


def test_processes_may_make_a_new_store_at_the_same_moment(tmp_path: Path) -> None:
    openers = [start(OPENER, tmp_path, name, STORES) for name in range(OPENERS)]
    for process in openers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    moment = time.time() + 0.2
    for process in openers:
        assert process.stdin is not None
        process.stdin.write(f"{moment}\n")
        process.stdin.flush()
    for process in openers:
        finish(process)
    for number in range(STORES):
        database = SqliteDatabase(tmp_path / str(number) / "store.db")
        assert database.read(lambda tx: workspaces.ids(tx, "t")) == list("0123")
        assert database.pragma("auto_vacuum") == [(2,)]
        assert database.pragma("journal_mode") == [("wal",)]
        assert maintenance.inspect(database).sound
        database.close()


def test_a_store_from_the_future_is_refused_and_not_touched(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.observe("written today")
        path = memory.settings.database_path
    newer = apsw.Connection(str(path))
    newer.execute("insert into migration values (999, '0999_from_the_future', 0)")
    newer.execute("create table hoverboard (id integer)")
    newer.close()
    before = _fingerprints(data_dir)
    for _ in range(2):
        with pytest.raises(SchemaTooNew, match=r"999.*update") as caught:
            Memoranda.open(data_dir)
        assert caught.value.code == "schema_too_new"
        del caught
    assert _fingerprints(data_dir) == before


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_a_database_of_another_program_is_refused_and_not_touched(
    data_dir: Path, journal_mode: str
) -> None:
    data_dir.mkdir()
    path = data_dir / "memoranda.db"
    other = sqlite3.connect(path)
    other.execute(f"pragma journal_mode = {journal_mode}")
    other.execute("create table bookmark (url text)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StorageUnusable, match="not a Memoranda database"):
        SqliteDatabase(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"no database at all\n" * 500,
        b"SQLite format 3\0" + b"\xff" * 8_000,
        b"\0" * 4096,
        b"x" * 100,
    ],
    ids=["text", "header only", "zeros", "a few bytes"],
)
def test_a_file_that_is_no_database_is_refused_and_not_touched(
    data_dir: Path, content: bytes
) -> None:
    data_dir.mkdir()
    path = data_dir / "memoranda.db"
    path.write_bytes(content)
    with pytest.raises((CorruptData, StorageUnusable), match=r"memoranda\.db"):
        SqliteDatabase(path)
    assert path.read_bytes() == content


def test_a_truncated_store_is_reported_as_damaged(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        for number in range(30):
            memory.observe(f"entry {number} {'word ' * 200}")
        path = memory.settings.database_path
    path.write_bytes(path.read_bytes()[: 40 * 4096 + 100])
    with pytest.raises(CorruptData, match="doctor"):
        _read_all(path)


def test_a_new_store_has_the_schema_of_an_upgraded_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, upgraded = tmp_path / "new.db", tmp_path / "upgraded.db"
    SqliteDatabase(new).close()
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "BASELINE", FIRST)
        patch.setattr(migrations, "BASELINE_VERSION", 1)
        patch.setattr(migrations, "known_migrations", lambda: [(1, FIRST)])
        SqliteDatabase(upgraded).close()
    assert _versions(upgraded) == [1]
    SqliteDatabase(upgraded).close()
    newest = migrations.known_migrations()[-1][0]
    assert _versions(new) == list(range(migrations.BASELINE_VERSION, newest + 1))
    assert _versions(upgraded) == list(range(1, newest + 1))
    schema = _schema(new)
    assert all(len(part) > 50 for part in schema.values())
    assert schema == _schema(upgraded)
    assert _with_rows(new) == _with_rows(upgraded) == {"migration"}


def test_a_creation_that_fails_half_way_leaves_an_empty_store(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = data_dir / "memoranda.db"
    half = tmp_path / "half.sql"
    half.write_text(migrations.BASELINE.read_text("utf-8") + "broken;", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "BASELINE", half)
        with pytest.raises(Exception, match="broken"):
            SqliteDatabase(path)
    raw = apsw.Connection(str(path))
    assert raw.execute("select name from sqlite_schema").fetchall() == []
    raw.close()
    database = SqliteDatabase(path)
    assert maintenance.inspect(database).sound
    database.close()


def test_a_kill_between_two_steps_is_continued_from(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = data_dir / "memoranda.db"
    SqliteDatabase(path).close()
    steps = Path(shutil.copytree(migrations.UPGRADES, tmp_path / "steps"))
    newest = migrations.known_migrations()[-1][0]
    monkeypatch.setattr(migrations, "UPGRADES", steps)
    (steps / f"{newest + 1:04d}_first.sql").write_text("create table extra (id integer);")
    second = steps / f"{newest + 2:04d}_second.sql"

    second.write_text("insert into extra values (1); broken;")
    with pytest.raises(Exception, match="broken"):
        SqliteDatabase(path)
    assert _versions(path)[-2:] == [newest, newest + 1]

    second.write_text("insert into extra values (1);")
    for _ in range(2):
        database = SqliteDatabase(path)
        assert database.read(lambda tx: tx.fetch("select id from extra", {})) == [(1,)]
        database.close()
        assert _versions(path)[-3:] == [newest, newest + 1, newest + 2]


def test_what_was_written_before_a_step_is_there_after_it(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memoranda.open(data_dir) as memory:
        before = memory.observe("written under the schema of today")
    steps = Path(shutil.copytree(migrations.UPGRADES, tmp_path / "steps"))
    next_version = migrations.known_migrations()[-1][0] + 1
    extra = steps / f"{next_version:04d}_extra.sql"
    extra.write_text("alter table task add column extra text default 'added';")
    monkeypatch.setattr(migrations, "UPGRADES", steps)
    with Memoranda.open(data_dir) as memory:
        assert memory.observations.show(before.id).content == "written under the schema of today"
        assert maintenance.inspect(memory._database).schema_version == next_version
        rows = memory._database.read(lambda tx: tx.fetch("select extra from task", {}))
        assert rows == [("added",)]


def _versions(path: Path) -> list[int]:
    with closing(apsw.Connection(str(path))) as store:
        return [row[0] for row in store.execute("select version from migration order by version")]


def _schema(path: Path) -> dict[str, list[Any]]:
    """Return the parts of a file's schema; no text of tables, which upgrades change."""
    with closing(apsw.Connection(str(path))) as store:
        return {part: sorted(store.execute(query), key=repr) for part, query in SCHEMA.items()}


def _with_rows(path: Path) -> set[str]:
    """Return the tables that have rows, apart from those of full text, which have some always."""
    tables = "select name from pragma_table_list where type = 'table' and name not like 'sqlite%'"
    with closing(apsw.Connection(str(path))) as store:
        names = [name for (name,) in store.execute(tables)]
        return {name for name in names if store.execute(f"select 1 from {name} limit 1").fetchall()}


def _fingerprints(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size and not path.name.endswith("-shm")
    }


def _read_all(path: Path) -> None:
    database = SqliteDatabase(path)
    try:
        database.read(lambda tx: tx.fetch("select * from observation, blob", {}))
    finally:
        database.close()
