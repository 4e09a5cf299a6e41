"""Supported coding agents: settings files, hook events, timeout units.

Sources: the hook references of Claude Code, Codex, Gemini CLI and Cursor, as of autumn 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from memoranda.exceptions import InvalidInput
from memoranda.hook_event import home_folder
from memoranda.json_data import JsonValue

Entries = tuple[tuple[str | None, str], ...]
"""Entries of one event: (matcher, action of the hook).

A matcher of None matches everything.
"""
SPOOL: Entries = ((None, "spool"),)
EVERY_TOOL: Entries = (("*", "spool"),)


class InstallScope(StrEnum):
    """Sessions to record: all sessions of this user, or those of one project."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Coding agent that runs commands at certain events."""

    name: str
    title: str
    events: Mapping[str, Entries]
    home: str
    """Settings folder of the host in the user's home and in a project."""
    home_variable: str | None = None
    """Environment variable that overrides that folder in the user's home."""
    file: str = "hooks.json"
    project_file: str = "hooks.json"
    """Settings file of the host in a project.

    A variant that is not shared is preferred if the host has one, because hooks contain the path of
    this machine's interpreter.
    """
    timeout: int | None = 5
    """Timeout of a hook in the host's unit; Memoranda's hook finishes long before the timeout."""
    timeouts: Mapping[str, int] = field(default_factory=dict)
    """Lower timeouts for certain events.

    The host reports a warning if a longer timeout is requested.
    """
    flat: bool = False
    """Whether an event's list contains the commands directly, not groups with a matcher."""
    version: int | None = None
    """Version of the settings format, as stated in the file."""
    shortened: str | None = None
    """Event at which a hook may replace the output that the agent sees."""
    handler: Mapping[str, JsonValue] = field(default_factory=dict)
    """Fields of a handler other than the command."""
    afterwards: str = ""
    """What a person must do once after the installation, if anything."""

    def settings_file(self, scope: InstallScope, project: Path, environ: Mapping[str, str]) -> Path:
        """Return the settings file for the hooks of a scope."""
        if scope is InstallScope.PROJECT:
            return project / self.home / self.project_file
        chosen = environ.get(self.home_variable) if self.home_variable else None
        home = chosen or f"{home_folder(environ)}/{self.home}"
        return Path(home).expanduser() / self.file


CLAUDE_CODE = Host(
    name="claude-code",
    title="Claude Code",
    events={
        # A fork continues the history of another session, which already includes the context.
        "SessionStart": (("startup|clear|compact", "context"), ("resume|fork", "spool")),
        "UserPromptSubmit": SPOOL,
        "PostToolUse": EVERY_TOOL,
        "PostToolUseFailure": EVERY_TOOL,
        "PermissionDenied": EVERY_TOOL,
        "SubagentStart": SPOOL,
        "SubagentStop": SPOOL,
        "Stop": SPOOL,
        "StopFailure": SPOOL,
        "PreCompact": SPOOL,
        "PostCompact": SPOOL,
        "SessionEnd": SPOOL,
    },
    home=".claude",
    home_variable="CLAUDE_CONFIG_DIR",
    file="settings.json",
    project_file="settings.local.json",
    shortened="PostToolUse",
    handler={"type": "command"},
)
CODEX = Host(
    name="codex",
    title="Codex",
    events={
        "SessionStart": (("startup|clear|compact", "context"), ("resume", "spool")),
        "UserPromptSubmit": SPOOL,
        "PostToolUse": SPOOL,
        "SubagentStart": SPOOL,
        "SubagentStop": SPOOL,
        "Stop": SPOOL,
        "PreCompact": SPOOL,
        "PostCompact": SPOOL,
        "SessionEnd": SPOOL,
    },
    home=".codex",
    home_variable="CODEX_HOME",
    timeouts={"SessionEnd": 3},
    handler={"type": "command"},
    afterwards="Codex runs them once you have trusted them: type /hooks in Codex",
)
GEMINI_CLI = Host(
    name="gemini-cli",
    title="Gemini CLI",
    events={
        "SessionStart": (("startup", "context"), ("clear", "context"), ("resume", "spool")),
        "BeforeAgent": SPOOL,
        "AfterAgent": SPOOL,
        "AfterTool": SPOOL,
        "PreCompress": SPOOL,
        "SessionEnd": SPOOL,
    },
    home=".gemini",
    file="settings.json",
    project_file="settings.json",
    timeout=5_000,  # milliseconds in this host, seconds in the others
    handler={"name": "memoranda", "type": "command"},
)
CURSOR = Host(
    name="cursor",
    title="Cursor",
    # postToolUse also reports shell calls, but without an id shared with the shell event, so only
    # one of the two is installed.
    events={
        "sessionStart": SPOOL,
        "beforeSubmitPrompt": SPOOL,
        "afterShellExecution": SPOOL,
        "afterMCPExecution": SPOOL,
        "afterFileEdit": SPOOL,
        "afterAgentResponse": SPOOL,
        "preCompact": SPOOL,
        "stop": SPOOL,
        "sessionEnd": SPOOL,
    },
    home=".cursor",
    timeout=None,  # seconds in some versions, milliseconds in others
    flat=True,
    version=1,
    afterwards="Cursor does not show contexts from hooks: add `memoranda mcp` to Cursor"
    " (docs/mcp.md)",
)

HOSTS: Mapping[str, Host] = MappingProxyType(
    {host.name: host for host in (CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR)}
)


def host_of(name: str) -> Host:
    """Return a host by name.

    Raises:
        InvalidInput: there is no host with this name.
    """
    if name not in HOSTS:
        raise InvalidInput(f"hooks are not supported for {name!r}; known: {', '.join(HOSTS)}")
    return HOSTS[name]
