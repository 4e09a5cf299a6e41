"""Recordings of one story with a real host, for the tests to examine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stories
from host_programs import HostProgram, Run
from user_environments import UserEnvironment

from model_server import ModelServer, Request

Observation = dict[str, Any]
CONTEXT = "<memoranda-context"
MCP = (sys.executable, "-m", "memoranda", "mcp")
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
}  # fmt: skip


@dataclass(slots=True)
class Recording:
    """The data of a host, its model and Memoranda after one story."""

    host: HostProgram
    settings_before: bytes | None = None
    settings_after: bytes | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    """By name of the step."""
    requests: dict[str, list[Request]] = field(default_factory=dict)
    """Requests to the model, by name of the step."""
    observations: list[Observation] = field(default_factory=list)
    """After all sessions, by task and in order."""
    tasks: list[dict[str, Any]] = field(default_factory=list)
    imported: dict[str, Any] = field(default_factory=dict)
    """Output of the first and the second import of the host's transcripts."""
    imported_again: dict[str, Any] = field(default_factory=dict)
    observations_imported: list[Observation] = field(default_factory=list)
    tasks_imported: list[dict[str, Any]] = field(default_factory=list)
    context_before_import: str = ""
    context_after_import: str = ""

    def task_of(self, prompt: str, observations: list[Observation] | None = None) -> str:
        """Return the task whose first prompt this is."""
        for one in self.observations if observations is None else observations:
            if one["content"] == prompt:
                return str(one["task"])
        raise AssertionError(f"{prompt!r} is in no task")

    def events_of(self, prompt: str) -> list[Observation]:
        """Return the events of a prompt's task, in order."""
        task = self.task_of(prompt)
        return [one for one in self.observations if one["task"] == task]

    def first_request(self, step: str) -> str:
        """Return the first request to the model in a step."""
        return next(request.text for request in self.requests[step] if request.tools)


@dataclass(slots=True)
class Stage:
    """Runs the story."""

    recording: Recording
    server: ModelServer
    environment: UserEnvironment
    mcp: list[str]

    @classmethod
    def prepare(cls, host: HostProgram, server: ModelServer, mcp: Sequence[str] = MCP) -> Stage:
        """Make the repository, the user's environment and the host's settings.

        ``mcp`` starts the host's MCP server; empty for none.
        """
        host.work.mkdir(parents=True)
        for name, text in stories.FILES.items():
            (host.work / name).write_text(text)
        environ = host.environ() | GIT
        for command in ("init -q -b main", "add .", "commit -qm Begin"):
            subprocess.run(["git", *command.split()], cwd=host.work, env=environ, check=True)
        environment = UserEnvironment.make(host.home / "venv", environ, host.work)
        host.prepare(list(mcp))
        recording = Recording(host, settings_before=_read(host.home / host.settings))
        return cls(recording, server, environment, list(mcp))

    def play(self) -> Recording:
        """Run the steps, with hooks and then without them."""
        host, recording = self.recording.host, self.recording
        self.environment.call("install", host.name)
        self._lift_limits()
        self._sessions()
        if host.own_hooks:
            self._work()
        recording.observations, recording.tasks = self.environment.stored()
        if host.own_hooks:
            self._import_and_uninstall()
        return recording

    def _import_and_uninstall(self) -> None:
        host, recording = self.recording.host, self.recording
        if host.imports:
            self._import()
        self._restore_limits()
        self.environment.call("uninstall", host.name)
        recording.settings_after = _read(host.home / host.settings)
        self._step("bare", stories.HELLO)
        self.environment.call("install", host.name)
        self._step("with hooks", stories.HELLO)
        _remove(self.environment.package)
        self._step("package removed", stories.HELLO)
        _remove(self.environment.folder)
        self._step("environment removed", stories.HELLO)

    def _lift_limits(self) -> None:
        """Raise the time limit of the session start to a minute.

        The tests check its output, not its speed.
        """
        script = self.environment.package / "hook_event.py"
        _replace(script, r"(?m)^(WAIT_SECONDS = )3\.5$", r"\g<1>50.0")
        _replace(self._settings, r'("timeout": )5(0*)\b', r"\g<1>60\2")

    def _restore_limits(self) -> None:
        _replace(self._settings, r'("timeout": )60(0*)\b', r"\g<1>5\2")

    @property
    def _settings(self) -> Path:
        return self.recording.host.home / self.recording.host.settings

    def _sessions(self) -> None:
        host = self.recording.host
        self._step("first", stories.FIX)
        first = session_id(host.sessions()[0])
        self._step("resumed", stories.RULE, first)
        self._step("second", stories.NEXT)
        if host.forks:
            self._step("forked", stories.FORK, first, fork=True)
        self._step("recalled", stories.RECALL, memory=True)

    def _work(self) -> None:
        self._step("helped", stories.HELP)
        self._step("checked", stories.CHECK)
        self._step("long", stories.LONG)
        self._kill()

    def _step(
        self,
        name: str,
        prompt: str,
        session: str | None = None,
        *,
        fork: bool = False,
        memory: bool = False,
    ) -> None:
        """Run the host; ``memory``: with the MCP server."""
        self.recording.host.connect(self.mcp if memory else [])
        sent = len(self.server.requests)
        self.recording.runs[name] = self.recording.host.run(prompt, session, fork=fork)
        self.recording.requests[name] = self.server.requests[sent:]

    def _kill(self) -> None:
        self.recording.host.killed(stories.SLOW, self.server.stalled.wait)

    def _import(self) -> None:
        recording, environment = self.recording, self.environment
        recording.context_before_import = environment.call("context", "--at-start")
        transcripts = [str(path) for path in recording.host.sessions()]
        recording.imported = environment.json("import", *transcripts)
        recording.imported_again = environment.json("import", "--again", *transcripts)
        recording.observations_imported, recording.tasks_imported = environment.stored()
        recording.context_after_import = environment.call("context", "--at-start")


def _replace(path: Path, pattern: str, replacement: str) -> None:
    text, found = re.subn(pattern, replacement, path.read_text("utf-8"))
    assert found, f"nothing to replace in {path}"
    path.write_text(text, "utf-8")


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def session_id(transcript: Path) -> str:
    """Return the id by which a host resumes a transcript's session."""
    with transcript.open(encoding="utf-8") as lines:
        first = json.loads(next(lines))
    found = first.get("sessionId") or first.get("payload", {}).get("id")
    assert isinstance(found, str), f"no id of a session in {transcript.name}"
    return found


def _remove(folder: Path) -> None:
    """Delete a folder into which a leftover drain may still write .pyc files."""
    give_up = time.monotonic() + 60
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=time.monotonic() < give_up)
