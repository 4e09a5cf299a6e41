"""A write that is refused changes nothing, not even the list of workspaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda
from memoranda.exceptions import UserError
from memoranda.memories.link_model import LinkTo
from memoranda.memories.memory_service import NewMemory

pytestmark = pytest.mark.e2e

UNKNOWN = "01a226e3-961c-7000-b4f4-633586ca8668"
SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
REFUSED = (
    ("remember", ""),
    ("remember", "ports are even", "--evidence", UNKNOWN),
    ("remember", "ports are even", "--link", f"related:{UNKNOWN}"),
    ("profile", "add", " "),
    ("feedback", "add", ""),
    ("document", "put", "", "key", "{}"),
    ("document", "put", "graph", "key", f'"{SECRET}"', "--workspace", "new"),
    ("block", "create", "", "--workspace", "new"),
    ("block", "create", "board", "x" * 30_000, "--workspace", "new"),
    ("errors", "record", "it broke", "--type", "no type", "--workspace", "new"),
    ("task", "create", SECRET),
    ("say", "remember that", "--workspace", "new"),
)
"""Writes into a workspace that does not exist yet: a named one, or that of the folder."""


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_refused_write_leaves_no_new_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    data_dir = tmp_path / "data"
    ask(data_dir, "remember", "prices are net", "--workspace", "other")
    assert invoke(data_dir, *words).code in (2, 3)
    assert [one["name"] for one in ask(data_dir, "workspace", "list")["items"]] == ["other"]
    assert ask(data_dir, "memory", "list")["items"]


def test_python_refuses_unknown_evidence_and_links_likewise(tmp_path: Path) -> None:
    wrong = (
        NewMemory("ports are even", evidence=(UNKNOWN,)),
        NewMemory("ports are even", links=(LinkTo("related", UNKNOWN),)),
    )
    with Memoranda.open(tmp_path / "data") as memory:
        for statement in wrong:
            with pytest.raises(UserError):
                memory.remember(statement, workspace="new")
        assert memory.workspaces.list().items == ()


def test_what_is_accepted_creates_the_workspace_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, data_dir = tmp_path / "project", tmp_path / "data"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    accepted: tuple[tuple[str, ...], ...] = (
        ("remember", "ports are even"),
        ("task", "create", "release"),
        ("say", "Remember that prices are net."),
        ("feedback", "add", "No, use the port 8443.", "--workspace", "new"),
        ("block", "create", "board", "--workspace", "next"),
        ("document", "put", "graph", "key", "{}", "--workspace", "shelf"),
        ("errors", "record", "it broke", "--type", "test", "--workspace", "mill",
         "--recovery", "a restart"),
    )  # fmt: skip
    for words in accepted:
        assert invoke(data_dir, *words).code == 0, words
    listed = ask(data_dir, "workspace", "list")["items"]
    names = ["mill", "new", "next", "project", "shelf"]
    assert sorted(one["name"] for one in listed) == names
    (place,) = [one["id"] for one in listed if one["name"] == "project"]
    stored = ask(data_dir, "memory", "list", "--workspace", "project")["items"]
    assert {one["workspace"] for one in stored} == {place}
    assert len(stored) == 2
    (error,) = ask(data_dir, "errors", "list", "--workspace", "mill")["items"]
    assert error["recovery"] == "a restart"


def test_undo_says_how_many_more_acts_there_are(tmp_path: Path) -> None:
    for rule in ("prices are net", "ports are even", "names are short"):
        ask(tmp_path, "remember", rule, "--workspace", "shop")
    assert invoke(tmp_path, "undo", "--limit", "2").out.endswith("1 more: --limit 3\n")
    assert "more" not in invoke(tmp_path, "undo").out
