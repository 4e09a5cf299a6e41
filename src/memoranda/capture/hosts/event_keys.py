"""Keys that identify an event, whether a hook or a transcript reports it.

A hook, a second installation of it and the transcript use the same key for a tool call and for a
prompt, because the host assigns ids to both. The key of an event without an id is its time for a
hook, and its line for a transcript. When the host copies a line, the line's offset changes; its
content and the number of earlier repetitions do not change.
"""

from __future__ import annotations

from memoranda.capture.hosts.json_fields import fingerprint
from memoranda.json_data import JsonValue, dump_json

_FINISHED, _PENDING, _MESSAGE, _COPIED = "tool:", "call:", "said:", "copied:"
_REFUSED = "refused:"


def tool_key(call_id: str) -> str:
    """Return the key of a tool call that has a result."""
    return f"{_FINISHED}{call_id}"


def call_key(call_id: str) -> str:
    """Return the key of a pending tool call, which its result replaces later."""
    return f"{_PENDING}{call_id}"


def counterpart_keys(key: str) -> tuple[str, ...]:
    """Return the pending key for a finished call's key, and vice versa."""
    for own, other in ((_FINISHED, _PENDING), (_PENDING, _FINISHED)):
        if key.startswith(own):
            return (f"{other}{key.removeprefix(own)}",)
    return ()


def prompt_key(prompt_id: str) -> str:
    """Return the key of typed text from the host's prompt id."""
    return f"prompt:{prompt_id}"


def refusal_key(key: str) -> str:
    """Return the key of the reason for a refused call, from the call's key."""
    return f"{_REFUSED}{key}"


def is_refusal_key(key: str) -> bool:
    """Return whether a key is for the reason for a refused call."""
    return key.startswith(_REFUSED)


def answer_key(key: str) -> str:
    """Return the key of text typed as an answer, from the key of the question."""
    return f"answer:{key}"


def is_prompt_key(key: str) -> bool:
    """Return whether a key is for a prompt with an id."""
    return key.startswith("prompt:")


def host_key(key: str) -> str:
    """Return the key of a host's addition, from the message's key."""
    return f"host:{key}"


def message_key(role: str, text: str, at: int | None) -> str:
    """Return the key of a message that a hook reported without an id."""
    return f"message:{role}:{fingerprint(text)}:{at}"


def unnumbered_tool_key(call: JsonValue, at: int | None) -> str:
    """Return the key of a tool call that a hook reported without an id."""
    return f"tool:{fingerprint(dump_json(call))}:{at}"


def moment_key(moment: str, detail: str | None, at: int | None) -> str:
    """Return the key of a session event such as its start or a compaction.

    ``at`` is None if the detail alone is unique.
    """
    key = f"{moment}:{detail or ''}"
    return key if at is None else f"{key}:{at}"


QUEUED = "line:queued:"
"""Prefix of the keys of queued messages, which a line with an id may repeat later."""


def line_key(line: str | int, index: int | None = None) -> str:
    """Return the key of a block in a transcript line.

    ``line`` is the line's id, or else its byte offset; ``index`` is the block's index.
    """
    return f"line:{line}" if index is None else f"line:{line}:{index}"


def is_queued_key(key: str) -> bool:
    """Return whether a key is for a message that was seen only in a queue."""
    return key.startswith(QUEUED)


def is_line_key(key: str) -> bool:
    """Return whether a key is a `line_key` or the key of an addition to a line."""
    return key.removeprefix(host_key("")).startswith(line_key(""))


def is_shared_key(key: str, *, late: bool) -> bool:
    """Return whether a key is the same in every session of a lineage.

    ``late``: the event is a copy without its own time, so its message may be from any session.
    """
    shared = (_FINISHED, _PENDING, _COPIED, _MESSAGE) if late else (_FINISHED, _PENDING, _COPIED)
    return key.startswith(shared)


def is_copied_key(key: str) -> bool:
    """Return whether a key is for a copy without its own time."""
    return key.startswith(_COPIED)


def time_of(key: str) -> int:
    """Return the number of earlier occurrences of the content of a key."""
    return int(key.rpartition(":")[2])


def copied_message_key(mark: str, time: int) -> str:
    """Return the key of content that is known only as a copy.

    The original has a different key, so that its time and key can replace those of the copy.
    """
    return f"{_COPIED}{mark}:{time}"


def timed_message_key(mark: str, time: int) -> str:
    """Return the key of content, from its mark and its occurrence number."""
    return f"{_MESSAGE}{mark}:{time}"
