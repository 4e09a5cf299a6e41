"""Gemini CLI chats: events of each record type, and damaged records."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.gemini.chat import ChatHistory
from memoranda.capture.hosts.gemini.project import folder_of
from memoranda.capture.hosts.gemini.transcript import companions
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.observations.model import Origin
from mutations import mutated
from transcript_files import ROOT, read, write

SESSION = "5b0c6c1e-93d2-4d3e-8f0f-000000000001"
ROOT_HASH = hashlib.sha256(b"/home/ada/shop").hexdigest()
HEADER = {"sessionId": SESSION, "projectHash": ROOT_HASH, "kind": "main"}
RECORDED = ROOT / "tests" / "fixtures" / "hosts" / "gemini-cli"


def message(id: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return a message; its id is its second after ten o'clock."""
    at = f"2026-03-01T10:00:{int(id[1:]):02}.000Z"
    return {"id": id, "timestamp": at, "type": kind, "content": content, **more}


def call(id: str, response: Any, **more: Any) -> dict[str, Any]:
    """Return the record of a call of the shell."""
    part = {"functionResponse": {"id": id, "name": "run_shell_command", "response": response}}
    return {
        "id": id,
        "name": "run_shell_command",
        "args": {"command": "make"},
        "result": [part],
        "status": "success",
        "timestamp": "2026-03-01T10:00:30.000Z",
        **more,
    }


def chat(
    folder: Path, *records: Any, name: str = "session-x.jsonl"
) -> tuple[list[Event], TranscriptReader]:
    """Read a chat of these records, and check that rereading gives the same."""
    path = write(folder / name, [HEADER, *records])
    events, reader = read(path)
    assert [one.key for one in read(path)[0]] == [one.key for one in events]
    return events, reader


def test_a_person_and_the_agent_speak_in_the_session_of_the_header(tmp_path: Path) -> None:
    events, _ = chat(
        tmp_path,
        message("m1", "user", [{"text": "Paint "}, {"text": "it blue"}]),
        message("m2", "gemini", "Blue it is.", tokens={"total": 12}),
    )
    assert [(one.session, one.key, one.origin, one.text) for one in events] == [
        (SESSION, "line:m1", Origin.HUMAN, "Paint it blue"),
        (SESSION, "line:m2", Origin.AGENT, "Blue it is."),
    ]
    assert [one.tokens_used for one in events] == [None, 12]
    assert [one.occurred_at for one in events] == [1_772_359_201_000_000, 1_772_359_202_000_000]


def test_a_message_that_is_written_again_counts_once_as_last_written(tmp_path: Path) -> None:
    first = message("m2", "gemini", "", thoughts=[])
    events, reader = chat(
        tmp_path,
        message("m1", "user", "go"),
        first,
        {**first, "toolCalls": [call("c1", {"output": "Output: ok"})]},
        {"$set": {"lastUpdated": "2026-03-01T10:00:31.000Z"}},
    )
    assert [one.key for one in events] == ["line:m1", "tool:c1"]
    assert events[1].occurred_at == 1_772_359_230_000_000
    assert events[1].hook_report is not None
    assert events[1].hook_report.since == 1_772_359_202_000_000
    assert reader.tally.skipped == Counter({"type:header": 1, "earlier_record": 1, "type:$set": 1})


@pytest.mark.parametrize(
    ("response", "more", "failed", "tags", "output"),
    [
        ({"output": "Output: ok\nExit Code: 0"}, {}, False, (), "ok"),
        ({"output": "Output: no\nExit Code: 2"}, {}, True, (), "Exit code 2\nno"),
        ({"error": "not allowed"}, {"status": "error"}, True, (), "not allowed"),
        ({"error": "cancelled"}, {"status": "cancelled"}, True, ("interrupted",), "cancelled"),
        ({}, {"status": "error", "resultDisplay": "it broke"}, True, (), "it broke"),
        (None, {"status": "executing"}, False, ("pending",), None),
    ],
)
def test_a_call_ends_with_its_status_and_response(
    response: Any,
    more: dict[str, Any],
    failed: bool,
    tags: tuple[str, ...],
    output: Any,
    tmp_path: Path,
) -> None:
    made = message("m1", "gemini", "", toolCalls=[call("c1", response, **more)])
    (event,), _ = chat(tmp_path, made)
    assert event.kind is EventKind.TOOL_RESULT
    assert (event.failed, event.tags, event.output) == (failed, tags, output)
    assert event.outcome_known == ("pending" not in tags)


def test_a_call_in_the_content_alone_waits_or_has_the_response_that_was_sent(
    tmp_path: Path,
) -> None:
    def tool_call(id: str) -> dict[str, Any]:
        return {"functionCall": {"id": id, "name": "run_shell_command", "args": {"command": id}}}

    sent = {"functionResponse": {"id": "c1", "response": {"output": "Output: fine"}}}
    events, reader = chat(
        tmp_path,
        message("m1", "gemini", [{"text": "Both."}, tool_call("c1"), tool_call("c2")]),
        message("m2", "user", [sent]),
    )
    assert [one.key for one in events] == ["line:m1", "tool:c1", "call:c2"]
    assert [one.output for one in events] == [None, "fine", None]
    assert reader.tally.skipped["tool_response"] == 1


def test_turns_that_were_taken_back_are_rewound_and_the_rest_is_not(tmp_path: Path) -> None:
    events, _ = chat(
        tmp_path,
        message("m1", "user", "one"),
        message("m2", "gemini", "first"),
        message("m3", "user", "two"),
        {"$rewindTo": "m3"},
        message("m4", "user", "three"),
    )
    assert [(one.text, one.branch) for one in events] == [
        ("one", "main"), ("first", "main"), ("two", "rewound"), ("three", "main"),
    ]  # fmt: skip


def test_taking_back_to_an_unknown_message_takes_all_back_as_the_program_does() -> None:
    history = ChatHistory()
    for record in (message("m1", "user", "one"), {"$rewindTo": "lost"}, message("m2", "user", "x")):
        history.add(record)
    assert history.rewound == {"m1"}


def test_a_shortened_history_removes_no_message_and_adds_new_ones(tmp_path: Path) -> None:
    whole = message("m1", "user", "all of it")
    events, _ = chat(
        tmp_path,
        whole,
        {"$set": {"messages": [{**whole, "content": "[cut]"}, message("m2", "gemini", "new")]}},
    )
    assert [one.text for one in events] == ["all of it", "new"]


def test_what_a_person_typed_is_shown_text_not_what_it_stands_for(tmp_path: Path) -> None:
    expanded = "Review this.\nBe strict."
    events, _ = chat(
        tmp_path, message("m1", "user", expanded, displayContent=[{"text": "/review strict"}])
    )
    assert [(one.origin, one.text) for one in events] == [
        (Origin.HUMAN, "/review strict"),
        (Origin.GENERATED, expanded),
    ]


def test_texts_of_one_turn_state_their_hook_report(tmp_path: Path) -> None:
    events, _ = chat(
        tmp_path,
        message("m1", "user", "one"),
        message("m2", "gemini", "I look."),
        message("m3", "gemini", "Done."),
        message("m4", "user", "two"),
        message("m5", "gemini", "Well."),
    )
    reports = [one.hook_report.texts if one.hook_report else None for one in events]
    assert reports == [None, ("I look.\nDone.",), ("I look.\nDone.",), None, None]


def test_the_opening_of_a_session_is_counted_but_not_what_a_person_pastes(tmp_path: Path) -> None:
    pasted = "<session_context>x</session_context> what is this?"
    events, reader = chat(
        tmp_path,
        message("m1", "user", "<session_context>\nToday\n</session_context>"),
        message("m2", "user", [{"text": "<loaded_context>\na"}, {"text": "go on"}]),
        message("m3", "user", pasted),
    )
    assert "".join(one.text for one in events if one.origin is Origin.HUMAN).count("go on") == 1
    assert any("what is this?" in one.text for one in events)
    assert reader.tally.skipped["session_context"] == 2


def test_a_subagent_belongs_to_the_session_that_its_folder_names(tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    (chats / SESSION).mkdir(parents=True)
    main = write(chats / "session-2026-03-01T10-00-5b0c6c1e.jsonl", [HEADER])
    records = [
        {"sessionId": "a1", "projectHash": ROOT_HASH, "kind": "subagent"},
        message("m1", "user", "List it."),
        message("m2", "gemini", "One file."),
    ]
    own = write(chats / SESSION / "a1.jsonl", records)
    (chats / SESSION / "link.jsonl").symlink_to(own)
    assert companions(main) == [own]
    events, _ = read(own)
    assert {(one.session, one.agent, one.branch) for one in events} == {
        (SESSION, "subagent-a1", "sidechain")
    }
    assert [one.origin for one in events] == [Origin.AGENT, Origin.AGENT]


def test_no_folder_outside_is_looked_for_subagents(tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    chats.mkdir()
    write(tmp_path / "other.jsonl", [HEADER])
    for session in ("..", "../..", "/etc"):
        path = write(chats / "session-1.jsonl", [{**HEADER, "sessionId": session}])
        assert companions(path) == []


def test_the_folder_is_the_one_whose_hash_fits(tmp_path: Path) -> None:
    history = ChatHistory()
    history.add(HEADER)
    assert folder_of(history, tmp_path / "chats" / "s.jsonl") is None
    args = {"file_path": "/home/ada/shop/src/price.py"}
    history.add(message("m1", "gemini", "", toolCalls=[{"id": "c1", "name": "x", "args": args}]))
    assert folder_of(history, tmp_path / "chats" / "s.jsonl") == "/home/ada/shop"
    (tmp_path / ".project_root").write_text("/home/ada/other")
    assert folder_of(history, tmp_path / "chats" / "s.jsonl") == "/home/ada/shop"
    history.header["projectHash"] = "shop"
    assert folder_of(history, tmp_path / "chats" / "s.jsonl") == "/home/ada/other"


def test_prompts_are_read_for_sessions_without_a_chat(tmp_path: Path) -> None:
    entry = {"messageId": 0, "type": "user", "timestamp": "2026-03-01T10:00:00.000Z"}
    path = tmp_path / "logs.json"
    path.write_text(
        json.dumps(
            [
                {**entry, "sessionId": SESSION, "message": "in a chat"},
                {**entry, "sessionId": "gone-1", "message": "Where is the till?"},
                {**entry, "sessionId": "gone-1", "message": "x", "type": "system"},
            ],
            indent=2,
        )
    )
    (tmp_path / "chats").mkdir()
    write(tmp_path / "chats" / "session-2026-03-01T10-00-5b0c6c1e.jsonl", [HEADER])
    events, reader = read(path)
    assert [(one.session, one.text) for one in events] == [("gone-1", "Where is the till?")]
    assert reader.tally.skipped == Counter({"in_chat_file": 1, "type:system": 1})


SEEDS = [
    [line for line in path.read_bytes().split(b"\n") if line]
    for path in sorted(RECORDED.glob("transcript-*.jsonl"))
]


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_makes_the_reader_raise_or_repeat_something(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    mutant = mutated(chance.choice(SEEDS), chance)
    path = tmp_path / "session-1.jsonl"
    path.write_bytes(mutant.text())
    reader = reader_for(path, "gemini-cli")
    events = list(reader.events(read_lines(path, tally=reader.tally)))
    assert reader.tally.events == len(events)
    keys = [(one.session, one.key) for one in events]
    assert len(set(keys)) == len(keys)
    assert all(one.session and one.key for one in events)
