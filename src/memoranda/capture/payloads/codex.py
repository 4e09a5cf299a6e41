"""Codex hooks: Claude Code's payloads, with a shell output that tells its exit code in words."""

from __future__ import annotations

import re

from memoranda.capture.payloads.claude_code import Dialect, snake_case_event
from memoranda.capture.payloads.fields import Payload, count, decoded, mapping
from memoranda.capture.payloads.outcomes import Outcome, outcome_of
from memoranda.values.event import Event
from memoranda.values.json import JsonValue

HOST = "codex"

_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})$", re.MULTILINE)
_HEAD = 500
"""Codex puts the report above the output; further down only the command itself speaks."""


def event(payload: Payload, at: int) -> Event | None:
    """Turn a Codex hook payload into an event; None for moments that hold nothing to keep.

    ``at`` is the hook's clock in microseconds since the epoch.
    """
    return snake_case_event(payload, at, CODEX)


def judge(output: JsonValue) -> Outcome:
    """Judge a tool's output: an object with metadata, or text under a head with an exit code."""
    report = _report(output)
    failed = report.get("success") is False or outcome_of(report.get("metadata")).failed
    if isinstance(output, str):
        failed = failed or _exit_code(output) not in (None, 0)
    seconds = mapping(report.get("metadata")).get("duration_seconds")
    milliseconds = seconds * 1000 if isinstance(seconds, int | float) else None
    return outcome_of(output, failed=failed, duration_ms=count(milliseconds))


def _report(output: JsonValue) -> Payload:
    if isinstance(output, str) and not output.startswith('{"output"'):
        return {}
    return mapping(decoded(output))


def _exit_code(output: str) -> int | None:
    head, marker, _ = output[:_HEAD].partition("\nOutput:")
    found = _EXIT_CODE.search(head) if marker else None
    return int(found[1]) if found else None


CODEX = Dialect(HOST, judge)
