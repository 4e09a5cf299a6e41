"""Reader of Cursor transcripts, which contain only roles and content.

Cursor transcripts have no ids and no tool results. A message may state its time; other messages get
the time of the previous message or of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import PENDING, HostCall
from memoranda.capture.hosts.content_blocks import blocks_of, text_of, thinking_of, unread_reason
from memoranda.capture.hosts.cursor.payload import HOST
from memoranda.capture.hosts.cursor.written_time import written_time
from memoranda.capture.hosts.event_fields import MAIN_AGENT, Frame, agent_name
from memoranda.capture.hosts.event_keys import line_key
from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.capture.hosts.message_separation import DELEGATED, media_event
from memoranda.capture.hosts.transcript_lines import TranscriptLine
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.observations.model import Origin

_SUBAGENTS = "subagents"
"""Folder in a conversation with the transcripts of its subagents."""


def reader(path: Path) -> CursorReader:
    """Return a reader for a transcript.

    The transcript's file name is the conversation's id. A subagent's transcript is in a folder of
    the conversation.
    """
    frame = Frame(
        host=HOST, session=path.stem, source=EventSource.TRANSCRIPT, occurred_at=_changed_at(path)
    )
    if path.parent.name != _SUBAGENTS:
        return CursorReader(frame)
    return CursorReader(
        replace(
            frame,
            session=path.parent.parent.name,
            agent=agent_name("subagent", path.stem),
            branch="sidechain",
        ),
        f"{path.stem}:",
    )


def companions(path: Path) -> list[Path]:
    """Return the transcripts of a conversation's subagents.

    Symbolic links are not followed.
    """
    if path.parent.name != path.stem:
        return []
    paths = (path.parent / _SUBAGENTS).glob("*.jsonl")
    return sorted(item for item in paths if item.is_file() and not item.is_symlink())


def _changed_at(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns // 1_000
    except OSError:
        return None


class CursorReader(TranscriptReader):
    """Converts messages to events one by one; tool calls have no outcome."""

    def __init__(self, frame: Frame, key_prefix: str = "") -> None:
        """Create a reader; ``key_prefix`` separates the files of a session."""
        super().__init__()
        self._frame = frame
        self._key_prefix = key_prefix

    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterable[Event]:
        role = string(entry, "role")
        if role not in ("user", "assistant"):
            self._skip(f"type:{entry['type']}" if "type" in entry else f"role:{role}")
            return ()
        blocks = blocks_of(mapping(entry.get("message")).get("content"))
        if not blocks:
            self._skip("malformed" if blocks is None else "empty")
            return ()
        return self._message(line, role, blocks)

    def _message(self, line: TranscriptLine, role: str, blocks: list[Payload]) -> Iterator[Event]:
        at = next(filter(None, (written_time(text_of(block)) for block in blocks)), None)
        if at is not None and role == "user":
            self._frame = replace(self._frame, occurred_at=at)
        for index, block in enumerate(blocks):
            key = line_key(f"{self._key_prefix}{line.offset}", index)
            if block.get("type") == "tool_use":
                call = HostCall(string(block, "name"), block.get("input"))
                yield self._frame.result(key, call, PENDING)
            elif text := text_of(block):
                origin, tags = self._author(role)
                yield self._frame.event(EventKind.MESSAGE, key, origin, text=text, tags=tags)
            elif thought := thinking_of(block):
                yield self._frame.event(
                    EventKind.MESSAGE, key, Origin.AGENT, text=thought, tags=("thinking",)
                )
            elif event := media_event(self._frame, key, block):
                yield event
            else:
                self._skip(unread_reason(block))

    def _author(self, role: str) -> tuple[Origin, tuple[str, ...]]:
        if role == "assistant":
            return Origin.AGENT, ()
        if self._frame.agent == MAIN_AGENT:
            return Origin.HUMAN, ()
        return Origin.AGENT, (DELEGATED,)
