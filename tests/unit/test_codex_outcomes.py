"""Outcomes of Codex commands, read from the rollout of the hook payload."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.event import Event
from memoranda.capture.hosts.codex import hook_completion
from memoranda.capture.hosts.codex.hook_completion import RolloutTails
from memoranda.capture.hosts.hook_payloads import adapt

NAME = "rollout-2026-10-01T10-00-00-019f0000-0000-7000-8000-0000000000aa.jsonl"


def reported(path: Path | None, output: Any = "three are wrong\n", **more: Any) -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": "make check"},
        "tool_response": output,
        "tool_use_id": "call_1",
        "transcript_path": str(path) if path else None,
        **more,
    }


def written(path: Path, *payloads: dict[str, Any]) -> Path:
    lines = [json.dumps({"type": "event_msg", "payload": payload}) for payload in payloads]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def completed(payload: dict[str, Any]) -> Event:
    (event,) = adapt("codex", payload, 1)
    return RolloutTails().complete(event, payload)


def ended(code: int | None, id: str = "call_1") -> dict[str, Any]:
    item = {"type": "CommandExecution", "id": id, "exit_code": code, "aggregated_output": "x"}
    return {"type": "item_completed", "item": item}


ANSWER = {
    "type": "function_call_output",
    "call_id": "call_1",
    "output": "Chunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 4\nOutput:\nx",
}
RUNNING = {
    "type": "function_call_output",
    "call_id": "call_1",
    "output": "Wall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\n",
}


@pytest.mark.parametrize(
    ("payloads", "failed", "known", "output"),
    [
        ([ended(3)], True, True, "Exit code 3\nthree are wrong\n"),
        ([ended(0)], False, True, "three are wrong\n"),
        ([ended(None)], False, False, "three are wrong\n"),
        ([ANSWER], True, True, "Exit code 4\nthree are wrong\n"),
        ([RUNNING], False, False, "three are wrong\n"),
        ([RUNNING, ended(5)], True, True, "Exit code 5\nthree are wrong\n"),
        ([ended(3, "call_10"), ended(0, "call_2")], False, False, "three are wrong\n"),
        ([{"type": "exec_command_end", "call_id": "call_1", "exit_code": 2}], True, True,
         "Exit code 2\nthree are wrong\n"),
    ],
)  # fmt: skip
def test_only_the_exit_code_is_taken_from_the_rollout(
    tmp_path: Path, payloads: list[dict[str, Any]], failed: bool, known: bool, output: str
) -> None:
    event = completed(reported(written(tmp_path / NAME, *payloads)))
    assert (event.failed, event.outcome_known, event.output) == (failed, known, output)


def test_the_rollout_is_not_read_for_what_the_hook_reports(tmp_path: Path) -> None:
    path = written(tmp_path / NAME, ended(9))
    event = completed(reported(path, "Exit code: 0\nWall time: 1 seconds\nOutput:\nfine"))
    assert (event.failed, event.outcome_known, event.output) == (False, True, "fine")


@pytest.mark.parametrize("name", ["notes.jsonl", "rollout-x.txt", "missing"])
def test_only_rollouts_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name != "missing":
        written(path, ended(3))
    assert not completed(reported(path)).outcome_known


def test_a_pipe_in_the_place_of_a_rollout_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    assert not completed(reported(tmp_path / NAME)).outcome_known


def test_only_the_end_of_a_long_rollout_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / NAME, ended(3), *[ended(0, f"call_{n}") for n in range(10, 60)])
    assert completed(reported(path)).failed
    monkeypatch.setattr(hook_completion, "TAIL", 2_000)
    assert not completed(reported(path)).outcome_known
    assert completed({**reported(path), "tool_use_id": "call_59"}).outcome_known


def test_damage_in_a_rollout_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(b'{"exit_code" broken\n\xff\xfe"_output"\n[1]\n')
    with path.open("ab") as file:
        file.write(json.dumps({"type": "event_msg", "payload": ended(3)}).encode())
    assert completed(reported(path)).failed


def test_a_subagents_task_is_not_written_by_a_person() -> None:
    raw = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Always look"}
    (own,) = adapt("codex", raw, 1)
    (sent,) = adapt("codex", {**raw, "agent_id": "a1", "agent_type": "default"}, 1)
    assert (own.origin, sent.origin, sent.tags) == ("human", "agent", ("delegated",))
