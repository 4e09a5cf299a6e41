"""What one command approved is undone by one command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e


@pytest.fixture
def proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[str]]:
    """Three proposals of an agent."""
    data = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bot")
    texts = [f"Name column {one}." for one in range(3)]
    ids = [ask(data, "remember", text, "--workspace", "shop")["id"] for text in texts]
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    invoke(data, "pending", "list")
    return data, ids


def statuses(data: Path) -> list[str]:
    found = ask(data, "memory", "list", "--workspace", "shop", "--ever")["items"]
    return [one["status"] for one in found]


def test_one_command_undoes_an_approval_of_several(proposed: tuple[Path, list[str]]) -> None:
    data, ids = proposed
    hashes = [ask(data, "pending", "show", str(one))["hash"] for one in (1, 2, 3)]
    shown = [word for one in hashes for word in ("--shown", one)]
    decided = ask(data, "pending", "approve", "1", "2", "3", *shown)
    assert [one["number"] for one in decided] == [1, 2, 3]
    assert statuses(data) == ["approved"] * 3
    (act,) = ask(data, "undo")
    assert sorted(act["subjects"]) == sorted(ids)
    program, *words = shlex.split(act["command"])
    assert program == "memoranda"
    archived = ask(data, *words)
    assert [one["memory"]["status"] for one in archived] == ["archived"] * 3
    assert statuses(data) == ["archived"] * 3


def test_one_row_for_what_was_approved_at_once(proposed: tuple[Path, list[str]]) -> None:
    data, ids = proposed
    ask(data, "pending", "approve-all", "--yes", "--workspace", "shop")
    (act,) = ask(data, "undo")
    assert len(act["subjects"]) == len(ids)
    assert "3: Name column" in invoke(data, "undo").out


def test_separate_approvals_are_separate_rows(proposed: tuple[Path, list[str]]) -> None:
    data, _ = proposed
    for one in ("1", "2"):
        hash = ask(data, "pending", "show", one)["hash"]
        ask(data, "pending", "approve", one, "--shown", hash)
    acts = [one for one in ask(data, "undo") if one["act"] == "pending approve"]
    assert [len(one["subjects"]) for one in acts] == [1, 1]


def test_of_several_memories_all_are_archived_or_none(proposed: tuple[Path, list[str]]) -> None:
    data, _ = proposed
    kept = ask(data, "remember", "Keep this one.", "--workspace", "shop")["id"]
    assert invoke(data, "memory", "archive", kept, "nonesuch").code != 0
    assert ask(data, "memory", "show", kept)["memory"]["status"] == "approved"


def test_each_approval_needs_its_own_hash(proposed: tuple[Path, list[str]]) -> None:
    data, _ = proposed
    hash = ask(data, "pending", "show", "1")["hash"]
    refused = invoke(data, "pending", "approve", "1", "2", "--shown", hash)
    assert refused.code != 0
    assert "for each proposal" in refused.err
    assert statuses(data) == ["pending"] * 3


def test_pending_proposals_are_listed_by_number(proposed: tuple[Path, list[str]]) -> None:
    lines = invoke(proposed[0], "pending", "list").out.split("\n")[1:4]
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]


def test_an_act_on_a_forgotten_memory_is_not_offered(tmp_path: Path) -> None:
    data = tmp_path / "data"
    kept = ask(data, "remember", "Ada prefers rye bread", "--workspace", "shop")["id"]
    gone = ask(data, "remember", "Zelda likes tea", "--workspace", "shop")["id"]
    invoke(data, "forget", gone, "--yes")
    assert [one["subject"] for one in ask(data, "undo")] == [kept]
