"""Reader of Claude Code transcripts: branches, subagents, compactions.

The format is undocumented and may change at any time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from memoranda.capture.event import Checkout, Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import PENDING, HostCall
from memoranda.capture.hosts.claude_code.branches import Chain
from memoranda.capture.hosts.claude_code.entry_fields import (
    CALL_TYPES,
    absorbed_prompt,
    agent_of,
    answered_call,
    call_outcome,
    is_sidechain,
    message_blocks,
    queued_prompts,
    speaker,
)
from memoranda.capture.hosts.claude_code.payload import HOST, api_error
from memoranda.capture.hosts.claude_code.prompt_queue import QUEUE, queue_key
from memoranda.capture.hosts.claude_code.refusals import reason_in_line, statement
from memoranda.capture.hosts.content_blocks import joined_text, text_of, thinking_of, unread_reason
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import line_key, prompt_key
from memoranda.capture.hosts.json_fields import Payload, mapping, string, written_moment
from memoranda.capture.hosts.message_separation import ENVELOPE, is_envelope, media_event
from memoranda.capture.hosts.open_calls import OpenCall
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.exceptions import InvalidInput
from memoranda.json_data import parse_json
from memoranda.observations.model import Origin

_SUBAGENTS = "subagents"


def reader(path: Path) -> ClaudeCodeReader:
    """Return a reader for a transcript, after a first pass over all of it."""
    return ClaudeCodeReader(Chain.read(read_lines(path)), _session_of(path), _agent_type(path))


def companions(path: Path) -> list[Path]:
    """Return the transcripts of the session's subagents.

    The transcripts are in a folder next to the session's transcript, or in its subfolders. Symbolic
    links are not followed.
    """
    home = path.with_suffix("") / _SUBAGENTS
    paths = (Path(folder) / name for folder, _, names in os.walk(home) for name in names)
    return sorted(item for item in paths if _is_subagent(item))


def session_folder(path: Path) -> Path:
    """Return the host's folder for files of a transcript's session."""
    home = next((parent for parent in path.parents if parent.name == _SUBAGENTS), None)
    return home.parent if home else path.with_suffix("")


def _is_subagent(path: Path) -> bool:
    named = path.name.startswith("agent-") and path.suffix == ".jsonl"
    return named and path.is_file() and not path.is_symlink()


def _agent_type(path: Path) -> str | None:
    """Read the type of a transcript's subagent.

    Hooks use it as a part of the agent's name.
    """
    try:
        described = parse_json(path.with_suffix(".meta.json").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, InvalidInput):
        return None
    return string(mapping(described), "agentType")


def _session_of(path: Path) -> str:
    return session_folder(path).name


class ClaudeCodeReader(TranscriptReader):
    """Converts entries to events; the chain determines their branch."""

    def __init__(self, chain: Chain, session: str, agent_type: str | None = None) -> None:
        """Create a reader for the file from which the chain was read.

        ``session`` and ``agent_type`` (the type of a subagent) are defaults for lines without these
        fields.
        """
        super().__init__()
        self._chain = chain
        self._session = session
        self._agent_type = agent_type
        self._origin: str | None = None
        self._by_type: Mapping[str, Callable[[TranscriptLine, Payload], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": self._attachment,
            QUEUE: self._queue,
            "worktree-state": self._work_tree,
        }

    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        kind = entry.get("type")
        if not isinstance(kind, str):
            self._skip("no_type")
            return
        read = self._by_type.get(kind)
        if read is None:
            self._skip(f"type:{kind}")
            return
        # An entry with an id keeps it, and its time, in the copies that the host makes.
        # A message that is only in the queue is identified by its time instead.
        portable = string(entry, "uuid", *(("timestamp",) if kind == QUEUE else ())) is not None
        former = self._chain.queue.former_keys.get(line.offset)
        for event in read(line, entry):
            typed = former and event.kind is EventKind.MESSAGE and event.origin is Origin.HUMAN
            keys = (former, *event.former_keys) if former and typed else event.former_keys
            yield replace(event, portable=portable, former_keys=keys)

    def _frame(self, entry: Payload) -> Frame:
        uuid = string(entry, "uuid")
        session = string(entry, "sessionId") or self._session
        origin = self._chain.origins.get(uuid or "", session)
        return Frame(
            host=HOST,
            session=origin,
            copied_to=None if origin == session else session,
            source=EventSource.TRANSCRIPT,
            occurred_at=written_moment(entry.get("timestamp")),
            agent=agent_of(entry, self._agent_type),
            cwd=string(entry, "cwd"),
            checkout=Checkout(branch=string(entry, "gitBranch"), folder=self._origin),
            branch="sidechain" if is_sidechain(entry) else self._chain.branch(uuid),
        )

    def _work_tree(self, _: TranscriptLine, entry: Payload) -> Iterable[Event]:
        """Record the folder from which the session moved to a Git worktree.

        The folder is None if the session moved back.
        """
        self._origin = string(mapping(entry.get("worktreeSession")), "originalCwd")
        self._skip("type:worktree-state")
        return ()

    def _user(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        blocks = message_blocks(entry)
        if not blocks:
            self._skip("malformed" if blocks is None else "empty")
        elif entry.get("isCompactSummary") is True:
            yield from self._summary(line, entry)
        else:
            results = sum(answered_call(block) is not None for block in blocks)
            spoken = self._messages(line, entry, blocks)
            for index, block in enumerate(blocks):
                if index in spoken:
                    yield spoken[index]
                else:
                    yield from self._user_block(line, entry, index, block, alone=results == 1)

    def _messages(
        self, line: TranscriptLine, entry: Payload, blocks: list[Payload]
    ) -> dict[int, Event]:
        """Return the events of the texts in a user line, by block index.

        All typed blocks are joined to one message.
        """
        origin, tags = speaker(entry)
        texts = {index: text for index, block in enumerate(blocks) if (text := text_of(block))}
        typed = [index for index in texts if not is_envelope(texts[index])]
        if origin is not Origin.GENERATED and len(typed) > 1:
            texts[typed[0]] = "\n".join(texts.pop(index) for index in typed)
        opening = next(iter(typed or texts), None)
        frame, uuid = self._frame(entry), string(entry, "uuid")
        prompt = string(entry, "promptId") if origin is Origin.HUMAN else None
        events = dict[int, Event]()
        for index, text in sorted(texts.items()):
            key = line_key(_line_id(line, entry), index or None)
            # All entries of a turn have the prompt's id; only the prompt itself is keyed by it.
            if prompt and index == opening and self._chain.opens(prompt, uuid):
                key = prompt_key(prompt)
            events[index] = frame.event(EventKind.MESSAGE, key, origin, text=text, tags=tags)
        return events

    def _summary(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        text = joined_text(mapping(entry.get("message")).get("content"))
        if not text:
            self._skip("empty")
        else:
            yield self._frame(entry).event(
                EventKind.MESSAGE,
                line_key(_line_id(line, entry)),
                Origin.GENERATED,
                text=text,
                tags=("compaction",),
            )

    def _user_block(
        self, line: TranscriptLine, entry: Payload, index: int, block: Payload, *, alone: bool
    ) -> Iterator[Event]:
        call = answered_call(block)
        if call is not None:
            yield from self._ended(entry, block, call, alone=alone)
        elif text_of(block):
            return  # the text was already joined to another block of the line
        elif event := media_event(
            self._frame(entry), line_key(_line_id(line, entry), index), block
        ):
            yield event
        else:
            self._skip(unread_reason(block))

    def _ended(self, entry: Payload, block: Payload, call: str, *, alone: bool) -> Iterator[Event]:
        outcome = call_outcome(entry, block, alone=alone)
        result = self._calls.close(call, self._frame(entry), outcome)
        yield result
        text = joined_text(block.get("content")) if outcome.failed else ""
        if reason := reason_in_line(entry, text, result.tool):
            yield statement(result, reason)

    def _assistant(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        blocks = message_blocks(entry)
        if not blocks:
            self._skip("malformed" if blocks is None else "empty")
            return
        frame, tokens = self._frame(entry), self._chain.tokens(entry)
        for index, block in enumerate(blocks):
            call = answered_call(block)
            if call is not None:
                yield self._calls.close(call, frame, call_outcome(entry, block, alone=False))
            elif block.get("type") in CALL_TYPES:
                yield from self._call(line, entry, index, block, tokens)
                tokens = None
            elif text := text_of(block) or thinking_of(block):
                event = _words(frame, entry, block, line_key(_line_id(line, entry), index), text)
                yield replace(event, tokens_used=tokens)
                tokens = None
            else:
                self._skip(unread_reason(block))

    def _call(
        self, line: TranscriptLine, entry: Payload, index: int, block: Payload, tokens: int | None
    ) -> Iterator[Event]:
        frame, call_id = self._frame(entry), string(block, "id")
        call = HostCall(string(block, "name"), block.get("input"))
        if call_id is None:
            key = line_key(_line_id(line, entry), index)
            yield frame.result(key, call, PENDING, tokens_used=tokens)
            return
        opened = OpenCall(
            id=call_id, call=call, frame=frame, offset=line.offset, tokens_used=tokens
        )
        if not self._calls.open(opened):
            self._skip("repeated_call")

    def _system(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        if entry.get("subtype") != "compact_boundary":
            self._skip(f"system:{entry.get('subtype')}")
            return
        key = line_key(_line_id(line, entry))
        yield self._frame(entry).event(
            EventKind.CHECKPOINT, key, Origin.GENERATED, tags=("compact",)
        )

    def _attachment(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        attachment = mapping(entry.get("attachment"))
        if attachment.get("type") != "queued_command":
            self._skip(f"attachment:{attachment.get('type')}")
            return
        prompts = list(queued_prompts(entry))
        if not prompts:
            self._skip("empty")
        for index, text, by_person in prompts:
            yield self._frame(entry).event(
                EventKind.MESSAGE,
                line_key(_line_id(line, entry), index or None),
                Origin.HUMAN if by_person else Origin.GENERATED,
                text=text,
                tags=() if by_person else (ENVELOPE,),
            )

    def _queue(self, line: TranscriptLine, entry: Payload) -> Iterator[Event]:
        """Return the event of a message that is only in the agent's queue.

        Some programs write no attachment for such a message, and it never becomes a separate
        prompt.
        """
        text, key = absorbed_prompt(entry), self._chain.queue.unrepeated.get(line.offset)
        if key:
            text = string(entry, "content")
        elif text and text.strip() not in self._chain.attached:
            # The key must not use the offset, which differs in a copy.
            which = string(entry, "timestamp") or self._chain.queued.get(line.offset, 0)
            key = queue_key(text, which)
        if text is None or key is None:
            self._skip(f"type:{QUEUE}")
            return
        yield self._frame(entry).event(EventKind.MESSAGE, key, Origin.HUMAN, text=text)


def _line_id(line: TranscriptLine, entry: Payload) -> str | int:
    # A program that branches a session gives new ids to its copies.
    copied = string(mapping(entry.get("forkedFrom")), "messageUuid")
    return copied or string(entry, "uuid") or line.offset


def _words(frame: Frame, entry: Payload, block: Payload, key: str, text: str) -> Event:
    if entry.get("isApiErrorMessage") is True:
        why = api_error(string(entry, "error"), text)
        return frame.event(EventKind.ERROR, key, Origin.GENERATED, text=why)
    tags = ("thinking",) if block.get("type") == "thinking" else ()
    return frame.event(EventKind.MESSAGE, key, Origin.AGENT, text=text, tags=tags)
