"""Rollout files in which a Codex thread continues after undone turns.

Since 2026 Codex undoes turns by creating another file, ``rollout-…-<thread>_<segment>.jsonl``,
whose header names the part of the earlier files that it continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memoranda.capture.hosts.codex.records import CodexHeader, meta_of, rollouts_of
from memoranda.capture.hosts.json_fields import mapping, string
from memoranda.capture.hosts.transcript_lines import LineCounts, TranscriptLine, entry_of

_MAXIMUM = 200
"""Maximum number of segments of one thread."""
_BACK = 1 << 20
"""Number of bytes before an offset in which the start of the line that ends there is searched for.
"""


@dataclass(frozen=True, slots=True)
class _Base:
    """Part of an earlier file that a segment continues."""

    ordinal: int
    """Ordinal of the first record that the segment does not include."""
    offset: int


def undone_segments(path: Path, header: CodexHeader) -> Iterator[tuple[Path, int]]:
    """Yield a thread's earlier files, with the offset of their undone part."""
    base = _base(path, header)
    if base is None:
        return
    earlier = [item for item in rollouts_of(header.thread, path.parent) if item.name < path.name]
    earlier = sorted(earlier, key=lambda one: one.name)[-_MAXIMUM:]
    open_segments: dict[Path, int] = {}
    before = list(earlier)
    while base is not None and before:
        found = next((one for one in reversed(before) if _ends_record(one, base)), None)
        if found is None:
            return  # the continued file is missing, so the undone part is unknown
        open_segments[found] = base.offset
        before = before[: before.index(found)]
        base = _base(found, header)
    for one in earlier:
        start = open_segments.get(one, 0)
        if start < one.stat().st_size:
            yield one, start


def _base(path: Path, header: CodexHeader) -> _Base | None:
    base = mapping(meta_of(path).get("history_base"))
    ordinal, offset = base.get("end_ordinal_exclusive"), base.get("end_byte_offset")
    if string(base, "thread_id") != header.thread:
        return None
    if not isinstance(ordinal, int) or not isinstance(offset, int):
        return None
    return _Base(ordinal, offset)


def _ends_record(path: Path, base: _Base) -> bool:
    """Return whether the record before the base's ordinal ends at its offset."""
    if path.stat().st_size < base.offset:
        return False
    with path.open("rb") as file:
        file.seek(max(0, base.offset - _BACK))
        raw = file.read(min(base.offset, _BACK)).rstrip(b"\n").rpartition(b"\n")[2]
    entry = entry_of(TranscriptLine(0, 0, raw), LineCounts())
    return entry is not None and entry.get("ordinal") == base.ordinal - 1
