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
    """Sessions to record: all of this user's, or those of one project."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Coding agent that runs commands at events."""

    name: str
    title: str
    events: Mapping[str, Entries]
    home: str
    """Folder of its settings in the user's home, and in a project."""
    home_variable: str | None = None
    """Environment variable that overrides that folder in the user's home."""
    file: str = "hooks.json"
    project_file: str = "hooks.json"
    """Settings file in a project.

    An unshared variant is preferred if the host has one, as hooks name this machine's interpreter.
    """
    timeout: int | None = 5
    """Timeout of a hook in the host's unit; Memoranda's hook ends long before that."""
    timeouts: Mapping[str, int] = field(default_factory=dict)
    """Lower limits of timeouts by event.

    The host reports a warning when more is requested.
    """
    flat: bool = False
    """Whether commands are directly in an event's list, not in groups with a matcher."""
    version: int | None = None
    """Version of the format, as stated in the file."""
    shortened: str | None = None
    """Event at which a hook may replace what the agent sees."""
    handler: Mapping[str, JsonValue] = field(default_factory=dict)
    """Fields of a handler other than its command."""
    afterwards: str = ""
    """What a person has to do once afterwards, if anything."""

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
        # A fork continues the history of another session, which includes the context.
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
    afterwards="Codex runs them once you have trusted them: type /hooks in it",
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
    timeout=5_000,  # milliseconds there, seconds elsewhere
    handler={"name": "memoranda", "type": "command"},
)
CURSOR = Host(
    name="cursor",
    title="Cursor",
    # postToolUse reports shell calls as well, without a common id, so only one is installed.
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
    afterwards="Cursor shows no context from a hook: add `memoranda mcp` to it (docs/mcp.md)",
)

HOSTS: Mapping[str, Host] = MappingProxyType(
    {host.name: host for host in (CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR)}
)


def host_of(name: str) -> Host:
    """Return a host by name.

    Raises:
        InvalidInput: there is none.
    """
    if name not in HOSTS:
        raise InvalidInput(f"no hooks are written for {name!r}; known: {', '.join(HOSTS)}")
    return HOSTS[name]
