"""Silver stage labels, derived from the structure of public runs.

The labels do not depend on words. An action has the stage of its class: looking and asking are
planning, changing is execution, running is verification. Reflection is the step after a failed one
that returns to the same kind of work: after a failed change another change or a look, after a
failed look another look, after a failed run the same once something was changed. A reproduction
that fails before any change is an expected failure. Thinking is planning, even after a failure,
because it returns to no work; that is wrong where the thought looks back. Submitting and empty
actions have no label.

Part of any figure is therefore circular. A detector that knows what a tool does agrees with the
first rule by construction; what it has to detect is reflection, and what a shell command does. The
tables here are those of the public agents' own tools, and share nothing with the detector.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PLANNING, EXECUTION = "planning", "execution"
REFLECTION, VERIFICATION = "reflection", "verification"
LABELS = (PLANNING, EXECUTION, REFLECTION, VERIFICATION)

_FIRST_WORDS = {
    PLANNING: {"open", "goto", "scroll_up", "scroll_down", "find_file", "search_file",
               "search_dir", "ls", "cd", "grep", "cat", "find"},
    EXECUTION: {"edit", "create", "rm", "mv", "cp", "mkdir", "touch", "pip"},
    VERIFICATION: {"python", "pytest", "tox"},
}  # fmt: skip
"""Classes of SWE-agent's commands."""
_PREFIXES = {
    PLANNING: ("get_", "search_", "list_", "find_", "calculate"),
    EXECUTION: ("book_", "update_", "cancel_", "send_", "modify_", "exchange_", "return_",
                "transfer_"),
}  # fmt: skip
"""Classes of tau-bench's tools."""
_THINKING = "think"
_FAILED = re.compile(
    r"traceback \(most recent|syntax error|^error\b|\berror:|command not found|no such file"
    r"|not found$|no matches found|exit code:? [1-9]|\bfail(?:ed|ure)?\b|failed\b|denied"
    r"|your proposed edit has introduced|cannot|could not|invalid|unable|exception\b",
    re.IGNORECASE,
)
_REFUSED = "Error"
"""Beginnings of the answers of tau-bench's tools to a refused call."""


@dataclass(frozen=True, slots=True)
class _Call:
    stage: str | None
    """The class by the tool alone."""
    thinks: bool
    failed: bool


_NOTHING = _Call(None, thinks=False, failed=False)


def labels(records: Sequence[dict[str, Any]]) -> list[str | None]:
    """Return the labels of the calls in a run of generic records, in order."""
    found: list[str | None] = []
    before = _NOTHING
    edited = False
    for record in records:
        if record["kind"] == "message" and record.get("origin") == "human":
            before = _NOTHING  # the next message answers the person
        if record["kind"] != "tool_result":
            continue
        call = _Call(*_class(record), failed=_failed(record))
        found.append(REFLECTION if _goes_back(before, call, edited=edited) else call.stage)
        edited = edited or (call.stage == EXECUTION and not call.failed)
        before = call
    return found


def _class(record: dict[str, Any]) -> tuple[str | None, bool]:
    """Return the stage of a call by its tool, and whether it only thinks."""
    if record["host"] == "swe-agent":
        word = (record["input"]["command"].split() or [""])[0]
        return next((stage for stage, words in _FIRST_WORDS.items() if word in words), None), False
    tool = record["tool"]
    if tool == _THINKING:
        return PLANNING, True
    result = (stage for stage, starts in _PREFIXES.items() if tool.startswith(starts))
    return next(result, None), False


def _failed(record: dict[str, Any]) -> bool:
    output = record.get("output") or ""
    if record["host"] == "swe-agent":
        return _FAILED.search(output[:1500]) is not None
    return str(output).startswith(_REFUSED)


def _goes_back(before: _Call, call: _Call, *, edited: bool) -> bool:
    if not before.failed or call.thinks or call.stage not in (PLANNING, EXECUTION):
        return False
    if before.stage == EXECUTION or (before.stage == VERIFICATION and edited):
        return True
    return before.stage == PLANNING and not before.thinks and call.stage == PLANNING
