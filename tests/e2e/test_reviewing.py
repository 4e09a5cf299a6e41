"""A person reviews what an agent wants remembered, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

from memoranda import Memoranda

pytestmark = pytest.mark.e2e

WAITS = "1 memory update pending approval: memoranda pending list"


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_person_decides_what_an_agent_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    output = invoke(data_dir, "remember", "The gateway is on port 8080", "--workspace", "shop")
    assert output.code == 0
    assert "pending approval" in output.out
    assert WAITS not in output.err  # an agent is not the one to be told
    (waits,) = ask(data_dir, "pending", "list")["items"]
    refused = invoke(data_dir, "pending", "approve", waits["id"], "--shown", "0" * 12)
    assert refused.code != 0
    monkeypatch.delenv("MEMORANDA_AGENT_ID")

    assert WAITS in invoke(data_dir, "stats").err
    assert WAITS not in invoke(data_dir, "stats").err  # once
    shown = invoke(data_dir, "pending", "show", waits["id"]).out
    assert "status: approved" in shown
    assert "The gateway is on port 8080" in shown
    digest = ask(data_dir, "pending", "show", waits["id"])["hash"]
    assert digest[:12] in shown

    unasked = invoke(data_dir, "pending", "approve", waits["id"])
    assert unasked.code != 0
    assert f"--shown {digest[:12]}" in unasked.err
    done = ask(data_dir, "pending", "approve", waits["id"], "--shown", digest[:12])
    assert (done["status"], done["decided_by"]) == ("approved", "human")
    again = invoke(data_dir, "pending", "approve", waits["id"], "--shown", digest)
    assert "already approved by human" in again.err
    context = invoke(data_dir, "context", "--workspace", "shop").out
    assert "The gateway is on port 8080" in context


def test_an_approval_with_other_words_returns_those_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    ask(data_dir, "remember", "It listens on 9091", "--workspace", "shop")
    (waits,) = ask(data_dir, "pending", "list")["items"]
    digest = ask(data_dir, "pending", "show", waits["id"])["hash"]
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    shown = ("--shown", digest, "--content", "It listens on 9090")
    output = invoke(data_dir, "pending", "approve", waits["id"], *shown)
    assert "with your text: It listens on 9090" in output.out


def test_a_decided_proposal_is_not_reported_as_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    ask(data_dir, "remember", "Lamp 1 is on", "--workspace", "shop")
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    with Memoranda.open(data_dir) as memory:
        (waits,) = memory.proposals.list().items
        memory.proposals.reject(waits.id)
    assert "pending approval" not in invoke(data_dir, "stats").err


def test_memories_are_changed_and_brought_back(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    kept = ask(data_dir, "remember", "The gateway is on port 8080", "--workspace", "shop")["id"]
    ask(data_dir, "memory", "edit", kept, "--content", "Port 9090", "--reason", "it moved")
    ask(data_dir, "promote", kept)
    ask(data_dir, "demote", kept, "--workspace", "shop")
    archived = ask(data_dir, "memory", "archive", kept)
    assert archived["memory"]["status"] == "archived"
    history = ask(data_dir, "memory", "history", kept)["items"]
    assert [one["version"] for one in history] == [4, 3, 2, 1]
    assert history[-1]["reason"] == "it moved"
    back = ask(data_dir, "memory", "restore", kept, "1")
    assert (back["content"], back["status"]) == ("The gateway is on port 8080", "approved")
    assert "version" in invoke(data_dir, "memory", "history", kept).out
    output = invoke(data_dir, "memory", "edit", kept)
    assert "nothing to change" in output.err


def test_everything_that_waits_is_approved_or_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    for number in range(3):
        ask(data_dir, "remember", f"Lamp {number} is on", "--workspace", "shop")
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    assert "3 memory updates pending approval" in invoke(data_dir, "stats").err
    one = ask(data_dir, "pending", "list")["items"][0]["id"]
    assert ask(data_dir, "pending", "reject", one, "--note", "it is off")["status"] == "rejected"
    assert invoke(data_dir, "pending", "approve-all").code != 0
    assert ask(data_dir, "pending", "count") == {"pending": 2}
    decided = ask(data_dir, "pending", "approve-all", "--yes")
    assert (len(decided["approved"]), decided["left"]) == (2, [])
    assert ask(data_dir, "pending", "count") == {"pending": 0}


def test_a_superseded_proposal_is_not_approved_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    ask(data_dir, "remember", "Use tabs for indentation.", "--workspace", "shop")
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    later = "Use spaces for indentation, never tabs."
    assert WAITS in invoke(data_dir, "remember", later, "--workspace", "shop").err
    digest = ask(data_dir, "pending", "show", "1")["hash"][:12]

    refused = invoke(data_dir, "pending", "approve", "1", "--yes")

    assert refused.code != 0
    assert "proposal 1 is superseded: replaced by" in refused.err
    assert f"--shown {digest}" in refused.err
    assert "Use tabs" not in invoke(data_dir, "context", "--workspace", "shop").out
    assert invoke(data_dir, "pending", "approve", "1", "--shown", digest).code == 0
