"""Workspaces of sessions in work trees that are deleted, and in several folders."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from happenings import environment
from hooking import cli, command, hook, without_drain
from test_hook_context import git

pytestmark = pytest.mark.integration


def prompted(data: Path, folder: Path, session: str, **changes: Any) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "prompt": f"Fix {session}.", **changes}
    if "workspace_roots" not in changes:
        event["cwd"] = str(folder)
    host = changes.get("host", "claude-code")
    assert hook(data, {"session_id": session, **event}, "spool", host).silent


def tasks_by_workspace(data: Path) -> dict[str, int]:
    rows = json.loads(command(data, "--format", "json", "list"))["items"]
    return {row["name"]: row["tasks"] for row in rows if row["tasks"]}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "shop"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "begin")
    without_drain(tmp_path / "data")
    return folder


def removed(tree: Path, shop: Path) -> None:
    git(shop, "worktree", "remove", "--force", str(tree))
    assert not (shop / ".git" / "worktrees" / tree.name).exists()


@pytest.mark.parametrize(
    "tree", ["trees/6389/shop", "code/shop-fix", "code/shop/.claude/worktrees/bee", "tmp/größe"]
)
def test_a_session_in_a_deleted_work_tree_belongs_to_its_repository(
    tmp_path: Path, shop: Path, tree: str
) -> None:
    data, folder = tmp_path / "data", tmp_path / tree
    git(shop, "worktree", "add", "--quiet", "--detach", str(folder))
    (folder / "src").mkdir()
    prompted(data, shop, "main")
    prompted(data, folder, "root")
    prompted(data, folder / "src", "below")
    removed(folder, shop)
    command(data, "drain")
    assert tasks_by_workspace(data) == {"shop": 3}


def test_a_relative_pointer_to_the_repository_is_followed(tmp_path: Path, shop: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "elsewhere" / "zzz"
    git(shop, "worktree", "add", "--quiet", "--detach", str(folder))
    (folder / ".git").write_text("gitdir: ../../code/shop/.git/worktrees/zzz\n", "utf-8")
    prompted(data, folder, "relative")
    shutil.rmtree(folder)
    git(shop, "worktree", "prune")
    prompted(data, shop, "main")
    command(data, "drain")
    assert tasks_by_workspace(data) == {"shop": 2}


def test_a_deleted_work_tree_of_a_bare_repository(tmp_path: Path, shop: Path) -> None:
    data, folder, other = tmp_path / "data", tmp_path / "a" / "one", tmp_path / "b" / "two"
    git(shop, "clone", "--quiet", "--bare", str(shop), str(tmp_path / "barn.git"))
    for tree in (folder, other):
        git(tmp_path / "barn.git", "worktree", "add", "--quiet", "--detach", str(tree))
    prompted(data, folder, "deleted")
    removed(folder, tmp_path / "barn.git")
    prompted(data, other, "there")
    command(data, "drain")
    assert tasks_by_workspace(data) == {"barn": 2}


def test_a_host_that_names_the_folder_among_its_roots(tmp_path: Path, shop: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "trees" / "zzz"
    git(shop, "worktree", "add", "--quiet", "--detach", str(folder))
    event = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c", "generation_id": "g"}
    prompted(data, folder, "c", host="cursor", workspace_roots=[str(folder)], **event)
    removed(folder, shop)
    prompted(data, shop, "main")
    command(data, "drain")
    assert tasks_by_workspace(data) == {"shop": 2}


def test_a_deleted_folder_without_a_repository_stays_its_own(tmp_path: Path, shop: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "trees" / "zzz"
    folder.mkdir(parents=True)
    (folder / ".git").write_text('gitdir: /no/"such\nplace\n', "utf-8")
    prompted(data, folder, "alone")
    prompted(data, shop, "main")
    shutil.rmtree(folder)
    command(data, "drain")
    assert tasks_by_workspace(data) == {"shop": 1, "zzz": 1}


def test_a_session_stays_in_the_workspace_where_it_began(tmp_path: Path, shop: Path) -> None:
    data, barn = tmp_path / "data", tmp_path / "code" / "barn"
    barn.mkdir()
    git(barn, "init", "--quiet")
    prompted(data, shop, "one")
    prompted(data, barn, "one", prompt="Never use goto here.")
    command(data, "drain")
    assert tasks_by_workspace(data) == {"shop": 1}
    assert "goto" in command(data, "observation", "list")


def in_deleted(folder: Path, data: Path, *words: str) -> tuple[int, str]:
    """Run a command in a folder that is deleted before; return its exit code and output."""
    folder.mkdir(exist_ok=True)
    script = 'cd "$0" && rm -r "$0" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", script, str(folder), *cli(data, *words)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def test_what_is_remembered_in_a_deleted_folder_never_applies_to_every_workspace(
    tmp_path: Path, shop: Path
) -> None:
    data, folder, tree = tmp_path / "data", tmp_path / "gone", tmp_path / "code" / "zzz"
    code, out = in_deleted(folder, data, "remember", "The port is 8080.")
    assert (code, "--workspace NAME" in out) == (2, True)
    assert "every workspace" in in_deleted(folder, data, "remember", "All.", "--everywhere")[1]
    git(shop, "worktree", "add", "--quiet", "--detach", str(tree))
    prompted(data, shop, "main")
    command(data, "drain")
    code, out = in_deleted(tree, data, "remember", "The port is 9090.")
    assert (code, "for workspace shop" in out) == (0, True)


def test_a_folder_with_hidden_characters_gives_a_name_without_them(tmp_path: Path) -> None:
    folder = tmp_path / "shop\r\n\u202egood"
    folder.mkdir()
    prompted(tmp_path / "data", folder, "one")
    assert tasks_by_workspace(tmp_path / "data") == {"shop good": 1}
