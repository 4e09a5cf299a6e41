"""Reader of generic event files: one record per line.

The format is in docs/generic-events.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memoranda.capture.event import Event, EventSource
from memoranda.capture.hosts.event_keys import line_key
from memoranda.capture.hosts.generic.payload import record_event, record_frame, record_kind
from memoranda.capture.hosts.json_fields import Payload, moment, string
from memoranda.capture.hosts.transcript_lines import TranscriptLine
from memoranda.capture.hosts.transcript_reader import TranscriptReader


def reader(path: Path) -> GenericReader:
    """Return a reader for a file of records.

    The file's name is the default session id.
    """
    return GenericReader(path.stem)


class GenericReader(TranscriptReader):
    """Reads the records one by one."""

    def __init__(self, session: str) -> None:
        super().__init__()
        self._session = session

    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterable[Event]:
        if record_kind(entry) is None:
            self._skip(f"kind:{entry.get('kind')}")
            return ()
        session = string(entry, "session") or self._session
        frame = record_frame(
            entry, session, EventSource.TRANSCRIPT, moment(entry.get("occurred_at"))
        )
        event = record_event(entry, frame, line_key(line.offset, 0))
        if event is None:
            self._skip("empty")
            return ()
        return (event,)
