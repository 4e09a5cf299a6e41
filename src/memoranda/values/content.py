"""The full content of an observation: how it is kept, and how it reads."""

from __future__ import annotations

import json
from enum import StrEnum

from memoranda.values.json import JsonValue, dump_json


class ContentFormat(StrEnum):
    """How the stored content is to be read."""

    TEXT = "text"
    """Words as they came."""
    TOOL = "tool"
    """JSON object with tool, input and output, exactly as the host reported them."""


def tool_content(tool: str | None, given: JsonValue, output: JsonValue) -> str:
    """Write a tool call as it is kept: lossless, equal calls give equal text."""
    return dump_json({"tool": tool, "input": given, "output": output})


def readable(content: str, form: ContentFormat) -> str:
    """Render stored content for a reader: the call on top, then the output as the tool wrote it."""
    if form is ContentFormat.TEXT:
        return content
    call: JsonValue = json.loads(content)
    if not isinstance(call, dict):
        return content
    return call_text(str(call.get("tool") or "tool"), call.get("input"), call.get("output"))


def call_text(tool: str, given: JsonValue, output: JsonValue) -> str:
    """Render a tool call for a reader, as `readable` renders one that is stored."""
    head = call_line(tool, given)
    body = output_text(output)
    return f"{head}\n{body}".rstrip("\n") if body else head


def call_line(tool: str, given: JsonValue) -> str:
    """Render what a tool was given: a shell command as one, anything else as JSON."""
    if isinstance(given, dict):
        command = given.get("command") or given.get("cmd")
        if isinstance(command, str):
            return f"$ {command}"
        given = {key: value for key, value in given.items() if value not in (None, "")}
    if given in (None, "", {}):
        return tool
    return f"{tool} {given if isinstance(given, str) else dump_json(given)}"


def output_text(output: JsonValue) -> str:
    """Render what a tool gave back as text: streams in order, blocks joined, the rest as JSON."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(text for text in map(_block_text, output) if text)
    if isinstance(output, dict):
        return _mapping_text(output)
    return dump_json(output)


def _block_text(block: JsonValue) -> str:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    if isinstance(block, dict) and block.get("type") == "image":
        return "[image]"
    return block if isinstance(block, str) else dump_json(block)


def _mapping_text(output: dict[str, JsonValue]) -> str:
    if "stdout" in output or "stderr" in output:
        streams = [str(output.get(name) or "").rstrip("\n") for name in ("stdout", "stderr")]
        return "\n".join(stream for stream in streams if stream)
    file = output.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return str(file["content"])
    if isinstance(output.get("content"), str | list):
        return output_text(output["content"])
    return dump_json(output)
