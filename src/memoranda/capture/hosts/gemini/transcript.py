"""Reader of Gemini CLI's chat files and of the prompts in its ``logs.json``.

Later records change earlier ones, so a file is read as a whole at every import.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from memoranda.capture.event import REWOUND, Event, EventKind, EventSource, HookReport
from memoranda.capture.hosts.event_fields import MAIN_AGENT, Frame, agent_name
from memoranda.capture.hosts.event_keys import line_key
from memoranda.capture.hosts.gemini.calls import Responses, call_event, unanswered
from memoranda.capture.hosts.gemini.chat import ChatHistory, calls_of, message_text, parts_of
from memoranda.capture.hosts.gemini.payload import HOST
from memoranda.capture.hosts.gemini.project import folder_of, noted_folder
from memoranda.capture.hosts.gemini.turn_texts import reported_turns
from memoranda.capture.hosts.json_fields import Payload, count, mapping, string, written_moment
from memoranda.capture.hosts.message_separation import DELEGATED, media_event
from memoranda.capture.hosts.transcript_lines import (
    LineCounts,
    TranscriptLine,
    line_entries,
    read_lines,
)
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.typed_text import generated_text, split_message, typed_text
from memoranda.observations.model import Origin

CHATS = "chats"
"""Folder of a project's chats."""
PROMPTS = "logs.json"
"""File next to the folder of chats, with the prompts of all sessions."""
_SUBAGENT = "subagent"
_SIDECHAIN = "sidechain"
_OPENING = re.compile(
    r"\s*<(session_context|loaded_context)>(?:(?!</\1>).)*(?:</\1>\s*)?", re.DOTALL
)
"""Start of every session: date, files of the folder, instructions."""
_HEAD_LINES = 20
_MEDIA = 2
"""Index of the first key for binary data in a message; keys of texts have lower indexes."""
_NAMED = 8
"""Number of characters of the session id in a chat file's name."""


def reader(path: Path) -> GeminiReader:
    """Return a reader for a chat file or a ``logs.json``."""
    return GeminiReader(path)


def companions(path: Path) -> list[Path]:
    """Return the chats of a session's subagents, in a folder with its id.

    Symbolic links are not followed.
    """
    if path.parent.name != CHATS:
        return []
    entries = line_entries(islice(read_lines(path), _HEAD_LINES), LineCounts())
    session = next((id for _, item in entries if (id := string(item, "sessionId"))), None)
    if session is None or "/" in session or session in (".", ".."):
        return []
    paths = (path.parent / session).glob("*.jsonl")
    return sorted(one for one in paths if one.is_file() and not one.is_symlink())


class GeminiReader(TranscriptReader):
    """Collects the records of a chat, then yields its events in order."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._chat = ChatHistory()

    def begin(self, start: int) -> int:
        """Return the start of the file, as any record may change an earlier one."""
        return 0

    def events(self, lines: Iterable[TranscriptLine]) -> Iterator[Event]:
        """Yield the events of the whole file after reading its lines."""
        yield from super().events(lines)
        yield from self._counted(chain(self._prompts(), self._messages()))

    def _entry_events(self, line: TranscriptLine, entry: Payload) -> Iterable[Event]:
        for reason in self._chat.add(entry):
            self._skip(reason)
        return ()

    def _prompts(self) -> Iterator[Event]:
        """Yield the events of prompts of sessions without a chat file."""
        for prompt in self._chat.prompts:
            session, text = string(prompt, "sessionId"), string(prompt, "message")
            if prompt.get("type") != "user" or session is None:
                self._skip(f"type:{prompt.get('type')}")
            elif any((self._path.parent / CHATS).glob(f"session-*-{session[:_NAMED]}.json*")):
                self._skip("in_chat_file")
            else:
                key = line_key(f"prompt:{prompt.get('messageId')}")
                at = written_moment(prompt.get("timestamp"))
                frame = Frame(
                    host=HOST,
                    session=session,
                    source=EventSource.TRANSCRIPT,
                    occurred_at=at,
                    cwd=noted_folder(self._path),
                )
                yield frame.event(EventKind.MESSAGE, key, Origin.HUMAN, text=text or "")

    def _messages(self) -> Iterator[Event]:
        if not self._chat.messages:
            return
        frame = self._frame()
        responses = Responses.of(self._chat)
        for turn, joined in reported_turns(self._chat):
            for id, message in turn:
                own = replace(
                    frame,
                    occurred_at=written_moment(message.get("timestamp")),
                    branch=REWOUND if id in self._chat.rewound else frame.branch,
                )
                if message.get("type") == "user":
                    yield from self._typed(own, id, message)
                else:
                    yield from self._answered(own, id, message, joined, responses)

    def _frame(self) -> Frame:
        header = self._chat.header
        session = string(header, "sessionId") or self._path.stem
        frame = Frame(
            host=HOST,
            session=session,
            source=EventSource.TRANSCRIPT,
            cwd=folder_of(self._chat, self._path),
        )
        if header.get("kind") != _SUBAGENT or self._path.parent.parent.name != CHATS:
            return frame
        agent = agent_name(_SUBAGENT, session)
        return replace(frame, session=self._path.parent.name, agent=agent, branch=_SIDECHAIN)

    def _typed(self, frame: Frame, id: str, message: Payload) -> Iterator[Event]:
        """Yield the events of a message to the model: typed text or results."""
        parts = []
        for index, part in enumerate(parts_of(message.get("content"))):
            if _OPENING.fullmatch(string(part, "text") or ""):
                self._skip("session_context")
            elif isinstance(part.get("text"), str):
                parts.append(part)
            elif event := media_event(frame, line_key(id, _MEDIA + index), part):
                yield event
            else:
                self._skip("tool_response" if "functionResponse" in part else _unread(part))
        text = message_text(parts)
        by_person = frame.agent == MAIN_AGENT
        origin, tags = (Origin.HUMAN, ()) if by_person else (Origin.AGENT, (DELEGATED,))
        shown = message_text(parts_of(message.get("displayContent")))
        if by_person and shown.strip() and shown.strip() != text.strip():
            # The host replaced a command or a file reference with its content.
            yield frame.event(EventKind.MESSAGE, line_key(id), Origin.HUMAN, text=shown)
            message_parts = split_message(text)
            typed = typed_text(message_parts)
            text = generated_text(message_parts) if typed.strip() == shown.strip() else text
            yield frame.event(EventKind.MESSAGE, line_key(id, 1), Origin.GENERATED, text=text)
        elif text:
            yield frame.event(EventKind.MESSAGE, line_key(id), origin, text=text, tags=tags)
        elif parts or not parts_of(message.get("content")):
            self._skip("empty")

    def _answered(
        self,
        frame: Frame,
        id: str,
        message: Payload,
        joined: HookReport | None,
        responses: Responses,
    ) -> Iterator[Event]:
        """Yield the events of a message of the model or the host, with calls."""
        tokens = count(mapping(message.get("tokens")).get("total"))
        events = [
            *self._thoughts(frame, id, message),
            *(replace(one, hook_report=joined) for one in self._message(frame, id, message)),
            *(call_event(frame, id, number, item) for number, item in enumerate(calls_of(message))),
            *unanswered(frame, message, responses),
        ]
        if not events:
            self._skip("empty" if message.get("type") == "gemini" else f"type:{message['type']}")
        yield from (replace(event, tokens_used=tokens) for event in events[:1])
        yield from events[1:]

    def _thoughts(self, frame: Frame, id: str, message: Payload) -> Iterator[Event]:
        thoughts = message.get("thoughts")
        parts = [item for item in parts_of(message.get("content")) if item.get("thought") is True]
        listed = [mapping(one) for one in (thoughts if isinstance(thoughts, list) else ())]
        for number, thought in enumerate([*listed, *([] if listed else parts)]):
            fields = (string(thought, name) for name in ("subject", "description", "text"))
            yield replace(
                frame, occurred_at=written_moment(thought.get("timestamp")) or frame.occurred_at
            ).event(
                EventKind.MESSAGE,
                line_key(id, number + 1),
                Origin.AGENT,
                text=": ".join(filter(None, fields)),
                tags=("thinking",),
            )

    def _message(self, frame: Frame, id: str, message: Payload) -> Iterator[Event]:
        text = message_text(parts_of(message.get("content")))
        if not text.strip():
            return
        if message.get("type") == "gemini":
            yield frame.event(EventKind.MESSAGE, line_key(id), Origin.AGENT, text=text)
        elif message.get("type") == "error":
            yield frame.event(EventKind.ERROR, line_key(id), Origin.GENERATED, text=text)


def _unread(part: Payload) -> str:
    return f"block:{next(iter(part))}" if part else "malformed"
