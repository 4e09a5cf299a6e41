"""The keys by which one happening is known, whoever reports it.

A hook, a second installation of it and the transcript agree on the key of a tool call and of a
prompt, because the host numbers both. What the host does not number gets a key from its place:
the moment for a hook, the line for a transcript. A line moves when the host copies it; what it says
and how often that was said before stays.
"""

from __future__ import annotations

from memoranda.capture.hosts.fields import fingerprint
from memoranda.json_data import JsonValue, dump_json

_FINISHED, _PENDING = "tool:", "call:"


def tool_key(call_id: str) -> str:
    """Name a tool call that has a result."""
    return f"{_FINISHED}{call_id}"


def call_key(call_id: str) -> str:
    """Name a tool call still without a result, which the result completes."""
    return f"{_PENDING}{call_id}"


def counterpart_keys(key: str) -> tuple[str, ...]:
    """Return what a tool call is named while it has no result, or once it has one."""
    for own, other in ((_FINISHED, _PENDING), (_PENDING, _FINISHED)):
        if key.startswith(own):
            return (f"{other}{key.removeprefix(own)}",)
    return ()


def prompt_key(prompt_id: str) -> str:
    """Name what a person typed, where the host numbers prompts."""
    return f"prompt:{prompt_id}"


def is_prompt_key(key: str) -> bool:
    """Tell whether a key names what a person typed, by the host's number."""
    return key.startswith("prompt:")


def host_key(key: str) -> str:
    """Name what a host added to the message of a key."""
    return f"host:{key}"


def message_key(role: str, text: str, at: int | None) -> str:
    """Name a message that a hook reported without an id."""
    return f"message:{role}:{fingerprint(text)}:{at}"


def unnumbered_tool_key(call: JsonValue, at: int | None) -> str:
    """Name a tool call that a hook reported without an id."""
    return f"tool:{fingerprint(dump_json(call))}:{at}"


def moment_key(moment: str, detail: str | None, at: int | None) -> str:
    """Name a moment in a session's life; without ``at`` where the detail says it alone."""
    key = f"{moment}:{detail or ''}"
    return key if at is None else f"{key}:{at}"


def line_key(line: str | int, index: int | None = None) -> str:
    """Name a transcript line by its id, else by its byte offset; with the block inside it."""
    return f"line:{line}" if index is None else f"line:{line}:{index}"


def is_line_key(key: str) -> bool:
    """Tell whether a key names a place in a transcript, or what a host added to a message there."""
    return key.removeprefix(host_key("")).startswith(line_key(""))


def said_key(mark: str, time: int) -> str:
    """Name a content by its mark and how often it came before."""
    return f"said:{mark}:{time}"
