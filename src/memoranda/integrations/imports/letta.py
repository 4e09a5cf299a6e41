"""Importer of Letta agent files (``.af``): an agent's blocks and messages.

Source: the format of Letta 0.8 and later (``agents`` next to ``blocks``), and the earlier one (a
single agent with ``core_memory``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoranda.archive.other_system_records import ImportedBlock
from memoranda.blocks.model import LIMIT
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.json_fields import fingerprint
from memoranda.capture.hosts.output_origin import tool_origin
from memoranda.exceptions import InvalidInput
from memoranda.integrations.imports.imported_items import (
    ImportContext,
    ImportedEvent,
    ImportedItem,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from memoranda.integrations.imports.json_file import documents
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

HOST = "letta"
SPEAKING = "send_message"
"""Name of the tool that Letta agents use to send messages."""


def is_agent_file(value: object) -> bool:
    """Return whether JSON is an agent file."""
    document = fields_of(value)
    listed = isinstance(document.get("agents"), list) and isinstance(document.get("blocks"), list)
    return listed or (isinstance(document.get("core_memory"), list) and "messages" in document)


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield the blocks, then each agent's messages.

    A block that several agents share is yielded once.
    """
    for document in map(fields_of, documents(path, reading.skip)):
        if not is_agent_file(document):
            raise InvalidInput(f"{path} is not an agent file of Letta")
        agents = [document] if "core_memory" in document else items_of(document.get("agents"))
        named = [(_name(agent, path), agent) for agent in map(fields_of, agents)]
        yield from _blocks(document, named, reading)
        for name, agent in named:
            yield from _Conversation(name, reading).events(items_of(agent.get("messages")))


def _name(agent: Mapping[str, Any], path: Path) -> str:
    return text_of(agent.get("name")) or path.stem


def _blocks(
    document: Mapping[str, Any], agents: list[tuple[str, Mapping[str, Any]]], reading: ImportContext
) -> Iterator[ImportedBlock]:
    """Yield the blocks inside agents and the standalone blocks.

    Several agents may share a standalone block, and some belong to no agent.
    """
    holders: dict[str, list[str]] = {}
    for name, agent in agents:
        own = items_of(agent.get("core_memory")) + items_of(agent.get("memory_blocks"))
        for block in map(fields_of, own):
            yield from _block([name], block, reading)
        for id in map(text_of, items_of(agent.get("block_ids"))):
            holders.setdefault(id, []).append(name)
    for block in map(fields_of, items_of(document.get("blocks"))):
        yield from _block(holders.pop(text_of(block.get("id")), []), block, reading)
    for _ in holders:
        reading.skip("a block that an agent names and the file lacks")


def _block(
    holders: list[str], block: Mapping[str, Any], reading: ImportContext
) -> Iterator[ImportedBlock]:
    label = text_of(block.get("label"))
    if not label:
        reading.skip("a block without a label")
        return
    limit = block.get("limit")
    owner = holders[0] if holders else f"\0{text_of(block.get('id'))}"
    yield ImportedBlock(
        key=f"{owner}\0{label}",
        label=label,
        value=text_of(block.get("value")),
        description=text_of(block.get("description")),
        limit=limit if type(limit) is int else LIMIT,
        read_only=block.get("read_only") is True,
        holders=tuple(dict.fromkeys(holders)) if len(set(holders)) > 1 else (),
        workspace=reading.workspace,
        created_at=time_of(block.get("created_at")),
    )


@dataclass(slots=True)
class _Conversation:
    """Messages to and from an agent, and tools with their results."""

    agent: str
    reading: ImportContext
    _called: dict[str, tuple[str, JsonValue]] = field(default_factory=dict)

    def events(self, messages: list[Any]) -> Iterator[ImportedEvent]:
        yield self._event(EventKind.TASK_START, "start", None, text=self.agent)
        for message in map(fields_of, messages):
            role, at = message.get("role"), time_of(message.get("created_at"))
            text = _message_text(message)
            if role == "user":
                yield from self._user_events(text, at)
            elif role == "assistant":
                yield from self._answered(message, text, at)
            elif role == "tool":
                yield from self._returned(message, text, at)
            else:
                self.reading.skip(f"a message of the role {text_of(role) or 'none'}")

    def _user_events(self, text: str, at: int | None) -> Iterator[ImportedEvent]:
        packed = fields_of(_decoded(text))
        if packed.get("type") not in (None, "user_message"):
            self.reading.skip(f"an alert of the kind {text_of(packed.get('type'))}")
            return
        words = text_of(packed.get("message")) or text
        yield from self._message(words, at, Origin.HUMAN)

    def _answered(
        self, message: Mapping[str, Any], text: str, at: int | None
    ) -> Iterator[ImportedEvent]:
        yield from self._message(text, at, Origin.AGENT)
        for call in map(fields_of, items_of(message.get("tool_calls"))):
            function = fields_of(call.get("function"))
            name, tool_call = text_of(function.get("name")), _decoded(function.get("arguments"))
            if name == SPEAKING:
                yield from self._message(
                    text_of(fields_of(tool_call).get("message")), at, Origin.AGENT
                )
            elif name:
                self._called[text_of(call.get("id"))] = (name, tool_call)

    def _returned(
        self, message: Mapping[str, Any], text: str, at: int | None
    ) -> Iterator[ImportedEvent]:
        id = text_of(message.get("tool_call_id"))
        name, call = self._called.pop(id, (text_of(message.get("name")), None))
        if not name or name == SPEAKING:
            return  # the confirmation of a sent message has no content
        result = fields_of(_decoded(text))
        yield self._event(
            EventKind.TOOL_RESULT,
            f"tool:{fingerprint(f'{id}{at}{text}')}",
            at,
            origin=tool_origin(name),
            tool=name,
            input=call,
            output=text_of(result.get("message")) or text,
            failed=text_of(result.get("status")) == "Failed",
        )

    def _message(self, text: str, at: int | None, origin: Origin) -> Iterator[ImportedEvent]:
        if text:
            key = f"message:{origin}:{fingerprint(f'{at}{text}')}"
            yield self._event(EventKind.MESSAGE, key, at, text=text, origin=origin)

    def _event(
        self,
        kind: EventKind,
        key: str,
        at: int | None,
        *,
        origin: Origin = Origin.GENERATED,
        **fields: Any,
    ) -> ImportedEvent:
        event = Event(
            kind=kind,
            host=HOST,
            session=self.agent,
            source=EventSource.TRANSCRIPT,
            key=key,
            origin=origin,
            occurred_at=at,
            **fields,
        )
        return ImportedEvent(event, self.reading.workspace or HOST)


def _message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message in any of the known formats."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [text_of(fields_of(part).get("text")) for part in content]
        return "\n".join(filter(None, texts))
    return text_of(content) or text_of(message.get("text"))


def _decoded(value: object) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
