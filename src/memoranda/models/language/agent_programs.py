"""Coding agents on this machine as language models: calls and output.

Calls use no tools, hooks, MCP servers or memory files, and leave no session behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from memoranda.json_data import JsonValue, dump_json
from memoranda.model_request import TokenUsage
from memoranda.models.language.program_output import (
    ProgramOutcome,
    error_message,
    last_line,
    member,
    micro_dollars,
    model_names,
    printed_events,
    printed_object,
    total_usage,
)

DEFAULT = "default"
"""Model name that selects the program's configured model."""
SYSTEM = (
    "You answer one question about a text. You have no tools and need none. "
    "Answer with the one JSON object that the message asks for, and with nothing else."
)
_BARE_KEY = re.compile(r"[\w-]+", re.ASCII)
"""Server names that Codex allows and that its command line can address."""
SESSION_SECONDS = 3_600
"""Age in seconds after which an orphaned session file is removed.

Interrupted calls leave such files behind.
"""


class CallableAgent(ABC):
    """Coding agent that is called without a terminal."""

    title: ClassVar[str]
    program: ClassVar[str]
    overhead: ClassVar[int]
    """Maximum number of tokens that the agent adds to a query."""
    sign_in: ClassVar[str]
    """Command with which a person logs in."""
    nested: ClassVar[re.Pattern[str]]
    """Variables by which the agent detects that it runs inside itself."""

    @abstractmethod
    def arguments(self, model: str, environ: Mapping[str, str]) -> list[str]:
        """Return the arguments for a query on standard input.

        An empty model selects the default one.
        """

    @abstractmethod
    def environ(self, folder: Path, most_tokens: int) -> dict[str, str]:
        """Return the variables for one call, including the answer's token limit."""

    @abstractmethod
    def outcome(self, out: bytes, err: bytes) -> ProgramOutcome:
        """Parse the program's output."""

    def files(self) -> dict[str, str]:
        """Return the files of the working folder by path."""
        return {}

    def forget(  # noqa: B027 — most leave nothing behind
        self, session: str, folder: Path, environ: Mapping[str, str]
    ) -> None:
        """Remove what the program stores about a session."""


class ClaudeProgram(CallableAgent):
    """Claude Code, which uses its user's settings only for the login."""

    title = "Claude Code"
    program = "claude"
    overhead = 8_000
    sign_in = "claude /login"
    nested = re.compile(
        r"CLAUDECODE|CLAUDE_PROJECT_DIR|CLAUDE_ENV_FILE|CLAUDE_PLUGIN_\w+"
        r"|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|CHILD_SESSION|EXECPATH)"
    )

    def arguments(self, model: str, environ: Mapping[str, str]) -> list[str]:
        """Return the arguments for a query on standard input.

        An empty model selects the default one.
        """
        chosen = ["--model", model] if model else []
        return [
            "-p", "--output-format", "json", "--max-turns", "1", "--tools", "",
            "--setting-sources", "user", "--settings", '{"disableAllHooks":true}',
            "--strict-mcp-config", "--no-session-persistence", "--system-prompt", SYSTEM, *chosen,
        ]  # fmt: skip

    def environ(self, folder: Path, most_tokens: int) -> dict[str, str]:
        """Return the variables for one call, including the answer's token limit."""
        return {
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(most_tokens),
            "DISABLE_AUTOUPDATER": "1",
        }

    def outcome(self, out: bytes, err: bytes) -> ProgramOutcome:
        """Parse the program's output."""
        found = printed_object(out)
        models = found.get("modelUsage")
        used = list(models.values()) if isinstance(models, dict) else []
        usage = total_usage(
            used,
            ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
            ("outputTokens",),
            "cacheReadInputTokens",
            micro_dollars(found.get("total_cost_usd")),
        )
        text = found.get("result")
        if found.get("is_error") or not isinstance(text, str):
            message = text if isinstance(text, str) else str(found.get("subtype") or "")
            return ProgramOutcome(complaint=message or last_line(err), usage=usage)
        cut = found.get("stop_reason") == "max_tokens"
        return ProgramOutcome(text, usage=usage, model=model_names(models), cut=cut)


class CodexProgram(CallableAgent):
    """Codex, with its own instructions and a sandbox without write access."""

    title = "Codex"
    program = "codex"
    overhead = 48_000
    sign_in = "codex login"
    nested = re.compile(r"CODEX_(THREAD_ID|SANDBOX\w*|CI|SESSION_ID)")
    _OFF: ClassVar[tuple[str, ...]] = (
        "hooks", "shell_tool", "unified_exec", "view_image", "goals", "apps", "plugins",
        "multi_agent", "skill_search", "image_generation", "browser_use", "computer_use",
        "daemon_auto_start", "shell_snapshot", "unbounded_connection_retries",
    )  # fmt: skip

    def arguments(self, model: str, environ: Mapping[str, str]) -> list[str]:
        """Return the arguments for a query on standard input.

        An empty model selects the default one.
        """
        options = [f"features.{name}=false" for name in self._OFF]
        options += [
            'web_search="disabled"', "project_doc_max_bytes=0", 'notify=[]',
            f"developer_instructions={json.dumps(SYSTEM)}",
            *(f"mcp_servers.{name}.enabled=false" for name in _servers(environ)),
        ]  # fmt: skip
        chosen = ["-m", model] if model else []
        settings = [part for option in options for part in ("-c", option)]
        return [
            "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only",
            *settings, *chosen, "-",
        ]  # fmt: skip

    def environ(self, folder: Path, most_tokens: int) -> dict[str, str]:
        """Return the variables for one call."""
        return {}

    def outcome(self, out: bytes, err: bytes) -> ProgramOutcome:
        """Parse the program's output, one event per line."""
        text: str | None = None
        usage: TokenUsage | None = TokenUsage(0, 0)  # no cost is incurred before a turn begins
        complaint = ""
        for event in printed_events(out):
            kind, item = event.get("type"), event.get("item")
            if isinstance(item, dict) and item.get("type") == "agent_message":
                text = str(item.get("text") or "")
            elif kind == "turn.started":
                usage = None
            elif kind == "turn.completed":
                usage = total_usage(
                    [event.get("usage")], ("input_tokens",), ("output_tokens",),
                    "cached_input_tokens", None,
                )  # fmt: skip
                complaint = ""
            elif kind in ("error", "turn.failed"):
                complaint = error_message(event.get("error") or event)
                text = None if kind == "turn.failed" else text
        failed = text is None or usage is None
        return ProgramOutcome(
            None if failed else text,
            complaint=(complaint or last_line(err)) if failed else "",
            usage=usage,
        )


class GeminiProgram(CallableAgent):
    """Gemini CLI, with a working folder whose settings disable all else."""

    title = "Gemini CLI"
    program = "gemini"
    overhead = 10_000
    sign_in = "gemini"
    nested = re.compile(r"GEMINI_CLI|GEMINI_SESSION_ID|GEMINI_PROJECT_DIR|GEMINI_CLI_IDE_\w+")
    _USUAL = "flash"
    """Default model.

    Without a model, the program first queries another model to choose one, which doubles the calls.
    """

    def arguments(self, model: str, environ: Mapping[str, str]) -> list[str]:
        """Return the arguments for a query on standard input.

        An empty model selects the default one.
        """
        return [
            "--output-format", "json", "-e", "none", "--allowed-mcp-server-names", "none",
            "-m", model or self._USUAL,
        ]  # fmt: skip

    def environ(self, folder: Path, most_tokens: int) -> dict[str, str]:
        """Return the variables for one call."""
        system = str(folder / ".gemini" / "system.md")
        return {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": system}

    def files(self) -> dict[str, str]:
        """Return the files of the working folder by path."""
        settings: dict[str, JsonValue] = {
            "hooksConfig": {"enabled": False},
            "tools": {"core": ["none"]},
            "mcp": {"allowed": ["none"]},
            "skills": {"enabled": False},
            "experimental": {"enableAgents": False},
            "context": {"fileName": "none.md", "discoveryMaxDirs": 0},
            "model": {
                "maxSessionTurns": 1,
                "skipNextSpeakerCheck": True,
                # The program's loop detection mistakes table lines for a loop and drops the answer.
                "disableLoopDetection": True,
            },
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
        }
        return {".gemini/settings.json": dump_json(settings), ".gemini/system.md": SYSTEM}

    def outcome(self, out: bytes, err: bytes) -> ProgramOutcome:
        """Parse the program's output; errors are on standard error."""
        found = printed_object(out) or printed_object(err)
        models = member(found, "stats", "models")
        used = list(models.values()) if isinstance(models, dict) else []
        usage = total_usage(
            [member(item, "tokens") for item in used],
            ("prompt",), ("candidates", "thoughts"), "cached", None,
        )  # fmt: skip
        text, session = found.get("response"), str(found.get("session_id") or "")
        if found.get("error") or not isinstance(text, str):
            message = error_message(found.get("error") or {}) or last_line(err)
            return ProgramOutcome(complaint=message, usage=usage, session=session)
        return ProgramOutcome(text, usage=usage, model=model_names(models), session=session)

    def forget(self, session: str, folder: Path, environ: Mapping[str, str]) -> None:
        """Remove the session's file, and the files of interrupted calls."""
        home = Path(environ.get("GEMINI_CLI_HOME") or environ.get("HOME") or "~").expanduser()
        for chats in _own_chats(home / ".gemini" / "tmp", folder):
            for path in chats.glob("session-*.json*"):
                own = bool(session) and path.stem.endswith(session[:8])
                try:
                    if own or time.time() - path.stat().st_mtime > SESSION_SECONDS:
                        path.unlink()
                except OSError:  # removed by another call
                    continue


AGENTS: Mapping[str, CallableAgent] = {
    "claude-cli": ClaudeProgram(),
    "codex-cli": CodexProgram(),
    "gemini-cli": GeminiProgram(),
}
"""Agents by provider, as named in `language_model`."""


def _own_chats(chat_folder: Path, folder: Path) -> Iterator[Path]:
    """Yield the session folders of Memoranda's working folder only."""
    hashed = hashlib.sha256(str(folder).encode()).hexdigest()
    for path in chat_folder.glob("*/chats"):
        try:
            root = (path.parent / ".project_root").read_text("utf-8").strip()
        except OSError:
            root = ""
        if root == str(folder) or path.parent.name == hashed:
            yield path


def _servers(environ: Mapping[str, str]) -> list[str]:
    """Return the MCP servers in the Codex settings, to be disabled."""
    home = environ.get("CODEX_HOME") or os.path.join(environ.get("HOME") or "", ".codex")  # noqa: PTH118
    try:
        config = tomllib.loads((Path(home) / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return []
    servers = config.get("mcp_servers")
    named = servers if isinstance(servers, dict) else {}
    return [name for name in named if _BARE_KEY.fullmatch(name)]
