"""Keys of encrypted stores: made once, private, never replaced when lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.store.sqlite.keys import KeyFile, KeyringEntry, key_place


@pytest.fixture
def place(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "folder" / "secret")


def test_a_key_is_made_once_and_for_its_owner_alone(place: KeyFile) -> None:
    assert place.read() is None
    key = place.make()
    assert len(key) == 32
    assert key != bytes(32)
    assert place.make() == place.read() == key
    assert place.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.path.parent.iterdir()] == ["secret"]


def test_all_that_make_a_key_at_once_get_the_same(place: KeyFile) -> None:
    with ThreadPoolExecutor(8) as threads:
        keys = list(threads.map(lambda _: place.make(), range(8)))
    assert len(set(keys)) == 1


def test_two_places_make_two_keys(tmp_path: Path) -> None:
    assert KeyFile(tmp_path / "one").make() != KeyFile(tmp_path / "two").make()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620])
def test_a_key_that_others_may_read_or_change_is_refused(place: KeyFile, mode: int) -> None:
    place.make()
    place.path.chmod(mode)
    with pytest.raises(StorageUnusable, match=f"chmod 600 {place.path}"):
        place.read()


@pytest.mark.parametrize("text", ["", "\n", "ab" * 31, "ab" * 33, "zz" * 32, "\udcff" * 64])
def test_a_file_without_a_key_is_refused_without_showing_it(place: KeyFile, text: str) -> None:
    place.make()
    place.path.write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(StorageUnusable, match="64 hexadecimal digits") as caught:
        place.read()
    assert not text.strip() or text not in str(caught.value)


def test_capital_digits_and_blanks_around_them_are_fine(place: KeyFile) -> None:
    key = place.make()
    place.path.write_text(f"  {key.hex().upper()}\n\n")
    assert place.read() == key


def test_a_file_that_cannot_be_read_is_named(place: KeyFile) -> None:
    place.path.mkdir(parents=True)
    with pytest.raises(StorageUnusable, match="cannot read"):
        place.read()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageUnusable, match=r"cannot .* the key file .*file/secret"):
        KeyFile(tmp_path / "file" / "secret").make()


def test_the_settings_name_one_place(tmp_path: Path) -> None:
    database = tmp_path / "memoranda.db"
    assert key_place("/a/b", False, database) == KeyFile(Path("/a/b"))
    assert key_place("", True, database) == KeyringEntry(database.resolve())
    for file, keyring in (("", False), ("/a/b", True)):
        with pytest.raises(InvalidInput, match="set either encryption_key_file or"):
            key_place(file, keyring, database)
