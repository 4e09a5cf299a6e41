"""Hook payloads of every host are converted to the `Event` type."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.hook_payloads import ADAPTERS, adapt
from memoranda.capture.hosts.json_fields import fingerprint
from memoranda.json_data import dump_json, parse_iso_time
from memoranda.observations.model import Origin
from tables import each

AT = 1_785_578_400_000_000
SAMPLES: dict[str, Any] = json.loads(
    (
        Path(__file__).parents[1] / "fixtures" / "transcripts" / "composed-hook-payloads.json"
    ).read_text(encoding="utf-8")
)
SESSION = "3f0c9a52-7d41-4b1e-9d53-0f6f0c1f7a10"


def hook(host: str, session: str, kind: EventKind, key: str, origin: Origin, **more: Any) -> Event:
    """Return the event expected of a hook in /srv/shop at AT."""
    event = Event(
        kind=kind,
        host=host,
        session=session,
        source=EventSource.HOOK,
        key=key,
        origin=origin,
        portable=host != "my-agent" and key.startswith(("prompt:", "tool:toolu", "tool:c1")),
        occurred_at=AT,
        cwd="/srv/shop",
    )
    return replace(event, **more)


def claude(kind: EventKind, key: str, origin: Origin, **more: Any) -> Event:
    return hook("claude-code", SESSION, kind, key, origin, **more)


def payload(name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": SESSION, "cwd": "/srv/shop", "hook_event_name": name, **more}


def some(host: str, raw: dict[str, Any]) -> Event:
    [event] = adapt(host, raw, AT)
    return event


CLAUDE_CODE_EVENTS: list[Event | None] = [
    claude(EventKind.TASK_START, f"start:startup:{AT}", Origin.GENERATED, tags=("startup",)),
    claude(
        EventKind.MESSAGE,
        "prompt:b1f9b0c4-2c55-4f0e-8a67-5a1f7a0f0001",
        Origin.HUMAN,
        text="Fix the cart total. <private>customer Ada, card ends 4242</private>",
    ),
    None,
    claude(
        EventKind.TOOL_RESULT,
        "tool:toolu_01CartTest0001",
        Origin.TOOL,
        tool="Bash",
        input={"command": "pytest -q tests/test_cart.py", "description": "Run cart tests"},
        output={
            "stdout": "..F.\n1 failed, 3 passed",
            "stderr": "",
            "interrupted": False,
            "isImage": False,
        },
        duration_ms=1840,
    ),
    claude(
        EventKind.TOOL_RESULT,
        "tool:toolu_01Lint0002",
        Origin.TOOL,
        tool="Bash",
        input={"command": "make lint"},
        output="Exit code 2\nruff: E711 in cart.py",
        failed=True,
        duration_ms=310,
    ),
    claude(
        EventKind.AGENT_END,
        f"agent-end:agent-7c1:{fingerprint('Two call sites use total().')}",
        Origin.AGENT,
        agent="Explore-agent-7c1",
        text="Two call sites use total().",
    ),
    claude(
        EventKind.MESSAGE,
        f"message:assistant:{fingerprint('Fixed rounding in cart.total().')}:{AT}",
        Origin.AGENT,
        text="Fixed rounding in cart.total().",
    ),
    claude(EventKind.CHECKPOINT, f"compact:auto:{AT}", Origin.GENERATED, tags=("compact",)),
    claude(
        EventKind.MESSAGE,
        f"message:compaction:{fingerprint('Cart rounding fixed; lint still failing.')}:{AT}",
        Origin.GENERATED,
        text="Cart rounding fixed; lint still failing.",
        tags=("compaction",),
    ),
    claude(
        EventKind.TASK_END,
        f"end:prompt_input_exit:{AT}",
        Origin.GENERATED,
        text="prompt_input_exit",
    ),
]


@each("index", range(len(CLAUDE_CODE_EVENTS)))
def test_claude_code_payloads_give_exactly_these_events(index: int) -> None:
    expected = CLAUDE_CODE_EVENTS[index]
    events = adapt("claude-code", SAMPLES["claude_code"][index], AT)
    assert events == (() if expected is None else (expected,))


def test_every_claude_code_sample_has_an_expectation() -> None:
    assert len(SAMPLES["claude_code"]) == len(CLAUDE_CODE_EVENTS)


def test_a_gemini_tool_event_has_geminis_time() -> None:
    occurred = parse_iso_time("2026-08-01T10:00:00Z")
    response: dict[str, Any] = {"llmContent": "cart.py", "returnDisplay": "cart.py"}
    assert SAMPLES["gemini_cli"][0]["tool_response"] == response
    mark = fingerprint(dump_json(["run_shell_command", {"command": "ls"}, "cart.py"]))
    assert some("gemini-cli", SAMPLES["gemini_cli"][0]) == hook(
        "gemini-cli",
        "g-1",
        EventKind.TOOL_RESULT,
        f"tool:{mark}:{occurred}",
        Origin.TOOL,
        tool="run_shell_command",
        input={"command": "ls"},
        output="cart.py",
        occurred_at=occurred,
    )


def test_a_codex_tool_event_without_an_id_is_known_by_content_and_moment() -> None:
    mark = fingerprint(dump_json(["Bash", {"command": "ls"}, "cart.py"]))
    assert some("codex", SAMPLES["codex"][0]) == hook(
        "codex",
        "c-1",
        EventKind.TOOL_RESULT,
        f"tool:{mark}:{AT}",
        Origin.TOOL,
        outcome_known=False,
        tool="Bash",
        input={"command": "ls"},
        output="cart.py",
    )


def test_a_cursor_shell_event_takes_its_session_and_folder_from_cursors_own_fields() -> None:
    mark = fingerprint(dump_json(["Shell", {"command": "ls"}, "cart.py"]))
    assert some("cursor", SAMPLES["cursor"][0]) == hook(
        "cursor",
        "q-1",
        EventKind.TOOL_RESULT,
        f"tool:{mark}:{AT}",
        Origin.TOOL,
        tool="Shell",
        input={"command": "ls"},
        output="cart.py",
        duration_ms=12,
    )


def test_an_interrupted_call_has_failed_and_is_marked() -> None:
    raw = payload("PostToolUseFailure", tool_use_id="t1", error="stopped", is_interrupt=True)
    event = some("claude-code", raw)
    assert (event.failed, event.tags, event.output) == (True, ("interrupted",), "stopped")


def test_a_denied_call_has_failed_with_the_reason_as_output() -> None:
    raw = payload("PermissionDenied", tool_name="Bash", tool_use_id="t1", reason="not in plan mode")
    event = some("claude-code", raw)
    assert (event.failed, event.tags, event.output) == (True, ("denied",), "not in plan mode")


@each(
    ("response", "failed"),
    [
        ({"stdout": "", "exitCode": 1}, True),
        ({"stdout": "", "exit_code": -9}, True),
        ({"stdout": "", "exitCode": 0}, False),
        ({"content": [], "isError": True}, True),
        ({"content": [], "isError": False}, False),
        ({"stdout": "", "interrupted": True}, True),
        ({"code": 404}, False),
        ("Exit code: 1", False),
        ([{"type": "text", "text": "fine"}], False),
        (None, False),
    ],
)
def test_a_response_fails_by_exit_code_error_flag_or_interruption(
    response: Any, failed: bool
) -> None:
    raw = payload("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_response=response)
    assert some("claude-code", raw).failed is failed


@each(
    ("response", "ended", "duration", "output"),
    [
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nboom", "failed", 100, "Exit code 1\nboom"),
        (
            "Chunk ID: 0b3\nWall time: 0.1 seconds\nProcess exited with code 2\n"
            "Original token count: 6\nOutput:\nboom\n",
            "failed",
            100,
            "Exit code 2\nboom\n",
        ),
        (
            "Wall time: 0.1000 seconds\nOutput:\nExit code: 0\nWall time: 2 seconds\nOutput:\nok",
            "well",
            100,
            "ok",
        ),
        (
            "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1",
            "well",
            100,
            "Exit code: 1",
        ),
        ("Exit code: 1 is what the manual says", "unknown", None, None),
        ("3 checks are wrong", "unknown", None, None),
        ("", "unknown", None, None),
        (
            "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 42\n"
            "Original token count: 0\nOutput:\nserving",
            "unknown",
            1000,
            "serving",
        ),
        ('exec_command failed: CreateProcess { message: "Rejected" }', "failed", None, None),
        ("apply_patch verification failed: Failed to find lines", "failed", None, None),
        (
            [{"type": "input_text", "text": "Exit code: 3\nWall time: 1 seconds\nOutput:\nx"}],
            "failed",
            1000,
            "Exit code 3\nx",
        ),
        (
            [
                {"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"},
                {"type": "input_text", "text": "Script error:\nboom"},
            ],
            "failed",
            0,
            "Script error:\nboom",
        ),
        (
            [
                {
                    "type": "input_text",
                    "text": "Script completed\nWall time 0.5 seconds\nOutput:\n",
                },
                {"type": "input_text", "text": '{"chunk_id":"a","exit_code":7,"output":"b\\n"}'},
            ],
            "failed",
            None,
            "Exit code 7\nb\n",
        ),
        (
            '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.25}}',
            "failed",
            250,
            "Exit code 1\nx",
        ),
        ('{"output":"x","metadata":{"exit_code":0}}', "well", None, "x"),
        ({"content": "x", "success": False}, "failed", None, "x"),
        ('{"output":"x","other":1}', "unknown", None, None),
        ('{"output":"printed by a command"}', "unknown", None, None),
        ('[{"text":"a"},{"text":"b"}]', "unknown", None, None),
        ('[{"type":"text","text":"a"},{"type":"text","text":"b"}]', "unknown", None, "a\nb"),
        (
            {"content": [{"type": "text", "text": "no"}], "isError": True, "structuredContent": {}},
            "failed",
            None,
            None,
        ),
    ],
)
def test_codex_reports_the_exit_code_around_the_output_or_not_at_all(
    response: Any, ended: str, duration: int | None, output: str | None
) -> None:
    raw = payload("PostToolUse", tool_name="Bash", tool_use_id="c1", tool_response=response)
    event = some("codex", raw)
    result = "failed" if event.failed else "well" if event.outcome_known else "unknown"
    wanted = response if output is None else output
    assert (result, event.duration_ms, event.output) == (ended, duration, wanted)


@each(
    ("llm", "more", "failed", "output"),
    [
        ("x", {"error": {"message": "no such file"}}, True, "x"),
        ("", {"error": {"message": "no such file"}}, True, "no such file"),
        ("Output: Exit Code: 3\nExit Code: 1", {}, True, "Exit code 1\nExit Code: 3"),
        ("Output: Exit Code: 7\nProcess Group PGID: 5", {}, False, "Exit Code: 7"),
        (
            "Output: a\nExit Code: 7\nb\nExit Code: (none)\nSignal: (none)",
            {},
            False,
            "a\nExit Code: 7\nb",
        ),
        (
            "<untrusted_context>\nOutput: out\nerr\nExit Code: 3\nProcess Group PGID: 24\n"
            "</untrusted_context>",
            {"returnDisplay": "out\nerr"},
            True,
            "Exit code 3\nout\nerr",
        ),
        (
            "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 2\n</untrusted_context>",
            {},
            False,
            "",
        ),
        ("Output: (empty)\nSignal: 9\nProcess Group PGID: 2", {}, True, "Terminated by signal 9"),
        (
            "Command: make\nDirectory: (root)\nStdout: building\nStderr: no rule\nError: (none)\n"
            "Exit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9",
            {},
            True,
            "Exit code 2\nbuilding\nno rule",
        ),
        ([{"text": "one"}, {"text": "two"}], {}, False, "one\ntwo"),
        (
            [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
            {},
            False,
            [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "AA=="},
                }
            ],
        ),
        (
            "Found 1 match",
            {"returnDisplay": {"summary": "Found 1 match", "matches": []}},
            False,
            {
                "content": "Found 1 match",
                "returnDisplay": {"summary": "Found 1 match", "matches": []},
            },
        ),
    ],
)
def test_a_response_of_gemini_is_read_to_what_the_tool_wrote(
    llm: Any, more: dict[str, Any], failed: bool, output: Any
) -> None:
    response = {"llmContent": llm, **more}
    raw = payload("AfterTool", tool_name="run_shell_command", tool_response=response)
    event = some("gemini-cli", raw)
    assert (event.failed, event.output) == (failed, output)


def test_gemini_compresses_on_request_and_not_always() -> None:
    assert some("gemini-cli", payload("PreCompress", trigger="manual")).kind == "checkpoint"
    assert adapt("gemini-cli", payload("PreCompress", trigger="auto"), AT) == ()


def test_a_main_session_started_as_an_agent_type_is_still_the_main_agent() -> None:
    started = some("claude-code", payload("SessionStart", source="startup", agent_type="reviewer"))
    used = some("claude-code", payload("PostToolUse", tool_use_id="t", agent_id="a1"))
    assert (started.agent, used.agent) == ("main", "a1")


def test_a_subagents_start_is_one_event_however_many_hooks_report_it() -> None:
    raw = payload("SubagentStart", agent_id="a1", agent_type="Explore")
    [first], [second] = adapt("claude-code", raw, AT), adapt("claude-code", raw, AT + 5)
    assert (first.kind, first.agent) == (EventKind.AGENT_START, "Explore-a1")
    assert first.key == second.key


def test_a_failed_stop_is_an_error_with_its_details() -> None:
    event = some("claude-code", payload("StopFailure", error="rate_limit", error_details="429"))
    assert (event.kind, event.text) == (EventKind.ERROR, "rate_limit: 429")


@each(
    ("host", "raw"),
    [
        ("claude-code", payload("Stop")),
        ("claude-code", payload("UserPromptSubmit", prompt="")),
        ("claude-code", payload("Notification", message="hi")),
        ("claude-code", {"hook_event_name": "SessionStart", "source": "startup"}),
        ("claude-code", payload("SubagentStop", agent_id="a1", agent_type="")),
        ("codex", payload("PreToolUse", tool_name="Bash")),
        ("gemini-cli", payload("BeforeTool")),
        ("cursor", {"conversation_id": "q", "hook_event_name": "stop", "status": "completed"}),
        ("generic", {"kind": "tool_call", "session": "s"}),
        ("generic", {"kind": "message", "session": "s"}),
        ("generic", {"kind": "message", "text": "no session"}),
    ],
)
def test_a_payload_without_content_gives_no_event(host: str, raw: dict[str, Any]) -> None:
    assert adapt(host, raw, AT) == ()


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("claude-code", "<task-notification>done</task-notification>"),
        ("claude-code", " <system-reminder>be brief</system-reminder>"),
        ("codex", "<environment_context>\n</environment_context>"),
        ("codex", "# AGENTS.md instructions for /srv/shop"),
    ],
)
def test_a_prompt_that_the_host_wrote_is_not_a_persons(host: str, text: str) -> None:
    event = some(host, payload("UserPromptSubmit", prompt=text, prompt_id="p1"))
    assert (event.origin, event.tags, event.text) == (Origin.GENERATED, ("envelope",), text)
    assert not event.key.startswith("prompt:")


def test_a_person_may_begin_a_sentence_with_caveat() -> None:
    raw = payload("UserPromptSubmit", prompt="Caveat: never deploy on Fridays", prompt_id="p1")
    assert some("claude-code", raw).origin is Origin.HUMAN


@each(
    ("host", "raw", "kind", "origin", "text"),
    [
        ("gemini-cli", payload("BeforeAgent", prompt="hi"), "message", "human", "hi"),
        ("gemini-cli", payload("AfterAgent", prompt_response="yo"), "message", "agent", "yo"),
        ("gemini-cli", payload("PreCompress", trigger="manual"), "checkpoint", "generated", ""),
        ("codex", payload("SessionEnd", reason="other"), "task_end", "generated", "other"),
        ("gemini-cli", payload("SessionEnd", reason="exit"), "task_end", "generated", "exit"),
        ("cursor", payload("beforeSubmitPrompt", prompt="hi"), "message", "human", "hi"),
        ("cursor", payload("afterAgentResponse", text="yo"), "message", "agent", "yo"),
        ("cursor", payload("stop", status="error"), "error", "generated", "stopped on an error"),
        ("codex", payload("Stop", last_assistant_message="yo"), "message", "agent", "yo"),
    ],
)
def test_other_hosts_name_the_same_moments_their_own_way(
    host: str, raw: dict[str, Any], kind: str, origin: str, text: str
) -> None:
    event = some(host, raw)
    assert (event.kind, event.origin, event.text) == (kind, origin, text)


def test_cursor_puts_json_into_strings_for_mcp_calls() -> None:
    raw = payload(
        "afterMCPExecution",
        tool_name="lookup",
        tool_input='{"query":"x"}',
        result_json='{"isError":true,"content":[]}',
    )
    event = some("cursor", raw)
    assert event.input == {"query": "x"}
    assert event.output == {"isError": True, "content": []}
    assert event.failed


def test_a_cursor_edit_has_the_edits_as_input() -> None:
    edits = [{"old_string": "a", "new_string": "b"}]
    event = some("cursor", payload("afterFileEdit", file_path="/srv/shop/cart.py", edits=edits))
    assert (event.tool, event.input) == ("Edit", {"file_path": "/srv/shop/cart.py", "edits": edits})


def test_a_generic_record_carries_every_field_of_an_event() -> None:
    raw: dict[str, Any] = {
        "kind": "tool_result",
        "session": "run-1",
        "id": "c1",
        "host": "my-agent",
        "occurred_at": "2026-08-01T10:00:00Z",
        "agent": "reviewer",
        "tool": "shell",
        "input": {"command": "ls"},
        "output": ["a"],
        "failed": True,
        "cwd": "/srv/shop",
        "branch": "sidechain",
        "tokens_used": 7,
        "duration_ms": 12.4,
        "tags": ["interrupted", 3],
    }
    assert some("generic", raw) == hook(
        "my-agent",
        "run-1",
        EventKind.TOOL_RESULT,
        "tool:c1",
        Origin.TOOL,
        occurred_at=parse_iso_time("2026-08-01T10:00:00Z"),
        agent="reviewer",
        tool="shell",
        input={"command": "ls"},
        output=["a"],
        failed=True,
        branch="sidechain",
        tokens_used=7,
        duration_ms=12,
        tags=("interrupted",),
    )


def test_a_generic_message_is_a_persons_only_if_marked() -> None:
    silent = some("generic", {"kind": "message", "session": "s", "text": "x", "id": "1"})
    human = some("generic", {"kind": "message", "session": "s", "text": "x", "origin": "human"})
    assert (silent.origin, silent.key) == (Origin.AGENT, "message:1")
    assert human.origin is Origin.HUMAN


def test_an_unknown_host_is_read_in_the_generic_form_under_its_own_name() -> None:
    event = some("my-agent", {"kind": "checkpoint", "session": "s"})
    assert (event.host, event.kind) == ("my-agent", EventKind.CHECKPOINT)


def test_words_that_cannot_be_encoded_still_get_a_key() -> None:
    event = some("codex", payload("UserPromptSubmit", prompt="half \ud83d"))
    assert event.key.startswith("message:user:")
    assert event.text == "half \ud83d"


def test_every_host_has_an_adapter() -> None:
    assert set(ADAPTERS) == {"claude-code", "gemini-cli", "codex", "cursor", "generic"}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
PAYLOADS: list[tuple[str, dict[str, Any]]] = [
    *(
        (host.replace("_", "-"), raw)
        for host, rows in SAMPLES.items()
        if host != "_note"
        for raw in rows
    ),
    ("generic", {"kind": "tool_result", "session": "s", "tags": ["x"], "occurred_at": "2026"}),
]


@given(st.data())
def test_no_payload_makes_an_adapter_raise(data: st.DataObject) -> None:
    host, sample = data.draw(st.sampled_from(PAYLOADS))
    damaged = dict(sample)
    for name in data.draw(st.lists(st.sampled_from(sorted(sample)), min_size=1, max_size=3)):
        damaged[name] = data.draw(JSON)
    assert all(event.session for event in adapt(host, damaged, AT))
