"""Files of a work tree are stored without visible effects."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memoranda.checkpoints import work_tree_snapshots
from memoranda.checkpoints.work_tree_snapshots import save
from memoranda.exceptions import InvalidInput

pytestmark = pytest.mark.integration


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / ".gitignore").write_text("secret.env\n")
    (folder / "kept.py").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def seen(folder: Path) -> tuple[str, ...]:
    """Return a repository's visible state, and its index byte for byte."""
    index = (folder / ".git/index").read_bytes().hex()
    branches = git(folder, "for-each-ref", "refs/heads")
    return git(folder, "status", "--porcelain"), git(folder, "rev-parse", "HEAD"), branches, index


def test_changed_new_and_deleted_files_are_kept_and_nothing_else_changes(tree: Path) -> None:
    (tree / "kept.py").write_text("two\n")
    (tree / "staged.py").write_text("half")
    git(tree, "add", "staged.py")
    (tree / "staged.py").write_text("whole")
    (tree / "new.py").write_text("new")
    (tree / "secret.env").write_text("hidden")
    (tree / "sub").mkdir()
    before = seen(tree)
    made = save(tree / "sub", "task-1")
    assert seen(tree) == before
    assert git(tree, "show", f"{made.commit}:kept.py") == "two\n"
    assert git(tree, "show", f"{made.commit}:staged.py") == "whole"
    files = git(tree, "ls-tree", "-r", "--name-only", made.commit).split()
    assert files == [".gitignore", "kept.py", "new.py", "staged.py"]
    assert git(tree, "rev-parse", made.ref).strip() == made.commit
    git(tree, "gc", "--prune=now", "--quiet")
    assert git(tree, "show", f"{made.commit}:new.py") == "new"


def test_equal_trees_are_kept_once_and_old_ones_let_go(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert save(tree, "a") == save(tree, "a")
    monkeypatch.setattr(work_tree_snapshots, "MAX_STORED", 3)
    for number in range(6):
        (tree / "kept.py").write_text(f"{number}\n")
        last = save(tree, "a")
    other = save(tree, "b")
    refs = git(tree, "for-each-ref", "--format=%(refname)", "refs/memoranda/").split()
    assert len(refs) == 4
    assert {last.ref, other.ref} < set(refs)


def test_a_repository_without_a_commit_has_a_tree_too(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a").write_text("a")
    assert git(tmp_path, "show", f"{save(tmp_path, 'x').commit}:a") == "a"


def test_an_unusable_folder_gives_the_reason(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match="not a git repository"):
        save(tmp_path, "x")
    for name in ("", "a/../b", "a b", "--all"):
        with pytest.raises(InvalidInput, match="letters, digits"):
            save(tree, name)
    (tree / ".git/index").write_bytes(b"torn")
    with pytest.raises(InvalidInput, match="index"):
        save(tree, "x")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInput, match="cannot run git"):
        save(tree, "x")
