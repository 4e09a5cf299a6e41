"""Merges the records of a Gemini CLI chat file into messages.

A chat file is one JSON object with all messages, or, since 0.40, lines: a header, messages
(repeated at each change), ``$set`` for the header or for the history that is sent to the model, and
``$rewindTo`` at which a person undid turns. ``logs.json`` lists the prompts of many sessions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from memoranda.capture.hosts.json_fields import Payload, fingerprint, mapping, string
from memoranda.json_data import JsonValue, dump_json

ROLES = frozenset(("user", "gemini", "info", "warning", "error"))
EARLIER = "earlier_record"
"""Reason for skipping a record whose message is in another record."""


@dataclass(slots=True)
class ChatHistory:
    """Latest versions of a chat's messages, ordered by their first record."""

    header: dict[str, JsonValue] = field(default_factory=dict)
    messages: dict[str, Payload] = field(default_factory=dict)
    prompts: list[Payload] = field(default_factory=list)
    """Entries of a ``logs.json``."""
    rewound: set[str] = field(default_factory=set)
    """Ids of the messages that a person undid."""
    _written: set[str] = field(default_factory=set)
    """Fingerprints of the message records added so far."""

    def add(self, record: Payload) -> list[str]:
        """Add a record; return the reasons for skipping it or its messages."""
        if is_prompt(record):
            self.prompts.append(record)
            return []
        if "$rewindTo" in record:
            self._rewind(string(record, "$rewindTo"))
            return ["type:$rewindTo"]
        if "$set" in record:
            return ["type:$set", *self._set(mapping(record["$set"]))]
        if has_content(record):
            return [*self._put(record), *self._add_messages(record)]
        if string(record, "sessionId") or isinstance(record.get("messages"), list):
            return ["type:header", *self._set(record)]
        return [_unread(record)]

    def _put(self, record: Payload) -> list[str]:
        """Store the latest version of a message; a repeated line changes nothing."""
        id, mark = _id_of(record), fingerprint(dump_json({**record}))
        again = id in self.messages
        if mark not in self._written:
            self._written.add(mark)
            self.messages[id] = record
        return [EARLIER] if again else []

    def _set(self, values: Payload) -> list[str]:
        """Update the header and add messages; return the reasons for skipped ones."""
        self.header |= {name: value for name, value in values.items() if name != "messages"}
        return self._add_messages(values)

    def _add_messages(self, values: Payload) -> list[str]:
        """Add the new messages of a record; return the reasons for skipped ones.

        Existing messages are not replaced, as the history for the model may be shortened.
        """
        skipped: list[str] = []
        messages = values.get("messages")
        for item in messages if isinstance(messages, list) else ():
            message = mapping(item)
            if not has_content(message):
                skipped.append(_unread(message))
            elif _id_of(message) in self.messages:
                skipped.append(EARLIER)
            else:
                self.messages[_id_of(message)] = message
        return skipped

    def _rewind(self, id: str | None) -> None:
        present = [message for message in self.messages if message not in self.rewound]
        start = present.index(id) if id in present else 0
        self.rewound.update(present[start:])


def _unread(record: Payload) -> str:
    kind = record.get("type")
    return "no_type" if kind is None else f"type:{kind}"


def is_prompt(record: Payload) -> bool:
    """Return whether a record is an entry of ``logs.json``."""
    return type(record.get("messageId")) is int and isinstance(record.get("message"), str)


def is_message(record: Payload) -> bool:
    """Return whether a record is a message of a chat."""
    return isinstance(record.get("id"), str) and has_content(record)


def has_content(record: Payload) -> bool:
    """Return whether a record of a chat is a message, with or without an id."""
    has_parts = "content" in record or "toolCalls" in record
    return has_parts and string(record, "type") in ROLES


def _id_of(message: Payload) -> str:
    id = message.get("id")
    return id if isinstance(id, str) else fingerprint(dump_json({**message}))


def is_record(record: Payload) -> bool:
    """Return whether a record has a form that only Gemini CLI writes."""
    if is_prompt(record) or "$rewindTo" in record or isinstance(record.get("$set"), dict):
        return True
    if isinstance(record.get("sessionId"), str) and "projectHash" in record:
        return True
    return is_message(record) and record.get("type") == "gemini"


def parts_of(content: JsonValue) -> list[Payload]:
    """Return the parts of content; a bare string is converted to a part."""
    found = content if isinstance(content, list) else [content]
    return [{"text": item} if isinstance(item, str) else mapping(item) for item in found]


def message_text(parts: list[Payload]) -> str:
    """Return the joined text of parts, without thoughts."""
    texts = [part.get("text") for part in parts if part.get("thought") is not True]
    return "".join(text for text in texts if isinstance(text, str))


def calls_of(message: Payload) -> Iterator[Payload]:
    """Yield the records of a message's tool calls."""
    calls = message.get("toolCalls")
    yield from (
        item for item in (calls if isinstance(calls, list) else ()) if isinstance(item, dict)
    )
