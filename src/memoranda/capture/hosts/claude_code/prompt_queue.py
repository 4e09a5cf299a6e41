"""Messages typed while the agent was working, until a record repeats them.

The host writes a queue line when a message is typed. Usually a prompt, an attachment or a queue
line repeats the message when the agent receives it; some transcripts have only the first line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memoranda.capture.hosts.claude_code.entry_fields import (
    is_sidechain,
    prompt_texts,
    queued_prompts,
)
from memoranda.capture.hosts.event_keys import QUEUED
from memoranda.capture.hosts.json_fields import Payload, fingerprint, string
from memoranda.capture.hosts.message_separation import is_envelope

QUEUE = "queue-operation"


def queue_key(text: str, mark: str | int) -> str:
    """Return the key of a queued message; ``mark`` is its time, or a number."""
    return f"{QUEUED}{mark}:{fingerprint(text)}"


@dataclass(frozen=True, slots=True)
class _Queued:
    offset: int
    text: str
    key: str


@dataclass(slots=True)
class PromptQueue:
    """Queued messages of one transcript, in the order of its lines."""

    former_keys: dict[int, str] = field(default_factory=dict)
    """Key of the queued message that a later line repeats, by that line's offset.

    An import before that line was written may have stored the message with this key.
    """
    _waiting: list[_Queued] = field(default_factory=list)
    _queued: set[str] = field(default_factory=set)
    _received: set[str] = field(default_factory=set)
    """Keys of messages that the agent just received, which the next lines repeat."""

    def note(self, offset: int, entry: Payload) -> None:
        """Add a queued message, or drop those that a line repeats or withdraws."""
        if entry.get("type") == QUEUE:
            self._operate(offset, entry)
            return
        if entry.get("type") == "assistant":
            self._received.clear()
        for _, text, _ in queued_prompts(entry):
            self._drop(offset, text.strip().__eq__)
        if not is_sidechain(entry):
            for text in prompt_texts(entry):
                lines = f"\n{text.strip()}\n"
                while self._drop(offset, lambda one, whole=lines: f"\n{one}\n" in whole):  # type: ignore[misc]
                    pass

    @property
    def unrepeated(self) -> dict[int, str]:
        """Keys of the messages that no later line repeats, by offset."""
        return {
            queued.offset: queued.key
            for queued in self._waiting
            if queued.key not in self._received
        }

    def _operate(self, offset: int, entry: Payload) -> None:
        text = (string(entry, "content") or "").strip()
        if entry.get("operation") != "enqueue":
            self._received.update(queued.key for queued in self._waiting)
            self._drop(offset, text.__eq__)
        elif text and not is_envelope(text):
            key = queue_key(text, string(entry, "timestamp") or offset)
            if key not in self._queued:  # a line may occur twice
                self._queued.add(key)
                self._waiting.append(_Queued(offset, text, key))

    def _drop(self, offset: int, matches: Callable[[str], bool]) -> bool:
        found = next((queued for queued in self._waiting if matches(queued.text)), None)
        if found is not None:
            self._waiting.remove(found)
            self.former_keys.setdefault(offset, found.key)
        return found is not None
