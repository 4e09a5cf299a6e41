"""An observation is its author's: the person at the terminal, or the agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import ask, invoke

from memoranda import Memoranda
from memoranda.exceptions import Forbidden, InvalidInput

TEXT = "We deploy on Fridays only"
SHELLS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT")


@pytest.fixture(autouse=True)
def _no_agent_runs_this(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORANDA_AGENT_ID", "CODEX_THREAD_ID", *SHELLS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def _observed(data: Path, *words: str) -> str:
    found: dict[str, Any] = ask(data, "observe", TEXT, *words)
    return str(found["origin"])


def test_what_a_person_types_is_the_persons(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert _observed(data, "--task", "one") == "human"
    assert _observed(data, "--task", "two", "--type", "decision") == "human"
    assert _observed(data, "--task", "three", "--origin", "agent") == "agent"
    assert _observed(data, "--task", "four", "--tool", "Bash") == "tool"
    shown = invoke(data, "context").out
    assert "[human, unconfirmed" in shown.partition("<standing-instructions>")[2]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_an_agents_shell_runs_is_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv(shell, "1")
    assert _observed(tmp_path / "data") == "agent"
    assert _observed(tmp_path / "data", "--task", "b", "--origin", "human") == "human"


def test_a_named_agent_cannot_speak_for_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "builder")
    assert _observed(tmp_path / "data") == "agent"
    refused = invoke(tmp_path / "data", "observe", TEXT, "--origin", "human")
    assert (refused.code, refused.out) == (Forbidden.exit_code, "")
    assert "an agent cannot store its text as a person's" in refused.err


def test_a_program_states_the_author(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory:
        assert memory.observe(TEXT).origin == "agent"
        assert memory.observe(TEXT, task="a", origin="human").origin == "human"
        assert memory.observe(TEXT, task="b", origin="caller").origin == "human"
        with pytest.raises(InvalidInput, match="caller"):
            memory.observe(TEXT, origin="web")
        with pytest.raises(InvalidInput, match="omit `origin`"):
            memory.observe(TEXT, tool="Bash", origin="human")
    with Memoranda.open(tmp_path / "data", agent="builder") as memory:
        assert memory.observe(TEXT, task="c", origin="caller").origin == "agent"
