"""Parser of Codex tool outputs: a report header, then the output.

Source: rollouts of versions 0.1 to 0.169 and https://github.com/openai/codex/issues/42864.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memoranda.capture.hosts.call_outcomes import CallOutcome, outcome_of
from memoranda.capture.hosts.json_fields import Payload, count, decoded, mapping
from memoranda.json_data import JsonValue

_HEADER = re.compile(
    r"(?P<code>(?:Exit code:?|Process exited with code) (?P<number>-?\d{1,10}))"
    r"|Process running with session ID (?P<session>\S{1,40})"
    r"|Script (?P<script>completed|failed|terminated)"
    r"|Script running with cell ID (?P<cell>\S{1,40})"
    r"|Wall time:? (?P<seconds>\d{1,9}(?:\.\d{1,12})?) seconds?"
    r"|Chunk ID: \S{1,40}|Original token count: \d{1,12}|Total output lines: \d{1,12}"
)
"""One line of the report above an output; anything else is output."""
TEXT_TYPES = ("text", "input_text", "output_text")
_END = "Output:"
_HEADER_LINES = 8
_NOTICES = 4
"""Maximum number of blocks in which the report header is searched for."""
_PACKED = re.compile(r'\s*(?:\{\s*"(?:output|metadata|success|content)"|\[\s*\{)')
_REFUSALS = (
    "apply_patch verification failed",
    "exec_command failed",
    "exec command rejected",
    "write_stdin failed",
    "failed in sandbox",
    "failed to parse function arguments",
    "execution error:",
    "unsupported call:",
    "unsupported custom tool call:",
    "command timed out after",
    "aborted by user",
    "Script error:",
    "err: ",
)
"""Starts of texts that Codex writes instead of an output."""
_WRAPPER = frozenset(
    (
        "output", "content", "body", "success", "metadata", "chunk_id", "wall_time_seconds",
        "exit_code", "original_token_count", "session_id",
    )
)  # fmt: skip
"""Members of the wrapper that Codex adds to an output."""
_SUCCESSES = ("Success. Updated the following files:", "Done!")


@dataclass(frozen=True, slots=True)
class CallReport:
    """Parsed result of a tool call."""

    output: JsonValue = None
    """Output without the report above it."""
    exit_code: int | None = None
    failed: bool = False
    succeeded: bool = False
    running: str | None = None
    """Session id of the process if it is still running."""
    script: bool = False
    """Whether this is the output of a script that calls other tools."""
    seconds: float | None = None

    def outcome(self) -> CallOutcome:
        """Return the outcome; unknown if Codex reports neither exit code nor end."""
        code = self.exit_code
        failed = self.failed or code not in (None, 0)
        is_known = failed or code == 0 or self.succeeded
        duration = None if self.seconds is None else count(self.seconds * 1000)
        outcome = outcome_of(with_exit_code(self.output, code), failed=failed, duration_ms=duration)
        return CallOutcome(
            output=outcome.output,
            failed=outcome.failed,
            known=is_known or outcome.failed,
            tags=outcome.tags,
            duration_ms=duration,
        )


def report_of(output: JsonValue) -> CallReport:
    """Parse an output: text, text blocks, an object, or JSON in a string."""
    value = _unpacked(output)
    if isinstance(value, dict):
        return _from_object(value)
    if isinstance(value, list):
        return _from_blocks(value)
    if not isinstance(value, str):
        return CallReport(value, failed=outcome_of(value).failed)
    return _from_text(value)


def with_exit_code(output: JsonValue, code: int | None) -> JsonValue:
    """Prepend a failing exit code to a text output."""
    if code in (None, 0) or not isinstance(output, str | None):
        return output
    head = f"Exit code {code}"
    return f"{head}\n{output}" if output else head


def _unpacked(output: JsonValue) -> JsonValue:
    """Decode an output that Codex encoded as JSON.

    JSON that a command printed is not decoded.
    """
    if isinstance(output, str) and _PACKED.match(output):
        value = decoded(output)
        if _is_text(value) or (isinstance(value, dict) and _is_wrapped(value)):
            return value
    return output


def _is_wrapped(value: Payload) -> bool:
    output = value.get("output")
    is_alone = len(value) == 1 and isinstance(output, str) and output.startswith(_SUCCESSES)
    return is_alone or (value.keys() <= _WRAPPER and bool(mapping(value.get("metadata"))))


def _from_object(value: Payload) -> CallReport:
    success, metadata = value.get("success"), mapping(value.get("metadata")) or value
    inner = next((value[name] for name in ("output", "content", "body") if name in value), None)
    if inner is None or not value.keys() <= _WRAPPER:  # the object that the tool itself returned
        return CallReport(
            dict(value),
            failed=outcome_of(dict(value)).failed or success is False,
            succeeded=value.get("isError") is False or success is True,
        )
    report = report_of(inner)
    code = metadata.get("exit_code")
    seconds = metadata.get("duration_seconds", metadata.get("wall_time_seconds"))
    return CallReport(
        output=report.output,
        exit_code=code if type(code) is int else report.exit_code,
        failed=report.failed or success is False,
        succeeded=report.succeeded or success is True,
        running=report.running,
        seconds=seconds if isinstance(seconds, int | float) else report.seconds,
    )


def _from_blocks(blocks: list[JsonValue]) -> CallReport:
    """Parse an output of several blocks; a Codex notice may precede the report."""
    value = _unpacked(_joined(blocks))
    if not isinstance(value, str):
        return report_of(value)
    report = _from_text(value)
    if report.exit_code is None and not report.running:
        for index, block in enumerate(blocks[1:_NOTICES], 1):
            later = _from_text(_joined(blocks[index:])) if _text_in(block) else report
            if later.exit_code is not None:
                report = replace(later, output=f"{_joined(blocks[:index])}\n{later.output}")
                break
    if not all(_text_in(block) is not None for block in blocks):  # images are kept unchanged
        return CallReport(list(blocks), report.exit_code, report.failed, seconds=report.seconds)
    return report


def _from_text(text: str) -> CallReport:
    code = running = None
    whole = text
    text = text.lstrip("\r\n")
    seconds: float | None = None
    script: str | None = None
    while code is None and (head := _head(text)):
        lines, text = head
        for line in lines:
            code = int(line["number"]) if line["number"] else code
            running = line["session"] or line["cell"] or running
            script = line["script"] or ("running" if line["cell"] else script)
            seconds = seconds or (float(line["seconds"]) if line["seconds"] else None)
    if code is None and running is None and script is None and seconds is None:
        text = whole
    if script and text.startswith('{"chunk_id"'):
        return replace(_from_object(mapping(decoded(text))), script=True)
    begin = text[:200].lstrip()
    failed = script in ("failed", "terminated") or begin.startswith(_REFUSALS)
    succeeded = begin.startswith(_SUCCESSES)
    return CallReport(text, code, failed, succeeded, running, script is not None, seconds)


def _head(text: str) -> tuple[list[re.Match[str]], str] | None:
    """Split the report from the output below it; None if there is none."""
    matches: list[re.Match[str]] = []
    rest = text
    for _ in range(_HEADER_LINES):
        line, _, rest = rest.partition("\n")
        line = line.rstrip("\r")
        if line == _END or (line.startswith(_END) and not matches):
            return (matches, rest) if matches else None
        match = _HEADER.fullmatch(line)
        if match is None:
            return None
        matches.append(match)
    return None


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, list) and all(
        isinstance(block, dict)
        and isinstance(block.get("text"), str)
        and block.get("type") in TEXT_TYPES
        for block in value
    )


def _text_in(block: JsonValue) -> str | None:
    """Return the text of a block or a bare text; None for an image."""
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else None


def _joined(blocks: list[JsonValue]) -> str:
    whole = ""
    for text in map(_text_in, blocks):
        if text:
            whole += text if not whole or whole.endswith("\n") else f"\n{text}"
    return whole
