"""How three model APIs write conversations and stream answers.

Anthropic Messages, OpenAI Responses and Gemini streamGenerateContent, as far as coding agents use
them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Body = dict[str, Any]
USAGE_TOKENS = 20
"""Output tokens that every answer reports."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls; arguments of a freeform tool are a string."""

    tool: str
    arguments: Mapping[str, Any] | str


class Turn(tuple[Text | Call, ...]):
    """One answer of the model."""

    __slots__ = ()

    def __new__(cls, *parts: Text | Call) -> Turn:
        """Make a turn of its parts."""
        return super().__new__(cls, parts)


class Stall(Turn):
    """An answer that never comes: the request waits until the server stops."""

    __slots__ = ()


class Entry(NamedTuple):
    """One entry of a conversation."""

    model: bool
    text: str


Events = Iterator[tuple[str, Body]]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one kind of API writes conversations and answers."""

    path: re.Pattern[str]
    conversation: Callable[[Body], Iterable[Entry]]
    events: Callable[[Turn, str, Body], Events]
    named: bool = True
    """Whether events of the stream carry their names."""


def _texts(parts: Any, key: str = "text") -> str:
    if isinstance(parts, str):
        return parts
    return "\n".join(str(part[key]) for part in parts or () if key in part)


def _anthropic_conversation(body: Body) -> Iterator[Entry]:
    for message in body["messages"]:
        yield Entry(message["role"] == "assistant", _texts(message["content"]))


def _anthropic_events(turn: Turn, number: str, body: Body) -> Events:
    calls = any(isinstance(part, Call) for part in turn)
    usage = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": USAGE_TOKENS}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": [],
               "model": body.get("model", "scripted"), "stop_reason": None,
               "stop_sequence": None, "usage": usage}  # fmt: skip
    yield "message_start", {"message": message}
    for index, part in enumerate(turn):
        if isinstance(part, Text):
            block: Body = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": part.text}
        else:
            block = {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": part.tool}
            block["input"] = {}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(part.arguments)}
        yield "content_block_start", {"index": index, "content_block": block}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    ending = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    yield "message_delta", {"delta": ending, "usage": {"output_tokens": USAGE_TOKENS}}
    yield "message_stop", {}


def _openai_conversation(body: Body) -> Iterator[Entry]:
    for item in body["input"]:
        kind = item.get("type", "message")
        person = kind.endswith("_output") or item.get("role") in ("user", "developer", "system")
        yield Entry(not person, _texts(item["content"]) if kind == "message" else "")


def _openai_item(part: Text | Call, name: str) -> Body:
    if isinstance(part, Text):
        content = [{"type": "output_text", "text": part.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content}
    call = {"id": f"fc_{name}", "call_id": f"call_{name}", "name": part.tool}
    if isinstance(part.arguments, str):
        return {"type": "custom_tool_call", **call, "input": part.arguments}
    if "::" in part.tool:
        call["namespace"], call["name"] = part.tool.split("::")
    return {"type": "function_call", **call, "arguments": json.dumps(part.arguments)}


def _openai_events(turn: Turn, number: str, body: Body) -> Events:
    response: Body = {"id": f"resp_{number}", "object": "response", "created_at": int(time.time()),
                "status": "in_progress", "model": body.get("model"), "output": []}  # fmt: skip
    yield "response.created", {"response": response}
    items = [_openai_item(part, f"{number}_{index}") for index, part in enumerate(turn)]
    for index, item in enumerate(items):
        place = {"output_index": index}
        yield "response.output_item.added", {**place, "item": {**item, "status": "in_progress"}}
        if item["type"] == "message":
            text = {"item_id": item["id"], "content_index": 0, "delta": item["content"][0]["text"]}
            yield "response.output_text.delta", {**place, **text}
        yield "response.output_item.done", {**place, "item": {**item, "status": "completed"}}
    tokens = len(json.dumps(body)) // 4
    usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens": USAGE_TOKENS, "output_tokens_details": {"reasoning_tokens": 0},
             "total_tokens": tokens + USAGE_TOKENS}  # fmt: skip
    done = {**response, "status": "completed", "output": items, "usage": usage}
    yield "response.completed", {"response": done}


def _gemini_conversation(body: Body) -> Iterator[Entry]:
    for content in body["contents"]:
        yield Entry(content.get("role") == "model", _texts(content["parts"]))


def _gemini_events(turn: Turn, number: str, body: Body) -> Events:
    parts: list[Body] = [
        {"text": part.text}
        if isinstance(part, Text)
        else {
            "functionCall": {"name": part.tool, "args": part.arguments, "id": f"{number}-{index}"},
            "thoughtSignature": "c2ln",
        }
        for index, part in enumerate(turn)
    ]
    tokens = len(json.dumps(body)) // 4
    usage = {"promptTokenCount": tokens, "candidatesTokenCount": USAGE_TOKENS,
             "totalTokenCount": tokens + USAGE_TOKENS}  # fmt: skip
    content = {"role": "model", "parts": parts}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


PROTOCOLS = (
    Protocol(re.compile(r"/v1/messages$"), _anthropic_conversation, _anthropic_events),
    Protocol(re.compile(r"/responses$"), _openai_conversation, _openai_events),
    Protocol(re.compile(r"[gG]enerateContent$"), _gemini_conversation, _gemini_events, named=False),
)
