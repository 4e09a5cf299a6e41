"""Records of Gemini CLI's chat files, brought together to the messages of a session.

A chat file is one JSON object with all messages, or, since 0.40, lines: a header, messages (again
with each change), ``$set`` for the header or for the history that is sent to the model, and
``$rewindTo`` where a person took turns back. ``logs.json`` lists the prompts of many sessions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from memoranda.capture.hosts.fields import Payload, mapping, string
from memoranda.json_data import JsonValue

ROLES = frozenset(("user", "gemini", "info", "warning", "error"))


@dataclass(slots=True)
class ChatHistory:
    """Messages of a chat in the order of their first record, as last written."""

    header: dict[str, JsonValue] = field(default_factory=dict)
    messages: dict[str, Payload] = field(default_factory=dict)
    prompts: list[Payload] = field(default_factory=list)
    """Entries of a ``logs.json``."""
    rewound: set[str] = field(default_factory=set)
    """Ids of the messages that a person took back."""

    def add(self, record: Payload) -> str | None:
        """Add a record; return why it has no message of its own, if so."""
        if is_prompt(record):
            self.prompts.append(record)
            return None
        if "$rewindTo" in record:
            self._rewind(string(record, "$rewindTo"))
            return "type:$rewindTo"
        if "$set" in record:
            return self._set(mapping(record["$set"]))
        if is_message(record):
            return self._put(record)
        if string(record, "sessionId"):
            return self._set(record) and "type:header"
        kind = record.get("type")
        return "no_type" if kind is None else f"type:{kind}"

    def _put(self, record: Payload) -> str | None:
        id = str(record["id"])
        again = id in self.messages
        self.messages[id] = record
        return "earlier_record" if again else None

    def _set(self, values: Payload) -> str:
        """Update the header; add messages that are new.

        The history for the model is shortened as a chat grows, so it replaces no message.
        """
        messages = values.get("messages")
        for one in messages if isinstance(messages, list) else ():
            if isinstance(one, dict) and is_message(one):
                self.messages.setdefault(str(one["id"]), one)
        self.header |= {name: value for name, value in values.items() if name != "messages"}
        return "type:$set"

    def _rewind(self, id: str | None) -> None:
        present = [one for one in self.messages if one not in self.rewound]
        start = present.index(id) if id in present else 0
        self.rewound.update(present[start:])


def is_prompt(record: Payload) -> bool:
    """Return whether a record is an entry of ``logs.json``."""
    return type(record.get("messageId")) is int and isinstance(record.get("message"), str)


def is_message(record: Payload) -> bool:
    """Return whether a record is a message of a chat."""
    return (
        isinstance(record.get("id"), str)
        and record.get("type") in ROLES
        and ("content" in record or "toolCalls" in record)
    )


def is_record(record: Payload) -> bool:
    """Return whether a record can only be one of Gemini CLI."""
    if is_prompt(record) or "$rewindTo" in record or isinstance(record.get("$set"), dict):
        return True
    if isinstance(record.get("sessionId"), str) and "projectHash" in record:
        return True
    return is_message(record) and record.get("type") == "gemini"


def parts_of(content: JsonValue) -> list[Payload]:
    """Return the parts of a content; a bare text is a part."""
    found = content if isinstance(content, list) else [content]
    return [{"text": one} if isinstance(one, str) else mapping(one) for one in found]


def spoken(parts: list[Payload]) -> str:
    """Return the text of parts, without thoughts."""
    texts = [one.get("text") for one in parts if one.get("thought") is not True]
    return "".join(one for one in texts if isinstance(one, str))


def calls_of(message: Payload) -> Iterator[Payload]:
    """Yield the records of a message's tool calls."""
    calls = message.get("toolCalls")
    yield from (one for one in (calls if isinstance(calls, list) else ()) if isinstance(one, dict))
