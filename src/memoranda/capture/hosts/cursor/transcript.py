"""Reader of Cursor transcripts, which have only roles and content.

They have no ids, times or tool results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import PENDING, HostCall
from memoranda.capture.hosts.content_blocks import blocks_of, text_of, thinking_of, unread_reason
from memoranda.capture.hosts.cursor.payload import HOST
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import line_key
from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.capture.hosts.message_separation import media_event
from memoranda.capture.hosts.transcript_lines import TranscriptLine
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.observations.model import Origin


def reader(path: Path) -> CursorReader:
    """Return a reader for a transcript.

    Its file name is the conversation's id.
    """
    return CursorReader(path.stem)


class CursorReader(TranscriptReader):
    """Converts messages to events one by one; tool calls have no outcome."""

    def __init__(self, session: str) -> None:
        super().__init__()
        self._frame = Frame(host=HOST, session=session, source=EventSource.TRANSCRIPT)

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
        for index, block in enumerate(blocks):
            key = line_key(line.offset, index)
            if block.get("type") == "tool_use":
                call = HostCall(string(block, "name"), block.get("input"))
                yield self._frame.result(key, call, PENDING)
            elif text := text_of(block):
                origin = Origin.AGENT if role == "assistant" else Origin.HUMAN
                yield self._frame.event(EventKind.MESSAGE, key, origin, text=text)
            elif thought := thinking_of(block):
                yield self._frame.event(
                    EventKind.MESSAGE, key, Origin.AGENT, text=thought, tags=("thinking",)
                )
            elif event := media_event(self._frame, key, block):
                yield event
            else:
                self._skip(unread_reason(block))
