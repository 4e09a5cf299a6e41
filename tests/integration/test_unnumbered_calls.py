"""Hook calls without an id are matched with those of the transcript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hooking import hook

from memoranda import Memoranda

SESSION = "5b0c6c1e-93d2-4d3e-8f0f-0000000000aa"
Call = tuple[int, str, str]
"""(second of the call's end, command, output)."""
TWICE: list[Call] = [(10, "make test", "2 failed"), (40, "make test", "1 failed")]
SAME: list[Call] = [(10, "make test", "2 failed"), (40, "make test", "2 failed")]
TOGETHER: list[Call] = [(10, "make a", "a"), (58, "make b", "b")]


def moment(second: int) -> str:
    """Return a time by second; all events are in one minute."""
    return f"2026-10-01T10:00:{second:02}.000Z"


def reported(call: Call) -> dict[str, Any]:
    """Return Gemini CLI's hook payload after a call."""
    second, command, output = call
    return {
        "session_id": SESSION, "cwd": "/srv/shop", "hook_event_name": "AfterTool",
        "timestamp": moment(second), "tool_name": "run_shell_command",
        "tool_input": {"command": command},
        "tool_response": {"llmContent": f"Output: {output}", "returnDisplay": output},
    }  # fmt: skip


def recorded(number: int, calls: list[Call]) -> dict[str, Any]:
    """Return a message with parallel calls, recorded when all had ended."""
    last = max(second for second, _, _ in calls)
    return {
        "id": f"m{number}", "timestamp": moment(min(second for second, _, _ in calls) - 5),
        "type": "gemini", "content": "",
        "toolCalls": [
            {
                "id": f"call-{number}-{at}", "name": "run_shell_command", "status": "success",
                "args": {"command": command}, "timestamp": moment(last),
                "result": [{"functionResponse": {"response": {"output": f"Output: {output}"}}}],
            }
            for at, (_, command, output) in enumerate(calls)
        ],
    }  # fmt: skip


def chat(folder: Path, *messages: dict[str, Any]) -> Path:
    """Write a chat of these messages."""
    header = {"sessionId": SESSION, "projectHash": "0" * 64, "kind": "main"}
    path = folder / "session-2026-10-01T10-00-5b0c6c1e.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in (header, *messages)))
    return path


@pytest.fixture
def hooked(memory: Memoranda, data_dir: Path) -> Callable[..., None]:
    """Return a function that sends calls to the hook and stores them."""

    def give(*calls: Call) -> None:
        for call in calls:
            assert hook(data_dir, reported(call), "spool", "gemini-cli").silent
        memory.capture.drain(wait=True)

    return give


def outputs(memory: Memoranda) -> list[str]:
    """Return the outputs that are stored, in order."""
    listed = sorted(memory.observations.list(workspace="all", limit=100), key=lambda one: one.id)
    texts = [memory.observations.show(one.id, full=True).content for one in listed if one.tool]
    return [text.strip().rpartition("\n")[2] for text in texts]


@pytest.mark.parametrize("calls", [TWICE, SAME], ids=["other output", "same output"])
@pytest.mark.parametrize("order", ["hooks chat", "chat hooks"])
def test_a_command_that_ran_twice_is_two_calls_by_both_sources(
    memory: Memoranda,
    hooked: Callable[..., None],
    tmp_path: Path,
    calls: list[Call],
    order: str,
) -> None:
    path = chat(tmp_path, *(recorded(number, [call]) for number, call in enumerate(calls)))
    for step in (*order.split(), *order.split()):
        if step == "hooks":
            hooked(*calls)
        else:
            memory.capture.import_transcript(path, again=True)
        assert outputs(memory) == [output for _, _, output in calls]


def test_what_one_hook_missed_comes_from_the_transcript(
    memory: Memoranda, hooked: Callable[..., None], tmp_path: Path
) -> None:
    hooked(TWICE[1])
    path = chat(tmp_path, *(recorded(number, [call]) for number, call in enumerate(TWICE)))
    assert memory.capture.import_transcript(path).intake.observations == 1
    assert sorted(outputs(memory)) == ["1 failed", "2 failed"]


def test_a_call_after_an_import_is_not_taken_for_the_one_before_it(
    memory: Memoranda, hooked: Callable[..., None], tmp_path: Path
) -> None:
    memory.capture.import_transcript(chat(tmp_path, recorded(0, TWICE[:1])))
    hooked(TWICE[1])
    assert outputs(memory) == ["2 failed", "1 failed"]


def test_calls_made_together_are_known_though_their_record_is_late(
    memory: Memoranda, hooked: Callable[..., None], tmp_path: Path
) -> None:
    hooked(*TOGETHER)
    assert (
        memory.capture.import_transcript(chat(tmp_path, recorded(0, TOGETHER))).intake.duplicates
        == 2
    )
    assert outputs(memory) == ["a", "b"]


@pytest.mark.parametrize("cancelled", [False, True], ids=["turn goes on", "turn cancelled"])
def test_answers_around_what_a_person_typed_during_a_call_are_stored_once(
    memory: Memoranda, data_dir: Path, tmp_path: Path, cancelled: bool
) -> None:
    def turn(end: int, *answers: str) -> dict[str, Any]:
        return {
            "session_id": SESSION, "cwd": "/srv/shop", "hook_event_name": "AfterAgent",
            "timestamp": moment(end), "prompt": "Mend it.", "prompt_response": "\n".join(answers),
        }  # fmt: skip

    def said(number: int, kind: str, text: str) -> dict[str, Any]:
        return {
            "id": f"s{number}", "type": kind, "content": text, "timestamp": moment(10 * number)
        }  # fmt: skip

    first = said(1, "gemini", "I look.") | {"toolCalls": recorded(0, TWICE[:1])["toolCalls"]}
    after = [said(3, "gemini", "So I use the other."), said(4, "gemini", "It passes.")]
    texts = ["I look.", "So I use the other.", "It passes."]
    ends = [turn(15, *texts[:1]), turn(45, *texts[1:])] if cancelled else [turn(45, *texts)]
    for end in ends:
        assert hook(data_dir, end, "spool", "gemini-cli").silent
    memory.capture.drain(wait=True)
    path = chat(
        tmp_path, said(0, "user", "Mend it."), first, said(2, "user", "Not that file."), *after
    )
    memory.capture.import_transcript(path)
    listed = memory.observations.list(workspace="all", limit=100)
    answers = [one for one in listed if one.origin.value == "agent" and not one.tool]
    assert len(answers) == len(ends)
