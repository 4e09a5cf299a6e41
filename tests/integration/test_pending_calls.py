"""A tool call without a result and the same call with one are one event."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hooking import hook

from memoranda import Memoranda
from memoranda.observations.model import FullObservation
from memoranda.search.model import HitKind

SESSION = "019f0000-0000-7000-8000-0000000000aa"
COMMAND, OUTPUT = "python3 check.py", "4 checks are wrong"
Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class Killed:
    """A host's records of one call: transcript without result, result, hook."""

    name: str
    file: str
    begin: Lines
    end: Lines
    payload: dict[str, Any]


def _claude(kind: str, at: int, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": kind, "uuid": f"70000000-1111-4111-8111-00000000000{at}", "sessionId": SESSION,
        "cwd": "/srv/shop", "isSidechain": False, "version": "2.1.331",
        "timestamp": f"2026-10-01T10:00:0{at}.000Z",
        "message": {"role": kind, "content": content},
    }  # fmt: skip


def _codex(kind: str, at: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-10-01T10:00:0{at}.000Z", "type": kind, "payload": payload}


HOOK = {
    "session_id": SESSION, "cwd": "/srv/shop", "hook_event_name": "PostToolUse",
    "tool_name": "Bash", "tool_input": {"command": COMMAND}, "tool_use_id": "call_1",
}  # fmt: skip
CLAUDE = Killed(
    "claude-code",
    f"{SESSION}.jsonl",
    [
        _claude("user", 1, [{"type": "text", "text": "Make the checks pass."}]),
        _claude("assistant", 2, [
            {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {"command": COMMAND}},
        ]),
    ],
    [_claude("user", 3, [{"type": "tool_result", "tool_use_id": "call_1", "content": OUTPUT}])],
    HOOK | {"tool_response": {"stdout": OUTPUT, "stderr": "", "interrupted": False}},
)  # fmt: skip
CODEX = Killed(
    "codex",
    f"rollout-2026-10-01T10-00-00-{SESSION}.jsonl",
    [
        _codex("session_meta", 0, id=SESSION, cwd="/srv/shop", cli_version="0.169.0"),
        _codex("response_item", 1, type="message", role="user",
               content=[{"type": "input_text", "text": "Make the checks pass."}]),
        _codex("response_item", 2, type="function_call", name="exec_command", call_id="call_1",
               arguments=json.dumps({"cmd": COMMAND, "workdir": "/srv/shop"})),
    ],
    [_codex("response_item", 3, type="function_call_output", call_id="call_1",
            output=f"Wall time: 0.05 seconds\nProcess exited with code 1\nOutput:\n{OUTPUT}\n")],
    HOOK | {"tool_response": OUTPUT},
)  # fmt: skip


@pytest.fixture(params=[CLAUDE, CODEX], ids=lambda killed: killed.name)
def killed(request: pytest.FixtureRequest) -> Killed:
    """Return the records of each host."""
    found: Killed = request.param
    return found


def transcript(folder: Path, name: str, lines: Lines) -> Path:
    """Write a transcript into a folder of its own."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def calls(memory: Memoranda) -> list[FullObservation]:
    """Return the stored calls with their contents."""
    listed = memory.observations.list(workspace="all", limit=100)
    return [memory.observations.show(one.id, full=True) for one in listed if one.tool]


@pytest.mark.parametrize(
    "order",
    [
        "begin hook",
        "hook begin",
        "begin whole",
        "whole begin",
        "hook begin whole",
        "begin hook whole",
        "begin whole hook",
    ],
)
def test_a_call_is_one_observation_and_has_its_result(
    memory: Memoranda, data_dir: Path, tmp_path: Path, killed: Killed, order: str
) -> None:
    begun = transcript(tmp_path / "begin", killed.file, killed.begin)
    whole = transcript(tmp_path / "whole", killed.file, [*killed.begin, *killed.end])

    def hooked() -> None:
        assert hook(data_dir, killed.payload, "spool", killed.name).silent
        memory.capture.drain(wait=True)

    arrive: dict[str, Callable[[], object]] = {
        "begin": lambda: memory.capture.import_transcript(begun, again=True),
        "whole": lambda: memory.capture.import_transcript(whole, again=True),
        "hook": hooked,
    }
    ids = set[str]()
    for step in [*order.split(), *order.split()]:
        arrive[step]()
        (call,) = calls(memory)
        ids.add(call.observation.id)
    assert len(ids) == 1
    assert OUTPUT in call.content
    assert COMMAND in call.content
    assert OUTPUT in call.observation.summary
    found = memory.search("wrong", workspace="all").hits
    assert {hit.id for hit in found if hit.kind is HitKind.OBSERVATION} == ids
