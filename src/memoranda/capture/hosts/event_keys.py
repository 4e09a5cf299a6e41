"""Keys that identify an event, whether a hook or a transcript reports it.

A hook, a second installation of it and the transcript agree on the key of a tool call and of a
prompt, because the host numbers both. An event without a number gets a key from its place: the
moment for a hook, the line for a transcript. A line moves when the host copies it; its content and
the count of earlier repetitions stay.
"""

from __future__ import annotations

from memoranda.capture.hosts.fields import fingerprint
from memoranda.json_data import JsonValue, dump_json

_FINISHED, _PENDING, _MESSAGE, _COPIED = "tool:", "call:", "said:", "copied:"
_REFUSED = "refused:"


def tool_key(call_id: str) -> str:
    """Return the key of a tool call that has a result."""
    return f"{_FINISHED}{call_id}"


def call_key(call_id: str) -> str:
    """Return the key of a tool call without result.

    The result completes it.
    """
    return f"{_PENDING}{call_id}"


def counterpart_keys(key: str) -> tuple[str, ...]:
    """Return the keys of a tool call without its result, or with it."""
    for own, other in ((_FINISHED, _PENDING), (_PENDING, _FINISHED)):
        if key.startswith(own):
            return (f"{other}{key.removeprefix(own)}",)
    return ()


def prompt_key(prompt_id: str) -> str:
    """Return the key of typed text, if the host numbers prompts."""
    return f"prompt:{prompt_id}"


def refusal_key(key: str) -> str:
    """Return the key of what a person typed while refusing the call of a key."""
    return f"{_REFUSED}{key}"


def is_refusal_key(key: str) -> bool:
    """Return whether a key is that of what a person typed while refusing a call."""
    return key.startswith(_REFUSED)


def is_prompt_key(key: str) -> bool:
    """Return whether a key is that of a numbered prompt."""
    return key.startswith("prompt:")


def host_key(key: str) -> str:
    """Return the key of a host's addition to the message of a key."""
    return f"host:{key}"


def message_key(role: str, text: str, at: int | None) -> str:
    """Return the key of a message that a hook reported without an id."""
    return f"message:{role}:{fingerprint(text)}:{at}"


def unnumbered_tool_key(call: JsonValue, at: int | None) -> str:
    """Return the key of a tool call that a hook reported without an id."""
    return f"tool:{fingerprint(dump_json(call))}:{at}"


def moment_key(moment: str, detail: str | None, at: int | None) -> str:
    """Return the key of a moment in a session's life.

    It has no ``at`` if the detail is unique.
    """
    key = f"{moment}:{detail or ''}"
    return key if at is None else f"{key}:{at}"


def line_key(line: str | int, index: int | None = None) -> str:
    """Return the key of a transcript line: its id, else its byte offset.

    It includes the block inside the line.
    """
    return f"line:{line}" if index is None else f"line:{line}:{index}"


def is_line_key(key: str) -> bool:
    """Return whether a key is a place in a transcript.

    It may also be that of a host's addition to a message there.
    """
    return key.removeprefix(host_key("")).startswith(line_key(""))


def is_shared_key(key: str, *, late: bool) -> bool:
    """Return whether a key names the same event in every session of a lineage.

    ``late``: the event is a copy, so that any session may have said it.
    """
    shared = (_FINISHED, _PENDING, _COPIED, _MESSAGE) if late else (_FINISHED, _PENDING, _COPIED)
    return key.startswith(shared)


def is_copied_key(key: str) -> bool:
    """Return whether a key is that of a copy without its own time."""
    return key.startswith(_COPIED)


def time_of(key: str) -> int:
    """Return the number of earlier uses of a content, from its key."""
    return int(key.rpartition(":")[2])


def copied_message_key(mark: str, time: int) -> str:
    """Return the key of a content that is known by its copy alone.

    The content itself has another, so that it can replace the time and the key of its copy.
    """
    return f"{_COPIED}{mark}:{time}"


def timed_message_key(mark: str, time: int) -> str:
    """Return the key of a content: its mark and its number of earlier uses."""
    return f"{_MESSAGE}{mark}:{time}"
