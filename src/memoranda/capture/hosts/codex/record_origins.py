"""Detection of copied, undone and repeated records in a Codex rollout."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from memoranda.capture.hosts.codex.event_message_texts import lone_notices
from memoranda.capture.hosts.codex.records import (
    ITEM,
    META,
    CodexHeader,
    CodexRecord,
    header_in,
    header_of,
    is_header,
    records,
    rollout_of,
)
from memoranda.capture.hosts.codex.undone_turns import STARTS, undone_turns
from memoranda.capture.hosts.content_blocks import joined_text
from memoranda.capture.hosts.json_fields import string
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.clock import MICROSECONDS
from memoranda.json_data import dump_json

_DEEPEST = 8
"""Maximum depth of nested forks."""
_BURST = 1 * MICROSECONDS
"""Maximum microseconds from a copy's header to its copied records."""


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """Thread, line and time of the original of a copied record."""

    header: CodexHeader
    line: str
    """Id of the original's line, as used in keys of former versions."""
    at: int | None
    is_late: bool = False
    """Whether only the time of the copy is known."""


@dataclass(frozen=True, slots=True)
class History:
    """Copied, undone and repeated records of a rollout, by line offset."""

    copied: Mapping[int, RecordOrigin] = field(default_factory=dict)
    undone: tuple[range, ...] = ()
    repeats: Mapping[int, int] = field(default_factory=dict)
    """Offset of the first occurrence of each repeated line, by the line's offset."""
    lineage: tuple[str, ...] = ()
    """Sessions from which records of the rollout were copied."""
    lone_notices: frozenset[int] = frozenset()
    """Offsets of event messages whose text is in no response item."""

    def is_undone(self, offset: int) -> bool:
        """Return whether a line belongs to an undone turn.

        A copied line counts as undone only if its original thread undid it: a turn that a fork
        undoes is still valid in the original thread.
        """
        is_copied = offset in self.copied
        return any(
            offset in span and (not is_copied or span.stop in self.copied) for span in self.undone
        )


def history_of(path: Path, header: CodexHeader) -> History:
    """Scan a rollout for copied and undone records."""
    copied = _copied(path, header, 0)
    lineage = tuple(dict.fromkeys(codex_header.session for codex_header in _lineage(path, header)))
    lone = lone_notices(path)
    undone, repeats = tuple(undone_turns(path, lone)), dict(_repeats(path, copied))
    return History(copied, undone, repeats, lineage, lone)


# --- repeated -----------------------------------------------------------------------------------


def _repeats(path: Path, copied: Container[int]) -> Iterator[tuple[int, int]]:
    """Yield the offset of each repeated line, and of its first occurrence.

    Repeated lines have the same bytes, including a time. Lines without a time may be legitimate
    repetitions, and copied lines have only the time of copying, so lines of both kinds are skipped.
    """
    first: dict[bytes, int] = {}
    for line in read_lines(path):
        mark = hashlib.blake2b(line.raw.rstrip(), digest_size=16).digest()
        offset = first.setdefault(mark, line.offset)
        if offset != line.offset and line.offset not in copied and _has_time(line):
            yield line.offset, offset


def _has_time(line: TranscriptLine) -> bool:
    return any(record.at is not None for _, record in records([line]))


# --- copied -------------------------------------------------------------------------------------


def _copied(path: Path, header: CodexHeader, depth: int) -> dict[int, RecordOrigin]:
    if header.copied_from is None or depth >= _DEEPEST:
        return {}
    lines = list(_prefix(path, header))
    if not lines:
        return {}
    source = rollout_of(header.copied_from, path.parent)
    if source is None or source == path:
        return dict(_attributed(lines, header, path.parent))
    above = header_of(source)
    originals = _originals(source, above, _copied(source, above, depth + 1))
    lines += _slowly_copied(path, header, lines[-1], originals.keys())
    return dict(_matched(lines, originals))


def _prefix(path: Path, header: CodexHeader) -> Iterator[tuple[TranscriptLine, CodexRecord]]:
    """Yield the records of a rollout before its own first event."""
    began: int | None = None
    for line, record in records(read_lines(path)):
        if began is None:
            if not is_header(record) and record.kind is not None:
                return
            began = record.at
        elif _is_own_turn(record, header.thread) or (record.at or 0) > began + _BURST:
            return
        else:
            yield line, record


def _is_own_turn(record: CodexRecord, thread: str) -> bool:
    """Return whether a record's turn began after the thread.

    The ids of both the turn and the thread contain a time.
    """
    turn, began = _time_in(string(record.payload, "turn_id")), _time_in(thread)
    return turn is not None and began is not None and turn >= began


def _time_in(id: str | None) -> int | None:
    try:
        value = uuid.UUID(id or "")
    except ValueError:
        return None
    return value.int >> 80 if value.version == 7 else None


def _attributed(
    lines: list[tuple[TranscriptLine, CodexRecord]], header: CodexHeader, folder: Path
) -> Iterator[tuple[int, RecordOrigin]]:
    """Yield the origins of copied records if the source rollout is missing.

    The thread is the newest source thread that began before the record's turn, or the oldest source
    thread until a turn with a time is found. Since the original time is unknown, the time of the
    copy is used.
    """
    threads = _sources(lines, header, folder)
    owner = _chain(threads, header)[-1]
    began = [
        (at, codex_header)
        for id, codex_header in threads.items()
        if (at := _time_in(id)) is not None
    ]
    for line, record in lines:
        turn = _time_in(string(record.payload, "turn_id"))
        if turn is not None and (earlier := [item for item in began if item[0] <= turn]):
            owner = max(earlier, key=itemgetter(0))[1]
        yield (
            line.offset,
            RecordOrigin(owner, f"{header.thread}:{line.offset}", record.at, is_late=True),
        )


def _lineage(path: Path, header: CodexHeader) -> list[CodexHeader]:
    """Return the threads from which a rollout was copied, nearest first."""
    if header.copied_from is None:
        return []
    return _chain(_sources(_prefix(path, header), header, path.parent), header)


def _chain(threads: Mapping[str, CodexHeader], header: CodexHeader) -> list[CodexHeader]:
    """Follow the source threads in the headers, nearest first."""
    headers: list[CodexHeader] = []
    thread = header.copied_from or header.thread
    while thread in threads and threads[thread] not in headers and len(headers) < _DEEPEST:
        headers.append(threads[thread])
        thread = threads[thread].copied_from or header.thread
    return headers


def _sources(
    lines: Iterable[tuple[TranscriptLine, CodexRecord]], header: CodexHeader, folder: Path
) -> dict[str, CodexHeader]:
    """Return the source threads by id, as far as copied headers contain them."""
    source = header.copied_from or header.thread
    session = header.session if header.branch == "sidechain" else source
    result = {source: CodexHeader(session, source, header.cwd, checkout=header.checkout)}
    for _, record in lines:
        id = string(record.payload, "id")
        if record.kind == META and id and id != header.thread:
            result[id] = header_in(record.payload, id, folder)
    for above in [codex_header.copied_from for codex_header in result.values()]:
        if above is not None and above != header.thread and above not in result:
            result[above] = CodexHeader(above, above, header.cwd, checkout=header.checkout)
    return result


def _slowly_copied(
    path: Path,
    header: CodexHeader,
    last: tuple[TranscriptLine, CodexRecord],
    originals: Container[str],
) -> Iterator[tuple[TranscriptLine, CodexRecord]]:
    """Yield records that a busy machine copied after the initial burst.

    Such records follow without a pause, and contain no message or call that is not in the source.
    """
    before = last[1].at or 0
    for line, record in records(read_lines(path, last[0].offset + len(last[0].raw))):
        paused = record.at is None or record.at > before + _BURST
        if paused or _is_own_turn(record, header.thread):
            return
        if _is_turn_or_message(record) and _mark(record) not in originals:
            return
        before = record.at or before
        yield line, record


def _is_turn_or_message(record: CodexRecord) -> bool:
    payload = record.payload
    if record.kind == ITEM:
        return "role" in payload or "call_id" in payload
    return record.kind == "turn_context" or string(payload, "type") in STARTS


def _originals(
    source: Path, above: CodexHeader, earlier: Mapping[int, RecordOrigin]
) -> dict[str, list[RecordOrigin]]:
    """Return the origins of a rollout's records by `_mark`, last first."""
    originals: dict[str, list[RecordOrigin]] = {}
    repeats = dict(_repeats(source, earlier))
    for line, record in records(read_lines(source)):
        offset = repeats.get(line.offset, line.offset)
        origin = earlier.get(offset) or RecordOrigin(
            above, f"{above.key_prefix}{offset}", record.at
        )
        originals.setdefault(_mark(record), []).append(origin)
    for same in originals.values():
        same.reverse()
    return originals


def _matched(
    lines: list[tuple[TranscriptLine, CodexRecord]], originals: Mapping[str, list[RecordOrigin]]
) -> Iterator[tuple[int, RecordOrigin]]:
    """Yield the offset and origin of each record found in the source rollout."""
    for line, record in lines:
        if left := originals.get(_mark(record)):
            yield line.offset, left.pop()


def _mark(record: CodexRecord) -> str:
    """Return the part of a record that is the same in its copy.

    Copying removes ids and adds details.
    """
    payload = record.payload
    kind = string(payload, "type") or ""
    if call := string(payload, "call_id"):
        return f"{kind} {call}"
    if record.kind == ITEM and kind == "message":
        return f"{kind} {payload.get('role')} {joined_text(payload.get('content'))}"
    if record.kind == META:
        return f"{META} {string(payload, 'id')}"
    return f"{record.kind} {dump_json({**payload})}"
