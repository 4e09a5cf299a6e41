"""Transcripts for tests: the sample files, and lines made up on the spot."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memoranda.capture.event import Event
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.transcripts import reader_for

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures" / "transcripts"
SAMPLES = sorted(path.name for path in FIXTURES.glob("*.jsonl"))


def rows(name: str) -> list[Any]:
    """Return the lines of a sample, decoded."""
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def read(path: Path, start: int = 0) -> tuple[list[Event], TranscriptReader]:
    """Return all events of a transcript and the reader that gave them."""
    reader = reader_for(path)
    return list(reader.events(read_lines(path, start, tally=reader.tally))), reader


def write(path: Path, entries: Iterable[Any]) -> Path:
    """Write one line per entry."""
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def chained(uuid: str, parent: str | None, kind: str) -> dict[str, Any]:
    """Return the fields that Claude Code puts on every chained entry."""
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1"}


def user_line(uuid: str, parent: str | None, content: Any) -> dict[str, Any]:
    """Return a user line of Claude Code."""
    return {**chained(uuid, parent, "user"), "message": {"role": "user", "content": content}}


def assistant_line(uuid: str, parent: str | None, *blocks: Any, **message: Any) -> dict[str, Any]:
    """Return an assistant line of Claude Code."""
    content = {"role": "assistant", "content": list(blocks), **message}
    return {**chained(uuid, parent, "assistant"), "message": content}


def result_line(uuid: str, parent: str | None, call_id: str, output: Any, **more: Any) -> Any:
    """Return a line with a tool result of Claude Code."""
    return user_line(
        uuid, parent, [{"type": "tool_result", "tool_use_id": call_id, "content": output, **more}]
    )


def codex_item(kind: str, **payload: Any) -> dict[str, Any]:
    """Return a response item of Codex."""
    return {"type": "response_item", "payload": {"type": kind, **payload}}


def text_block(text: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": text}


def call_block(call_id: str) -> dict[str, Any]:
    """Return a block that calls Bash."""
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": "ls"}}
