"""Record formats in Codex rollouts, of versions from 2025 to 2026."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.transcripts import reader_for

THREAD = "019f0000-0000-7000-8000-00000000000a"
META = {
    "timestamp": "2026-06-01T00:00:00Z",
    "type": "session_meta",
    "payload": {"id": THREAD, "timestamp": "2026-06-01T00:00:00Z", "cwd": "/work"},
}


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-06-01T00:00:01Z", "type": "response_item", "payload": payload}


def notice(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-06-01T00:00:02Z", "type": "event_msg", "payload": payload}


def events(folder: Path, *entries: dict[str, Any]) -> tuple[list[Event], dict[str, int]]:
    path = folder / f"rollout-2026-06-01T00-00-00-{THREAD}.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in (META, *entries)), "utf-8")
    reader = reader_for(path)
    found = list(reader.events(read_lines(path, tally=reader.tally)))
    return found, dict(reader.tally.skipped)


def event_fields(event: Event) -> tuple[str | None, Any, str, Any]:
    ended = "failed" if event.failed else "well" if event.outcome_known else "unknown"
    return event.tool, event.input, ended, event.output


SHELL = {
    "type": "function_call",
    "name": "shell",
    "call_id": "c",
    "arguments": '{"command":["ls"]}',
}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch\n"
EDIT = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": PATCH}
CHANGES = {"a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": None}}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param(
            [
                item(**SHELL),
                notice(type="exec_command_end", call_id="c", exit_code=3, stdout="", stderr="no"),
                item(type="function_call_output", call_id="c", output="no"),
            ],
            ("shell", {"command": ["ls"]}, "failed", "Exit code 3\nno"),
            id="the end tells the code that the output lacks",
        ),
        pytest.param(
            [
                item(**SHELL),
                notice(
                    type="exec_command_end",
                    call_id="c",
                    exit_code=0,
                    aggregated_output="out",
                    duration={"secs": 0, "nanos": 1},
                ),
            ],
            ("shell", {"command": ["ls"]}, "well", "out"),
            id="an end without an answer",
        ),
        pytest.param(
            [item(**SHELL), notice(type="exec_command_end", call_id="c")],
            ("shell", {"command": ["ls"]}, "unknown", ""),
            id="an end that tells nothing",
        ),
        pytest.param(
            [
                item(**EDIT),
                notice(type="patch_apply_end", call_id="c", success=True, changes=CHANGES),
                item(
                    type="custom_tool_call_output",
                    call_id="c",
                    output=json.dumps(
                        {"output": "Success. Updated the following files:\nM a.py\n"}
                    ),
                ),
            ],
            ("apply_patch", PATCH, "well", "Success. Updated the following files:\nM a.py\n"),
            id="a patch and its end",
        ),
        pytest.param(
            [
                item(**EDIT),
                notice(type="patch_apply_end", call_id="c", success=False, status="failed"),
            ],
            ("apply_patch", PATCH, "failed", ""),
            id="a patch that failed, without an answer",
        ),
        pytest.param(
            [
                notice(
                    type="patch_apply_end",
                    call_id="x",
                    success=True,
                    stdout="Success",
                    changes={"n.py": {"add": {"content": "a\n"}}, "o.py": {"type": "delete"}},
                ),
            ],
            (
                "apply_patch",
                "*** Begin Patch\n*** Add File: n.py\n+a\n*** Delete File: o.py\n*** End Patch",
                "well",
                "Success",
            ),
            id="a patch that only its end tells of",
        ),
        pytest.param(
            [
                notice(
                    type="item_completed",
                    item={
                        "type": "McpToolCall",
                        "id": "exec-1",
                        "server": "files",
                        "tool": "read",
                        "arguments": {"path": "a"},
                        "status": "failed",
                        "error": {"message": "no file"},
                    },
                )
            ],
            ("mcp__files__read", {"path": "a"}, "failed", {"message": "no file"}),
            id="a tool of a server, called by a script",
        ),
        pytest.param(
            [
                notice(
                    type="mcp_tool_call_end",
                    call_id="m",
                    invocation={"server": "echo", "tool": "echo", "arguments": {"text": "ping"}},
                    result={"Ok": {"content": [{"type": "text", "text": "ping"}], "isError": True}},
                )
            ],
            (
                "mcp__echo__echo",
                {"text": "ping"},
                "failed",
                {"content": [{"type": "text", "text": "ping"}], "isError": True},
            ),
            id="a tool of a server that tells an error",
        ),
        pytest.param(
            [
                item(type="local_shell_call", call_id="c", action={"command": ["ls"]}),
                item(
                    type="function_call_output",
                    call_id="c",
                    output='{"output":"x","metadata":{"exit_code":1,"duration_seconds":1}}',
                ),
            ],
            ("local_shell", {"command": ["ls"]}, "failed", "Exit code 1\nx"),
            id="the shell of the API",
        ),
        pytest.param(
            [
                item(
                    type="function_call", name="exec_command", call_id="c", arguments={"cmd": "x"}
                ),
                item(
                    type="function_call_output",
                    call_id="c",
                    output="Chunk ID: a\nWall time: 1.0 seconds\n"
                    "Process running with session ID 7\nOriginal token count: 1\n"
                    "Output:\nserving\n",
                ),
            ],
            ("exec_command", {"cmd": "x"}, "unknown", "serving\n"),
            id="a process that goes on",
        ),
    ],
)
def test_how_a_call_ended_is_found_in_every_shape(
    tmp_path: Path, entries: list[dict[str, Any]], expected: tuple[Any, ...]
) -> None:
    found, _ = events(tmp_path, *entries)
    assert [event_fields(event) for event in found if event.kind is EventKind.TOOL_RESULT] == [
        expected
    ]


def test_what_is_no_event_is_counted_by_its_kind(tmp_path: Path) -> None:
    found, skipped = events(
        tmp_path,
        {"type": "world_state", "payload": {}},
        {"type": "token_usage_record", "payload": {}},
        item(type="additional_tools", tools=[]),
        item(type="image_generation_call", result="AA=="),
        item(type="reasoning", summary=[], encrypted_content="x"),
        item(role="assistant", content=[{"type": "output_text", "text": "no type"}]),
        notice(type="web_search_end", call_id="w"),
        notice(type="item_completed", item={"type": "CollabAgentToolCall", "id": "c"}),
        notice(type="item_completed", item={"type": "AgentMessage", "id": "m"}),
    )
    assert [event.text for event in found] == ["no type"]
    assert skipped == {
        "type:session_meta": 1,
        "type:world_state": 1,
        "type:token_usage_record": 1,
        "item:additional_tools": 1,
        "item:image_generation_call": 1,
        "item:reasoning": 1,
        "event:web_search_end": 1,
        "event:item_completed:CollabAgentToolCall": 1,
        "empty": 1,
    }


def test_a_rollback_is_read_back_to_where_its_turns_begin(tmp_path: Path) -> None:
    def message(role: str, text: str) -> dict[str, Any]:
        return item(type="message", role=role, content=[{"type": "input_text", "text": text}])

    before = [message("user", "one"), message("assistant", "1"), message("user", "two")]
    events(tmp_path, *before)
    path = next(tmp_path.iterdir())
    end = path.stat().st_size
    second = path.read_bytes().rindex(b'{"timestamp"')
    assert reader_for(path).begin(end) == end
    events(tmp_path, *before, notice(type="thread_rolled_back", num_turns=1))
    assert reader_for(path).begin(end) == second
