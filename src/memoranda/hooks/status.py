"""Status of each host's hooks: installed, complete, enabled, last run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.exceptions import InvalidInput
from memoranda.hooks.codex_trust_check import distrust
from memoranda.hooks.entries import HookEntry, hook_entries
from memoranda.hooks.hosts import CLAUDE_CODE, CODEX, GEMINI_CLI, HOSTS, Host, InstallScope
from memoranda.hooks.settings_text import ParsedSettings, Settings, parsed_settings

TRIAL_SECONDS = 5.0
PARTS = ("hook_event.py", "hook_session.py", "hook_output.py")
"""Modules next to the hook script, which loads them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPresence:
    """State of the hooks in one settings file of a host."""

    host: Host
    scope: InstallScope
    path: Path
    installed: bool
    """Whether there are any hooks."""
    expected: bool
    """Whether this data directory has a record of their installation."""
    trouble: tuple[str, ...] = ()
    """Problems that prevent the hooks from running or recording; empty if there are none."""
    fix: str = ""
    """How to fix the problems."""
    data_dir: Path | None = None
    """Data directory to which the hooks write; None for the default directory."""
    plugin: bool = False
    """Whether a Memoranda plugin is enabled in the settings."""
    broken: bool = False
    """Whether the target of the commands is missing or cannot be run."""

    @property
    def place(self) -> str:
        """Return where the hooks are installed, and where they write if stated."""
        if not self.installed:
            return f"the plugin ({self.path})" if self.plugin else f"none in {self.path}"
        to = f", writing to {self.data_dir}" if self.data_dir else ""
        beside = " beside the plugin" if self.plugin else ""
        return f"installed in {self.path}{beside}{to}"


def hook_presences(
    data_dir: Path, project: Path, environ: Mapping[str, str], *, trial: bool
) -> list[HookPresence]:
    """Inspect, without changes, every settings file that may contain hooks.

    These are the user's files, the file of a project folder, and files into which hooks were
    installed with this data directory. Hosts without settings are left out. ``trial`` starts the
    interpreters that the user's own settings name, but never those of a project, whose settings may
    be untrusted.
    """
    places = _known_places(data_dir)
    presences = []
    for host in HOSTS.values():
        user = host.settings_file(InstallScope.USER, project, environ)
        here = host.settings_file(InstallScope.PROJECT, project, environ).resolve()
        expected = frozenset(path for name, path in places if name == host.name)
        look = _HostScan(host, user.resolve(), user.absolute(), expected)
        if user.parent.is_dir() or look.user in look.expected:
            presences.append(look.at(look.user, trial=trial))
        for path in sorted({here, *look.expected} - {look.user}):
            presence = look.at(path, trial=False)
            if presence.installed or presence.expected:
                presences.append(presence)
    return presences


def _known_places(data_dir: Path) -> set[tuple[str, Path]]:
    """Return the hosts and settings files recorded in this data directory."""
    result = set()
    for record in (data_dir / "installed").glob("*.json"):
        try:
            path = Path(json.loads(record.read_text("utf-8"))["path"])
        except (OSError, ValueError, KeyError, TypeError):  # edited manually, or incomplete
            continue
        result.add((record.stem.rpartition("-")[0], path.resolve()))
    return result


@dataclass(frozen=True, slots=True)
class _HostScan:
    """Inspection of the settings files of one host."""

    host: Host
    user: Path
    named: Path
    """Path with its links unresolved."""
    expected: frozenset[Path]

    def at(self, path: Path, *, trial: bool) -> HookPresence:
        """Return the state of the hooks in a file."""
        scope = InstallScope.USER if path == self.user else InstallScope.PROJECT
        expected = path in self.expected
        base = HookPresence(
            host=self.host, scope=scope, path=path, installed=False, expected=expected
        )
        try:
            parsed = parsed_settings(path.read_bytes().decode(), path)
            settings = parsed.value
        except FileNotFoundError:
            settings = {}
            parsed = ParsedSettings(settings, is_json=True)
        except (OSError, UnicodeDecodeError, InvalidInput) as error:
            trouble = (f"its settings cannot be read: {error}",)
            return replace(base, trouble=trouble, fix=f"correct {path}")
        base = replace(base, plugin=self.host is CLAUDE_CODE and _has_plugin(settings))
        entries = list(hook_entries(settings))
        if entries and (unread := unread_form(self.host, parsed)):
            base = replace(base, installed=True, data_dir=entries[0].command.data_dir)
            return replace(base, trouble=(unread,), fix=f"correct {path}")
        return self._with_problem(base, settings, entries, trial=trial)

    def _with_problem(
        self, base: HookPresence, settings: Settings, entries: list[HookEntry], *, trial: bool
    ) -> HookPresence:
        again = _install(self.host, base.scope)
        if not entries:
            gone = base.expected and not base.plugin
            trouble: tuple[str, ...] = ("they were installed, but no longer exist",) if gone else ()
            return replace(base, trouble=trouble, fix="" if base.plugin else again)
        base = replace(base, installed=True, data_dir=entries[0].command.data_dir)
        if lost := _missing_targets(entries, trial=trial):
            return replace(base, trouble=(lost,), fix=again, broken=True)
        trouble, fix = self._problem(settings, base.path, entries)
        return replace(base, trouble=trouble, fix=fix or (again if trouble else ""))

    def _problem(
        self, settings: Settings, path: Path, entries: list[HookEntry]
    ) -> tuple[tuple[str, ...], str]:
        """Return what prevents complete hooks from running, and how to fix it."""
        if off := _switched_off(self.host, settings):
            return (off[0],), off[1]
        there = {entry.event for entry in entries}
        missing = [event for event in self.host.events if event not in there]
        found = [f"no hook at {', '.join(missing)}"] if missing else []
        if any(not hook_entry.command.guarded for hook_entry in entries):
            found.append(
                "of an earlier version: the host reports an error if the interpreter is missing"
            )
        if not found and self.host is CODEX:
            untrusted = distrust(path, self.named, entries)
            return ((untrusted,), "type /hooks in Codex and trust them") if untrusted else ((), "")
        return tuple(found), ""


def unread_form(host: Host, settings: ParsedSettings) -> str:
    """Return why a host ignores a settings file that Memoranda can read.

    The result is empty if the host reads the file. Claude Code 2.1.331 ignores a file with a
    comment or a trailing comma.
    """
    if host is CLAUDE_CODE and not settings.is_json:
        return "Claude Code ignores a file with comments or trailing commas"
    return ""


def _install(host: Host, scope: InstallScope) -> str:
    named = " --scope project" if scope is InstallScope.PROJECT else ""
    return f"memoranda install {host.name}{named}"


def _missing_targets(entries: list[HookEntry], *, trial: bool) -> str:
    """Return the targets of commands that are missing or cannot be run."""
    for interpreter, script in {
        (entry.command.interpreter, entry.command.script) for entry in entries
    }:
        if not os.access(interpreter, os.X_OK) or interpreter.is_dir():
            return f"they refer to an interpreter that does not exist: {interpreter}"
        for part in (script, *(script.with_name(name) for name in PARTS)):
            if not part.is_file():
                return f"they refer to a file that does not exist: {part}"
        if trial and not _runs(interpreter, script):
            return f"the interpreter cannot be run: {interpreter}"
    return ""


def _runs(interpreter: Path, script: Path) -> bool:
    command = [str(interpreter), "-I", "-S", str(script), "spool"]
    environ = {**os.environ, "MEMORANDA_DISABLED": "1"}
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, stdin=quiet, stdout=quiet, stderr=quiet, env=environ,
            timeout=TRIAL_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _switched_off(host: Host, settings: Settings) -> tuple[str, str] | None:
    """Return the host's setting that disables hooks, and how to fix it."""
    if host is CLAUDE_CODE and settings.get("disableAllHooks") is True:
        return "Claude Code runs no hooks (disableAllHooks)", "remove disableAllHooks"
    config = settings.get("hooksConfig")
    if host is GEMINI_CLI and isinstance(config, dict):
        if config.get("enabled") is False:
            return "Gemini CLI runs no hooks (hooksConfig.enabled)", "remove hooksConfig.enabled"
        disabled = config.get("disabled")
        if isinstance(disabled, list) and host.handler["name"] in disabled:
            return "they are disabled in Gemini CLI", "type /hooks enable memoranda in Gemini CLI"
    return None


def _has_plugin(settings: Settings) -> bool:
    plugins = settings.get("enabledPlugins")
    return isinstance(plugins, dict) and any(
        name.partition("@")[0] == "memoranda" and on for name, on in plugins.items()
    )
