"""A store that was damaged is found, said, and replaced by its backup; its bytes are kept."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda
from memoranda.exceptions import StorageUnusable
from memoranda.store import engine_selection

PAGE = 4096


def overwritten_start(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(_noise(3_000) + content[3_000:])


def overwritten_pages(store: Path) -> None:
    content = bytearray(store.read_bytes())
    for page in range(10, len(content) // PAGE, 8):
        content[page * PAGE : (page + 1) * PAGE] = _noise(PAGE)
    store.write_bytes(content)


def truncated(store: Path) -> None:
    store.write_bytes(store.read_bytes()[:300_000])


def emptied(store: Path) -> None:
    store.write_bytes(b"")


DAMAGES = (overwritten_start, overwritten_pages, truncated, emptied)


@pytest.fixture(autouse=True)
def _nobody_creates_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait briefly for another process that might be creating an empty file."""
    monkeypatch.setattr(engine_selection, "CREATED_WITHIN", 0.1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory that was in use, with a backup beside it."""
    data = tmp_path / "data"
    ask(data, "remember", "Zebras first", "--everywhere")
    ask(data, "drain")
    ask(data, "backup", str(tmp_path / "b1.db"))
    return data


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_replaced_by_its_backup(
    data: Path, damage: Callable[[Path], None]
) -> None:
    store, backup = data / "memoranda.db", str(data.parent / "b1.db")
    damage(store)
    Path(f"{store}-wal").write_bytes(b"the log")
    broken = store.read_bytes()
    restored = invoke(data, "restore", backup, "--yes")
    assert restored.code == 0, restored.err
    aside = data / "damaged-memoranda.db"
    assert f"was moved unchanged to {aside}" in restored.out
    assert aside.read_bytes() == broken
    assert Path(f"{aside}-wal").read_bytes() == b"the log"
    assert "Zebras first" in invoke(data, "search", "zebras").out
    assert all(one["verdict"] != "failure" for one in ask(data, "doctor"))
    damage(store)
    assert "damaged-memoranda-2.db" in invoke(data, "restore", backup, "--yes").out
    assert aside.read_bytes() == broken


def test_a_restore_into_an_empty_folder_asks_nothing(data: Path, tmp_path: Path) -> None:
    backup, new = str(data.parent / "b1.db"), tmp_path / "new"
    restored = invoke(new, "restore", backup)
    assert restored.code == 0, restored.err
    assert "there was no data before" in restored.out
    assert invoke(new, "restore", backup).code != 0  # now there is something to replace


def test_the_copies_that_a_restore_left_are_named(data: Path) -> None:
    store, backup = data / "memoranda.db", str(data.parent / "b1.db")
    assert not [one for one in ask(data, "doctor", "--quick") if one["check"] == "copies"]
    assert invoke(data, "restore", backup, "--yes").code == 0
    truncated(store)
    assert invoke(data, "restore", backup, "--yes").code == 0
    for draft in ("memoranda.db.restoring", "memoranda.db.restoring-wal"):
        (data / draft).write_bytes(b"left by a killed restore")
    names = ["before-restore-b1.db", "damaged-memoranda.db", "memoranda.db.restoring"]
    receipt = ask(data, "forget", "--mentions", "Zebras", "--yes")
    status = {Path(one["path"]).name: one["bytes"] for one in ask(data, "status")["copies"]}
    assert sorted(status) == names
    assert status["memoranda.db.restoring"] == 48
    checked = [one for one in ask(data, "doctor", "--quick") if one["check"] == "copies"]
    for name in names:
        assert any(f"{data / name} (" in one for one in receipt["not_reached"])
        assert any(f"rm {data / name}*" in one["fix"] for one in checked)
        assert name in invoke(data, "status").out
    assert b"Zebras" in (data / "before-restore-b1.db").read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("quick", [(), ("--quick",)])
def test_the_doctor_reports_a_damaged_store(
    data: Path, damage: Callable[[Path], None], quick: tuple[str, ...]
) -> None:
    damage(data / "memoranda.db")
    checked = invoke(data, "doctor", *quick, "--format", "json")
    assert checked.code == 1
    failures = [one for one in checked.json if one["verdict"] == "failure"]
    assert any("memoranda restore FILE" in one["fix"] for one in failures)
    assert "failure" in invoke(data, "doctor", *quick).out


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_not_searched_as_if_it_had_nothing(
    data: Path, damage: Callable[[Path], None]
) -> None:
    damage(data / "memoranda.db")
    searched = invoke(data, "search", "zebras")
    assert searched.code in (13, 15)
    assert "memoranda restore FILE" in searched.err


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_stays_where_it_is_if_the_backup_is_damaged_too(
    data: Path, damage: Callable[[Path], None]
) -> None:
    store, backup = data / "memoranda.db", data.parent / "b1.db"
    damage(store)
    damage(backup)
    broken = store.read_bytes()
    before = sorted(path.name for path in data.iterdir())
    assert invoke(data, "restore", str(backup), "--yes").code in (10, 13, 15)
    assert store.read_bytes() == broken
    assert sorted(path.name for path in data.iterdir()) == before
    assert invoke(data, "restore", str(data / "none.db"), "--yes").code == 3
    assert store.read_bytes() == broken


@pytest.mark.parametrize("log", [False, True])
def test_an_emptied_store_that_had_no_context_yet_is_refused_at_every_door(
    tmp_path: Path, log: bool
) -> None:
    """The directory has no backup, no captures and no prepared context: a memory alone."""
    data = tmp_path / "data"
    ask(data, "remember", "Zebras first", "--everywhere")
    shutil.rmtree(data / "context", ignore_errors=True)
    emptied(data / "memoranda.db")
    if log:
        (data / "memoranda.db-wal").write_bytes(b"the log")
    for arguments in (
        ("search", "zebras"), ("memory", "list"), ("remember", "Lions second"), ("drain",),
        ("serve", "--port", "0"),
    ):  # fmt: skip
        refused = invoke(data, *arguments)
        assert refused.code == 13, (arguments, refused.out)
        assert "memoranda restore FILE" in refused.err
    with pytest.raises(StorageUnusable, match="its content is lost"):
        Memoranda.open(str(data))
    checked = invoke(data, "doctor", "--quick", "--format", "json")
    assert (checked.code, "memoranda restore FILE" in checked.out) == (1, True)
    assert (data / "memoranda.db").read_bytes() == b""


def test_events_stay_in_the_spool_of_an_emptied_store(tmp_path: Path) -> None:
    data = tmp_path / "data"
    ask(data, "remember", "Zebras first", "--everywhere")
    emptied(data / "memoranda.db")
    event = {
        "session_id": "s1",
        "cwd": str(tmp_path),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Count the zebras",
    }
    subprocess.run(
        [sys.executable, "-m", "memoranda.hook", "spool", "claude-code"],
        input=json.dumps(event),
        text=True,
        check=True,
        env={**os.environ, "MEMORANDA_DATA_DIR": str(data)},
    )
    files = [path for path in (data / "spool").iterdir() if "zebras" in path.read_text()]
    assert files
    assert invoke(data, "drain").code == 13
    assert all("Count the zebras" in path.read_text() for path in files)
    (data / "memoranda.db").unlink()
    assert "Count the zebras" in invoke(data, "observation", "list").out


def test_a_file_that_was_never_in_use_gets_its_tables(tmp_path: Path) -> None:
    """As it is left by a process that ended before the first table."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "memoranda.db").touch()
    assert ask(data, "remember", "Zebras first", "--everywhere")
    assert "Zebras first" in invoke(data, "search", "zebras").out


def test_a_deleted_database_starts_a_new_one(data: Path) -> None:
    (data / "memoranda.db").unlink()
    assert "nothing found" in invoke(data, "search", "zebras").out


def _noise(size: int) -> bytes:
    return random.Random(7).randbytes(size)
