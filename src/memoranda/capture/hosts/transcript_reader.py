"""Base class of transcript readers: lines in, events and offset out.

The next import continues at that offset.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from memoranda.capture.event import Event
from memoranda.capture.hosts.json_fields import Payload
from memoranda.capture.hosts.message_separation import separated
from memoranda.capture.hosts.open_calls import OpenCalls
from memoranda.capture.hosts.question_answers import with_answers
from memoranda.capture.hosts.transcript_lines import LineCounts, TranscriptLine, line_entries
from memoranda.text import clip

_REASON_LIMIT = 60


class TranscriptReader(ABC):
    """Converts the lines of one transcript to events; for a single pass.

    Never raises on the content of a line.
    """

    def __init__(self) -> None:
        self._tally = LineCounts()
        self._calls = OpenCalls()

    @property
    def tally(self) -> LineCounts:
        """Counts; pass the same tally to ``read_lines``."""
        return self._tally

    @property
    def resume_offset(self) -> int:
        """Offset for the next import: an open call's line, or the last line's end.

        Events from that offset on are returned again with the same keys, so storing them twice
        changes nothing.
        """
        earliest = self._calls.earliest
        return self._tally.end if earliest is None else min(earliest, self._tally.end)

    def begin(self, start: int) -> int:
        """Return the offset to read from instead of ``start``.

        The offset is earlier if later lines change the meaning of earlier ones, as undone turns do.
        """
        return start

    def events(self, lines: Iterable[TranscriptLine]) -> Iterator[Event]:
        """Yield events in line order.

        Calls without a result come last.
        """
        for line, entry in line_entries(self._numbered(lines), self._tally):
            yield from self._counted(self._entry_events(line, entry))
        yield from self._counted(self._calls.pending())

    def _numbered(self, lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
        for line in lines:
            self._tally.lines += 1
            yield line

    @abstractmethod
    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterable[Event]:
        """Return the events of one line."""

    def _skip(self, reason: str) -> None:
        self._tally.skipped[clip(reason, _REASON_LIMIT)] += 1

    def _counted(self, events: Iterable[Event]) -> Iterator[Event]:
        for whole in events:
            parts = tuple(part for one in with_answers(whole) for part in separated(one))
            if not parts:
                self._skip("empty")
            for event in parts:
                self._tally.events += 1
                yield event
