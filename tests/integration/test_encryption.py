"""An encrypted store supports everything and keeps its key elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from happenings import CHILDREN, HERE, SOURCES, finish, killed, message_event, ran

import ciphers
from memoranda import Memoranda, NewDocument
from memoranda.cli import cli
from memoranda.config import Settings, load_settings
from memoranda.exceptions import Conflict, InvalidInput, NotFound, StorageBusy, StorageUnusable
from memoranda.memories.removal import RemovalSelection
from memoranda.store.engine_selection import convert_file
from memoranda.store.sqlite import inspection_and_backup as maintenance
from memoranda.upkeep.doctor import CheckStatus

ciphers.needed()
pytestmark = pytest.mark.integration

SENTENCE = "the heron waits by the frozen weir"
KILLS = 5

WRITER = """
import os, sys
from happenings import ran
from memoranda import Memoranda, NewDocument
with Memoranda.open(sys.argv[1]) as memory:
    turn = 0
    while True:
        name = f"{sys.argv[2]}-{turn}"
        memory.capture.take([ran(name, f"echo {name}", name)])
        os.write(1, (name + "\\n").encode())
        turn += 1
"""


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "memoranda"


@pytest.fixture
def encrypted(data_dir: Path, key_file: Path) -> Settings:
    """Return settings of a new encrypted store, in a file for all processes."""
    data_dir.mkdir(mode=0o700)
    (data_dir / "config.toml").write_text(f'encryption_key_file = "{key_file}"\n')
    return load_settings({"data_dir": data_dir, "embedder": "none"}, {})


@pytest.fixture
def plain(data_dir: Path) -> Settings:
    return Settings(data_dir, embedder="none")


@pytest.fixture
def filled(encrypted: Settings) -> Iterator[Memoranda]:
    """Return an open, encrypted memory with data."""
    with Memoranda.open(settings=encrypted) as memory:
        memory.capture.take([message_event("1", SENTENCE), ran("2", "pytest", SENTENCE)])
        memory.remember(f"{SENTENCE}, always")
        yield memory


def fingerprints(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size and not path.name.endswith("-shm")
    }


def test_everything_works_and_no_word_of_it_lies_in_the_database(filled: Memoranda) -> None:
    assert len(filled.search("heron").hits) == 3
    assert SENTENCE in filled.context(budget=1000).text
    assert filled.journal.verify().intact
    assert {finding.verdict for finding in filled.store.doctor()} == {CheckStatus.OK}
    folder = filled.settings.data_dir
    filled.close()
    database = filled.settings.database_path
    assert b"heron" not in database.read_bytes()
    assert not database.read_bytes().startswith(b"SQLite format 3")
    assert [path.name for path in folder.glob("memoranda.db*")] == ["memoranda.db"]


def test_a_state_with_a_credential_is_encrypted_on_request(filled: Memoranda) -> None:
    new = [NewDocument("k", {"key": "ghp_" + "Ab3dE9fG" * 5})]
    with pytest.raises(InvalidInput, match="contains a credential"):
        filled.documents.put("graph", new)
    filled.documents.put("graph", new, secrets="encrypt")
    (found,) = filled.documents.get("graph", ["k"])
    assert found.value == new[0].value
    filled.close()
    for path in filled.settings.data_dir.rglob("*"):
        assert not path.is_file() or b"Ab3dE9fG" not in path.read_bytes()


def test_forgetting_reaches_an_encrypted_store_too(filled: Memoranda) -> None:
    task = filled.tasks.list().items[0].id
    receipt = filled.forget(RemovalSelection(task=task), confirm=True)
    assert receipt.observations == 2
    assert len(filled.search("heron").hits) == 1
    assert maintenance.inspect(filled._database).sound  # type: ignore[arg-type]


def test_a_backup_is_encrypted_and_can_be_restored(filled: Memoranda, tmp_path: Path) -> None:
    found = filled.store.backup(tmp_path / "backup.db")
    assert (found.sound, found.encrypted) == (True, True)
    assert b"heron" not in (tmp_path / "backup.db").read_bytes()
    filled.forget(RemovalSelection(task=filled.tasks.list().items[0].id), confirm=True)
    assert filled.store.restore(tmp_path / "backup.db").sound
    assert len(filled.search("heron").hits) == 3


def test_the_doctor_reports_whether_the_store_is_encrypted(
    filled: Memoranda, key_file: Path, tmp_path: Path
) -> None:
    (finding,) = [finding for finding in filled.store.doctor() if finding.check == "encryption"]
    assert finding.detail.startswith("on")
    assert str(key_file) in finding.detail
    assert key_file.read_text().strip() not in repr(filled.store.doctor())
    with Memoranda.open(settings=Settings(tmp_path / "other")) as other:
        (finding,) = [finding for finding in other.store.doctor() if finding.check == "encryption"]
    assert finding.detail.startswith("not encrypted")


def test_all_that_open_a_new_store_at_once_share_one_key(encrypted: Settings) -> None:
    code = "import sys\nfrom memoranda import Memoranda\nMemoranda.open(sys.argv[1]).close()"
    openers = [start(code, encrypted.data_dir) for _ in range(4)]
    for opener in openers:
        finish(opener)
    with Memoranda.open(settings=encrypted) as memory:
        assert maintenance.inspect(memory._database).sound  # type: ignore[arg-type]


def test_what_was_acknowledged_outlives_a_kill(encrypted: Settings) -> None:
    acknowledged: set[str] = set()
    for turn in range(KILLS):
        writer = start(WRITER, encrypted.data_dir, turn)
        assert writer.stdout is not None
        acknowledged |= {writer.stdout.readline().strip() for _ in range(3 + turn)}
        acknowledged |= {line.strip() for line in killed(writer).splitlines()}
    with Memoranda.open(settings=encrypted) as memory:
        rows = [row for task in memory.tasks.list() for row in _observations(memory, task.id)]
        kept = {memory.observations.show(row).content.split()[-1] for row in rows}
        assert acknowledged <= kept
        assert maintenance.inspect(memory._database).sound  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", ["lost", "another", "emptied", "not set", "open to others"])
def test_a_store_whose_key_is_not_at_hand_stays_as_it_is(
    encrypted: Settings, key_file: Path, loss: str
) -> None:
    with Memoranda.open(settings=encrypted) as memory:
        memory.observe(SENTENCE)
    key = key_file.read_text()
    settings, words = _lose(loss, key_file, encrypted)
    before = fingerprints(encrypted.data_dir)
    there = key_file.exists()
    for _ in range(2):
        with pytest.raises(StorageUnusable, match=words):
            Memoranda.open(settings=settings)
    assert fingerprints(encrypted.data_dir) == before
    assert key_file.exists() == there
    key_file.write_text(key)
    key_file.chmod(0o600)
    with Memoranda.open(settings=encrypted) as memory:
        assert len(memory.search("heron").hits) == 1


def _lose(loss: str, key_file: Path, encrypted: Settings) -> tuple[Settings, str]:
    """Remove the key in one of several ways; return settings and message."""
    match loss:
        case "lost":
            key_file.unlink()
            return encrypted, "key .* is missing: .*no new key was created"
        case "another":
            key_file.write_text("ab" * 32)
            return encrypted, "does not open with this key"
        case "emptied":
            key_file.write_text("")
            return encrypted, "64 hexadecimal digits"
        case "open to others":
            key_file.chmod(0o644)
            return encrypted, "chmod 600"
        case _:
            return Settings(encrypted.data_dir), "is encrypted, or not .*set encryption_key_file"


@pytest.mark.parametrize("made", [True, False], ids=["with a key", "before there is a key"])
def test_a_plain_store_is_encrypted_on_demand_alone(
    plain: Settings, encrypted: Settings, key_file: Path, made: bool
) -> None:
    with Memoranda.open(settings=plain) as memory:
        memory.observe(SENTENCE)
    if made:
        key_file.parent.mkdir()
        key_file.write_text("ab" * 32)
        key_file.chmod(0o600)
    before = fingerprints(plain.data_dir)
    with pytest.raises(StorageUnusable, match=r"is not encrypted.*memoranda encrypt"):
        Memoranda.open(settings=encrypted)
    assert fingerprints(plain.data_dir) == before
    assert key_file.exists() == made
    assert convert_file(encrypted, encrypted.database_path, encrypted=True).encrypted
    assert b"heron" not in plain.database_path.read_bytes()
    with Memoranda.open(settings=encrypted) as memory:
        assert len(memory.search("heron").hits) == 1
    assert not convert_file(encrypted, encrypted.database_path, encrypted=False).encrypted
    with Memoranda.open(settings=plain) as memory:
        assert len(memory.search("heron").hits) == 1
        assert memory.journal.verify().intact


def test_a_store_that_is_open_is_not_converted(filled: Memoranda, encrypted: Settings) -> None:
    with pytest.raises(StorageBusy, match="stop that process"):
        convert_file(encrypted, encrypted.database_path, encrypted=False)
    assert len(filled.search("heron").hits) == 3
    filled.observe("and goes on")
    filled.close()
    assert convert_file(encrypted, encrypted.database_path, encrypted=False).sound


def test_a_store_that_another_process_has_open_is_not_converted(encrypted: Settings) -> None:
    code = (
        "import sys\nfrom memoranda import Memoranda\nmemory = Memoranda.open(sys.argv[1])\n"
        "print('open', flush=True)\nsys.stdin.read()\nmemory.observe('the last word')\n"
        "memory.close()"
    )
    other = start(code, encrypted.data_dir)
    assert other.stdout is not None
    assert other.stdout.readline() == "open\n"
    with pytest.raises(StorageBusy, match="stop that process"):
        convert_file(encrypted, encrypted.database_path, encrypted=False)
    finish(other)
    convert_file(encrypted, encrypted.database_path, encrypted=False)
    with Memoranda.open(settings=Settings(encrypted.data_dir)) as memory:
        assert [seen.summary for seen in memory.observations.list()] == ["the last word"]


def test_a_backup_made_before_is_encrypted_to_be_restored(
    plain: Settings, encrypted: Settings, tmp_path: Path
) -> None:
    backup = tmp_path / "old.db"
    with Memoranda.open(settings=plain) as memory:
        memory.observe(SENTENCE)
        memory.store.backup(backup)
    convert_file(encrypted, encrypted.database_path, encrypted=True)
    with Memoranda.open(settings=encrypted) as memory:
        with pytest.raises(StorageUnusable, match=f"memoranda encrypt {backup}"):
            memory.store.restore(backup)
        convert_file(encrypted, backup, encrypted=True)
        memory.observe("more")
        memory.store.restore(backup)
        assert [seen.summary for seen in memory.observations.list()] == [SENTENCE]


def test_a_conversion_without_effect_is_reported(filled: Memoranda, plain: Settings) -> None:
    settings = filled.settings
    filled.close()
    with pytest.raises(Conflict, match="already encrypted"):
        convert_file(settings, settings.database_path, encrypted=True)
    convert_file(settings, settings.database_path, encrypted=False)
    with pytest.raises(Conflict, match="not encrypted"):
        convert_file(settings, settings.database_path, encrypted=False)
    with pytest.raises(NotFound):
        convert_file(settings, settings.data_dir / "none.db", encrypted=True)


def test_a_conversion_makes_no_second_key_for_a_store_that_lost_its_own(
    encrypted: Settings, key_file: Path, tmp_path: Path
) -> None:
    Memoranda.open(settings=encrypted).close()
    key_file.unlink()
    Memoranda.open(settings=Settings(tmp_path / "other")).close()
    for path in (encrypted.database_path, tmp_path / "other" / "memoranda.db"):
        with pytest.raises(StorageUnusable, match="no new key was created"):
            convert_file(encrypted, path, encrypted=True)
    with pytest.raises(StorageUnusable, match="no new key was created"):
        convert_file(encrypted, encrypted.database_path, encrypted=False)
    assert not key_file.exists()


def test_the_commands_convert_there_and_back(plain: Settings, encrypted: Settings) -> None:
    with Memoranda.open(settings=plain) as memory:
        memory.observe(SENTENCE)
    at = ["--data-dir", str(plain.data_dir)]
    output = CliRunner().invoke(cli, [*at, "doctor"])
    assert (output.exit_code, "memoranda encrypt" in output.output) == (1, True)
    output = CliRunner().invoke(cli, [*at, "encrypt"])
    assert (output.exit_code, "memoranda.db: encrypted" in output.output) == (0, True)
    output = CliRunner().invoke(cli, [*at, "encrypt", "--format", "json"])
    assert (output.exit_code, '"code": "conflict"' in output.output) == (4, True)
    output = CliRunner().invoke(cli, [*at, "search", "heron"])
    assert (output.exit_code, "heron" in output.output) == (0, True)
    output = CliRunner().invoke(cli, [*at, "decrypt", "--format", "json"])
    assert (output.exit_code, '"encrypted": false' in output.output) == (0, True)


def test_a_damaged_store_is_replaced_by_its_encrypted_backup(
    encrypted: Settings, tmp_path: Path
) -> None:
    at = ["--data-dir", str(encrypted.data_dir)]
    CliRunner().invoke(cli, [*at, "remember", SENTENCE, "--everywhere"])
    CliRunner().invoke(cli, [*at, "backup", str(tmp_path / "b1.db")])
    store = encrypted.database_path
    store.write_bytes(broken := bytes(3_000) + store.read_bytes()[3_000:])
    output = CliRunner().invoke(cli, [*at, "doctor"])
    assert (output.exit_code, "memoranda restore FILE" in output.output) == (1, True)
    output = CliRunner().invoke(cli, [*at, "restore", str(tmp_path / "b1.db"), "--yes"])
    assert (output.exit_code, "damaged-memoranda.db" in output.output) == (0, True)
    assert (encrypted.data_dir / "damaged-memoranda.db").read_bytes() == broken
    assert "heron" in CliRunner().invoke(cli, [*at, "search", "heron"]).output


def test_a_plain_store_is_not_moved_because_a_key_is_set(
    plain: Settings, key_file: Path, tmp_path: Path
) -> None:
    at = ["--data-dir", str(plain.data_dir)]
    CliRunner().invoke(cli, [*at, "remember", SENTENCE, "--everywhere"])
    CliRunner().invoke(cli, [*at, "backup", str(tmp_path / "b1.db")])
    key = {"MEMORANDA_ENCRYPTION_KEY_FILE": str(key_file)}
    CliRunner().invoke(cli, ["--data-dir", str(tmp_path / "other"), "remember", "x"], env=key)
    output = CliRunner().invoke(cli, [*at, "restore", str(tmp_path / "b1.db"), "--yes"], env=key)
    assert (output.exit_code, "is not encrypted, but a key is set" in output.output) == (13, True)
    assert not (plain.data_dir / "damaged-memoranda.db").exists()


@pytest.fixture
def keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path], Settings]]:
    """Return settings of a store whose key is in a file-based keyring."""
    import keyring

    import file_keyring

    monkeypatch.setenv(file_keyring.VARIABLE, str(tmp_path / "keyring"))
    before = keyring.get_keyring()
    keyring.set_keyring(file_keyring.FileKeyring())
    yield lambda folder: Settings(folder, encryption_keyring=True)
    keyring.set_keyring(before)


def test_a_key_in_the_keyring_is_made_once_for_each_store(
    keyring: Callable[[Path], Settings], tmp_path: Path
) -> None:
    one, two = keyring(tmp_path / "one"), keyring(tmp_path / "two")
    for settings in (one, two, one):
        with Memoranda.open(settings=settings) as memory:
            memory.observe(SENTENCE, key="same")
    assert (tmp_path / "keyring").read_text().count("memoranda.db") == 2
    shutil.copy(one.database_path, two.database_path)
    with pytest.raises(StorageUnusable, match="does not open with this key"):
        Memoranda.open(settings=two)
    (tmp_path / "keyring").unlink()
    with pytest.raises(StorageUnusable, match=r"key .* is missing: the keyring's entry"):
        Memoranda.open(settings=one)
    assert not (tmp_path / "keyring").exists()


def test_all_that_use_a_keyring_at_once_share_one_key(
    keyring: Callable[[Path], Settings], tmp_path: Path
) -> None:
    import keyring as package

    import file_keyring

    package.set_keyring(file_keyring.MeetingKeyring())
    settings = keyring(tmp_path / "data")
    with ThreadPoolExecutor(2) as threads:
        opened = list(threads.map(lambda _: Memoranda.open(settings=settings), range(2)))
    for memory in opened:
        memory.observe(SENTENCE)
        memory.close()
    assert len({memory._database.key for memory in opened}) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "words"), [("locked", "cannot be used.*unlock it"), ("forgetful", "was not stored")]
)
def test_a_keyring_that_keeps_nothing_is_not_trusted_with_a_store(
    keyring: Callable[[Path], Settings], tmp_path: Path, kind: str, words: str
) -> None:
    (tmp_path / "keyring").write_text(kind)
    with pytest.raises(StorageUnusable, match=words):
        Memoranda.open(settings=keyring(tmp_path / "data"))
    assert not (tmp_path / "data" / "memoranda.db").exists()


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a process with the same build of apsw."""
    path = os.pathsep.join([SOURCES, HERE, *filter(None, [os.environ.get("PYTHONPATH")])])
    options: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    child = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path},
        text=True,
        **options,
    )
    CHILDREN.append(child)
    return child


def _observations(memory: Memoranda, task: str) -> list[str]:
    ids: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.observations.list(task=task, limit=1000, cursor=cursor)
        ids += [row.id for row in page]
        if page.cursor is None:
            return ids
        cursor = page.cursor
