"""Full content of an observation: stored format, readable text, rows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from memoranda.json_data import JsonValue, dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.model import ContentFormat
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

PERSISTED_PATH = "persistedOutputPath"
PERSISTED_SIZE = "persistedOutputSize"
"""Members of an output with which Claude Code indicates that the output is truncated."""

_SHELL = re.compile(r"shell|terminal|command|exec|bash|cmd|\b(?:zsh|sh|run)\b", re.IGNORECASE)
"""Names of tools that run shell commands."""
_WITH = "[with "
"""Beginning of the line with a shell's arguments other than the command."""
_STREAMS = ("stdout", "stderr", "content", "result")

_KINDS = {"image": "image", "audio": "audio", "video": "video", "application/pdf": "document"}
_LABEL = re.compile(
    r"(?:image|audio|video|document|file) \([\w.+/-]{3,160}, [\d.]{1,8} [KMGT]?B,"
    r" sha256 [0-9a-f]{16}\)"
)


DOING = "While: "
"""Prefix of the line that contains the activity during which a recorded error occurred."""
RECALLED = "recalled"
"""Tag of calls to Memoranda's own tools and commands; their content is not searchable."""
RECALLED_OUTPUT = "[returned by Memoranda; not captured again]"
"""Text that replaces the output of calls to Memoranda."""
HIDDEN = frozenset({"excluded", RECALLED})
"""Tags of observations whose content is not searchable.

The content was excluded from capture, or was returned by Memoranda itself.
"""


def tool_content(tool: str | None, arguments: JsonValue, output: JsonValue) -> str:
    """Return the stored form of a tool call.

    The stored form is lossless; equal calls give equal text.
    """
    return dump_json({"tool": tool, "input": arguments, "output": output})


def readable(content: str, form: ContentFormat) -> str:
    """Render stored content: the tool call first, then its output.

    The output is unchanged from the tool's output.
    """
    if form is ContentFormat.TEXT:
        return content
    call: JsonValue = json.loads(content)
    if not isinstance(call, dict):
        return content
    return call_text(str(call.get("tool") or "tool"), call.get("input"), call.get("output"))


def call_text(tool: str, arguments: JsonValue, output: JsonValue) -> str:
    """Render a tool call as `readable` does for a stored tool call."""
    head = call_line(tool, arguments)
    body = output_text(output)
    return f"{head}\n{body}".rstrip("\n") if body else head


def call_line(tool: str, arguments: JsonValue) -> str:
    """Render a tool's input: a shell command verbatim, other input as JSON.

    Further arguments of a shell follow the command on a separate line. If the tool is not a shell,
    and there are arguments besides ``command``, the command is an action of the tool, such as
    "create".
    """
    if isinstance(arguments, dict):
        arguments = {key: value for key, value in arguments.items() if value not in (None, "")}
        key = "command" if "command" in arguments else "cmd"
        command = arguments.get(key)
        if isinstance(command, str):
            others = {
                name: item for name, item in arguments.items() if name != key and item is not False
            }
            if not others:
                return f"$ {command}"
            if _SHELL.search(tool):
                return f"$ {command}\n{_WITH}{dump_json(others)}]"
    if arguments in (None, "", {}):
        return tool
    return f"{tool} {arguments if isinstance(arguments, str) else dump_json(arguments)}"


def past_arguments(text: str) -> str:
    """Return what follows a command, without the line of other arguments."""
    return text.partition("\n")[2] if text.startswith(f"{_WITH}{{") else text


def output_text(output: JsonValue) -> str:
    """Render the output of a tool as text.

    Streams are in their usual order, text blocks are joined, and everything else is JSON.
    """
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return "\n".join(text for text in map(_block_text, output) if text)
    if isinstance(output, dict):
        return _mapping_text(output)
    return dump_json(output)


def cut_note(output: dict[str, JsonValue]) -> str:
    """Return a note that states how much of a truncated output is available."""
    size = output.get(PERSISTED_SIZE)
    if PERSISTED_PATH not in output or type(size) is not int:
        return ""
    here = sum(len(str(output.get(name) or "").encode("utf-8", "replace")) for name in _STREAMS)
    return f"[cut: {here:,} of {size:,} bytes; the host's file with the full output is missing]"


def media_label(media: str, size: int, sha256: str) -> str:
    """Return a label for binary data, with its size in units of 1,024 bytes.

    An example is image (image/png, 3.0 MB, sha256 ...).
    """
    kind = _KINDS.get(media) or _KINDS.get(media.partition("/")[0]) or "file"
    return f"{kind} ({media}, {_sized(size)}, sha256 {sha256[:16]})"


def _sized(size: int) -> str:
    if size < 1024:
        return f"{size} B"
    amount, units = size / 1024, ["KB", "MB", "GB", "TB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        del units[0]
    return f"{amount:.1f} {units[0]}"


def media_text(value: JsonValue) -> str:
    """Return the label for binary data in a block; empty if there is none."""
    if isinstance(value, str):
        match = _LABEL.fullmatch(value.strip("[]"))
        return f"[{match[0]}]" if match else ""
    members = list(value.values()) if isinstance(value, dict) else value
    return next(filter(None, map(media_text, members)), "") if isinstance(members, list) else ""


def _block_text(block: JsonValue) -> str:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    if isinstance(block, dict) and (label := media_text(block)):
        return label
    if isinstance(block, dict) and block.get("type") == "image":
        return "[image]"
    return block if isinstance(block, str) else dump_json(block)


def _mapping_text(output: dict[str, JsonValue]) -> str:
    if "stdout" in output or "stderr" in output:
        streams = [str(output.get(name) or "").rstrip("\n") for name in _STREAMS[:2]]
        text = "\n".join(stream for stream in streams if stream)
        return f"{text}\n{cut}" if (cut := cut_note(output)) else text
    if output.get("type") in ("image", "pdf", "document", "audio") and (
        label := media_text(output)
    ):
        return label
    file = output.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return str(file["content"])
    if isinstance(output.get("content"), str | list):
        return output_text(output["content"])
    if answers := _answers_text(output.get("answers")):
        return answers
    if patch := _patch_text(output.get("structuredPatch")):
        return patch
    return "\n".join(filter(None, (_member_text(name, item) for name, item in output.items())))


def _answers_text(answers: JsonValue) -> str:
    """Render a person's answers, a line each: the question, then the answer."""
    pairs = answers.items() if isinstance(answers, dict) else ()
    texts = [f"{question} \u2192 {text}" for question, text in pairs if isinstance(text, str)]
    return "\n".join(texts) if len(texts) == len(pairs) else ""


def _patch_text(patch: JsonValue) -> str:
    """Render Claude Code's report on an edit as a diff.

    The report also contains the complete file, which is not included.
    """
    hunks = [item for item in patch if isinstance(item, dict)] if isinstance(patch, list) else []
    lines = [hunk["lines"] for hunk in hunks if isinstance(hunk.get("lines"), list)]
    return "\n".join(line for one in lines for line in one if isinstance(line, str))  # type: ignore[union-attr]


def _member_text(name: str, value: JsonValue) -> str:
    """Render a member of a result of unknown format.

    Short values are put on one line; texts are left unchanged.
    """
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "\n".join(map(str, value))
    if isinstance(value, str):
        return f"{name}:\n{value}" if "\n" in value else f"{name}: {value}"
    return f"{name}: {dump_json(value)}"


def texts(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the searchable text of observations, by id.

    The text is the content, or the summary if the content is hidden.

    Raises:
        CorruptData: stored content does not match its hash.
    """
    if not ids:
        return {}
    rows = tx.fetch(SQL["of_observations"], {"team": team, "ids": dump_json(list(ids))})
    result: dict[str, str] = {}
    for id, form, tags, summary, digest, codec, data in rows:
        hidden = HIDDEN & set(json.loads(tags))
        content = "" if hidden else blobs.checked(digest, codec, data)
        result[id] = summary if hidden else readable(content, ContentFormat(form))
    return result
