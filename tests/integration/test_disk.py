"""Full, limited or read-only disks: a clear error and no partial data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from happenings import ran, run

from memoranda import Memoranda
from memoranda.exceptions import MemorandaError, StorageError, StorageFull, StorageUnusable
from memoranda.store.sqlite import inspection_and_backup as maintenance

pytestmark = [
    pytest.mark.disk,
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="uses Linux limits and mounts"),
]

LIMITED = """
import json, resource, sys
from happenings import ran
from memoranda import Memoranda
from memoranda.exceptions import StorageError
from memoranda.store.sqlite import inspection_and_backup as maintenance

def limit(size):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

import os
memory = Memoranda.open(sys.argv[1])
memory.capture.take([ran("first", "echo first")])
codes, stored = [], ["first"]
limit(600_000)
for turn in range(200):
    text = os.urandom(20_000).hex()
    try:
        pair = ran(f"{turn}-a", "make a", text), ran(f"{turn}-b", "make b", text[::-1])
        memory.capture.take(pair)
        stored += [f"{turn}-a", f"{turn}-b"]
    except StorageError as error:
        codes.append(error.code)
        if len(codes) == 5:
            break
readable = memory.store.stats().observations
limit(resource.RLIM_INFINITY)
memory.capture.take([ran("last", "echo last")])
found = maintenance.inspect(memory._database)
print(json.dumps({
    "codes": sorted(set(codes)), "stored": len(stored), "readable": readable,
    "after": memory.store.stats().observations, "sound": found.sound,
    "journal": memory.journal.verify().intact,
}))
memory.close()
"""

UNWRITABLE = """
import os, sys
from memoranda import Memoranda
from memoranda.exceptions import StorageError

with Memoranda.open(sys.argv[2]) as memory:
    memory.observe("loads every module that a call needs")
if os.geteuid() == 0:  # root is bound by no permissions
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Memoranda.open(sys.argv[1]) as memory:
        memory.observe("text")
except StorageError as error:
    print(error.code, error)
"""


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Return a separate file system, which only root can mount."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    with tempfile.TemporaryDirectory() as place:
        options = f"size={megabytes}m"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place]
        if subprocess.run(command, capture_output=True).returncode != 0:
            pytest.skip("this machine lets nobody mount")
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "-l", place], check=True)


def fill(disk: Path, keep: int = 0) -> Path:
    """Fill a disk except for some bytes; return the file that does it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\1" * 4096)
        except OSError:
            file.truncate(max(0, file.tell() - keep))
    return ballast


def test_a_limit_on_file_size_refuses_whole_calls_and_spoils_nothing(data_dir: Path) -> None:
    found = json.loads(run(LIMITED, data_dir))
    assert found["codes"], "the limit was never reached"
    assert set(found["codes"]) <= {"storage", "storage_full"}
    assert found["readable"] == found["stored"]
    assert found["after"] == found["stored"] + 1
    assert found["sound"]
    assert found["journal"]


def test_a_full_disk_refuses_whole_calls_until_there_is_room() -> None:
    with small_disk(6) as disk, Memoranda.open(disk / "data") as memory:
        memory.capture.take([ran("first", "echo first")])
        ballast = fill(disk, keep=300_000)
        stored = 1
        with pytest.raises(StorageFull) as caught:
            for turn in range(100):
                output = os.urandom(9_000).hex()
                memory.capture.take(
                    [ran(f"{turn}-{n}", f"make {n}", f"{n}{output}") for n in range(2)]
                )
                stored += 2
        assert caught.value.code == "storage_full"
        assert memory.store.stats().observations == stored
        assert memory.search("echo").hits
        ballast.unlink()
        memory.capture.take([ran("last", "echo last")])
        assert memory.store.stats().observations == stored + 1
        assert maintenance.inspect(memory._database).sound
        assert memory.journal.verify().intact


def test_opening_on_a_full_disk_leaves_nothing_half_made() -> None:
    with small_disk(4) as disk:
        ballast = fill(disk)
        with pytest.raises(MemorandaError) as caught:
            Memoranda.open(disk / "data")
        assert caught.value.code in ("storage_full", "storage_unusable", "storage")
        ballast.unlink()
        with Memoranda.open(disk / "data") as memory:
            memory.observe("there is room again")
            key = memory.settings.key_path
            assert key.stat().st_size == 32
            names = {path.name for path in memory.settings.data_dir.iterdir()}
            assert not any("draft" in name for name in names)


def test_a_store_on_a_full_disk_can_be_read_and_says_what_to_free() -> None:
    with small_disk(6) as disk:
        with Memoranda.open(disk / "data") as memory:
            memory.remember("Totals are in cents.")
        ballast = fill(disk)
        with Memoranda.open(disk / "data") as memory:
            assert memory.search("cents").hits
            with pytest.raises(StorageFull, match="delete or move other files") as caught:
                memory.remember("Totals are in euros.")
            assert str(disk) in str(caught.value)
            failures = [one for one in memory.store.doctor() if one.verdict == "failure"]
            assert [one.check for one in failures] == ["space"]
            assert f"tmpfs on {disk}" in failures[0].detail
            assert "restore" not in failures[0].fix
            ballast.unlink()
            memory.remember("Totals are in euros.")
            assert memory.search("euros").hits
        with Memoranda.open(disk / "data") as memory:
            assert memory.search("euros").hits
            assert maintenance.inspect(memory._database).sound


def test_a_backup_that_finds_no_room_leaves_no_file() -> None:
    with small_disk(16) as disk, Memoranda.open(disk / "data") as memory:
        for turn in range(20):
            memory.capture.take([ran(str(turn), f"make {turn}", os.urandom(15_000).hex())])
        ballast = fill(disk, keep=100_000)
        target = disk / "backup.db"
        with pytest.raises(StorageError):
            memory.store.backup(target)
        assert not target.exists()
        ballast.unlink()
        assert memory.store.backup(target).sound


def test_a_drain_that_finds_no_room_keeps_its_events() -> None:
    with small_disk(6) as disk, Memoranda.open(disk / "data") as memory:
        spool = memory.settings.spool_dir
        spool.mkdir(mode=0o700, exist_ok=True)
        record = {"kind": "message", "session": "s", "text": os.urandom(100_000).hex()}
        line = {"v": 1, "t": 1_750_000_000_000_000_000, "h": "generic", "p": record}
        (spool / "s.jsonl").write_text(json.dumps(line) + "\n")
        ballast = fill(disk, keep=20_000)
        with pytest.raises(StorageFull):
            memory.capture.drain()
        assert memory.store.stats().observations == 0
        ballast.unlink()
        assert memory.capture.drain().intake.observations == 1
        assert memory.capture.drain().intake.observations == 0


@pytest.mark.parametrize("existing", [False, True], ids=["nothing there", "a store there"])
def test_a_directory_that_cannot_be_written_is_named(existing: bool, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        data_dir = root / "data"
        data_dir.mkdir(mode=0o755)
        if existing:
            Memoranda.open(data_dir).close()
            for path in data_dir.rglob("*"):
                path.chmod(0o444)
        data_dir.chmod(0o555)
        result = run(UNWRITABLE, data_dir, tmp_path / "other")
        data_dir.chmod(0o755)
        assert result.startswith("storage_unusable"), result
        assert str(data_dir) in result
        if existing:
            for path in data_dir.rglob("*"):
                path.chmod(0o600)
            with Memoranda.open(data_dir) as memory:
                assert memory.store.stats().observations == 0


def test_a_directory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        data_dir = Path(place) / "data"
        Memoranda.open(data_dir).close()
        data_dir.chmod(0)
        result = run(UNWRITABLE, data_dir, tmp_path / "other")
        data_dir.chmod(0o700)
    assert result.startswith(f"storage_unusable cannot read {data_dir}"), result


@pytest.mark.parametrize("place", ["data", "data/below", "data/memoranda.db"])
def test_a_file_in_the_place_of_the_directory_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StorageUnusable, match=r"data.*--data-dir") as caught:
        Memoranda.open(tmp_path / place)
    assert caught.value.code == "storage_unusable"
    assert (tmp_path / "data").read_text() == "a file"


@pytest.mark.parametrize("name", ["memoranda.db", "key"])
def test_a_directory_in_the_place_of_a_file_is_named(data_dir: Path, name: str) -> None:
    (data_dir / name).mkdir(parents=True)
    with pytest.raises(StorageUnusable, match=str(data_dir)):
        Memoranda.open(data_dir)
