"""Backups under load are complete; a restore replaces all or nothing."""

from __future__ import annotations

import shutil
import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path

import apsw
import pytest
from happenings import ran

from memoranda import Memoranda
from memoranda.exceptions import (
    Conflict,
    CorruptData,
    InvalidInput,
    MemorandaError,
    NotFound,
    StorageUnusable,
)
from memoranda.memories.removal import RemovalSelection
from memoranda.store.sqlite import inspection_and_backup as maintenance
from memoranda.upkeep.doctor import CheckStatus

pytestmark = pytest.mark.integration


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a store with different content."""
    with Memoranda.open(tmp_path / "other") as memory:
        memory.observe("from the other store", key="other")
        memory.remember("a memory of the other store")
        return memory.settings.database_path


@pytest.fixture
def damaged(data_dir: Path) -> Path:
    """Return a data directory with a damaged database."""
    with Memoranda.open(data_dir) as memory:
        for number in range(40):
            memory.observe(f"entry {number} {'word ' * 200}", key=str(number))
        path = memory.settings.database_path
    _overwrite(path, first_page=30)
    return data_dir


def test_a_backup_under_concurrent_writes_is_whole(memory: Memoranda, tmp_path: Path) -> None:
    ending = threading.Event()
    troubles: list[BaseException] = []

    def write(name: str) -> None:
        turn = 0
        try:
            while not ending.is_set():
                pair = [ran(f"{name}-{turn}-{n}", f"echo {turn} {n}", session=name) for n in (0, 1)]
                memory.capture.take(pair)
                turn += 1
        except BaseException as error:
            troubles.append(error)

    writers = [threading.Thread(target=write, args=(name,)) for name in ("left", "right")]
    for thread in writers:
        thread.start()
    targets = [tmp_path / f"backup-{number}.db" for number in range(4)]
    found = [memory.store.backup(target) for target in targets]
    ending.set()
    for thread in writers:
        thread.join()
    assert troubles == []
    assert all(one.sound for one in found)
    for target in targets:
        assert maintenance.verify(target).sound
        assert _count(target) % 2 == 0, "a call was copied in part"
    assert _count(targets[0]) <= _count(targets[-1]) <= memory.store.stats().observations


def test_a_backup_never_overwrites(memory: Memoranda, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("not yours")
    with pytest.raises(Conflict, match="exists"):
        memory.store.backup(target)
    (tmp_path / "folder").mkdir()
    with pytest.raises(Conflict):
        memory.store.backup(tmp_path / "folder")
    with pytest.raises(Conflict):
        memory.store.backup(memory.settings.database_path)
    assert target.read_text() == "not yours"


def test_a_backup_never_writes_through_a_link(memory: Memoranda, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(MemorandaError):
        memory.store.backup(link)
    assert not (tmp_path / "elsewhere.db").exists()


def test_a_backup_below_a_file_is_refused(memory: Memoranda, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnusable, match="file"):
        memory.store.backup(tmp_path / "file" / "backup.db")


@pytest.mark.parametrize("name", ["missing/backup.db", "caf\udce9.db"])
def test_a_backup_to_no_possible_place_leaves_nothing(
    memory: Memoranda, tmp_path: Path, name: str
) -> None:
    before = set(tmp_path.iterdir())
    with pytest.raises((NotFound, InvalidInput), match=r"create it first|not valid UTF-8"):
        memory.store.backup(tmp_path / name)
    assert set(tmp_path.iterdir()) == before


def test_a_backup_holds_what_forgetting_left_out_of_the_index(
    memory: Memoranda, tmp_path: Path
) -> None:
    memory.capture.take([ran("1", "make", "same"), ran("2", "make", "same")])
    first = memory.observations.list().items[-1]
    memory.forget(RemovalSelection(ids=[first.id]), confirm=True)
    assert memory.store.backup(tmp_path / "backup.db").sound
    assert all(finding.verdict is CheckStatus.OK for finding in memory.store.doctor())


def test_restoring_replaces_everything(memory: Memoranda, other: Path) -> None:
    mine = memory.observe("mine alone", key="mine")
    memory.remember("a memory of mine")
    found = memory.store.restore(other)
    assert found.sound
    assert [o.summary for o in memory.observations.list()] == ["from the other store"]
    assert [m.content for m in memory.memories.list()] == ["a memory of the other store"]
    assert memory.search("mine").hits == ()
    assert len(memory.search("other").hits) == 2
    assert memory.journal.verify().intact
    assert memory.observe("goes on", key="next").sequence == 2
    assert mine.id not in {o.id for o in memory.observations.list()}


def test_no_write_is_lost_between_the_copy_and_the_restore(
    memory: Memoranda, other: Path, tmp_path: Path
) -> None:
    stored: list[str] = []
    troubles: list[BaseException] = []
    ending = threading.Event()

    def write() -> None:  # as another process that has the store open
        try:
            with Memoranda.open(memory.settings.data_dir) as server:
                while not ending.is_set():
                    stored.append(server.observe(f"entry {len(stored)}", task="load").id)
        except BaseException as error:
            troubles.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    kept = [tmp_path / f"kept-{number}.db" for number in range(3)]
    for path in kept:
        before = len(stored)
        while len(stored) < before + 10 and not troubles:
            time.sleep(0.01)
        memory.store.restore(other, keep=path)
    ending.set()
    thread.join()
    assert troubles == []
    assert set(stored) <= set().union(*map(_ids, (*kept, memory.settings.database_path)))


def test_a_restored_store_is_the_same_after_opening_it_again(
    memory: Memoranda, tmp_path: Path
) -> None:
    memory.capture.take([ran(str(n), f"echo {n}", f"out {n} {'x' * 500}") for n in range(50)])
    before = [
        (o.id, memory.observations.show(o.id).content) for o in memory.observations.list(limit=100)
    ]
    memory.store.backup(tmp_path / "backup.db")
    memory.forget(RemovalSelection(task=memory.tasks.list().items[0].id), confirm=True)
    assert memory.store.stats().observations == 0
    memory.store.restore(tmp_path / "backup.db")
    memory.close()
    with Memoranda.open(memory.settings.data_dir) as again:
        after = [
            (o.id, again.observations.show(o.id).content)
            for o in again.observations.list(limit=100)
        ]
        assert after == before
        assert maintenance.inspect(again._database).sound


def test_a_reader_elsewhere_sees_the_old_store_then_the_new(memory: Memoranda, other: Path) -> None:
    memory.observe("mine", key="mine")
    with Memoranda.open(memory.settings.data_dir) as second:
        assert [o.summary for o in second.observations.list()] == ["mine"]
        memory.store.restore(other)
        assert [o.summary for o in second.observations.list()] == ["from the other store"]
        second.observe("and on it goes", key="on")
    assert memory.store.stats().observations == 2


@pytest.mark.parametrize("kind", ["text", "foreign", "truncated", "overwritten", "gap", "future"])
def test_a_file_that_is_no_good_backup_is_refused_and_nothing_is_touched(
    memory: Memoranda, tmp_path: Path, kind: str
) -> None:
    memory.observe("mine", key="mine")
    memory.remember("a memory of mine")
    bad = tmp_path / "bad.db"
    _make_bad(memory, bad, kind)
    with pytest.raises((CorruptData, StorageUnusable, MemorandaError)) as caught:
        memory.store.restore(bad)
    assert "bad.db" in str(caught.value)
    assert [o.summary for o in memory.observations.list()] == ["mine"]
    assert [m.content for m in memory.memories.list()] == ["a memory of mine"]
    assert maintenance.inspect(memory._database).sound


@pytest.mark.parametrize("content", [b"x" * 400, zlib.compress(b"another text " * 40)])
def test_contents_that_differ_from_their_hash_are_named_and_can_be_forgotten(
    memory: Memoranda, tmp_path: Path, content: bytes
) -> None:
    memory.capture.take(
        [ran(str(number), "make", f"{number} {'word ' * 100}") for number in (1, 2)]
    )
    good, bad, later = (tmp_path / name for name in ("good.db", "bad.db", "later.db"))
    memory.store.backup(good)
    name = "1#2"
    (hash,) = (o.content_hash for o in memory.observations.list() if o.sequence == 2)
    shutil.copy(good, bad)
    for file in (bad, memory.settings.database_path):
        connection = apsw.Connection(str(file))
        connection.execute("update blob set data = ? where hash = ?", (content, hash))
        connection.close()

    with pytest.raises(CorruptData, match=rf"bad\.db.*1 damaged content \({name}\)"):
        memory.store.restore(bad)
    with pytest.raises(CorruptData, match=rf"1 damaged content \({name}\)"):
        memory.store.backup(later)
    assert not later.exists()
    found = {finding.check: finding for finding in memory.store.doctor()}
    assert found["contents"].verdict is CheckStatus.FAILURE
    assert name in found["contents"].detail

    memory.forget(RemovalSelection(ids=(name,)), confirm=True)
    assert "contents" not in {finding.check for finding in memory.store.doctor()}
    assert memory.store.backup(later).sound
    memory.store.restore(good, keep=tmp_path / "kept.db")
    assert memory.observations.show(name).content.endswith("word ")


def test_a_missing_backup_is_not_found(memory: Memoranda, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        memory.store.restore(tmp_path / "none.db")
    with pytest.raises(NotFound):
        memory.store.restore(tmp_path)


def test_restoring_a_store_from_itself_changes_nothing(memory: Memoranda) -> None:
    memory.observe("mine", key="mine")
    with suppress(MemorandaError):
        memory.store.restore(memory.settings.database_path)
    assert [o.summary for o in memory.observations.list()] == ["mine"]
    assert maintenance.inspect(memory._database).sound


def test_checking_a_backup_does_not_change_it(memory: Memoranda, tmp_path: Path) -> None:
    memory.observe("mine", key="mine")
    target = tmp_path / "backup.db"
    memory.store.backup(target)
    before = target.read_bytes()
    maintenance.verify(target)
    memory.store.restore(target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.glob("backup*")] == ["backup.db"]


def test_an_inspection_reports_damage_instead_of_ending_early(damaged: Path) -> None:
    with Memoranda.open(damaged) as memory:
        found = maintenance.inspect(memory._database)
    assert found.damage
    assert not found.sound


def test_the_doctor_reports_damage_instead_of_falling_ill(damaged: Path) -> None:
    with Memoranda.open(damaged) as memory:
        verdicts = {finding.check: finding.verdict for finding in memory.store.doctor()}
    assert verdicts["integrity"] is CheckStatus.FAILURE


def _make_bad(memory: Memoranda, bad: Path, kind: str) -> None:
    if kind == "text":
        bad.write_text("no database\n" * 1_000)
        return
    if kind == "foreign":
        foreign = apsw.Connection(str(bad))
        foreign.execute("create table bookmark (url text); insert into bookmark values ('x')")
        foreign.close()
        return
    for number in range(40):
        memory.observe(f"{number} {'word ' * 200}", key=str(number), task="long")
    memory.store.backup(bad)
    memory.forget(RemovalSelection(task=_task(memory, "long")), confirm=True)
    if kind == "truncated":
        bad.write_bytes(bad.read_bytes()[: 30 * 4096])
    elif kind == "overwritten":
        _overwrite(bad, first_page=30)
    else:
        raw = apsw.Connection(str(bad))
        if kind == "gap":
            raw.execute("delete from blob")
        else:
            raw.execute("insert into migration values (999, '0999_future', 0)")
        raw.close()


def _task(memory: Memoranda, session: str) -> str:
    return next(task.id for task in memory.tasks.list() if task.session == session)


def _overwrite(path: Path, first_page: int) -> None:
    """Overwrite ten pages in the middle of a database file."""
    with path.open("r+b") as file:
        file.seek(first_page * 4096)
        file.write(b"\xde\xad\xbe\xef" * 10_240)


def _ids(path: Path) -> set[str]:
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as connection:
        return {id for (id,) in connection.execute("select id from observation")}


def _count(path: Path) -> int:
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(raw.execute("select count(*) from observation").fetchall()[0][0])
    finally:
        raw.close()
