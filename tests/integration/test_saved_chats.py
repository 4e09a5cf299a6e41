"""Imports of saved chats: formats, encodings, refusals and repeats."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hooking import hook

from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.observations.model import FullObservation
from transcript_files import assistant_line, result_line, user_line

SESSION = "7e1d2c3b-0000-4000-8000-0000000000bb"
HEADER = {"sessionId": SESSION, "projectHash": "0" * 64, "kind": "main"}
NAME = "session-2026-10-02T10-00-7e1d2c3b"
RECORDED = Path(__file__).parents[1] / "fixtures" / "hosts" / "gemini-cli"


def moment(second: int) -> str:
    """Return a time by second; all events are in one minute."""
    return f"2026-10-02T10:00:{second:02}.000Z"


def message(second: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return a message of a chat; its id is its second."""
    return {
        "id": f"m{second}",
        "timestamp": moment(second),
        "type": kind,
        "content": content,
    } | more


def call(second: int, command: str, status: str, **response: Any) -> dict[str, Any]:
    """Return the record of a call of the shell."""
    return {
        "id": f"c{second}", "name": "run_shell_command", "args": {"command": command},
        "status": status, "timestamp": moment(second),
        "result": [{"functionResponse": {"id": f"c{second}", "response": response}}],
    }  # fmt: skip


THOUGHT = {"subject": "Rounding", "description": "I read it first.", "timestamp": moment(2)}
CHAT = [
    message(1, "user", [{"text": "Round the totals"}]),
    message(3, "gemini", "I look at it.", thoughts=[THOUGHT]),
    message(
        4, "gemini", "",
        toolCalls=[
            call(5, "make lint", "success", output="Output: clean\nExit Code: 0"),
            call(6, "make test", "success", output="Output: 1 failed\nExit Code: 2"),
            call(7, "make clean", "error", error="not allowed here"),
            call(8, "make wait", "cancelled", error="cancelled by the user"),
        ],
    ),
    message(9, "gemini", "One test fails."),
]  # fmt: skip
STORED = [
    ("message", "human", "Round the totals"),
    ("message", "agent", "Rounding: I read it first."),
    ("message", "agent", "I look at it."),
    ("tool_call", "tool", "clean"),
    ("error", "tool", "1 failed"),
    ("error", "tool", "not allowed here"),
    ("error", "tool", "cancelled by the user"),
    ("message", "agent", "One test fails."),
]
"""(type, origin, part of the text) of the events of such a chat."""


def as_lines(path: Path, *records: Any) -> Path:
    """Write a chat in the newer format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    return path


def as_object(path: Path, *messages: Any) -> Path:
    """Write a chat in the older format."""
    path.write_text(json.dumps({**HEADER, "messages": messages}, indent=2), "utf-8")
    return path


OPENING = {"version": "2.1.0", "originator": "a terminal" * 20}
"""ASCII fields at the beginning, as in real files."""


def claude_code() -> list[dict[str, Any]]:
    """Return the lines of a session of Claude Code."""
    block = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}
    return [
        {"cwd": "/srv/shop", **OPENING} | user_line("u1", None, "Prüfe die Größe 大きさ"),
        assistant_line("u2", "u1", {"type": "text", "text": "I check it."}),
        assistant_line("u3", "u2", block),
        result_line("u4", "u3", "t1", "3 passed"),
    ]


def codex() -> list[dict[str, Any]]:
    """Return the lines of a session of Codex."""

    def entry(role: str, kind: str, text: str) -> tuple[str, dict[str, Any]]:
        content = [{"type": kind, "text": text}]
        return "response_item", {"type": "message", "role": role, "content": content}

    payloads: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": SESSION, "timestamp": moment(0), "cwd": "/srv/shop", **OPENING}),
        entry("user", "input_text", "Prüfe die Größe 大きさ"),
        entry("assistant", "output_text", "I check it."),
        (
            "response_item",
            {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"},
        ),
        ("response_item", {"type": "function_call_output", "call_id": "c", "output": "3 passed"}),
    ]
    return [
        {"timestamp": moment(at), "type": kind, "payload": payload}
        for at, (kind, payload) in enumerate(payloads)
    ]


HOSTS = {"claude-code": claude_code, "codex": codex}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16 LE with a mark": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16 BE with a mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 LE": lambda text: text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: text.encode("utf-16-be"),
}
FORMS: dict[str, Callable[[list[Any]], str]] = {
    "lines": lambda entries: "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in entries),
    "ends of Windows": lambda entries: "".join(f"{json.dumps(one)}\r\n" for one in entries),
    "ends of CR": lambda entries: "".join(f"{json.dumps(one)}\r" for one in entries),
    "array": lambda entries: json.dumps(entries, ensure_ascii=False),
    "indented array": lambda entries: json.dumps(entries, indent=2),
    "no last end": lambda entries: "\n".join(json.dumps(one) for one in entries),
}


def stored(memory: Memoranda) -> list[FullObservation]:
    """Return all observations in stored order."""
    listed = memory.observations.list(workspace="all", limit=100)
    numbers = sorted(one.id for one in listed)
    return [memory.observations.show(id, full=True) for id in numbers]


def kind_of(one: FullObservation) -> tuple[str, str]:
    """Return the type and the origin of an observation."""
    return one.observation.type, one.observation.origin


def texts(memory: Memoranda) -> str:
    """Return the texts of all observations."""
    return "\n".join(one.content for one in stored(memory))


def test_a_chat_gives_the_same_in_each_of_its_forms(memory: Memoranda, tmp_path: Path) -> None:
    report = memory.capture.import_transcript(as_lines(tmp_path / f"{NAME}.jsonl", HEADER, *CHAT))
    found = stored(memory)
    assert [kind_of(one) for one in found] == [row[:2] for row in STORED]
    for one, (_, _, text) in zip(found, STORED, strict=True):
        assert text in one.content
    assert report.intake.observations == len(STORED)
    older = memory.capture.import_transcript(as_object(tmp_path / f"{NAME}.json", *CHAT))
    assert (older.intake.observations, older.intake.duplicates) == (0, len(STORED))


def test_the_older_form_alone_gives_all_of_a_chat(memory: Memoranda, tmp_path: Path) -> None:
    memory.capture.import_transcript(as_object(tmp_path / f"{NAME}.json", *CHAT))
    found = stored(memory)
    assert [kind_of(one) for one in found] == [row[:2] for row in STORED]


def test_undone_turns_stay_on_a_branch_of_their_own(memory: Memoranda, tmp_path: Path) -> None:
    undone = [message(20, "user", "Paint it green"), message(21, "gemini", "Green it is.")]
    records = [*CHAT, *undone, {"$rewindTo": "m20"}, message(30, "user", "Paint it blue")]
    memory.capture.import_transcript(as_lines(tmp_path / f"{NAME}.jsonl", HEADER, *records))
    branches = [one.observation.branch for one in stored(memory)]
    assert branches == ["main"] * len(STORED) + ["rewound", "rewound", "main"]


def test_subagents_come_with_their_session(memory: Memoranda, tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    path = as_lines(chats / f"{NAME}.jsonl", HEADER, *CHAT)
    as_lines(
        chats / SESSION / "helper.jsonl",
        {"sessionId": "helper", "projectHash": "0" * 64, "kind": "subagent"},
        message(11, "user", "List the folder."),
        message(12, "gemini", "One file."),
    )
    report = memory.capture.import_transcript(path)
    own = [one for one in stored(memory) if one.observation.branch == "sidechain"]
    assert [(one.observation.agent, one.content) for one in own] == [
        ("subagent-helper", "List the folder."),
        ("subagent-helper", "One file."),
    ]
    assert (report.files, len(report.intake.tasks)) == (2, 1)


def test_prompts_of_lost_chats_come_from_the_list(memory: Memoranda, tmp_path: Path) -> None:
    prompt = {"messageId": 0, "type": "user", "timestamp": moment(1)}
    as_lines(tmp_path / "chats" / f"{NAME}.jsonl", HEADER, *CHAT)
    path = tmp_path / "logs.json"
    listed = [
        {**prompt, "sessionId": SESSION, "message": "Round the totals"},
        {**prompt, "sessionId": "lost-one", "message": "Where is the till?"},
    ]
    path.write_text(json.dumps(listed, indent=2), "utf-8")
    report = memory.capture.import_transcript(path)
    assert texts(memory) == "Where is the till?"
    assert report.skipped["in_chat_file"] == 1


def test_chats_add_nothing_to_what_hooks_reported(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    ends = {"BeforeAgent", "AfterAgent", "AfterTool"}
    lines = (RECORDED / "hooks.jsonl").read_text("utf-8").splitlines()
    payloads = [one for line in lines if (one := json.loads(line))["hook_event_name"] in ends]
    chat = RECORDED / "transcript-1.jsonl"
    session = json.loads(chat.read_text("utf-8").partition("\n")[0])["sessionId"]
    for one in payloads:
        if one["session_id"] == session:
            assert hook(data_dir, one, "spool", "gemini-cli").silent
    memory.capture.drain(wait=True)
    before = texts(memory)
    assert "Fix the rounding" in before
    report = memory.capture.import_transcript(chat)
    assert report.intake.observations == 0
    assert report.intake.duplicates == report.intake.events > 0
    assert texts(memory) == before


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("host", HOSTS)
def test_the_encoding_of_a_transcript_changes_nothing(
    memory: Memoranda, tmp_path: Path, host: str, encoding: str
) -> None:
    path = tmp_path / f"rollout-2026-10-02T10-00-00-{SESSION}.jsonl"
    path.write_bytes(ENCODINGS[encoding](FORMS["lines"](HOSTS[host]())))
    assert memory.capture.import_transcript(path).intake.observations == 3
    found = texts(memory)
    assert "Prüfe die Größe 大きさ" in found
    assert "I check it." in found
    assert "3 passed" in found
    again = memory.capture.import_transcript(path, again=True).intake
    assert (again.observations, again.duplicates) == (0, again.events)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("host", HOSTS)
def test_the_ends_of_lines_and_the_brackets_around_them_change_nothing(
    memory: Memoranda, tmp_path: Path, host: str, form: str
) -> None:
    path = tmp_path / f"rollout-2026-10-02T10-00-00-{SESSION}.jsonl"
    path.write_text(FORMS[form](HOSTS[host]()), "utf-8", newline="")
    assert memory.capture.import_transcript(path).intake.observations == 3
    assert memory.capture.import_transcript(path).intake.observations == 0
    assert [one.content.strip().rpartition("\n")[2] for one in stored(memory)][1] == "I check it."


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16 LE with a mark", "UTF-16 BE"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_torn_last_line_comes_when_it_is_whole(
    memory: Memoranda, tmp_path: Path, host: str, encoding: str
) -> None:
    path = tmp_path / f"rollout-2026-10-02T10-00-00-{SESSION}.jsonl"
    whole = FORMS["lines"](HOSTS[host]())
    encode = ENCODINGS[encoding]
    path.write_bytes(encode(whole[:-12]))
    memory.capture.import_transcript(path)
    assert "3 passed" not in texts(memory)
    path.write_bytes(encode(whole))
    memory.capture.import_transcript(path)
    assert "3 passed" in texts(memory)
    assert len(stored(memory)) == 3


@pytest.mark.parametrize("form", ["ends of CR", "array"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_torn_record_without_line_feeds_comes_when_it_is_whole(
    memory: Memoranda, tmp_path: Path, host: str, form: str
) -> None:
    path = tmp_path / f"rollout-2026-10-02T10-00-00-{SESSION}.jsonl"
    whole = FORMS[form](HOSTS[host]())
    path.write_text(whole[:-12], "utf-8", newline="")
    memory.capture.import_transcript(path)
    assert "3 passed" not in texts(memory)
    path.write_text(whole, "utf-8", newline="")
    memory.capture.import_transcript(path)
    assert "3 passed" in texts(memory)
    assert len(stored(memory)) == 3


@pytest.mark.parametrize("form", ["ends of CR", "array", "no last end"])
def test_a_chat_of_gemini_comes_from_utf_16_in_each_form(
    memory: Memoranda, tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"{NAME}.jsonl"
    path.write_bytes(ENCODINGS["UTF-16 LE with a mark"](FORMS[form]([HEADER, *CHAT])))
    memory.capture.import_transcript(path)
    assert [kind_of(one) for one in stored(memory)] == [row[:2] for row in STORED]


def database() -> bytes:
    """Return the bytes of another program's database."""
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE shelf (book TEXT)")
        return made.serialize()


LINE = json.dumps(user_line("u9", None, "Open the shop")).encode() + b"\n"
UNREAD: dict[str, tuple[bytes, str]] = {
    "gzip": (gzip.compress(LINE), "compressed with gzip"),
    "bzip2": (bz2.compress(LINE), "compressed with bzip2"),
    "xz": (lzma.compress(LINE), "compressed with xz"),
    "sqlite": (database(), "a database of neither"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(40), "an image"),
    "pdf": (b"%PDF-1.4\n%\xe2\xe3\n", "a PDF"),
    "zip": (b"PK\x03\x04" + bytes(20), "zip"),
    "html": (b"<!DOCTYPE html>\n<title>Chat</title>", "an HTML or XML page"),
    "blank": (b"\n \n", "only white space"),
    "empty": (b"", "is empty"),
    "binary": (bytes(range(256)) * 4, "not text"),
    "messages": (b'[{"role": "user", "content": "hi"}]', "a bare list of messages"),
}
"""Files that are refused, and the command's description of each."""


def run_import(data_dir: Path, *files: Path) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit code and its JSON."""
    command = ["--data-dir", str(data_dir), "import", *map(str, files), "--format", "json"]
    result = CliRunner().invoke(cli, command)
    return result.exit_code, json.loads(result.stdout or result.stderr)


@pytest.mark.parametrize("kind", UNREAD)
def test_a_file_that_is_not_read_is_refused_with_its_kind(
    memory: Memoranda, data_dir: Path, tmp_path: Path, kind: str
) -> None:
    data, reason = UNREAD[kind]
    path = tmp_path / "saved.jsonl"
    path.write_bytes(data)
    code, answer = run_import(data_dir, path)
    assert code not in (0, 25)
    assert reason in answer["error"]["message"]
    assert "saved.jsonl" in answer["error"]["message"]
    assert stored(memory) == []


def test_files_that_are_read_come_in_beside_those_that_are_not(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    bad = []
    for kind in ("gzip", "png", "html"):
        bad.append(tmp_path / f"{kind}.jsonl")
        bad[-1].write_bytes(UNREAD[kind][0])
    good = as_lines(tmp_path / f"{NAME}.jsonl", HEADER, *CHAT)
    code, answer = run_import(data_dir, bad[0], good, *bad[1:])
    assert (code, answer["files"], answer["observations"]) == (25, 1, len(STORED))
    assert [one["file"] for one in answer["failed"]] == [str(one) for one in bad]
    code, answer = run_import(data_dir, bad[0], good)
    assert (code, answer["observations"], answer["duplicates"]) == (25, 0, len(STORED))
    code, answer = run_import(data_dir, *bad)
    assert (code, answer["files"], len(answer["failed"])) == (1, 0, 3)
    assert len(stored(memory)) == len(STORED)
