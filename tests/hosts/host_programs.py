"""Coding agents as programs: setup, start, resume, fork, transcripts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from host_packages import agent_sdk_python

SECONDS = 120
"""Timeout of a host."""
OFFLINE = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "IS_SANDBOX": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "GEMINI_CLI_NO_RELAUNCH": "true",  # it would start Node twice, the second time with more memory
    "NO_COLOR": "1",
}
"""Variables that keep hosts off other networks; they may run as root."""


@dataclass(frozen=True, slots=True)
class Run:
    """The result of a host's run."""

    code: int
    out: str
    err: str
    seconds: float


@dataclass(frozen=True, slots=True)
class HostProgram:
    """One host in one home folder, isolated from the machine's settings."""

    programs: Path
    home: Path
    work: Path
    model_url: str

    name: ClassVar[str]
    """Its name for `memoranda install`."""
    command_name: ClassVar[str]
    settings: ClassVar[str]
    """The settings file in the home folder that has the hooks."""
    transcripts: ClassVar[str]
    """A glob in the home folder."""
    forks: ClassVar[bool] = True
    """Whether it forks sessions in headless mode."""
    imports: ClassVar[bool] = True
    """Whether Memoranda imports its transcripts."""
    names_agents: ClassVar[bool] = True
    """Whether its hooks name the agent of an event."""
    joins_answers: ClassVar[bool] = False
    """Whether its hooks report all messages of a turn as one."""
    own_hooks: ClassVar[bool] = True
    """Whether its hooks are its own: then the whole story is played, else only sessions are."""

    def environ(self) -> dict[str, str]:
        """Return the variables that the host starts with."""
        plain = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        path = os.pathsep.join((str(self.programs), os.environ["PATH"]))
        return (
            plain
            | OFFLINE
            | {"HOME": str(self.home), "PATH": path, "MEMORANDA_EMBEDDER": "none"}
            | self.credentials()
        )

    def credentials(self) -> dict[str, str]:
        """Return the variables that direct the host to the model server."""
        return {}

    def executable(self) -> list[str]:
        """Return the path of the program."""
        return [str(self.programs / self.command_name)]

    def prepare(self, mcp: list[str]) -> None:
        """Write the host's settings, with an MCP server if arguments are passed."""
        raise NotImplementedError

    def connect(self, mcp: list[str]) -> None:
        """Have the host start its MCP server from now on, or none for no arguments.

        A start of it takes a second of a processor. The settings with the hooks stay as they are.
        """
        raise NotImplementedError

    def command(self, prompt: str, session: str | None, *, fork: bool) -> list[str]:
        """Return the arguments for a prompt in a new, resumed or forked session."""
        raise NotImplementedError

    def run(self, prompt: str, session: str | None = None, *, fork: bool = False) -> Run:
        """Run one prompt until the host exits by itself."""
        with self._start(self.command(prompt, session, fork=fork)) as process:
            started = time.perf_counter()
            try:
                out, err = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                _kill(process)
                raise
        return Run(process.returncode, out, err, time.perf_counter() - started)

    def killed(self, prompt: str, when: Callable[[float], bool]) -> None:
        """Run a prompt until a condition holds, then kill it and its children."""
        with self._start(self.command(prompt, None, fork=False)) as process:
            try:
                assert when(SECONDS), "the host never came to the point of its death"
            finally:
                _kill(process)

    def sessions(self) -> list[Path]:
        """Return the host's transcripts, oldest first."""
        return sorted(self.home.glob(self.transcripts), key=lambda path: path.stat().st_mtime_ns)

    def _start(self, arguments: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.executable(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environ(),
            cwd=self.work,
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class ClaudeCode(HostProgram):
    """Claude Code in headless mode."""

    name = "claude-code"
    command_name = "claude"
    settings = ".claude/settings.json"
    transcripts = ".claude/projects/*/*.jsonl"

    def credentials(self) -> dict[str, str]:
        """Return the variables that direct the host to the model server."""
        return {"ANTHROPIC_BASE_URL": self.model_url, "ANTHROPIC_API_KEY": "scripted"}

    def prepare(self, mcp: list[str]) -> None:
        """Write the host's settings, with an MCP server that a command starts."""
        self.connect(mcp)
        (self.home / ".claude").mkdir()
        (self.home / self.settings).write_text('{\n  "cleanupPeriodDays": 30\n}\n')

    def connect(self, mcp: list[str]) -> None:
        """Have the host start its MCP server from now on, or none for no arguments."""
        servers = {"memoranda": {"command": mcp[0], "args": mcp[1:]}} if mcp else {}
        (self.home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def command(self, prompt: str, session: str | None, *, fork: bool) -> list[str]:
        """Return the arguments for a prompt in a new, resumed or forked session."""
        resumed = ["--resume", session] if session else []
        forked = ["--fork-session"] if fork else []
        return ["-p", prompt, "--dangerously-skip-permissions", *resumed, *forked,
                "--strict-mcp-config", "--mcp-config", str(self.home / "mcp.json")]  # fmt: skip


class AgentSdk(ClaudeCode):
    """An agent of the Claude Agent SDK, with the user's settings.

    It starts the program of Claude Code, whose hooks, tools and transcripts it has.
    """

    own_hooks = False
    forks = False  # it starts the program with the options that Claude Code's story has

    def executable(self) -> list[str]:
        """Return the path of the program."""
        return [str(agent_sdk_python()), str(Path(__file__).with_name("agent_sdk_program.py"))]

    def command(self, prompt: str, session: str | None, *, fork: bool) -> list[str]:
        """Return the arguments for a prompt in a new, resumed or forked session."""
        assert not fork
        return [prompt, *([session] if session else [])]


class Codex(HostProgram):
    """Codex in headless mode, with its hooks trusted."""

    name = "codex"
    command_name = "codex"
    settings = ".codex/hooks.json"
    transcripts = ".codex/sessions/*/*/*/*.jsonl"

    def prepare(self, mcp: list[str]) -> None:
        """Write the host's settings, with an MCP server that a command starts."""
        (self.home / ".codex").mkdir()
        server = mcp and (
            f'[mcp_servers.memoranda]\ncommand = "{mcp[0]}"\nargs = {json.dumps(mcp[1:])}\n'
            'enabled = true\nrequired = true\nenv = { MEMORANDA_EMBEDDER = "none" }\n'
        )
        (self.home / ".codex" / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{self.model_url}/v1"\n'
            'wire_api = "responses"\n'
            f'[projects."{self.work}"]\ntrust_level = "trusted"\n{server or ""}'
        )

    def connect(self, mcp: list[str]) -> None:
        """Have the host start its MCP server from now on, or none for no arguments."""
        path = self.home / ".codex" / "config.toml"
        text = re.sub("(?m)^enabled = .*$", f"enabled = {json.dumps(bool(mcp))}", path.read_text())
        path.write_text(text)

    def command(self, prompt: str, session: str | None, *, fork: bool) -> list[str]:
        """Return the arguments for a prompt in a new, resumed or forked session."""
        again = ["fork" if fork else "resume", session] if session else []
        return ["exec", *again, "--dangerously-bypass-approvals-and-sandbox",
                "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt]  # fmt: skip


class GeminiCli(HostProgram):
    """Gemini CLI in headless mode."""

    name = "gemini-cli"
    command_name = "gemini"
    settings = ".gemini/settings.json"
    transcripts = ".gemini/tmp/*/chats/*.json*"
    forks = False
    names_agents = False
    joins_answers = True

    def credentials(self) -> dict[str, str]:
        """Return the variables that direct the host to the model server."""
        return {"GOOGLE_GEMINI_BASE_URL": self.model_url, "GEMINI_API_KEY": "scripted"}

    def prepare(self, mcp: list[str]) -> None:
        """Write the host's settings, with an MCP server that a command starts."""
        servers = {"memoranda": {"command": mcp[0], "args": mcp[1:], "trust": True}} if mcp else {}
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
            "mcpServers": servers,
        }
        (self.home / ".gemini").mkdir()
        (self.home / self.settings).write_text(json.dumps(settings, indent=2) + "\n")

    def connect(self, mcp: list[str]) -> None:
        """Have the host start its MCP server from now on, or none for no arguments."""
        self._allowed.write_text("memoranda" if mcp else "none")

    @property
    def _allowed(self) -> Path:
        """Return the file that names the MCP servers it is told to start, if they are limited."""
        return self.home / "allowed-mcp-servers"

    def command(self, prompt: str, session: str | None, *, fork: bool) -> list[str]:
        """Return the arguments for one prompt in a new or a resumed session."""
        assert not fork
        resumed = ["--resume", session] if session else []
        limited = self._allowed.exists()
        allowed = ["--allowed-mcp-server-names", self._allowed.read_text()] if limited else []
        return ["-p", prompt, "--yolo", *resumed, *allowed]


HOSTS: Mapping[str, type[HostProgram]] = MappingProxyType(
    {
        "claude-code": ClaudeCode,
        "claude-agent-sdk": AgentSdk,
        "codex": Codex,
        "gemini-cli": GeminiCli,
    }
)
"""The tested hosts; the SDK's agents have the hooks of Claude Code."""
