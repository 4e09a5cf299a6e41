"""Tool outputs of Gemini CLI, reduced to the text that the tool wrote.

A response contains the text for the model (``llmContent``), the text for a person
(``returnDisplay``) and an ``error``. The shell tool writes a report with its exit code around the
output.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memoranda.capture.hosts.call_outcomes import INTERRUPTED, CallOutcome, outcome_of
from memoranda.capture.hosts.json_fields import Payload, decoded, mapping, string
from memoranda.json_data import JsonValue

SHELL = "run_shell_command"

_WRAPPER = re.compile(r"\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*", re.DOTALL)
_FIELD = re.compile(
    r"^(Command|Directory|Output|Stdout|Stderr|Error|Exit Code|Signal|Background PIDs"
    r"|Process Group PGID): ?",
    re.MULTILINE,
)
_ENDING = ("Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID")
_HEADINGS = (
    re.compile(r"Directory listing for [^\n]{1,1000}:\n"),
    re.compile(r"Directory [^\n]{1,1000} is empty\.$"),
    re.compile(
        r"\s*IMPORTANT: The file content has been truncated\.\n(?:[^\n]{1,600}\n){1,4}\n"
        r"--- FILE CONTENT \(truncated\) ---\n"
    ),
    re.compile(r"Web search results for [^\n]{1,4000}:\n\n"),
)
"""Headings that tools write above their output."""
_IGNORED = re.compile(r"\n\n\(\d{1,9} (?:git-|gemini-)?ignored[^\n]{0,80}\)$")
_NOTICE = 400
"""Number of characters of a failure notice in which the error message is searched for."""
_NOTHING = ("(empty)", "(none)", "")
_SUCCESS = ("", "0")
"""Values of an exit code or signal that are not failures; terminals report signal 0."""
_STOPPED = ("Command was cancelled", "Command was automatically cancelled", "Command timed out")
_MOVED = "Command moved to background"


def read_tool_response(tool: str | None, response: JsonValue) -> CallOutcome:
    """Parse a tool's response: its text, and whether it failed."""
    parts = mapping(response)
    if not {"llmContent", "returnDisplay", "error"} & parts.keys():
        return outcome_of(response)
    content = _content(parts.get("llmContent"))
    error = parts.get("error")
    if content in (None, "", []):
        content = _content(parts.get("returnDisplay")) or _message(error)
    content, failed = _stated(content, _message(error)), bool(error) or _refused(content)
    outcome = CallOutcome(output=content, failed=failed)
    if tool == SHELL and isinstance(content, str):
        outcome = _shell(content, failed=bool(error))
    display = parts.get("returnDisplay")
    if isinstance(display, dict):  # the diff of an edit, or the files found
        return replace(outcome, output={"content": outcome.output, "returnDisplay": display})
    return outcome


def _content(value: JsonValue) -> JsonValue:
    """Parse content for a model: text, a part, or a list of parts."""
    if isinstance(value, str):
        return _unwrapped(value)
    parts = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    blocks = [_block(part) for part in parts]
    texts = [block for block in blocks if isinstance(block, str)]
    return "\n".join(texts) if len(texts) == len(blocks) else blocks


def _block(part: JsonValue) -> JsonValue:
    if isinstance(part, str):
        return _unwrapped(part)
    found = mapping(part)
    if isinstance(found.get("text"), str):
        return _unwrapped(str(found["text"]))
    if answer := mapping(mapping(found.get("functionResponse")).get("response")):
        return _answer(answer)
    picture = mapping(found.get("inlineData"))
    if picture:
        source = {"type": "base64", "media_type": picture.get("mimeType")}
        return {"type": "image", "source": {**source, "data": picture.get("data")}}
    return part


def _answer(answer: Payload) -> JsonValue:
    """Return the content of an MCP tool's response, or its error."""
    value = answer.get("error", answer.get("output", dict(answer)))
    inner = mapping(value).get("content", value)
    return _content(inner) if isinstance(inner, str | list) else inner


def _stated(content: JsonValue, message: str | None) -> JsonValue:
    """Remove the text that Gemini CLI adds around content.

    If the text is a general failure notice, the error's message is added.
    """
    if not isinstance(content, str):
        return content
    if message and content.startswith("Error") and message not in content[:_NOTICE]:
        return f"{content}\n{message}"
    if content.startswith(('{"success":', '{"answers":')):
        value = decoded(content)
        return string(mapping(value), "message") or value
    for heading in _HEADINGS:
        if match := heading.match(content):
            return _IGNORED.sub("", content[match.end() :])
    return content


def _refused(content: JsonValue) -> bool:
    return isinstance(content, str) and content.startswith('{"success":false')


def _unwrapped(text: str) -> str:
    match = _WRAPPER.fullmatch(text)
    return match[1] if match else text


def _message(error: JsonValue) -> str | None:
    return error if isinstance(error, str) else string(mapping(error), "message")


def _shell(text: str, *, failed: bool) -> CallOutcome:
    """Parse the report of the shell tool; return any other text unchanged."""
    if text.startswith(_MOVED):
        return CallOutcome(output=text, failed=failed, known=failed)
    stopped = text.startswith(_STOPPED)
    fields = _fields(text)
    output = "\n".join(fields[name] for name in ("Output", "Stdout", "Stderr") if fields.get(name))
    if stopped:
        return CallOutcome(output=text, failed=True, tags=(INTERRUPTED,))
    if not fields:
        return CallOutcome(output=text, failed=failed)
    ends = (("Exit code", "Exit Code"), ("Terminated by signal", "Signal"))
    values = [(label, fields.get(name, "")) for label, name in ends]
    heads = [f"{label} {value}" for label, value in values if value not in _SUCCESS]
    if trouble := fields.get("Error"):
        heads.append(trouble)
    text = "\n".join([*heads, *([output] if output else [])])
    return CallOutcome(output=text, failed=failed or bool(heads))


def _fields(text: str) -> dict[str, str]:
    """Parse the report's fields.

    A command's output may contain lines that look like fields, so the last occurrence of each field
    that follows the output is used.
    """
    marks = list(_FIELD.finditer(text))
    first = next((mark for mark in marks if mark[1] in ("Output", "Stdout")), None)
    if first is None or (text[: first.start()].strip() and marks[0].start() != 0):
        return {}
    ends: dict[str, re.Match[str]] = {}
    limit = len(text)
    for mark in reversed(marks):
        is_line = "\n" not in text[mark.end() : limit].rstrip()
        if (
            mark.start() <= first.start()
            or not is_line
            or mark[1] not in _ENDING
            or mark[1] in ends
        ):
            break
        ends[mark[1]] = mark
        limit = mark.start()
    found = {name: text[mark.end() :].partition("\n")[0].strip() for name, mark in ends.items()}
    body = text[first.end() : limit].removesuffix("\n")
    if first[1] == "Stdout" and (parted := body.rfind("\nStderr: ")) >= 0:
        found["Stderr"] = body[parted + len("\nStderr: ") :]
        body = body[:parted]
    found[first[1]] = body
    return {name: value for name, value in found.items() if value.strip() not in _NOTHING} or {
        first[1]: ""
    }
