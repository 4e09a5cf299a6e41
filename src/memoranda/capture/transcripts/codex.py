"""Codex rollouts: ``{timestamp, type, payload}`` lines, with the words of both sides told twice.

Words are taken from the response items, which hold all of them; the event messages repeat them
for display.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memoranda.capture.payloads.codex import HOST, judge
from memoranda.capture.payloads.envelopes import ENVELOPE, is_codex_envelope
from memoranda.capture.payloads.fields import Payload, decoded, mapping, moment, string
from memoranda.capture.payloads.frame import MAIN_AGENT, Frame
from memoranda.capture.payloads.keys import line_key
from memoranda.capture.payloads.outcomes import PENDING, Call, Outcome
from memoranda.capture.remotes import normalised_remote
from memoranda.capture.transcripts.blocks import blocks_of, text_of
from memoranda.capture.transcripts.calls import OpenCall
from memoranda.capture.transcripts.lines import Line, Tally, entry_of, read_lines
from memoranda.capture.transcripts.reading import TranscriptReader
from memoranda.ids import is_uuid
from memoranda.values.event import UNKNOWN, Checkout, Event, EventKind, Source
from memoranda.values.observation import Origin

_HEADER_LINES = 20
_REPEATS = ("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content")


@dataclass(frozen=True, slots=True)
class Header:
    """What the head of a rollout says about all of it."""

    session: str
    cwd: str | None = None
    agent: str = MAIN_AGENT
    branch: str = "main"
    checkout: Checkout = UNKNOWN


def reader(path: Path) -> CodexReader:
    """Return a reader for a rollout, after a look at its head."""
    return CodexReader(read_header(islice(read_lines(path), _HEADER_LINES), path.stem))


def read_header(lines: Iterable[Line], stem: str) -> Header:
    """Find the session's own description; a fork copies its parent's as well, further down."""
    for line in lines:
        entry = entry_of(line, Tally())
        if entry is not None and entry.get("type") == "session_meta":
            return _header(mapping(entry.get("payload")), stem)
    return Header(_session_in(stem))


def _header(meta: Payload, stem: str) -> Header:
    session = string(meta, "id") or _session_in(stem)
    cwd, source, git = string(meta, "cwd"), mapping(meta.get("source")), mapping(meta.get("git"))
    checkout = Checkout(normalised_remote(string(git, "repository_url")), string(git, "branch"))
    if "subagent" not in source:
        return Header(session, cwd, checkout=checkout)
    kind = source["subagent"]
    agent = kind if isinstance(kind, str) and kind else "subagent"
    return Header(session, cwd, agent, "sidechain", checkout)


def _session_in(stem: str) -> str:
    return stem[-36:] if is_uuid(stem[-36:]) else stem


class CodexReader(TranscriptReader):
    """Reads the records one by one; the working directory follows the turns."""

    def __init__(self, header: Header) -> None:
        super().__init__()
        self._header = header
        self._cwd = header.cwd
        self._by_item: Mapping[str, Callable[[Line, Frame, Payload], Iterable[Event]]] = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "local_shell_call": self._call,
            "web_search_call": self._search,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
        }

    def _entry_events(self, line: Line, entry: Payload) -> Iterable[Event]:
        kind, payload = entry.get("type"), mapping(entry.get("payload"))
        frame = self._frame(entry)
        if kind == "response_item":
            return self._item(line, frame, payload)
        if kind == "event_msg":
            return self._notice(line, frame, payload)
        if kind == "compacted":
            return self._compacted(line, frame, payload)
        if kind == "turn_context":
            self._cwd = string(payload, "cwd") or self._cwd
        self._skip(f"type:{kind}" if isinstance(kind, str) else "no_type")
        return ()

    def _frame(self, entry: Payload) -> Frame:
        return Frame(
            host=HOST,
            session=self._header.session,
            source=Source.TRANSCRIPT,
            occurred_at=moment(entry.get("timestamp")),
            agent=self._header.agent,
            cwd=self._cwd,
            checkout=self._header.checkout,
            branch=self._header.branch,
        )

    def _item(self, line: Line, frame: Frame, item: Payload) -> Iterable[Event]:
        kind = string(item, "type")
        read = self._by_item.get(kind or "")
        if read is None:
            self._skip(f"item:{kind}")
            return ()
        return read(line, frame, item)

    def _message(self, line: Line, frame: Frame, item: Payload) -> Iterator[Event]:
        blocks = blocks_of(item.get("content"))
        if blocks is None:
            self._skip("malformed")
        for index, block in enumerate(blocks or []):
            if text := text_of(block):
                origin, tags = self._speaker(item, text)
                key = line_key(line.offset, index)
                yield frame.event(EventKind.MESSAGE, key, origin, text=text, tags=tags)
            else:
                self._skip(f"block:{block.get('type')}")

    def _speaker(self, item: Payload, text: str) -> tuple[Origin, tuple[str, ...]]:
        if item.get("role") == "assistant":
            return Origin.AGENT, ()
        if item.get("role") != "user" or is_codex_envelope(text):
            return Origin.GENERATED, (ENVELOPE,)
        if self._header.branch != "main":
            return Origin.AGENT, ("delegated",)
        return Origin.HUMAN, ()

    def _reasoning(self, line: Line, frame: Frame, item: Payload) -> Iterator[Event]:
        texts = [text_of(block) for block in blocks_of(item.get("summary")) or []]
        if not any(texts):
            self._skip("item:reasoning")
        for index, text in enumerate(texts):
            if text:
                key = line_key(line.offset, index)
                yield frame.event(
                    EventKind.MESSAGE, key, Origin.AGENT, text=text, tags=("thinking",)
                )

    def _call(self, line: Line, frame: Frame, item: Payload) -> Iterator[Event]:
        given = item.get("input", item.get("action"))
        if "arguments" in item:
            given = decoded(item["arguments"])
        tool = string(item, "name") or (
            "local_shell" if item.get("type") == "local_shell_call" else None
        )
        call_id = string(item, "call_id")
        if call_id is None:
            yield frame.result(line_key(line.offset, 0), Call(tool, given), PENDING)
            return
        opened = OpenCall(id=call_id, call=Call(tool, given), frame=frame, offset=line.offset)
        if not self._calls.open(opened):
            self._skip("repeated_call")

    def _search(self, line: Line, frame: Frame, item: Payload) -> Iterator[Event]:
        # The search runs at the provider; a rollout holds the question and never the answer.
        call = Call("web_search", item.get("action"))
        yield frame.result(line_key(line.offset, 0), call, Outcome())

    def _output(self, line: Line, frame: Frame, item: Payload) -> Iterator[Event]:
        call_id, outcome = string(item, "call_id"), judge(item.get("output"))
        if call_id is None:
            yield frame.result(line_key(line.offset, 0), Call(None), outcome)
        else:
            yield self._calls.close(call_id, frame, outcome)

    def _notice(self, line: Line, frame: Frame, notice: Payload) -> Iterator[Event]:
        kind = string(notice, "type")
        if kind in _REPEATS:
            self._skip("duplicate_text")
        elif kind == "error" and (text := string(notice, "message")):
            yield frame.event(
                EventKind.ERROR, line_key(line.offset, 0), Origin.GENERATED, text=text
            )
        else:
            self._skip(f"event:{kind}")

    def _compacted(self, line: Line, frame: Frame, payload: Payload) -> Iterator[Event]:
        key = line_key(line.offset, 0)
        yield frame.event(EventKind.CHECKPOINT, key, Origin.GENERATED, tags=("compact",))
        if summary := string(payload, "message"):
            yield frame.event(
                EventKind.MESSAGE,
                line_key(line.offset, 1),
                Origin.GENERATED,
                text=summary,
                tags=("compaction",),
            )
