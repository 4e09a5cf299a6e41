"""Files of the mirror are replaced only if unchanged since the last read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoranda.exceptions import Conflict, StorageUnusable
from memoranda.mirror import folder as folders
from memoranda.mirror.folder import MARK, NEW, OLD, Folder, digest, is_left, original

PAGE = "Memory/Global/patterns.md"
ONE, TWO, THREE = b"one\n", b"two\n", b"three\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "files")
    made.claim("mine")
    return made


def names(folder: Folder) -> list[str]:
    return list(folder.walk())


def test_a_file_is_made_and_replaced(folder: Folder) -> None:
    assert folder.read(PAGE).missing
    assert folder.replace(PAGE, ONE, "")
    assert folder.read(PAGE).data == ONE
    assert folder.read(PAGE).hash == digest(ONE)
    assert folder.replace(PAGE, TWO, digest(ONE))
    assert folder.read(PAGE).data == TWO
    assert names(folder) == [PAGE]


@pytest.mark.parametrize("expected", ["", digest(TWO), "0" * 64])
def test_a_file_that_is_not_what_was_expected_stays(folder: Folder, expected: str) -> None:
    folder.replace(PAGE, ONE, "")
    before = (folder.root / PAGE).stat()
    assert not folder.replace(PAGE, THREE, expected)
    assert folder.read(PAGE).data == ONE
    assert (folder.root / PAGE).stat().st_ino == before.st_ino
    assert names(folder) == [PAGE]


def test_a_file_that_is_gone_is_not_what_was_expected(folder: Folder) -> None:
    assert not folder.replace(PAGE, ONE, digest(TWO))
    assert folder.read(PAGE).missing


def test_what_is_saved_while_the_old_file_is_moved_away_stays(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.replace(PAGE, ONE, "")
    rename = Path.rename

    def late(path: Path, target: Path) -> Path:
        if path == folder.root / PAGE:
            path.write_bytes(THREE)  # after it was read, before it is moved
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", late)
    assert not folder.replace(PAGE, TWO, digest(ONE))
    assert folder.read(PAGE).data == THREE
    assert names(folder) == [PAGE]


def test_what_is_saved_in_the_gap_between_old_and_new_stays(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.replace(PAGE, ONE, "")
    link = os.link

    def late(source: Path, target: Path) -> None:
        target.write_bytes(THREE)
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    assert not folder.replace(PAGE, TWO, digest(ONE))
    assert folder.read(PAGE).data == THREE
    assert names(folder) == [PAGE]


def test_two_saves_in_one_moment_are_both_kept(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.replace(PAGE, ONE, "")
    rename = Path.rename

    def late(path: Path, target: Path) -> Path:
        if path != folder.root / PAGE:
            return rename(path, target)
        path.write_bytes(TWO)
        moved = rename(path, target)
        path.write_bytes(THREE)
        return moved

    monkeypatch.setattr(Path, "rename", late)
    assert not folder.replace(PAGE, b"ours", digest(ONE))
    assert folder.read(PAGE).data == THREE
    assert folder.read("Memory/Global/patterns.kept-1.md").data == TWO


def test_where_there_are_no_links_files_are_moved(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(source: Path, target: Path) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", none)
    assert folder.replace(PAGE, ONE, "")
    assert folder.replace(PAGE, TWO, digest(ONE))
    assert folder.read(PAGE).data == TWO
    assert names(folder) == [PAGE]


def test_a_file_is_removed_only_while_it_is_what_was_expected(folder: Folder) -> None:
    folder.replace(PAGE, ONE, "")
    assert not folder.remove(PAGE, digest(TWO))
    assert folder.read(PAGE).data == ONE
    assert folder.remove(PAGE, digest(ONE))
    assert folder.read(PAGE).missing
    folder.prune()
    assert not (folder.root / "Memory").exists()
    assert folder.marked() == "mine"


def test_copies_beside_a_file_are_numbered_and_equal_ones_kept_once(folder: Folder) -> None:
    first = folder.beside(PAGE, ONE, "conflict")
    assert first == "Memory/Global/patterns.conflict-1.md"
    assert folder.beside(PAGE, ONE, "conflict") == first
    second = folder.beside(PAGE, TWO, "conflict")
    assert second == "Memory/Global/patterns.conflict-2.md"
    assert [folder.read(path).data for path in (first, second)] == [ONE, TWO]


def test_an_aside_copy_gets_an_unused_name(folder: Folder) -> None:
    folder.replace(PAGE, ONE, "")
    (folder.root / "Memory/Global/patterns.kept-1.md").symlink_to("nowhere")
    assert folder.set_aside(PAGE) == "Memory/Global/patterns.kept-2.md"
    assert folder.read(PAGE).missing


@pytest.mark.parametrize(
    ("there", "left", "known", "stands", "kept"),
    [
        (None, ONE, ONE, None, None),  # imported before: not needed
        (None, ONE, TWO, ONE, None),  # somebody's: put back
        (TWO, ONE, ONE, TWO, None),
        (TWO, ONE, TWO, TWO, ONE),  # somebody's, and its name is taken
    ],
)
def test_what_a_killed_run_left_of_the_old_file_is_put_right(
    folder: Folder,
    there: bytes | None,
    left: bytes,
    known: bytes,
    stands: bytes | None,
    kept: bytes | None,
) -> None:
    base = folder.root / "Memory/Global"
    base.mkdir(parents=True)
    if there:
        (base / "patterns.md").write_bytes(there)
    path = f"Memory/Global/.patterns.md{OLD}"
    (folder.root / path).write_bytes(left)
    assert is_left(path)
    assert original(path) == PAGE
    folder.recover(path, frozenset({digest(known)}))
    assert folder.read(path).missing
    assert folder.read(PAGE).data == stands
    assert folder.read("Memory/Global/patterns.kept-1.md").data == kept


def test_what_a_killed_run_left_of_the_new_file_goes(folder: Folder) -> None:
    path = f"Memory/Global/.patterns.md{NEW}"
    (folder.root / path).parent.mkdir(parents=True)
    (folder.root / path).write_bytes(ONE)
    folder.recover(path, frozenset())
    assert names(folder) == []


@pytest.mark.parametrize("path", ["Memory/.hidden.md", "Memory/a.old~", "Memory/.git/x.new"])
def test_files_of_others_are_not_taken_for_left_ones(path: str) -> None:
    assert not is_left(path)


def test_links_are_named_and_never_followed(folder: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(ONE)
    (folder.root / "Memory").mkdir()
    (folder.root / "Memory/Global").symlink_to(outside)
    (folder.root / "Memory/file.md").symlink_to(outside / "secret.md")
    assert names(folder) == ["Memory/Global", "Memory/file.md"]
    assert folder.read("Memory/Global/secret.md").trouble == "Global is a link"
    assert folder.read("Memory/file.md").trouble == "is a link"
    assert not folder.replace("Memory/Global/secret.md", TWO, digest(ONE))
    assert not folder.replace("Memory/file.md", TWO, digest(ONE))
    assert (outside / "secret.md").read_bytes() == ONE
    assert [path.name for path in outside.iterdir()] == ["secret.md"]


def test_another_mirror_below_is_not_looked_into(folder: Folder) -> None:
    folder.replace(PAGE, ONE, "")
    below = folder.root / "Memory/theirs"
    below.mkdir()
    (below / MARK).write_text("theirs")
    (below / "page.md").write_bytes(ONE)
    assert names(folder) == [PAGE]


def test_a_file_larger_than_any_page_is_not_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.replace(PAGE, ONE, "")
    monkeypatch.setattr(folders, "LARGEST", len(ONE) - 1)
    assert folder.read(PAGE).trouble == "is too large"
    assert folder.read(PAGE).data is None


def test_a_folder_is_one_mirrors(folder: Folder, tmp_path: Path) -> None:
    folder.claim("mine")
    for place in (folder.root, folder.root / "Memory" / "deep"):
        with pytest.raises(Conflict, match="another store's mirror"):
            Folder(place).claim("theirs")
    inner = Folder(folder.root / "inner")
    inner.claim("mine")
    folder.release()
    assert folder.marked() is None
    with pytest.raises(Conflict):
        inner.claim("theirs")


def test_claiming_again_keeps_the_lock_file(folder: Folder) -> None:
    before = (folder.root / MARK).stat().st_ino
    folder.claim("mine")
    assert (folder.root / MARK).stat().st_ino == before


def test_conflict_copies_of_before_are_no_hindrance(tmp_path: Path) -> None:
    fresh = Folder(tmp_path / "files")
    (fresh.root / "Memory").mkdir(parents=True)
    for name in ("patterns.conflict-1.md", "patterns.kept-2.md"):
        (fresh.root / "Memory" / name).write_bytes(ONE)
    fresh.check("mine", first=True)
    (fresh.root / "Memory/patterns.md").write_bytes(ONE)
    with pytest.raises(Conflict, match="other files"):
        fresh.check("mine", first=True)
    fresh.check("mine")


def test_one_run_at_a_time(folder: Folder) -> None:
    import fcntl

    with folder.alone():
        other = os.open(folder.root / MARK, os.O_RDWR)
        try:
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(other)
    with folder.alone():
        pass


def test_a_missing_folder_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    gone = Folder(tmp_path / "gone")
    with pytest.raises(StorageUnusable, match="mirror sync"), gone.alone():
        pass
    assert names(gone) == []
    assert gone.read(PAGE).missing
    assert gone.marked() is None
