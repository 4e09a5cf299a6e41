"""A person steers an agent: on the command line, in the chat, through what an agent reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_persons_remarks_on_the_work_are_learned(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    ask(data_dir, "observe", "begin", "--task", "one", "--workspace", "shop")
    output = invoke(data_dir, "feedback", "add", "That's wrong, use port 9090", "--task", "1")
    assert output.code == 0, output.err
    assert "correction" in output.out
    assert (
        "That's wrong, use port 9090"
        in invoke(data_dir, "block", "show", "learned", "--task", "1").out
    )
    for _ in range(3):
        last = ask(
            data_dir, "feedback", "add", "no", "--type", "rejection", "--workspace", "shop",
            "--about", "Use UUIDs for the primary keys",
        )  # fmt: skip
    assert [one["touched"] for one in last["effects"]] == ["suggestion", "rule"]
    (standing,) = ask(data_dir, "feedback", "suggestions")["items"]
    assert standing["rejected"] == 3
    context = invoke(data_dir, "context", "--workspace", "shop").out
    assert "suggest" in context
    assert "UUIDs for the primary keys" in context


def test_a_class_is_set_right_and_what_an_agent_heard_is_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    heard = ask(data_dir, "feedback", "add", "Always tag releases", "--workspace", "shop")
    id = heard["feedback"]["id"]
    assert heard["feedback"]["state"] == "asking"
    refused = invoke(data_dir, "feedback", "process", id, "--format", "json")
    assert (refused.error["code"], refused.code) == ("forbidden", 5)
    refused = invoke(data_dir, "feedback", "correct", id, "none", "--format", "json")
    assert refused.error["code"] == "forbidden"
    monkeypatch.delenv("MEMORANDA_AGENT_ID")

    assert ask(data_dir, "memory", "list")["items"] == []
    shown = invoke(data_dir, "feedback", "show", id).out
    assert f"feedback process {id};" in shown
    assert [
        one["id"] for one in ask(data_dir, "feedback", "list", "--state", "asking")["items"]
    ] == [id]
    assert invoke(data_dir, "feedback", "process", id).out == "1 processed\n"
    (rule,) = ask(data_dir, "memory", "list")["items"]
    assert (rule["content"], rule["status"]) == ("Always tag releases", "approved")
    gone = ask(data_dir, "feedback", "correct", id, "none")
    assert gone["feedback"]["state"] == "dismissed"
    assert gone["feedback"]["text"] == "Always tag releases"
    (rule,) = ask(data_dir, "memory", "list")["items"]
    assert rule["status"] == "archived"


def test_the_memory_carries_out_instructions(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    place = ("--workspace", "shop")
    kept = ask(data_dir, "say", "Remember that the tea is green", *place)
    assert kept["outcome"] == "remembered"
    ask(data_dir, "say", "Please remember that the milk is cold", *place)
    ask(data_dir, "say", "Remember that the milk is sour", *place)
    ask(data_dir, "say", "Add this rule: never ring before ten", *place)
    answer = ask(data_dir, "say", "Forget about the milk", *place)
    assert (answer["outcome"], len(answer["memories"])) == ("asking", 2)
    gone = ask(data_dir, "say", "Forget about the tea", *place)
    assert gone["outcome"] == "archived"
    output = invoke(data_dir, "say", "What do you know about me?", *place).out
    assert "never ring before ten" in output
    assert "the milk is sour" in output
    assert "tea" not in output
    back = ask(data_dir, "memory", "restore", kept["memories"][0]["id"], "1")
    assert (back["content"], back["status"]) == ("the tea is green", "approved")
    assert ask(data_dir, "say", "Optimize your memory")["outcome"] == "optimized"


def test_a_conversation_that_is_imported_is_heard(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    turns = (
        ("human", "Set up the gateway"),
        ("agent", "I suggest port 8080 for the gateway."),
        ("human", "From now on, use ports above 9000"),
        ("agent", "Noted."),
        ("human", "Remember that prices are net"),
    )
    lines = [
        json.dumps({"kind": "message", "session": "one", "origin": who, "text": text})
        for who, text in turns
    ]
    (tmp_path / "chat.jsonl").write_text("\n".join(lines) + "\n")
    output = invoke(data_dir, "import", "chat.jsonl", "--workspace", "shop")
    assert output.code == 0, output.err
    invoke(data_dir, "drain")
    invoke(data_dir, "drain")
    heard = ask(data_dir, "feedback", "list")["items"]
    assert sorted(one["type"] for one in heard) == ["instruction", "pattern"]
    (waits,) = ask(data_dir, "pending", "list")["items"]
    assert waits["after"]["content"].startswith("From now on, use ports above 9000")
    stored = ask(data_dir, "memory", "list", "--status", "approved")["items"]
    assert [one["content"] for one in stored] == ["prices are net"]
