"""Conversion of Codex hook payloads, which mostly lack exit codes."""

from __future__ import annotations

from dataclasses import replace

from memoranda.capture.event import Event
from memoranda.capture.hosts.call_outcomes import CallOutcome
from memoranda.capture.hosts.claude_code.payload import PayloadDialect, snake_case_event
from memoranda.capture.hosts.codex.tool_output import report_of
from memoranda.capture.hosts.event_fields import MAIN_AGENT
from memoranda.capture.hosts.json_fields import Payload
from memoranda.capture.hosts.message_separation import DELEGATED
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

HOST = "codex"

_SHELLS = frozenset(
    (
        "Bash", "bash", "shell", "shell_command", "local_shell", "container.exec", "exec_command",
        "unified_exec", "exec", "wait", "write_stdin",
    )
)  # fmt: skip
"""Tools whose outcome is an exit code.

For other tools, an output without an error message is a success.
"""


def event(payload: Payload, at: int) -> Event | None:
    """Convert a Codex hook payload to an event; None if irrelevant.

    ``at`` is the hook's clock in microseconds since the epoch. The outcome of a command without an
    exit code is unknown.
    """
    found = snake_case_event(payload, at, CODEX)
    if found is None:
        return None
    if found.agent != MAIN_AGENT and found.origin is Origin.HUMAN:  # the task of a subagent
        return replace(found, origin=Origin.AGENT, tags=(*found.tags, DELEGATED))
    return replace(found, outcome_known=_is_known(found))


def read_tool_output(output: JsonValue) -> CallOutcome:
    """Return the outcome of a tool's output, including Codex's report header."""
    return report_of(output).outcome()


def ends_with_code(tool: str | None) -> bool:
    """Return whether an exit code determines the outcome of this tool."""
    return tool is None or tool in _SHELLS


def _is_known(found: Event) -> bool:
    return found.outcome_known or not ends_with_code(found.tool)


CODEX = PayloadDialect(HOST, read_tool_output)
