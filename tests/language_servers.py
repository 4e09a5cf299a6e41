"""A server on this machine that speaks as providers of language models do, or as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from scripted_servers import Answer, ScriptedServer

KEY = "sk-hunter2"


def completion(text: object, **changes: Any) -> dict[str, Any]:
    """What OpenAI answers; ``changes`` are members of its choice."""
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"} | changes
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-2026",
        "choices": [choice],
        "usage": usage | {"prompt_tokens_details": {"cached_tokens": 20}},
    }


def response(text: str, id: str = "msg_1") -> dict[str, Any]:
    """What OpenAI answers where it is asked for a response."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    output = {"id": id, "type": "message", "role": "assistant", "status": "completed"}
    usage = {"input_tokens": 20, "output_tokens": 10, "total_tokens": 30}
    details = {"input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "small-2026",
        "status": "completed",
        "output": [output | {"content": [part]}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage | details | {"output_tokens_details": {"reasoning_tokens": 0}},
    }


def message(*parts: dict[str, Any], stop_reason: str | None = "end_turn") -> dict[str, Any]:
    """What Anthropic answers."""
    usage = {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 30}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "small-2026",
        "content": list(parts),
        "stop_reason": stop_reason,
        "usage": usage,
    }


def text_answer(text: str) -> dict[str, Any]:
    """A part of Anthropic's answers."""
    return {"type": "text", "text": text}


def uses(tool: str, id: str, **arguments: Any) -> dict[str, Any]:
    """A part of Anthropic's answers that calls a tool."""
    return {"type": "tool_use", "id": id, "name": tool, "input": arguments}


def streamed(*parts: dict[str, Any]) -> Answer:
    """What Anthropic answers to who wants it piece by piece."""
    calls = any(one["type"] == "tool_use" for one in parts)
    whole = message(stop_reason=None) | {"stop_sequence": None}
    texts: list[tuple[str, dict[str, Any]]] = [("message_start", {"message": whole})]
    for index, part in enumerate(parts):
        if part["type"] == "text":
            empty, delta = part | {"text": ""}, {"type": "text_delta", "text": part["text"]}
        else:
            text = json.dumps(part["input"])
            empty, delta = part | {"input": {}}, {"type": "input_json_delta", "partial_json": text}
        texts += [
            ("content_block_start", {"index": index, "content_block": empty}),
            ("content_block_delta", {"index": index, "delta": delta}),
            ("content_block_stop", {"index": index}),
        ]
    end = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    texts += [("message_delta", {"delta": end, "usage": whole["usage"]}), ("message_stop", {})]
    lines = (f"event: {name}\ndata: {json.dumps({'type': name} | of)}\n\n" for name, of in texts)
    return Answer(200, "".join(lines), {"Content-Type": "text/event-stream"})


class LanguageServer(ScriptedServer):
    """Answers with scripted answers first, one a request, then with what it makes of the text.

    It counts the tokens that it would have charged for.
    """

    def __init__(
        self, *answers: Answer, reply: Callable[[str], Any] = lambda text: {"word": "done"}
    ) -> None:
        super().__init__(*answers)
        self._reply = reply
        self._counting = threading.Lock()
        self.charged = [0, 0]

    def usual(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return an answer in the form of the provider that was asked, and charge for it."""
        text = json.dumps(self._reply(query_text(body)))
        read, written = len(json.dumps(body)) // 4, 1 + len(text) // 4
        with self._counting:
            self.charged[0] += read
            self.charged[1] += written
        if not path.endswith("/messages"):
            usage = {"prompt_tokens": read, "completion_tokens": written}
            return completion(text) | {"usage": usage}
        usage = {"input_tokens": read, "output_tokens": written}
        if "tools" in body:
            part = {"type": "tool_use", "name": "answer", "input": json.loads(text)}
            return message(part, stop_reason="tool_use") | {"usage": usage}
        return message(text_answer(text)) | {"usage": usage}


def query_text(body: dict[str, Any]) -> str:
    """Return the text of a request, without the lines that it stands between."""
    content: str = body["messages"][-1]["content"]
    return content.split("\n", 1)[1].rpartition("\n")[0]
