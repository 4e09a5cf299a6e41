"""Accessors for the fields of a single line of a Claude Code transcript."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memoranda.capture.hosts.call_outcomes import CallOutcome, outcome_of
from memoranda.capture.hosts.claude_code.refusals import refusal_tags
from memoranda.capture.hosts.content_blocks import (
    blocks_of,
    joined_text,
    media_of,
    text_of,
    thinking_of,
)
from memoranda.capture.hosts.event_fields import MAIN_AGENT, agent_name
from memoranda.capture.hosts.json_fields import Payload, count, mapping, string
from memoranda.capture.hosts.message_separation import DELEGATED, ENVELOPE, is_envelope
from memoranda.capture.hosts.saved_outputs import with_saved_file
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

CALL_TYPES = ("tool_use", "server_tool_use")
"""Types of blocks that call a tool; the results contain the id of the call."""

_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def copied_from(entry: Payload) -> str | None:
    """Return the session that an entry was copied from; None if not stated."""
    forked = string(mapping(entry.get("forkedFrom")), "sessionId")
    origin = string(entry, "requestSessionId") or forked
    return origin if origin != string(entry, "sessionId") else None


def is_sidechain(entry: Payload) -> bool:
    """Return whether a subagent wrote this line."""
    return entry.get("isSidechain") is True or string(entry, "agentId") is not None


def agent_of(entry: Payload, agent_type: str | None = None) -> str:
    """Return the name of a line's agent.

    ``agent_type`` is the default for lines that name no type.
    """
    if not is_sidechain(entry):
        return MAIN_AGENT
    return agent_name(string(entry, "agentType") or agent_type, string(entry, "agentId"))


def message_blocks(entry: Payload) -> list[Payload] | None:
    """Return the blocks of the message; None if the line has no valid message."""
    message = entry.get("message")
    return blocks_of(message.get("content")) if isinstance(message, dict) else None


def message_id(entry: Payload) -> str | None:
    """Return the id that all lines of one model response share."""
    return string(mapping(entry.get("message")), "id")


def answered_call(block: Payload) -> str | None:
    """Return the id of the call that a result block is for, or None."""
    is_result = str(block.get("type")).endswith("tool_result")
    return string(block, "tool_use_id") if is_result else None


def gives_event(entry: Payload) -> bool:
    """Return whether an assistant line produces an event."""
    return any(
        text_of(block) or thinking_of(block) or block.get("type") in CALL_TYPES
        for block in message_blocks(entry) or []
    )


def speaker(entry: Payload) -> tuple[Origin, tuple[str, ...]]:
    """Return the author of a user line, and the tags for that author.

    The host's additions to a person's message have not been separated at this point.
    """
    if entry.get("isMeta") is True or _written_by_host(entry):
        return Origin.GENERATED, (ENVELOPE,)
    if is_sidechain(entry):
        # The main agent writes a subagent's prompt.
        return Origin.AGENT, (DELEGATED,)
    return Origin.HUMAN, ()


def _written_by_host(entry: Payload) -> bool:
    if "toolUseResult" in entry or any(map(answered_call, message_blocks(entry) or [])):
        return True
    kind = string(mapping(entry.get("origin")), "kind")
    return kind is not None and kind != "human"


def is_prompt(entry: Payload) -> bool:
    """Return whether a line has text that a person typed."""
    return bool(prompt_texts(entry))


def prompt_texts(entry: Payload) -> list[str]:
    """Return the texts of a line that a person typed."""
    return [text for text in _texts_in_place_of_a_person(entry) if not is_envelope(text)]


def is_command(entry: Payload) -> bool:
    """Return whether a line is a typed command without arguments."""
    texts = _texts_in_place_of_a_person(entry)
    return any(text.lstrip().startswith("<command-") for text in texts)


def _texts_in_place_of_a_person(entry: Payload) -> list[str]:
    if entry.get("type") != "user" or entry.get("isCompactSummary") is True:
        return []
    if speaker(entry)[0] is not Origin.HUMAN:
        return []
    return [text for block in message_blocks(entry) or [] if (text := text_of(block))]


def tokens_of(entry: Payload) -> int:
    """Return a response's total tokens: input, output and cached."""
    usage = mapping(mapping(entry.get("message")).get("usage"))
    return sum(count(usage.get(name)) or 0 for name in _USAGE)


def queued_prompts(entry: Payload) -> Iterator[tuple[int, str, bool]]:
    """Yield messages to a working agent: (block, text, sent by a person)."""
    attachment = mapping(entry.get("attachment"))
    if attachment.get("type") != "queued_command":
        return
    mode = string(attachment, "commandMode")
    sender = string(mapping(attachment.get("origin")), "kind")
    by_person = mode in (None, "prompt") and sender in (None, "human") and not is_sidechain(entry)
    for index, block in enumerate(blocks_of(attachment.get("prompt")) or []):
        if text := text_of(block):
            yield index, text, by_person
        elif text := media_of(block):
            yield index, text, False


def absorbed_prompt(entry: Payload) -> str | None:
    """Return the message that a queue line passed to a working agent, or None.

    Messages that were withdrawn or sent as separate prompts are excluded.
    """
    if entry.get("type") != "queue-operation" or entry.get("operation") != "remove":
        return None
    return string(entry, "content") if entry.get("reason") == "absorbed_mid_turn" else None


def _result_output(entry: Payload, block: Payload, *, alone: bool) -> JsonValue:
    """Return the output of a tool: the structured result, else the text.

    If a line has several results (``alone`` is false), its structured result cannot be assigned to
    one of them.
    """
    content = block.get("content")
    structured = entry.get("toolUseResult") if alone else None
    preview = isinstance(content, str) and content.startswith("<persisted-output>")
    if isinstance(structured, dict):
        return dict(with_saved_file(content, structured))
    if preview and isinstance(structured, list):
        return structured
    if structured is None or structured == content:
        return content
    if isinstance(structured, str) and isinstance(content, str):
        for longer, shorter in ((content, structured), (structured, content)):
            if shorter in longer:
                return longer
    return {"content": content, "toolUseResult": structured}


def call_outcome(entry: Payload, block: Payload, *, alone: bool) -> CallOutcome:
    """Return the outcome of the call that a result block is for."""
    structured = mapping(entry.get("toolUseResult")) if alone else {}
    duration = count(structured.get("durationMs"))
    if duration is None:
        duration = count(structured.get("totalDurationMs"))
    output = _result_output(entry, block, alone=alone)
    failed = block.get("is_error") is True
    outcome = outcome_of(output, failed=failed, duration_ms=duration)
    tags = refusal_tags(joined_text(block.get("content"))) if failed else ()
    return replace(outcome, tags=tuple(dict.fromkeys((*outcome.tags, *tags))))
