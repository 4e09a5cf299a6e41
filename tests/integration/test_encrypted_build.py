"""Tests of encryption with the encrypting and the ordinary apsw build."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ciphers import BUILD, HAS_CIPHERS
from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.store.engine_selection import convert_file
from memoranda.store.sqlite.engine import SqliteDatabase

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(HAS_CIPHERS, reason="is about the ordinary build of apsw"),
]

TESTS = Path(__file__).parents[1]
FILES = [
    str(TESTS / name)
    for name in (
        "contract/test_encrypted_store.py",
        "integration/test_encryption.py",
        "unit/test_encryption_keys.py",
    )
]
"""Files that run with the encrypting build."""


def test_the_encrypted_store_keeps_every_guarantee() -> None:
    if not BUILD.is_dir():
        pytest.skip(f"no {BUILD}; scripts/venv dev makes it")
    path = os.pathsep.join([str(BUILD), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *FILES]
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": path},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout, done.stdout


def test_without_ciphers_a_key_is_refused_instead_of_writing_plain_text(tmp_path: Path) -> None:
    with pytest.raises(StorageUnusable, match=r"pip install apsw-sqlite3mc"):
        SqliteDatabase(tmp_path / "store.db", bytes(32))
    assert list(tmp_path.iterdir()) == []


def test_without_ciphers_no_key_is_made(tmp_path: Path) -> None:
    arguments = {"data_dir": tmp_path / "data", "encryption_key_file": tmp_path / "secret"}
    settings = load_settings({name: str(path) for name, path in arguments.items()}, {})
    with pytest.raises(StorageUnusable, match=r"pip install apsw-sqlite3mc"):
        Memoranda.open(settings=settings)
    assert not (tmp_path / "secret").exists()
    assert not settings.database_path.exists()


@pytest.mark.parametrize("encrypted", [True, False])
def test_a_conversion_without_key_or_ciphers_names_what_is_missing(
    tmp_path: Path, encrypted: bool
) -> None:
    with Memoranda.open(tmp_path) as memory:
        path, settings = memory.settings.database_path, memory.settings
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="set either encryption_key_file or encryption_keyring"):
        convert_file(settings, path, encrypted=encrypted)
    arguments = {"data_dir": str(tmp_path), "encryption_key_file": str(tmp_path / "secret")}
    if encrypted:
        with pytest.raises(StorageUnusable, match="pip install apsw-sqlite3mc"):
            convert_file(load_settings(arguments, {}), path, encrypted=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("command", "code"), [("encrypt", 13), ("doctor", 1)])
def test_a_command_explains_how_to_install_ciphers(tmp_path: Path, command: str, code: int) -> None:
    Memoranda.open(tmp_path / "data").close()
    output = CliRunner().invoke(
        cli,
        ["--data-dir", str(tmp_path / "data"), command, "--format", "json"],
        env={"MEMORANDA_ENCRYPTION_KEY_FILE": str(tmp_path / "secret")},
    )
    assert output.exit_code == code
    assert "pip install apsw-sqlite3mc" in output.output
    assert not (tmp_path / "secret").exists()


def test_an_encrypted_store_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(os.urandom(8_192))
    before = path.read_bytes()
    with pytest.raises(StorageUnusable, match=r"is encrypted, or not .*set encryption_key_file"):
        SqliteDatabase(path)
    assert path.read_bytes() == before
