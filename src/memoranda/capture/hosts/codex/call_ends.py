"""Results of tool calls, from event records of a Codex rollout.

A tool's response contains the result of a command only as text; these records contain the exit
code, the whole output and the file changes. For calls made by scripts they are the only records.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.capture.hosts.call_outcomes import CallOutcome, HostCall, outcome_of
from memoranda.capture.hosts.codex.tool_output import with_exit_code
from memoranda.capture.hosts.json_fields import Payload, count, mapping, string
from memoranda.json_data import JsonValue

_FAILED = ("failed", "declined", "error", "rejected")
_SUCCEEDED = ("completed", "success", "ok")


@dataclass(frozen=True, slots=True)
class CallEnd:
    """The end of a call, with id, input and outcome."""

    id: str
    call: HostCall
    outcome: CallOutcome
    exit_code: int | None = None


def ending_of(record: Payload) -> CallEnd | None:
    """Parse the end of a call from an event message; None for other messages."""
    kind = record.get("type")
    item = mapping(record.get("item")) if kind == "item_completed" else record
    kind = item.get("type") if item is not record else kind
    read = _READERS.get(kind) if isinstance(kind, str) else None
    id = string(item, "call_id", "id")
    return read(id, item) if read and id else None


def _command(id: str, item: Payload) -> CallEnd:
    code = item.get("exit_code")
    code = code if type(code) is int else None
    output = string(item, "aggregated_output", "aggregatedOutput")
    if output is None:
        output = "".join(string(item, name) or "" for name in ("stdout", "stderr"))
    status = item.get("status")
    failed = code not in (None, 0) or (code is None and status in _FAILED)
    outcome = CallOutcome(
        output=with_exit_code(output, code),
        failed=failed,
        known=failed or code == 0,
        duration_ms=_milliseconds(item.get("duration")),
    )
    arguments: dict[str, JsonValue] = {"cmd": _line(item.get("command"))}
    if folder := string(item, "cwd"):
        arguments["workdir"] = folder.removeprefix("file://")
    return CallEnd(id, HostCall("exec_command", arguments), outcome, code)


def _patch(id: str, item: Payload) -> CallEnd:
    failed = item.get("success") is False or item.get("status") in _FAILED
    has_outcome = failed or item.get("success") is True or item.get("status") in _SUCCEEDED
    outputs = [string(item, name) for name in ("stdout", "stderr")]
    output = "\n".join(text.rstrip("\n") for text in outputs if text)
    call = HostCall("apply_patch", patch_text(mapping(item.get("changes"))))
    return CallEnd(id, call, CallOutcome(output=output, failed=failed, known=has_outcome))


def _mcp(id: str, item: Payload) -> CallEnd:
    invocation = mapping(item.get("invocation")) or item
    result = item.get("result")
    inner = mapping(result)
    result = inner.get("Ok", inner.get("Err", result))
    error = item.get("error")
    failed = "Err" in inner or bool(error) or item.get("status") in _FAILED
    outcome = outcome_of(
        result if error is None else error,
        failed=failed,
        duration_ms=_milliseconds(item.get("duration")),
    )
    name = "__".join(
        part for part in ("mcp", string(invocation, "server"), string(invocation, "tool")) if part
    )
    return CallEnd(id, HostCall(name, invocation.get("arguments")), outcome)


_READERS = {
    "CommandExecution": _command,
    "exec_command_end": _command,
    "FileChange": _patch,
    "patch_apply_end": _patch,
    "McpToolCall": _mcp,
    "mcp_tool_call_end": _mcp,
}


def patch_text(changes: Mapping[str, JsonValue]) -> str:
    """Format file changes as the patch that would make them."""
    lines = ["*** Begin Patch"]
    for path, value in changes.items():
        change = mapping(value)
        if "type" not in change and len(change) == 1:  # old form: {"update": {…}}
            kind, inner = next(iter(change.items()))
            change = {**mapping(inner), "type": kind}
        lines += _changed(path, change)
    return "\n".join([*lines, "*** End Patch"])


def _changed(path: str, change: Payload) -> list[str]:
    kind = change.get("type")
    if kind == "add":
        added = (string(change, "content") or "").removesuffix("\n").split("\n")
        return [f"*** Add File: {path}", *(f"+{line}" for line in added)]
    if kind == "delete":
        return [f"*** Delete File: {path}"]
    moved = string(change, "move_path")
    lines = [f"*** Update File: {path}", *([f"*** Move to: {moved}"] if moved else [])]
    diff = (string(change, "unified_diff") or "").removesuffix("\n")
    return [*lines, *("@@" if line.startswith("@@ ") else line for line in diff.split("\n"))]


def _line(command: JsonValue) -> str:
    if not isinstance(command, list):
        return command if isinstance(command, str) else ""
    words = [word for word in command if isinstance(word, str)]
    is_shell = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
    return words[2] if is_shell else shlex.join(words)


def _milliseconds(duration: JsonValue) -> int | None:
    parts = mapping(duration)
    seconds, nanos = parts.get("secs"), parts.get("nanos")
    if not isinstance(seconds, int) or not isinstance(nanos, int):
        return None
    return count(seconds * 1000 + nanos / 1_000_000)
