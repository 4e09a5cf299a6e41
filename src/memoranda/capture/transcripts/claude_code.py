"""Claude Code transcripts: every branch, subagents, compactions; the format may change any day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoranda.capture.payloads.claude_code import HOST
from memoranda.capture.payloads.envelopes import ENVELOPE
from memoranda.capture.payloads.fields import Payload, count, mapping, moment, string
from memoranda.capture.payloads.frame import Frame
from memoranda.capture.payloads.keys import line_key, prompt_key
from memoranda.capture.payloads.outcomes import PENDING, Call, Outcome, outcome_of
from memoranda.capture.transcripts.blocks import joined_text, text_of, thinking_of
from memoranda.capture.transcripts.calls import OpenCall
from memoranda.capture.transcripts.chain import Chain
from memoranda.capture.transcripts.claude_entries import (
    CALL_TYPES,
    agent_of,
    answered_call,
    human_block,
    is_sidechain,
    message_blocks,
    queued_prompts,
    refusal_tags,
    result_output,
    speaker,
)
from memoranda.capture.transcripts.lines import Line, read_lines
from memoranda.capture.transcripts.reading import TranscriptReader
from memoranda.values.event import Checkout, Event, EventKind, Source
from memoranda.values.observation import Origin

_SUBAGENTS = "subagents"


def reader(path: Path) -> ClaudeCodeReader:
    """Return a reader for a transcript, after a first pass over the whole of it."""
    return ClaudeCodeReader(Chain.read(read_lines(path)), _session_of(path))


def companions(path: Path) -> list[Path]:
    """Return the transcripts of the session's subagents, which lie in a folder beside it."""
    return sorted((path.with_suffix("") / _SUBAGENTS).glob("agent-*.jsonl"))


def _session_of(path: Path) -> str:
    return path.parent.parent.name if path.parent.name == _SUBAGENTS else path.stem


class ClaudeCodeReader(TranscriptReader):
    """Reads the entries one by one, with the chain's knowledge of where they belong."""

    def __init__(self, chain: Chain, session: str) -> None:
        """Take the chain of the same file; ``session`` is for lines that name none."""
        super().__init__()
        self._chain = chain
        self._session = session
        self._origin: str | None = None
        self._by_type: Mapping[str, Callable[[Line, Payload], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": self._attachment,
            "worktree-state": self._work_tree,
        }

    def _entry_events(self, line: Line, entry: Payload) -> Iterable[Event]:
        kind = entry.get("type")
        if not isinstance(kind, str):
            self._skip("no_type")
            return ()
        read = self._by_type.get(kind)
        if read is None:
            self._skip(f"type:{kind}")
            return ()
        return read(line, entry)

    def _frame(self, entry: Payload) -> Frame:
        uuid = string(entry, "uuid")
        return Frame(
            host=HOST,
            session=string(entry, "sessionId") or self._session,
            source=Source.TRANSCRIPT,
            occurred_at=moment(entry.get("timestamp")),
            agent=agent_of(entry),
            cwd=string(entry, "cwd"),
            checkout=Checkout(branch=string(entry, "gitBranch"), folder=self._origin),
            branch="sidechain" if is_sidechain(entry) else self._chain.branch(uuid),
        )

    def _work_tree(self, _: Line, entry: Payload) -> Iterable[Event]:
        """Note from which folder the session moved into a work tree; nothing: it moved back."""
        self._origin = string(mapping(entry.get("worktreeSession")), "originalCwd")
        self._skip("type:worktree-state")
        return ()

    def _user(self, line: Line, entry: Payload) -> Iterator[Event]:
        blocks = message_blocks(entry)
        if blocks is None:
            self._skip("malformed")
        elif entry.get("isCompactSummary") is True:
            yield from self._summary(line, entry)
        else:
            results = sum(answered_call(block) is not None for block in blocks)
            for index, block in enumerate(blocks):
                yield from self._user_block(line, entry, index, block, alone=results == 1)

    def _summary(self, line: Line, entry: Payload) -> Iterator[Event]:
        text = joined_text(mapping(entry.get("message")).get("content"))
        if text:
            yield self._frame(entry).event(
                EventKind.MESSAGE,
                line_key(_line_id(line, entry)),
                Origin.GENERATED,
                text=text,
                tags=("compaction",),
            )

    def _user_block(
        self, line: Line, entry: Payload, index: int, block: Payload, *, alone: bool
    ) -> Iterator[Event]:
        frame, call = self._frame(entry), answered_call(block)
        if call is not None:
            yield self._calls.close(call, frame, _outcome(entry, block, alone=alone))
        elif text := text_of(block):
            origin, tags = speaker(entry, text)
            key = self._text_key(line, entry, index)
            yield frame.event(EventKind.MESSAGE, key, origin, text=text, tags=tags)
        elif block.get("type") != "text":
            self._skip(f"block:{block.get('type')}")

    def _text_key(self, line: Line, entry: Payload, index: int) -> str:
        prompt, uuid = string(entry, "promptId"), string(entry, "uuid")
        # All entries of a turn carry the prompt's id; only the prompt itself goes by it.
        if prompt and uuid == self._chain.prompts.get(prompt) and human_block(entry) == index:
            return prompt_key(prompt)
        return line_key(_line_id(line, entry), index or None)

    def _assistant(self, line: Line, entry: Payload) -> Iterator[Event]:
        blocks = message_blocks(entry)
        if blocks is None:
            self._skip("malformed")
            return
        frame, tokens = self._frame(entry), self._chain.tokens(entry)
        for index, block in enumerate(blocks):
            call = answered_call(block)
            if call is not None:
                yield self._calls.close(call, frame, _outcome(entry, block, alone=False))
            elif block.get("type") in CALL_TYPES:
                yield from self._call(line, entry, index, block, tokens)
                tokens = None
            elif said := text_of(block) or thinking_of(block):
                event = _words(frame, entry, block, line_key(_line_id(line, entry), index), said)
                yield replace(event, tokens_used=tokens)
                tokens = None
            elif block.get("type") not in ("text", "thinking"):
                self._skip(f"block:{block.get('type')}")

    def _call(
        self, line: Line, entry: Payload, index: int, block: Payload, tokens: int | None
    ) -> Iterator[Event]:
        frame, call_id = self._frame(entry), string(block, "id")
        call = Call(string(block, "name"), block.get("input"))
        if call_id is None:
            key = line_key(_line_id(line, entry), index)
            yield frame.result(key, call, PENDING, tokens_used=tokens)
            return
        opened = OpenCall(
            id=call_id, call=call, frame=frame, offset=line.offset, tokens_used=tokens
        )
        if not self._calls.open(opened):
            self._skip("repeated_call")

    def _system(self, line: Line, entry: Payload) -> Iterator[Event]:
        if entry.get("subtype") != "compact_boundary":
            self._skip(f"system:{entry.get('subtype')}")
            return
        key = line_key(_line_id(line, entry))
        yield self._frame(entry).event(
            EventKind.CHECKPOINT, key, Origin.GENERATED, tags=("compact",)
        )

    def _attachment(self, line: Line, entry: Payload) -> Iterator[Event]:
        attachment = mapping(entry.get("attachment"))
        if attachment.get("type") != "queued_command":
            self._skip(f"attachment:{attachment.get('type')}")
            return
        for index, text, by_person in queued_prompts(entry):
            yield self._frame(entry).event(
                EventKind.MESSAGE,
                line_key(_line_id(line, entry), index or None),
                Origin.HUMAN if by_person else Origin.GENERATED,
                text=text,
                tags=() if by_person else (ENVELOPE,),
            )


def _line_id(line: Line, entry: Payload) -> str | int:
    return string(entry, "uuid") or line.offset


def _words(frame: Frame, entry: Payload, block: Payload, key: str, said: str) -> Event:
    if entry.get("isApiErrorMessage") is True:
        return frame.event(EventKind.ERROR, key, Origin.GENERATED, text=said)
    tags = ("thinking",) if block.get("type") == "thinking" else ()
    return frame.event(EventKind.MESSAGE, key, Origin.AGENT, text=said, tags=tags)


def _outcome(entry: Payload, block: Payload, *, alone: bool) -> Outcome:
    structured = mapping(entry.get("toolUseResult")) if alone else {}
    duration = count(structured.get("durationMs"))
    if duration is None:
        duration = count(structured.get("totalDurationMs"))
    output = result_output(entry, block, alone=alone)
    failed = block.get("is_error") is True
    outcome = outcome_of(output, failed=failed, duration_ms=duration)
    tags = refusal_tags(block) if failed else ()
    return replace(outcome, tags=tuple(dict.fromkeys((*outcome.tags, *tags))))
