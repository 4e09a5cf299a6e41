"""Reader of Codex rollouts: messages, tool calls and their results.

Texts are taken from the response items; event messages repeat them for display, and are read only
if no response item has the text. The results of calls are in the event messages, which are the only
record of calls made by scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import PENDING, CallOutcome, HostCall
from memoranda.capture.hosts.codex.call_ends import CallEnd, ending_of
from memoranda.capture.hosts.codex.event_message_texts import NoticeText, TextRole, notice_text
from memoranda.capture.hosts.codex.payload import HOST, ends_with_code
from memoranda.capture.hosts.codex.record_origins import History, history_of
from memoranda.capture.hosts.codex.records import (
    ITEM,
    META,
    CodexHeader,
    CodexRecord,
    folder_in,
    header_of,
    record_of,
)
from memoranda.capture.hosts.codex.tool_output import CallReport, report_of
from memoranda.capture.hosts.codex.undone_segments import undone_segments
from memoranda.capture.hosts.content_blocks import blocks_of, text_of, unread_reason
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import (
    copied_message_key,
    host_key,
    is_line_key,
    line_key,
    timed_message_key,
    tool_key,
)
from memoranda.capture.hosts.json_fields import Payload, decoded, fingerprint, mapping, string
from memoranda.capture.hosts.message_separation import DELEGATED, ENVELOPE, media_event
from memoranda.capture.hosts.open_calls import OpenCall
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.typed_text import generated_text, split_message, typed_text
from memoranda.json_data import dump_json
from memoranda.observations.model import Origin

_NOTICES = ("<turn_aborted>", "<user_shell_command>", "<subagent_notification>")
"""Notices that Codex writes as user messages; others are instructions."""
_POLL, _SCRIPT = "write_stdin", "exec"


def reader(path: Path) -> CodexReader:
    """Return a reader for a rollout, after scanning the rollout."""
    header = header_of(path)
    undone = list(undone_segments(path, header)) if header.segment else []
    return CodexReader(header, history_of(path, header), undone, path)


class CodexReader(TranscriptReader):
    """Converts records to events, with the turn's working directory."""

    def __init__(
        self,
        header: CodexHeader,
        history: History | None = None,
        undone: Iterable[tuple[Path, int]] = (),
        path: Path | None = None,
    ) -> None:
        """Create a reader.

        ``undone``: other files of the thread, and for each, the offset at which its undone part
        begins. ``path``: the rollout, required if reading may begin after its first line.
        """
        super().__init__()
        self._path = path
        self._undone = undone
        self._header = header
        self._history = history or History()
        self._cwd = header.cwd
        self._prefix = ""
        """Key prefix of the current record's thread."""
        self._line = ""
        """Id of the current record's line, as used in keys of former versions."""
        self._is_late = False
        """Whether the only known time of the current record is that of its copy."""
        self._message_times: dict[str, dict[str, int]] = {}
        """Line keys by content, numbered by occurrence."""
        self._running: dict[str, str] = {}
        """Ids of calls whose process is running, by the process's session id."""
        self._endings: dict[str, CallEnd] = {}
        """End records of calls without a response yet, by call id."""
        self._script: str | None = None
        """Call id of the running script.

        ``_called`` is set once it calls another tool.
        """
        self._called = False
        self._by_item: Mapping[str, Callable[[TranscriptLine, Frame, Payload], Iterable[Event]]] = {
            "message": self._message,
            "agent_message": self._agent_message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "local_shell_call": self._call,
            "tool_search_call": self._call,
            "web_search_call": self._search,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
            "local_shell_call_output": self._output,
            "tool_search_output": self._output,
        }

    def begin(self, start: int) -> int:
        """Return the offset to read from instead of ``start``.

        The offset is earlier if a turn that began before ``start`` was undone after it.
        """
        starts = (span.start for span in self._history.undone if span.stop >= start)
        start = min([start, *starts])
        self._count(start)
        return start

    def events(self, lines: Iterable[TranscriptLine]) -> Iterator[Event]:
        """Yield events in line order, after those of undone turns in other files."""
        for path, start in self._undone:
            header = header_of(path)
            undone = (range(start, path.stat().st_size),)
            history = replace(history_of(path, header), undone=undone)
            other = CodexReader(header, history, path=path)
            yield from other.events(read_lines(path, other.begin(start)))
        yield from super().events(lines)

    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        for event in self._record_events(line, record_of(entry)):
            named = self._named(event) if is_line_key(event.key) else event
            yield replace(named, is_late=self._is_late)

    def _named(self, event: Event) -> Event:
        """Set a key from content and occurrence for an event without host id.

        Unlike a line offset, this key is the same in a copy and in a damaged file.
        """
        content = dump_json(
            [event.kind, event.origin, event.text, event.tool, event.input, event.output]
        )
        mark = f"{self._prefix}{fingerprint(content)}"
        times = self._message_times.setdefault(mark, {})
        time = times.setdefault(event.key, len(times))
        own, copied = timed_message_key(mark, time), copied_message_key(mark, time)
        key, other = (copied, own) if self._is_late else (own, copied)
        return replace(event, key=key, former_keys=(event.key, other))

    def _count(self, end: int) -> None:
        """Count messages before an offset if reading starts after the first line."""
        if self._path is None or not end:
            return
        before = CodexReader(self._header, self._history)
        lines = takewhile(lambda line: line.offset < end, read_lines(self._path))
        for _ in before.events(lines):
            pass
        self._message_times = before._message_times

    def _record_events(self, line: TranscriptLine, record: CodexRecord) -> Iterable[Event]:
        frame, line = self._placed(line, record)
        if record.kind == ITEM:
            return self._item(line, frame, record.payload)
        if record.kind == "event_msg":
            return self._notice(line, frame, record.payload)
        if record.kind == "compacted":
            return self._compacted(line, frame, record.payload)
        if record.kind == "turn_context":
            self._cwd = string(record.payload, "cwd") or self._cwd
        self._skip(_kind_of(record))
        return ()

    def _placed(self, line: TranscriptLine, record: CodexRecord) -> tuple[Frame, TranscriptLine]:
        """Return a record's frame and line; for a copy, those of the original."""
        line = replace(line, offset=self._history.repeats.get(line.offset, line.offset))
        origin = self._history.copied.get(line.offset)
        header = origin.header if origin else self._header
        at = origin.at if origin else record.at
        copied = origin is not None and header.session != self._header.session
        branch = header.branch
        if branch == "main" and self._history.is_undone(line.offset):
            branch = "rewound"
        frame = Frame(
            host=HOST,
            session=header.session,
            source=EventSource.TRANSCRIPT,
            occurred_at=at if at is not None else header.started_at,
            agent=header.agent,
            cwd=self._cwd,
            checkout=header.checkout,
            branch=branch,
            copied_to=self._header.session if copied else None,
            lineage=tuple(item for item in self._history.lineage if item != header.session),
        )
        self._prefix = header.key_prefix
        self._line = origin.line if origin else f"{self._prefix}{line.offset}"
        self._is_late = origin is not None and origin.is_late
        return frame, line

    def _key(self, index: int) -> str:
        return line_key(self._line, index)

    def _item(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterable[Event]:
        kind = string(item, "type") or ("message" if "role" in item else None)
        read = self._by_item.get(kind or "")
        if read is None:
            self._skip(f"item:{kind}")
            return ()
        return read(line, frame, item)

    # --- texts ----------------------------------------------------------------------------------

    def _message(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        role = item.get("role")
        blocks = blocks_of(item.get("content"))
        if not blocks:
            self._skip("malformed" if blocks is None else "empty")
        elif role not in ("user", "assistant"):
            self._skip("instructions")
            return
        for index, block in enumerate(blocks or []):
            text = text_of(block)
            if not text.strip() and (event := media_event(frame, self._key(index), block)):
                yield event
            elif not text.strip():
                self._skip(unread_reason(block))
            elif role == "assistant":
                yield frame.event(EventKind.MESSAGE, self._key(index), Origin.AGENT, text=text)
            else:
                yield from self._typed(self._key(index), frame, text)

    def _typed(self, key: str, frame: Frame, text: str) -> Iterator[Event]:
        """Yield the events of a user message: typed text and notices."""
        parts = split_message(text)
        typed, added = typed_text(parts), generated_text(parts)
        if typed:
            sent = frame.branch == "sidechain"
            origin, tags = (Origin.AGENT, (DELEGATED,)) if sent else (Origin.HUMAN, ())
            yield frame.event(EventKind.MESSAGE, key, origin, text=typed, tags=tags)
        if added.startswith(_NOTICES):
            key = host_key(key) if typed else key
            yield frame.event(
                EventKind.MESSAGE, key, Origin.GENERATED, text=added, tags=(ENVELOPE,)
            )
        elif added:
            self._cwd = self._cwd or folder_in(added)
            self._skip("instructions")
        elif not typed:
            self._skip("empty")

    def _agent_message(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        texts = [text for block in blocks_of(item.get("content")) or [] if (text := text_of(block))]
        if not texts:
            self._skip("item:agent_message")
        for index, text in enumerate(texts):
            key = self._key(index)
            yield frame.event(EventKind.MESSAGE, key, Origin.AGENT, text=text)

    def _reasoning(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        texts = [text_of(block) for block in blocks_of(item.get("summary")) or []]
        if not any(texts):
            self._skip("item:reasoning")
        for index, text in enumerate(texts):
            if text:
                key = self._key(index)
                yield frame.event(
                    EventKind.MESSAGE, key, Origin.AGENT, text=text, tags=("thinking",)
                )

    # --- calls ----------------------------------------------------------------------------------

    def _call(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        arguments = item.get("input", item.get("action"))
        if "arguments" in item:
            arguments = decoded(item["arguments"])
        call = HostCall(_tool_name(item), arguments)
        call_id = string(item, "call_id")
        if call_id is None:
            yield frame.result(self._key(0), call, PENDING)
            return
        if call.tool == _SCRIPT and item.get("type") == "custom_tool_call":
            self._script, self._called = call_id, False
        opened = OpenCall(id=call_id, call=call, frame=frame, offset=line.offset)
        if not self._calls.open(opened):
            self._skip("repeated_call")

    def _search(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        # Call id of the script that is currently running.
        call = HostCall("web_search", item.get("action"))
        yield frame.result(self._key(0), call, CallOutcome())

    def _output(self, line: TranscriptLine, frame: Frame, item: Payload) -> Iterator[Event]:
        call_id = string(item, "call_id")
        report = report_of(item.get("output", item.get("tools")))
        if call_id is None:
            yield frame.result(self._key(0), HostCall(None), report.outcome())
            return
        if call_id == self._script:
            self._script = None
            if self._called and not report.failed:  # the calls of the script have separate records
                self._calls.drop(call_id)
                self._skip("script")
                return
        opened = self._calls.find(call_id)
        if report.running and opened is not None and not report.script:
            self._running[report.running] = call_id
            self._calls.note(call_id, report.outcome())
            return
        if opened is not None and opened.call.tool == _POLL:
            yield from self._polled(frame, opened, report)
        else:
            yield self._calls.close(call_id, frame, self._ended(call_id, opened, report))

    def _polled(self, frame: Frame, poll: OpenCall, report: CallReport) -> Iterator[Event]:
        """Add the output of a poll to the polled call; close the call if it ended.

        A poll that sends no input has no event of its own; a poll that sends input has no exit
        code.
        """
        arguments = mapping(poll.call.arguments)
        session = string(arguments, "session_id") or ""
        started = self._running.get(session)
        waiting = self._calls.find(started) if started else None
        if waiting is not None:
            so_far = waiting.interim.output if waiting.interim else None
            call_report = replace(report, output=f"{so_far or ''}{report.output or ''}")
            self._calls.note(waiting.id, call_report.outcome())
            if report.exit_code is not None:
                yield self._calls.close(waiting.id, frame, call_report.outcome())
        if started is None or string(arguments, "chars"):
            report = replace(report, exit_code=None, failed=False)
            yield self._calls.close(poll.id, frame, report.outcome())
        else:
            self._calls.drop(poll.id)
            self._skip("poll")

    def _ended(self, call_id: str, opened: OpenCall | None, report: CallReport) -> CallOutcome:
        """Return a call's outcome from its response or its end record."""
        outcome = report.outcome()
        ending = self._endings.pop(call_id, None)
        if ending is not None and ending.outcome.known:
            if not outcome.known or ending.outcome.failed:
                call_report = replace(
                    report, exit_code=ending.exit_code, failed=ending.outcome.failed
                )
                outcome = replace(call_report.outcome(), known=True)
            return replace(outcome, duration_ms=ending.outcome.duration_ms or outcome.duration_ms)
        tool = opened.call.tool if opened else None
        return outcome if ends_with_code(tool) else replace(outcome, known=True)

    # --- notices --------------------------------------------------------------------------------

    def _notice(self, line: TranscriptLine, frame: Frame, notice: Payload) -> Iterator[Event]:
        kind = string(notice, "type")
        item = string(mapping(notice.get("item")), "type")
        if found := notice_text(notice):
            yield from self._text(line, frame, found)
        elif ending := ending_of(notice):
            yield from self._ending(frame, ending)
        elif kind == "error" and (text := string(notice, "message")):
            yield frame.event(EventKind.ERROR, self._key(0), Origin.GENERATED, text=text)
        else:
            self._skip(f"event:{kind}:{item}" if item else f"event:{kind}")

    def _text(self, line: TranscriptLine, frame: Frame, found: NoticeText) -> Iterator[Event]:
        """Yield the events of a text that is in no response item."""
        key = self._key(0)
        if line.offset not in self._history.lone_notices:
            self._skip("duplicate_text" if found.text.strip() else "empty")
        elif found.role is TextRole.USER:
            yield from self._typed(key, frame, found.text)
        else:
            tags = ("thinking",) if found.role is TextRole.REASONING else ()
            yield frame.event(EventKind.MESSAGE, key, Origin.AGENT, text=found.text, tags=tags)

    def _ending(self, frame: Frame, ending: CallEnd) -> Iterator[Event]:
        opened = self._calls.find(ending.id)
        if opened is not None and ending.id not in self._running.values():
            self._endings[ending.id] = ending
            self._calls.note(ending.id, ending.outcome)  # in case the response is missing
        elif opened is not None:
            yield self._calls.close(ending.id, frame, ending.outcome)
        elif not self._calls.is_closed(ending.id):
            self._called = self._script is not None
            self._calls.drop(ending.id)
            yield frame.result(tool_key(ending.id), ending.call, ending.outcome, portable=True)

    def _compacted(self, line: TranscriptLine, frame: Frame, payload: Payload) -> Iterator[Event]:
        key = self._key(0)
        yield frame.event(EventKind.CHECKPOINT, key, Origin.GENERATED, tags=("compact",))
        if summary := string(payload, "message"):
            yield frame.event(
                EventKind.MESSAGE,
                self._key(1),
                Origin.GENERATED,
                text=summary,
                tags=("compaction",),
            )


def _tool_name(item: Payload) -> str | None:
    name, space = string(item, "name"), string(item, "namespace")
    if name is None:
        return {"local_shell_call": "local_shell", "tool_search_call": "tool_search"}.get(
            string(item, "type") or ""
        )
    return f"{space.removesuffix('__')}__{name}" if space and space.startswith("mcp") else name


def _kind_of(record: CodexRecord) -> str:
    if record.kind == META:
        return "type:session_meta"
    return f"type:{record.kind}" if record.kind else "no_type"
