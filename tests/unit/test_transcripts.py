"""Transcripts of every host become `Event` objects, by sample files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from memoranda.capture.event import UNKNOWN, Checkout, Event, EventKind, EventSource
from memoranda.json_data import parse_iso_time
from memoranda.observations.model import Origin
from transcript_files import FIXTURES, ROOT, read, rows


def words(row: Any, index: int = 0) -> str:
    text: str = row["message"]["content"][index]["text"]
    return text


def command_markup(text: str) -> str:
    """Return the host's markup around the arguments of a command."""
    before, _, after = text.partition("<command-args>")
    return before + "\n" + after.partition("</command-args>")[2]


def expect(host: str, session: str, cwd: str | None) -> Any:
    """Return a function that makes the expected events of a transcript."""
    base = Event(
        kind=EventKind.MESSAGE,
        host=host,
        session=session,
        source=EventSource.TRANSCRIPT,
        key="",
        origin=Origin.AGENT,
        cwd=cwd,
    )

    def make(key: str, origin: Origin, at: str | None = None, **more: Any) -> Event:
        occurred_at = parse_iso_time(at) if at else None
        # Codex and Cursor number the lines of a file, Claude Code assigns ids.
        portable = host == "claude-code" or key.startswith("tool:")
        more = {"portable": portable} | more
        return replace(base, key=key, origin=origin, occurred_at=occurred_at, **more)

    return make


def call(
    make: Any, key: str, at: str | None, tool: str, value: Any, output: Any, **more: Any
) -> Any:
    kind = EventKind.TOOL_RESULT
    return make(key, Origin.TOOL, at, kind=kind, tool=tool, input=value, output=output, **more)


def test_the_minimal_sample_gives_exactly_these_events() -> None:
    make = expect("claude-code", "test-session-id", None)
    events, reader = read(FIXTURES / "cc-minimal-simonw.jsonl")
    assert events[0].checkout == Checkout(branch="main")
    events = [replace(event, checkout=UNKNOWN) for event in events]
    assert events == [
        make(
            "line:msg-001",
            Origin.HUMAN,
            "2025-12-24T10:00:00Z",
            text="Create a hello world function",
            cwd="/project",
        ),
        make(
            "line:msg-002:0",
            Origin.AGENT,
            "2025-12-24T10:00:05Z",
            text="I'll create that function for you.",
        ),
        call(
            make,
            "tool:toolu_001",
            "2025-12-24T10:00:10Z",
            "Write",
            {
                "file_path": "/project/hello.py",
                "content": "def hello():\n    return 'Hello, World!'\n",
            },
            "File written successfully",
        ),
        call(
            make,
            "tool:toolu_002",
            "2025-12-24T10:00:20Z",
            "Bash",
            {
                "command": "git add . && git commit -m 'Add hello function'",
                "description": "Commit changes",
            },
            "[main abc1234] Add hello function\n 1 file changed",
        ),
        make(
            "line:msg-006", Origin.HUMAN, "2025-12-24T10:01:00Z", text="Now add a goodbye function"
        ),
        make(
            "line:msg-007:0",
            Origin.AGENT,
            "2025-12-24T10:01:05Z",
            text="Done! The hello function is ready.",
        ),
    ]
    assert reader.tally.skipped == Counter({"type:summary": 1})
    assert (reader.tally.lines, reader.tally.events) == (8, 6)


def test_the_representative_sample_gives_exactly_these_events() -> None:
    make = expect("claude-code", "test_session", "/tmp")
    row = rows("cc-v1.0.0-representative.jsonl")
    events, reader = read(FIXTURES / "cc-v1.0.0-representative.jsonl")
    edit, run = row[3]["message"]["content"][0], row[7]["message"]["content"][0]
    assert events == [
        make("line:msg_001", Origin.HUMAN, "2025-06-14T10:00:00Z", text=words(row[0])),
        make(
            "line:msg_002:0",
            Origin.AGENT,
            "2025-06-14T10:00:30Z",
            text=words(row[1]),
            tokens_used=145,
        ),
        make("line:msg_003", Origin.HUMAN, "2025-06-14T10:01:00Z", text=words(row[2])),
        call(
            make,
            "tool:tool_001",
            "2025-06-14T10:01:31Z",
            "Edit",
            edit["input"],
            "File created successfully at: /tmp/decorator_example.py",
            tokens_used=130,
        ),
        make(
            "line:msg_006:0",
            Origin.AGENT,
            "2025-06-14T10:02:00Z",
            text=words(row[5]),
            tokens_used=173,
        ),
        make("line:msg_007", Origin.HUMAN, "2025-06-14T10:02:30Z", text=words(row[6])),
        call(
            make,
            "tool:tool_002",
            "2025-06-14T10:03:01Z",
            "Bash",
            run["input"],
            "Hello, Alice!\nHello, Alice!\nHello, Alice!",
            tokens_used=60,
        ),
        make(
            "line:msg_010:0",
            Origin.AGENT,
            "2025-06-14T10:03:30Z",
            text=words(row[9]),
            tokens_used=155,
        ),
        make("line:msg_011", Origin.HUMAN, "2025-06-14T10:04:00Z", text=words(row[10])),
    ]
    assert reader.tally.skipped == Counter({"type:summary": 1})


def test_the_todo_sample_gives_structured_results() -> None:
    make = expect("claude-code", "todowrite_session", "/tmp")
    row = rows("cc-v1.0.24-todowrite.jsonl")
    events, _ = read(FIXTURES / "cc-v1.0.24-todowrite.jsonl")

    def todo(number: int, count: int, answered: int, at: str, tokens: int) -> Event:
        arguments = row[count]["message"]["content"][0]["input"]
        key, output = f"tool:toolu_todowrite_00{number}", row[answered]["toolUseResult"]
        event: Event = call(make, key, at, "TodoWrite", arguments, output, tokens_used=tokens)
        return event

    def message_event(number: int, index: int, at: str, tokens: int) -> Event:
        event: Event = make(
            f"line:assistant_00{number}:0",
            Origin.AGENT,
            at,
            text=words(row[index]),
            tokens_used=tokens,
        )
        return event

    assert events == [
        make(
            "line:user_001",
            Origin.HUMAN,
            "2025-06-14T10:00:00Z",
            text="Can you help me implement a new feature with proper task management?",
        ),
        message_event(1, 1, "2025-06-14T10:00:05Z", 45),
        todo(1, 2, 3, "2025-06-14T10:00:11Z", 110),
        message_event(3, 4, "2025-06-14T10:01:00Z", 168),
        todo(2, 5, 6, "2025-06-14T10:02:01Z", 253),
        make(
            "line:user_004",
            Origin.HUMAN,
            "2025-06-14T10:03:00Z",
            text="Can you add a task for security review as well?",
        ),
        message_event(5, 8, "2025-06-14T10:03:05Z", 270),
        todo(3, 9, 10, "2025-06-14T10:04:01Z", 365),
    ]


def test_odd_lines_are_counted_and_everything_else_is_read() -> None:
    make = expect("claude-code", "edge_cases", "/tmp")
    row = rows("cc-v1-edge-cases.jsonl")
    events, reader = read(FIXTURES / "cc-v1-edge-cases.jsonl")
    envelope = {"tags": ("envelope",)}
    pending = {"tags": ("pending",), "outcome_known": False}
    broken = row[16]["message"]["content"][0]["input"]
    assert events == [
        make("line:edge_001", Origin.HUMAN, "2025-06-14T11:00:00Z", text=words(row[0])),
        make(
            "line:edge_002:0",
            Origin.AGENT,
            "2025-06-14T11:00:30Z",
            text=words(row[1]),
            tokens_used=180,
        ),
        make("line:edge_003", Origin.HUMAN, "2025-06-14T11:01:00Z", text=words(row[2])),
        call(
            make,
            "tool:tool_edge_001",
            "2025-06-14T11:01:31Z",
            "FailingTool",
            {"test_param": "This tool will fail to demonstrate error handling"},
            "Error: Tool execution failed with error: Command not found",
            failed=True,
            tokens_used=225,
        ),
        make(
            "line:edge_006",
            Origin.GENERATED,
            "2025-06-14T11:02:00Z",
            text=words(row[5]),
            **envelope,
        ),
        make(
            "line:edge_007",
            Origin.HUMAN,
            "2025-06-14T11:02:10Z",
            text="/test-command --verbose --output /tmp/test.log",
        ),
        make(
            "host:line:edge_007",
            Origin.GENERATED,
            "2025-06-14T11:02:10Z",
            text=command_markup(words(row[6])),
            **envelope,
        ),
        make(
            "line:edge_008",
            Origin.GENERATED,
            "2025-06-14T11:02:20Z",
            text=words(row[7]),
            **envelope,
        ),
        make(
            "line:edge_009:0",
            Origin.AGENT,
            "2025-06-14T11:03:00Z",
            text=words(row[8]),
            tokens_used=265,
        ),
        make("line:edge_011", Origin.HUMAN, "2025-06-14T11:03:30Z", text=words(row[11])),
        make(
            "line:edge_010", Origin.GENERATED, "2025-06-14T11:03:01Z", text="wow error", **envelope
        ),
        call(
            make,
            "call:tool_edge_002",
            "2025-06-14T11:03:00Z",
            "MultiEdit",
            row[8]["message"]["content"][1]["input"],
            None,
            **pending,
        ),
        call(
            make,
            "call:toolu_todowrite_002",
            "2025-06-14T10:02:00Z",
            "TodoWrite",
            broken,
            None,
            session="todowrite_session",
            **pending,
        ),
    ]
    assert reader.tally.skipped == Counter(
        {"not_an_object": 3, "malformed": 2, "no_type": 1, "type:summary": 1}
    )


def test_an_abandoned_attempt_is_rewound_and_what_was_compacted_is_not() -> None:
    make = expect("claude-code", "s1", "/tmp")
    events, _ = read(FIXTURES / "cc-v2.1-compact-after-rewind.jsonl")

    def message_event(uuid: str, minute: str, text: str, branch: str = "main") -> Event:
        at, key = f"2025-07-01T10:{minute}Z", f"line:{uuid}:0"
        event: Event = make(key, Origin.AGENT, at, text=text, branch=branch, tokens_used=15)
        return event

    def typed(uuid: str, minute: str, text: str, branch: str = "main") -> Event:
        at = f"2025-07-01T10:{minute}Z"
        event: Event = make(f"line:{uuid}", Origin.HUMAN, at, text=text, branch=branch)
        return event

    assert events == [
        typed("u1", "00:00", "Start"),
        message_event("a1", "01:00", "Ready"),
        typed("b1u", "02:00", "First attempt", "rewound"),
        message_event("b1a", "03:00", "First answer", "rewound"),
        typed("b2u", "10:00", "Second attempt"),
        message_event("b2a", "11:00", "Second answer"),
        typed("b2u2", "20:00", "Keep going"),
        message_event("b2a2", "21:00", "Kept going"),
        make(
            "line:cb",
            Origin.GENERATED,
            "2025-07-01T10:30:00Z",
            kind=EventKind.CHECKPOINT,
            tags=("compact",),
        ),
        make(
            "line:cs",
            Origin.GENERATED,
            "2025-07-01T10:30:01Z",
            text="This session is being continued from a previous conversation that ran out of "
            "context. Summary: the user asked for a plan.",
            tags=("compaction",),
        ),
        typed("p1u", "40:00", "After compaction"),
        message_event("p1a", "41:00", "Final answer"),
    ]


def _by_place(events: list[Event]) -> list[Event]:
    """Return events under their former keys, which were based on position."""
    assert all(event.key.startswith(("said:", "tool:")) for event in events)
    return [replace(e, key=next(iter(e.former_keys), e.key), former_keys=()) for e in events]


def test_the_codex_sample_is_read_completely_and_once() -> None:
    make = expect("codex", "11111111-1111-4111-8111-111111111111", "/workspace/synthetic-project")
    events, reader = read(FIXTURES / "codex-rollout.jsonl")
    day = "2026-01-02T03:04:"
    answer = "The synthetic files are alpha.txt and beta.txt."
    thought = "I will inspect the synthetic directory."
    patch = "*** Begin Patch\n*** Add File: gamma.txt\n+synthetic\n*** End Patch"
    assert _by_place(events) == [
        make("line:628:0", Origin.HUMAN, day + "07.001Z", text="List the synthetic files."),
        make("line:804:0", Origin.AGENT, day + "08Z", text=thought, tags=("thinking",)),
        call(
            make,
            "tool:call-structured-001",
            day + "10Z",
            "exec_command",
            {"cmd": "find . -maxdepth 1 -type f"},
            "./alpha.txt\n./beta.txt",
            outcome_known=False,
        ),
        call(make, "tool:call-custom-001", day + "12Z", "apply_patch", patch, "Done!"),
        call(
            make,
            "tool:call-mcp-001",
            day + "14Z",
            "mcp__synthetic__lookup",
            {"query": "fixture"},
            '{"status":"ok"}',
        ),
        make("line:2357:0", Origin.AGENT, day + "15.001Z", text=answer),
    ]
    assert reader.tally.skipped == Counter(
        {
            "duplicate_text": 2,
            "type:session_meta": 1,
            "type:turn_context": 1,
            "type:future_synthetic_record": 1,
        }
    )


def test_the_cursor_sample_is_keyed_by_place() -> None:
    make = expect("cursor", "cursor-agent-transcript", None)
    path = FIXTURES / "cursor-agent-transcript.jsonl"
    events, _ = read(path)
    assert {one.occurred_at for one in events} == {path.stat().st_mtime_ns // 1_000}
    assert [replace(one, occurred_at=None) for one in events] == [
        make("line:0:0", Origin.HUMAN, text="please list the files in src/"),
        make("line:95:0", Origin.AGENT, text="I'll list the files now."),
        make("line:190:0", Origin.HUMAN, text="thanks, also tell me what you found"),
        call(
            make,
            "line:291:0",
            None,
            "Shell",
            {"command": "ls src/"},
            None,
            tags=("pending",),
            outcome_known=False,
        ),
        make("line:401:0", Origin.AGENT, text="Here are the files: adapters, handlers, types."),
    ]


def test_the_documented_example_is_read_as_documented(tmp_path: Path) -> None:
    document = (ROOT / "docs" / "generic-events.md").read_text(encoding="utf-8")
    example = document.partition("```json\n")[2].partition("```")[0]
    path = tmp_path / "run.jsonl"
    path.write_text(example, encoding="utf-8")
    events, reader = read(path)
    assert [(event.kind, event.key) for event in events] == [
        ("task_start", "line:0:0"),
        ("message", "prompt:p1"),
        ("message", f"line:{example.index('{', example.index('Never touch'))}:0"),
        ("tool_result", "tool:c1"),
        ("agent_start", "agent_start:reviewer-1"),
        ("agent_end", "agent_end:reviewer-1"),
        ("task_end", f"line:{example.rindex('{')}:0"),
    ]
    assert {event.session for event in events} == {"run-42"}
    assert reader.tally.skipped == Counter()
