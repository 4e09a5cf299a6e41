"""A person ends a task on the command line, and finds again how it was done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e

ERROR = "ModuleNotFoundError: No module named 'tabulate'"


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("MEMORANDA_AGENT_ID", "MEMORANDA_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


def work(data_dir: Path, session: str) -> str:
    """Import a session in which a module was missing; return the number of its task."""
    steps = [
        {"kind": "message", "text": "Make the nightly report run again", "origin": "human"},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "python -m report"},
         "output": ERROR, "failed": True},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "pip install tabulate"},
         "output": "done"},
        {"kind": "tool_result", "tool": "Bash", "input": {"command": "python -m report"},
         "output": "41 rows"},
    ]  # fmt: skip
    path = data_dir.parent / f"{session}.jsonl"
    where = {"session": session, "cwd": str(data_dir.parent)}
    path.write_text("".join(json.dumps(step | where) + "\n" for step in steps))
    ask(data_dir, "import", str(path))
    return str(ask(data_dir, "task", "list")["items"][0]["number"])


def test_a_task_is_ended_searched_and_learned_from(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    task = work(data_dir, "one")
    output = invoke(data_dir, "task", "end", task)
    assert output.code == 0
    assert "ended as completed; archived as memory" in output.out
    assert "troubleshooting  What ended: ModuleNotFoundError" in output.out
    assert "1 memory update pending approval" in output.err
    found = invoke(data_dir, "search", "how did we fix the import error last time?").out
    assert "How it was done: Make the nightly report run again" in found
    again = invoke(data_dir, "task", "end", task)
    assert (again.code, "has already ended" in again.err) == (4, True)
    learned = ask(data_dir, "execution", "extract-learnings", task)
    assert (learned["proposals"], learned["repeated"], learned["method"]) == ([], 1, "record")
    (waits,) = ask(data_dir, "pending", "list")["items"]
    evidence = ask(data_dir, "why", waits["memory"])["observations"]
    assert len(evidence) == 3
    stats = ask(data_dir, "memory", "stats")
    assert {(one["category"], one["status"]) for one in stats} == {
        ("insight", "approved"),
        ("troubleshooting", "pending"),
    }
    tools = invoke(data_dir, "tool", "reliability").out
    assert tools.splitlines()[0].split() == [
        "tool", "calls", "failed", "rate", "95", "%", "findings", "kinds", "stages",
    ]  # fmt: skip


def test_a_rule_approves_what_the_next_task_teaches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data"
    rule = ask(data_dir, "pending", "rules", "add", "--source", "execution", "--confidence", "0.5")
    assert (rule["created_by"], rule["workspace"], rule["agents"]) == ("human", None, False)
    assert rule["id"] in invoke(data_dir, "pending", "rules", "list").out
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bob")
    for words in (("add", "--every"), ("remove", rule["id"])):
        assert invoke(data_dir, "pending", "rules", *words).code == 5
    monkeypatch.delenv("MEMORANDA_AGENT_ID")
    task = work(data_dir, "one")
    output = invoke(data_dir, "task", "end", task)
    assert "approved" in output.out
    assert "pending approval" not in output.err
    (decided,) = ask(data_dir, "pending", "list", "--status", "approved")["items"]
    assert decided["decided_by"] == f"rule:{rule['id']}"
    assert ask(data_dir, "pending", "rules", "remove", rule["id"]) == {"removed": rule["id"]}
    assert ask(data_dir, "pending", "rules", "list")["items"] == []
