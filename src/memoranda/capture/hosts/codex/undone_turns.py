"""Detection of undone turns in a Codex rollout."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

from memoranda.capture.hosts.codex.event_message_texts import TextRole, notice_text
from memoranda.capture.hosts.codex.records import ITEM, CodexRecord, records
from memoranda.capture.hosts.content_blocks import blocks_of, joined_text
from memoranda.capture.hosts.host_markup import PREAMBLES
from memoranda.capture.hosts.json_fields import Payload, string
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.typed_text import split_message, typed_text

STARTS, _ENDS = (
    ("task_started", "turn_started"),
    ("task_complete", "turn_complete", "turn_aborted"),
)
"""Types of the notices that start and end a turn."""
_CHUNK = 2**20
_UNDONE = b"thread_rolled_back"
_PICTURES = ("input_image", "image", "local_image")
_ADDED = ("<", "# AGENTS.md instructions", *PREAMBLES)
"""Starts of user messages that Codex writes within a turn."""


def undone_turns(path: Path, lone_notices: Container[int] = ()) -> Iterator[range]:
    """Yield the offset ranges of turns that were undone.

    ``lone_notices``: offsets of the event messages that are the only record of their text.
    """
    if not _mentions(path, _UNDONE):
        return
    starts: list[int] = []
    begun: int | None = None
    counted = False
    for line, record in records(read_lines(path)):
        notice = string(record.payload, "type") if record.kind == "event_msg" else None
        if notice in STARTS:
            begun, counted = line.offset, False
        elif notice in _ENDS:
            begun = None
        elif notice == _UNDONE.decode() and (turns := _turns(record.payload)):
            gone, starts = starts[-turns:], starts[:-turns]
            if gone:
                yield range(gone[0], line.offset)
            begun = None
        elif _is_prompt(record, line.offset in lone_notices) and not (
            begun is not None and counted
        ):
            starts.append(line.offset if begun is None else begun)
            counted = True


def _turns(payload: Payload) -> int:
    turns = payload.get("num_turns")
    return turns if type(turns) is int and turns > 0 else 0


def _is_prompt(record: CodexRecord, is_lone: bool) -> bool:
    """Return whether a record is a person's input, which starts a turn.

    An image, a command or a context without a request also counts as input.
    """
    payload = record.payload
    if is_lone:
        notice = notice_text(payload)
        return notice is not None and notice.role is TextRole.USER
    if record.kind != ITEM or (payload.get("type"), payload.get("role")) != ("message", "user"):
        return False
    content = payload.get("content")
    text = joined_text(content)
    if typed_text(split_message(text)):
        return True
    if any(block.get("type") in _PICTURES for block in blocks_of(content) or ()):
        return True
    return bool(text.strip()) and not text.lstrip().startswith(_ADDED)


def _mentions(path: Path, mark: bytes) -> bool:
    rest = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if mark in rest + chunk:
                return True
            rest = chunk[-len(mark) :]
    return False
