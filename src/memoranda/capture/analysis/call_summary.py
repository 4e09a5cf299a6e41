"""Summaries of tool calls: a title of at most 80 characters and details.

The title names the call and its result; details are ordered by importance.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memoranda.capture.analysis.call_view import CallSketch, CallView, view
from memoranda.capture.analysis.diagnostics import own_frame
from memoranda.capture.analysis.file_calls import (
    edit,
    listing,
    read,
    search,
    with_patches,
    without_patch_reports,
)
from memoranda.capture.analysis.line_search import flat, lines_with
from memoranda.capture.analysis.other_calls import agent, ask, other, plan, web
from memoranda.capture.analysis.output_digest import ending, failure_line, listed, salient
from memoranda.capture.analysis.shell_calls import shell, shown_command, written, written_lines
from memoranda.capture.analysis.test_runs import failing_tests
from memoranda.capture.event import Event, EventKind
from memoranda.text import clip

_TITLE = 80
_OUTCOME = 44
"""Minimum number of characters that a title reserves for the outcome."""

_REFUSED = ("denied", "interrupted", "excluded")
_RENDERERS: dict[str, Callable[[CallView], CallSketch]] = {
    "shell": shell, "read": read, "edit": edit, "search": search, "list": listing, "web": web,
    "plan": plan, "agent": agent, "ask": ask,
}  # fmt: skip


def describe(event: Event, text: str) -> tuple[str, list[str]]:
    """Describe a tool event: a title, and details in order of importance.

    The title has at most 80 characters.
    """
    call = view(event, text)
    if call.line:
        call = without_patch_reports(call)
        sketch = CallSketch(shown_command(call)) if call.failure else shell(call)
        sketch = with_patches(call, sketch)
    else:
        sketch = _RENDERERS.get(call.kind, other)(call)
    refused = next((tag for tag in _REFUSED if tag in event.tags), "")
    if refused:
        reason = call.failure.message if call.failure else ""
        return _title(sketch.label, refused), [reason, *ending(call.output)]
    if event.kind is EventKind.TOOL_CALL or "pending" in event.tags:
        return _title(sketch.label, ""), []
    if call.failure is None:
        return _title(sketch.label + sketch.extent, sketch.outcome), list(sketch.details)
    unpassed = call.counts.get("failed") or call.counts.get("errors")
    outcome = (
        written(call.counts) if unpassed else _first_of(call.output) + failure_line(call.failure)
    )
    return _title(sketch.label, outcome), _evidence(call)


_ERROR_TOTAL = re.compile(
    r"Found (\d{1,6}) errors|.{0,20}\d+ problems? \((\d{1,6}) errors"
    r"|.{0,200}due to (\d{1,6}) previous errors|(\d{1,6}) errors generated"
)


def _first_of(output: str) -> str:
    """Return a prefix with the total number of errors; '' if there is none.

    The first error's message is appended by the caller.
    """
    for line in lines_with(output, " errors", 12) if " errors" in output else ():
        match = _ERROR_TOTAL.match(line)
        if match:
            return f"{match[match.lastindex or 0]} errors: "
    return ""


def _title(label: str, outcome: str) -> str:
    label, outcome = flat(label), flat(outcome)
    if not outcome:
        return clip(label, _TITLE)
    room = _TITLE - 3
    outcome = clip(outcome, max(room - len(label), _OUTCOME))
    return f"{clip(label, room - len(outcome))} \u2192 {outcome}"


def _evidence(call: CallView) -> list[str]:
    """Return the evidence of a failure, most important first.

    The evidence is the cause, failing tests, source location, salient lines and the last lines.
    """
    failed = call.failure
    if failed is None:
        return []
    cause = failure_line(failed)
    if failed.exit_code and f"exit code {failed.exit_code}" not in cause:
        cause += f" (exit {failed.exit_code})"
    tests = failing_tests(call.output)
    frame = own_frame(call.output)
    opening = call.output[:600].split("\n", 4)[:4]
    lines = [*salient(call.output), *ending(call.output, 2), *written_lines(call), *opening]
    if frame and call.event.cwd:
        frame = frame.removeprefix(call.event.cwd.rstrip("/") + "/")
    message = failed.message[:60]
    place = frame.partition(" in ")[0] if frame else ""
    if place:
        lines = [line for line in lines if place not in line or len(line) > len(place) + 30]
    return [
        cause if failed.message or failed.exit_code else "",
        *([f"failed: {listed(list(tests), 4)}"] if tests else []),
        *([f"at {frame}"] if frame else []),
        *(line for line in lines if not message or message not in line),
    ]
