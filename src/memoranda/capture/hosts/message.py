"""Who wrote which part of a message that stands in the place of a person.

Hosts put banners, reminders, contexts of hooks and commands into the message that a person
typed. `split_message` takes it apart; `blocks` says what counts as a host's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from memoranda.capture.hosts.host_spans import blocks
from memoranda.capture.hosts.wrappers import PREAMBLES, REQUEST
from memoranda.capture.redaction.privacy import drop_recalled
from memoranda.observations.model import Origin

_COMMAND = re.compile(
    r"\s*(?:<command-(?P<kind>name|message|contents)>[^<]*</command-(?P=kind)>\s*)+"
    r"(?:<command-args>(?P<arguments>.*)</command-args>)?",
    re.DOTALL,
)
_COMMAND_NAME = re.compile(r"<command-name>([^<]*)</command-name>")
_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*")
_EMPTY = re.compile(
    r"<(?P<name>[\w.:-]+)[^<>]*>\s*"
    r"(?:(?:[\w.:-]+ )?hook (?:additional context|success|output):?\s*)?(?:</(?P=name)>|\Z)"
    r'|\{[^{}]*"hookSpecificOutput"\s*:\s*\{[^{}]*"additionalContext"\s*:\s*"(?:\s|\\n)*'
    r'(?:\Z|"[^{}]*\}[^{}]*\})'
)
"""An element of a host, or the output of a hook as JSON, that has nothing more to say."""
_DEEPEST = 4
"""How deep elements of hosts stand in each other."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message, and who wrote it: a person (HUMAN) or the host (GENERATED)."""

    text: str
    origin: Origin


def split_message(text: str) -> tuple[MessagePart, ...]:
    """Take a message apart into what a person typed and what the host added.

    Parts come in the order of the text and hold all of it, but for blank space between them and
    for contexts that Memoranda itself had supplied, however escaped. A text without a part of a
    host comes back as one part, unchanged; a blank one as none. A slash command with arguments
    is what the person typed, ``/name arguments``, whatever markup a host makes of it; without
    arguments it is the host's. Takes time linear in the length of the text.
    """
    return tuple(part for part in map(_without_recalled, _parts(text)) if part.text)


def typed_text(parts: Iterable[MessagePart]) -> str:
    """Return what a person typed of a message, part under part; empty if nothing."""
    return "\n\n".join(part.text for part in parts if part.origin is Origin.HUMAN)


def generated_text(parts: Iterable[MessagePart]) -> str:
    """Return what a host added to a message, part under part; empty if nothing."""
    return "\n".join(part.text for part in parts if part.origin is Origin.GENERATED)


def _without_recalled(part: MessagePart) -> MessagePart:
    text, found = drop_recalled(part.text)
    if not found:
        return part
    if part.origin is Origin.HUMAN:  # whose markup stays
        return MessagePart("" if _EMPTY.fullmatch(text.strip()) else text.strip(), part.origin)
    for _ in range(_DEEPEST):
        text = _EMPTY.sub("", text)
    return MessagePart(text.strip(), part.origin)


def _parts(text: str) -> list[MessagePart]:
    if not text.strip():
        return []
    if text.lstrip().startswith(PREAMBLES) or _BARE_COMMAND.fullmatch(text.strip()):
        return [MessagePart(text, Origin.GENERATED)]
    if command := _COMMAND.match(text):
        return _command_parts(text, command)
    request = REQUEST.search(text) if text.lstrip().startswith("# ") else None
    if request:
        context = MessagePart(text[: request.end()].strip(), Origin.GENERATED)
        return [context, *_stripped(_parts(text[request.end() :]))]
    return _scanned(text)


def _command_parts(text: str, command: re.Match[str]) -> list[MessagePart]:
    name = _COMMAND_NAME.search(command[0])
    arguments = (command["arguments"] or "").strip()
    rest = _stripped(_parts(text[command.end() :]))
    if not arguments or name is None:
        return [MessagePart(command[0].strip(), Origin.GENERATED), *rest]
    wrapper = command[0].partition("<command-args>")[0].strip()
    typed = f"/{name[1].strip().lstrip('/')} {arguments}"
    return [MessagePart(wrapper, Origin.GENERATED), MessagePart(typed, Origin.HUMAN), *rest]


def _scanned(text: str) -> list[MessagePart]:
    """Cut out the blocks of the host; what is left is the person's."""
    parts: list[MessagePart] = []
    position = 0
    for block in blocks(text):
        parts += _typed(text[position : block.start])
        if block.typed is None:
            parts.append(MessagePart(text[block.start : block.end].strip(), Origin.GENERATED))
        else:
            parts += _stripped(_parts(text[slice(*block.typed)]))
        position = block.end
    if position == 0:
        return [MessagePart(text, Origin.HUMAN)]
    merged = _merged([*parts, *_typed(text[position:])])
    return (
        [MessagePart(text, part.origin) for part in merged]
        if len(merged) == 1 == len(parts)
        else merged
    )


def _typed(text: str) -> list[MessagePart]:
    return [MessagePart(text.strip(), Origin.HUMAN)] if text.strip() else []


def _stripped(parts: Iterable[MessagePart]) -> list[MessagePart]:
    return [MessagePart(part.text.strip(), part.origin) for part in parts]


def _merged(parts: Iterable[MessagePart]) -> list[MessagePart]:
    """Join parts of the host that follow each other."""
    merged: list[MessagePart] = []
    for origin, run in groupby(parts, lambda part: part.origin):
        found = list(run)
        if origin is Origin.GENERATED:
            found = [MessagePart("\n".join(part.text for part in found), origin)]
        merged += found
    return merged
