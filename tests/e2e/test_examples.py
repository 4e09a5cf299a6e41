"""Every example does what its page says, with a model that follows a script."""

from __future__ import annotations

import re

import pytest

from trying import ROOT, SCRIPT, tried

EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.e2e


def test_claude_stores_its_own_notes(capfd: pytest.CaptureFixture[str]) -> None:
    lines, requests = tried("anthropic-memory", capfd, forked=True)
    assert lines == ["Noted: tea.", "You like tea."]
    assert requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [one.body["messages"][-1]["content"] for one in requests]
    assert "File created successfully at: /memories/person.md" in str(results[2])
    assert "     1\tLikes tea." in str(results[4][0]["content"])


def test_a_graph_finds_messages_of_another_thread(capfd: pytest.CaptureFixture[str]) -> None:
    lines, requests = tried("langgraph", capfd, forked=True)
    assert lines == ["Noted.", "Oolong.", "As I said."]
    bodies = [one.body for one in requests]
    assert "oolong" not in bodies[0]["system"]
    assert "I like oolong tea" in bodies[1]["system"]
    assert [one["content"] for one in bodies[2]["messages"]] == [
        "I like oolong tea",
        "Noted.",
        "Again, please",
    ]


def test_a_waiter_goes_on_where_the_conversation_was(capfd: pytest.CaptureFixture[str]) -> None:
    lines, requests = tried("openai-agents", capfd, forked=True)
    assert lines == ["Noted.", "Oolong.", "Hello Eve."]
    inputs = [one.body["input"] for one in requests]
    assert [one.get("role") for one in inputs[1]] == ["user", "assistant", "user"]
    assert inputs[1][0]["content"] == "I like oolong tea"
    assert inputs[1][2]["content"] == "What shall I drink?"
    assert "oolong" not in str(inputs[2])


def test_texts_are_found_by_meaning_with_langchain(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_EMBEDDER", "local")
    assert tried("langchain", capfd, forked=True)[0] == [
        "kept: 2",
        SCRIPT.TEA,
        "known: 2 texts were added.",
    ]


def test_a_program_for_mem0_runs_on_our_server(capfd: pytest.CaptureFixture[str]) -> None:
    first, again = tried("mem0", capfd, forked=True)[0]
    assert first.split("  ")[1] == "I like oolong tea"
    assert again == first


def test_a_client_of_the_mcp_memory_reads_its_graph(capfd: pytest.CaptureFixture[str]) -> None:
    assert tried("mcp-memory", capfd)[0][-1].endswith("2 entities, 1 relation")


def test_a_second_session_gets_rules_of_the_first(capfd: pytest.CaptureFixture[str]) -> None:
    lines, _ = tried("claude-code", capfd)
    assert lines[-1].endswith("found by search, not told: CLAUDE.md > Shop")
    assert any("Never edit tariffs.csv" in line for line in lines)
    assert not any("in cents" in line for line in lines)


ISSUES = ["BUG-001", "BUG-002", "DOC-001", "PERF-001", "SEC-001", "SEC-002"]


def test_every_example_has_a_page_that_gives_its_command() -> None:
    pages = "\n".join(one.read_text("utf-8") for one in (ROOT / "docs").glob("*.md"))
    folders = {one.parent.name for one in EXAMPLES.glob("*/*.py")}
    assert folders == set(SCRIPT.PLAYS)
    assert [name for name in folders if f"scripts/try {name}" not in pages] == []
    for name, play in SCRIPT.PLAYS.items():
        assert all((EXAMPLES / name / command[0]).is_file() for command in play.commands)


def test_three_agents_write_each_issue_down_once(capfd: pytest.CaptureFixture[str]) -> None:
    result = " ".join(tried("college", capfd)[0])
    # Each of the three tells the board, in the order in which the lines got there.
    names = re.findall(r"- \[written\] (\w+-\d+): ", result)
    assert sorted(names) == sorted(3 * ISSUES)
    assert result.count("DOC-001: the README names a flag that is gone; fix later") == 3
