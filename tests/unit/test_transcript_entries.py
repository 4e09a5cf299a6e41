"""Events of single transcript lines, and their match with hook events."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.event import EventKind
from memoranda.capture.hosts.claude_code.transcript import companions
from memoranda.capture.hosts.hook_payloads import adapt
from memoranda.observations.model import Origin
from transcript_files import (
    assistant_line,
    call_block,
    chained,
    codex_item,
    read,
    result_line,
    text_block,
    user_line,
    write,
)


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_hook_and_transcript_agree_on_the_key_of_a_call(host: str, tmp_path: Path) -> None:
    expected: dict[str, tuple[str, list[Any]]] = {
        "claude-code": (
            "toolu_001",
            [
                assistant_line("a1", None, {"type": "tool_use", "id": "toolu_001", "name": "Bash"}),
                result_line("u1", "a1", "toolu_001", "ok"),
            ],
        ),
        "codex": (
            "call-1",
            [
                codex_item("function_call", name="shell", arguments="{}", call_id="call-1"),
                codex_item("function_call_output", output="ok", call_id="call-1"),
            ],
        ),
    }
    call_id, entries = expected[host]
    hook = {
        "hook_event_name": "PostToolUse",
        "session_id": "s1",
        "tool_use_id": call_id,
        "tool_name": "Bash",
        "tool_response": "ok",
    }
    [reported] = adapt(host, hook, 1)
    [event] = read(write(tmp_path / "s1.jsonl", entries))[0]
    assert event.key == reported.key == f"tool:{call_id}"
    assert (event.host, event.session) == (reported.host, reported.session)


def test_hook_and_transcript_agree_on_the_key_of_a_prompt(tmp_path: Path) -> None:
    hook = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "Fix it"}
    [reported] = adapt("claude-code", {**hook, "prompt_id": "p1"}, 1)
    events, _ = read(
        write(
            tmp_path / "s1.jsonl",
            [
                {**user_line("u0", None, "<system-reminder>x</system-reminder>"), "promptId": "p1"},
                {**user_line("u1", "u0", "Fix it"), "promptId": "p1"},
                {**user_line("u2", "u1", "and this too"), "promptId": "p1"},
                {
                    **user_line("u3", "u2", [text_block("Look"), text_block("here")]),
                    "promptId": "p2",
                },
            ],
        )
    )
    assert [event.key for event in events] == [
        "line:u0",
        reported.key,
        "line:u2",
        "prompt:p2",
    ]
    assert events[-1].text == "Look\nhere"


def branches(path: Path) -> dict[str, str]:
    return {event.key: event.branch for event in read(path)[0]}


def test_an_answer_in_several_lines_counts_its_tokens_once_on_its_first_event(
    tmp_path: Path,
) -> None:
    usage = [{"input_tokens": 10, "output_tokens": used} for used in (1, 9, 5)]
    events, _ = read(
        write(
            tmp_path / "s1.jsonl",
            [
                assistant_line(
                    "a1", None, {"type": "thinking", "thinking": ""}, id="m", usage=usage[0]
                ),
                assistant_line("a2", "a1", text_block("Look"), id="m", usage=usage[1]),
                assistant_line("a3", "a2", call_block("t1"), id="m", usage=usage[2]),
                result_line("u1", "a3", "t1", "ok"),
            ],
        )
    )
    assert [(event.key, event.tokens_used) for event in events] == [
        ("line:a2:0", 19),
        ("tool:t1", None),
    ]


def test_results_of_tools_that_ran_at_the_same_time_stay_on_the_main_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s1.jsonl",
        [
            user_line("u0", None, "go"),
            assistant_line("a1", "u0", call_block("t1"), id="m1"),
            assistant_line("a2", "a1", call_block("t2"), id="m1"),
            result_line("r2", "a2", "t2", "two"),
            result_line("r1", "a1", "t1", "one"),
            assistant_line("a3", "r2", text_block("done"), id="m2"),
        ],
    )
    assert set(branches(path).values()) == {"main"}


def test_an_answer_whose_other_call_is_still_running_stays_on_the_main_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s1.jsonl",
        [
            user_line("u0", None, "go"),
            assistant_line("a1", "u0", call_block("t1"), id="m1"),
            assistant_line("a2", "a1", call_block("t2"), id="m1"),
            result_line("r1", "a1", "t1", "one"),
        ],
    )
    assert branches(path) == {"line:u0": "main", "tool:t1": "main", "call:t2": "main"}


def test_tokens_go_to_the_first_block_of_a_line(tmp_path: Path) -> None:
    blocks = [call_block("t1"), text_block("one"), text_block("two")]
    events, _ = read(
        write(
            tmp_path / "s1.jsonl",
            [
                assistant_line("a1", None, *blocks, id="m", usage={"output_tokens": 5}),
                result_line("u1", "a1", "t1", "ok"),
            ],
        )
    )
    assert [(event.key, event.tokens_used) for event in events] == [
        ("line:a1:1", None),
        ("line:a1:2", None),
        ("tool:t1", 5),
    ]


def test_a_damaged_line_does_not_turn_what_came_before_it_into_an_abandoned_attempt(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path / "s1.jsonl",
        [
            user_line("u1", None, "one"),
            assistant_line("a1", "u1", text_block("two")),
            user_line("u2", "a1", "three"),
            assistant_line("a2", "u2", text_block("four")),
        ],
    )
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], b'{"type":"us\xff\x00', *lines[3:]]))
    events, reader = read(path)
    assert [(event.text, event.branch) for event in events] == [
        ("one", "main"),
        ("two", "main"),
        ("four", "main"),
    ]
    assert reader.tally.skipped == Counter({"invalid_json": 1})


def test_a_chain_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s1.jsonl", [user_line("u1", "u2", "one"), user_line("u2", "u1", "two")]
    )
    assert branches(path) == {"line:u1": "main", "line:u2": "main"}


def test_a_subagent_is_a_sidechain_under_its_own_name_and_its_prompt_is_no_persons(
    tmp_path: Path,
) -> None:
    side = {"isSidechain": True, "agentId": "7c1"}
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    path = write(
        folder / "agent-7c1.jsonl",
        [
            {**user_line("u1", None, "Find the callers"), **side},
            {**assistant_line("a1", "u1", text_block("Two")), **side},
        ],
    )
    events, _ = read(path)
    assert [(event.agent, event.branch, event.origin, event.session) for event in events] == [
        ("7c1", "sidechain", Origin.AGENT, "s1"),
        ("7c1", "sidechain", Origin.AGENT, "s1"),
    ]
    assert events[0].tags == ("delegated",)
    assert companions(tmp_path / "s1.jsonl") == [path]
    assert companions(path) == []


def test_what_a_person_sends_to_a_working_agent_is_theirs(tmp_path: Path) -> None:
    def queued(uuid: str, prompt: Any, mode: str) -> dict[str, Any]:
        attachment = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
        return {**chained(uuid, None, "attachment"), "attachment": attachment}

    events, _ = read(
        write(
            tmp_path / "s1.jsonl",
            [
                queued("q1", "use tabs", "prompt"),
                queued("q2", [text_block("see this")], "prompt"),
                queued("q3", "<task-notification/>", "task-notification"),
            ],
        )
    )
    assert [(event.text, event.origin) for event in events] == [
        ("use tabs", Origin.HUMAN),
        ("see this", Origin.HUMAN),
        ("<task-notification/>", Origin.GENERATED),
    ]


@pytest.mark.parametrize(
    ("structured", "content", "output", "failed"),
    [
        ({"stdout": "x", "exitCode": 1}, "x", {"stdout": "x", "exitCode": 1}, True),
        ("Error: no", "no", "Error: no", False),
        ("seen", "kept", {"content": "kept", "toolUseResult": "seen"}, False),
        (None, [text_block("x")], [text_block("x")], False),
    ],
)
def test_the_structured_result_precedes_the_text_and_neither_is_lost(
    structured: Any, content: Any, output: Any, failed: bool, tmp_path: Path
) -> None:
    row = {**result_line("u1", "a1", "t1", content), "toolUseResult": structured}
    events, _ = read(
        write(tmp_path / "s1.jsonl", [assistant_line("a1", None, call_block("t1")), row])
    )
    assert [(event.output, event.failed) for event in events] == [(output, failed)]


def test_a_call_that_a_person_rejected_is_denied(tmp_path: Path) -> None:
    text = "The user doesn't want to proceed with this tool use. Use pnpm instead."
    row = result_line("u1", "a1", "t1", text, is_error=True)
    [event], _ = read(
        write(tmp_path / "s1.jsonl", [assistant_line("a1", None, call_block("t1")), row])
    )
    assert (event.failed, event.tags) == (True, ("denied",))


def test_an_api_error_is_an_error_and_not_the_agents_word(tmp_path: Path) -> None:
    entry = {**assistant_line("a1", None, text_block("API Error: 529")), "isApiErrorMessage": True}
    [event], _ = read(write(tmp_path / "s1.jsonl", [entry]))
    assert (event.kind, event.origin) == (EventKind.ERROR, Origin.GENERATED)


def test_codex_instructions_are_counted_and_compactions_are_generated(tmp_path: Path) -> None:
    def message(role: str, text: str) -> dict[str, Any]:
        return codex_item("message", role=role, content=[{"type": "input_text", "text": text}])

    events, reader = read(
        write(
            tmp_path / "rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl",
            [
                message("user", "# AGENTS.md instructions for /srv/shop"),
                message("user", "<environment_context>x</environment_context>"),
                message("developer", "be brief"),
                message("user", "<subagent_notification>done</subagent_notification>"),
                message("user", "hello"),
                {"type": "compacted", "payload": {"message": "so far"}},
            ],
        )
    )
    result = "<subagent_notification>done</subagent_notification>"
    assert [(event.text, event.origin, event.tags) for event in events] == [
        (result, Origin.GENERATED, ("envelope",)),
        ("hello", Origin.HUMAN, ()),
        ("", Origin.GENERATED, ("compact",)),
        ("so far", Origin.GENERATED, ("compaction",)),
    ]
    assert reader.tally.skipped == {"instructions": 3}
    assert {event.session for event in events} == {"11111111-1111-4111-8111-111111111111"}
