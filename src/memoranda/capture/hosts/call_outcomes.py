"""Result of a tool call: its output, and whether it failed."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.capture.hosts.json_fields import Payload
from memoranda.json_data import JsonValue

INTERRUPTED = "interrupted"
DENIED = "denied"

_EXIT_CODES = ("exit_code", "exitCode", "returnCode", "return_code", "returncode")
_ERROR_FLAGS = ("isError", "is_error")


@dataclass(frozen=True, slots=True)
class HostCall:
    """Input of a tool call."""

    tool: str | None
    arguments: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """Outcome of a tool call."""

    output: JsonValue = None
    failed: bool = False
    known: bool = True
    """Whether the outcome of the call is known."""
    tags: tuple[str, ...] = ()
    duration_ms: int | None = None


PENDING_TAG = "pending"
PENDING = CallOutcome(known=False, tags=(PENDING_TAG,))
"""Outcome of a call for which the host has not reported one."""


def outcome_of(
    output: JsonValue, *, failed: bool = False, duration_ms: int | None = None
) -> CallOutcome:
    """Determine a call's outcome from the tool's response.

    The exit code, error flag or interruption in the response determines the outcome. If the host
    itself reports ``failed``, the call has failed in any case.
    """
    response = output if isinstance(output, dict) else {}
    interrupted = response.get("interrupted") is True
    return CallOutcome(
        output=output,
        failed=failed or interrupted or _reports_failure(response),
        tags=(INTERRUPTED,) if interrupted else (),
        duration_ms=duration_ms,
    )


def _reports_failure(response: Payload) -> bool:
    if any(response.get(flag) is True for flag in _ERROR_FLAGS):
        return True
    codes = (response.get(name) for name in _EXIT_CODES)
    return any(type(code) is int and code != 0 for code in codes)
