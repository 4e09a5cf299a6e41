"""A message is stored in the workspace that its command or call names."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda
from memoranda.exceptions import NotFound

pytestmark = pytest.mark.e2e


def tasks_of(data: Path, workspace: str) -> list[str]:
    found = ask(data, "task", "list", "--workspace", workspace)["items"]
    return sorted(one["name"] for one in found)


def test_a_new_conversation_begins_in_the_workspace(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = ask(data, "message", "add", "chat", "Prices are net.", "--workspace", "shop")
    again = ask(data, "message", "add", "chat", "And rounded.", "--workspace", "shop")
    other = ask(data, "message", "add", "chat", "Of the mill.", "--workspace", "mill")
    assert (first["ref"], again["ref"], other["ref"]) == ("1#1", "1#2", "2#1")
    assert tasks_of(data, "shop") == tasks_of(data, "mill") == ["chat"]
    assert invoke(data, "message", "add", "#1", "No.", "--workspace", "mill").code == 3


def test_a_new_conversation_begins_in_the_workspace_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder = tmp_path / "data", tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    ask(data, "message", "add", "old", "Anywhere.")
    monkeypatch.chdir(folder)
    ask(data, "remember", "Prices are net.")
    ask(data, "message", "add", "chat", "Here.")
    assert ask(data, "message", "add", "old", "Again.")["ref"] == "1#2"
    assert tasks_of(data, "project") == ["chat"]


def test_python_and_a_task_of_another_workspace(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory:
        made = memory.conversations.add("Prices are net.", session="chat", workspace="shop")
        assert memory.tasks.list(workspace="shop").items[0].number == int(made.ref[0])
        memory.conversations.add("Flour.", session="bread", workspace="mill")
        with pytest.raises(NotFound):
            memory.conversations.add("No.", task="#1", workspace="mill")
