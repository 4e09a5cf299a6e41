"""Doctor reports for each host whether hooks exist, run and are trusted."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hooking import HOOK, PROMPT, command, hook, without_drain

import forked_processes
from memoranda.hooks.codex_trust_check import trust_hash
from memoranda.hooks.commands import guarded, hook_command, hook_file
from memoranda.hooks.hosts import CLAUDE_CODE, CODEX, GEMINI_CLI, HOSTS, Host
from memoranda.hooks.installation import Installation
from memoranda.hooks.status import HookPresence, hook_presences

pytestmark = pytest.mark.integration


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder with the settings folders of every host."""
    for host in HOSTS.values():
        (tmp_path / host.home).mkdir()
    (tmp_path / "shop").mkdir()
    return tmp_path


def installed(home: Path, host: Host) -> Path:
    path = home / host.home / host.file
    installation = Installation(host, path, home / "data")
    installation.apply(installation.installing())
    return path


def presence(home: Path, host: Host, *, trial: bool = True) -> HookPresence:
    found = hook_presences(home / "data", home / "shop", {"HOME": str(home)}, trial=trial)
    return next(one for one in found if one.host is host)


def change(path: Path, edit: Callable[[Any], object]) -> None:
    settings = json.loads(path.read_text("utf-8"))
    edit(settings)
    path.write_text(json.dumps(settings), "utf-8")


def replaced(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)
def test_missing_hooks_are_reported(host: Host, home: Path) -> None:
    found = presence(home, host)
    assert (found.installed, found.trouble) == (False, ())
    assert found.fix == f"memoranda install {host.name}"
    assert str(found.path) in found.place


@pytest.mark.parametrize("host", [CLAUDE_CODE, GEMINI_CLI], ids=lambda host: host.name)
def test_hooks_that_are_installed_are_well(host: Host, home: Path) -> None:
    path = installed(home, host)
    found = presence(home, host)
    assert (found.installed, found.trouble, found.fix, found.path) == (True, (), "", path)


@pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)
@pytest.mark.parametrize(
    "part", ["interpreter", "script", "hook_event.py", "hook_session.py", "folder"]
)
def test_hooks_that_point_nowhere_are_broken(part: str, host: Host, home: Path) -> None:
    path = installed(home, host)
    package = home / "lib" / "memoranda"
    package.mkdir(parents=True)
    for name in ("hook.py", "hook_event.py", "hook_session.py", "hook_output.py"):
        shutil.copy(HOOK.with_name(name), package / name)
    replaced(path, str(hook_file()), str(package / "hook.py"))
    assert not presence(home, host).broken
    if part == "interpreter":
        replaced(path, sys.executable, "/nowhere/python")
    elif part == "folder":
        shutil.rmtree(package)
    else:
        (package / ("hook.py" if part == "script" else part)).unlink()
    found = presence(home, host, trial=False)
    assert found.broken
    assert "does not exist" in found.trouble[0]
    assert found.fix == f"memoranda install {host.name}"


def test_an_interpreter_that_does_not_run_is_found_by_a_trial(home: Path) -> None:
    path = installed(home, CLAUDE_CODE)
    broken = home / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    replaced(path, sys.executable, str(broken))
    assert not presence(home, CLAUDE_CODE, trial=False).broken
    assert "cannot be run" in presence(home, CLAUDE_CODE).trouble[0]


def test_a_project_of_a_stranger_starts_nothing(home: Path) -> None:
    trap = home / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {home}/sprung\n")
    trap.chmod(0o755)
    command = guarded([str(trap), "-I", "-S", str(hook_file()), "spool"], None)
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    (home / "shop" / ".claude").mkdir()
    path = home / "shop" / ".claude" / "settings.local.json"
    path.write_text(json.dumps(settings), "utf-8")
    found = hook_presences(home / "data", home / "shop", {"HOME": str(home)}, trial=True)
    assert [one.path for one in found if one.installed] == [path]
    assert not (home / "sprung").exists()


def test_removed_hooks_are_reported(home: Path) -> None:
    path = installed(home, CLAUDE_CODE)
    change(path, lambda settings: settings["hooks"].pop("Stop"))
    assert presence(home, CLAUDE_CODE).trouble == ("no hook at Stop",)
    path.write_text("{}", "utf-8")
    assert presence(home, CLAUDE_CODE).trouble == ("they were installed, but no longer exist",)
    path.unlink()
    assert presence(home, CLAUDE_CODE).trouble == ("they were installed, but no longer exist",)


def test_hooks_of_an_earlier_version_are_reported(home: Path) -> None:
    path = installed(home, CLAUDE_CODE)
    for line in {one["command"] for one in _handlers(path)}:
        found = hook_command(line)
        assert found is not None
        old = f"{found.interpreter} -I -S {found.script} {' '.join(found.mode)}"
        replaced(path, json.dumps(line)[1:-1], old)
    (trouble,) = presence(home, CLAUDE_CODE).trouble
    assert "earlier version" in trouble


@pytest.mark.parametrize(
    ("host", "settings"),
    [
        (CLAUDE_CODE, {"disableAllHooks": True}),
        (GEMINI_CLI, {"hooksConfig": {"enabled": False}}),
        (GEMINI_CLI, {"hooksConfig": {"disabled": ["memoranda"]}}),
    ],
)
def test_hooks_that_a_host_is_set_not_to_run(
    host: Host, settings: dict[str, Any], home: Path
) -> None:
    change(installed(home, host), lambda found: found.update(settings))
    found = presence(home, host)
    assert len(found.trouble) == 1
    assert found.fix


def test_what_codex_trusts_is_read_from_its_settings(home: Path) -> None:
    path = installed(home, CODEX)
    assert "10 of 10: they are not trusted yet" in presence(home, CODEX).trouble[0]
    states = "".join(
        f'[hooks.state."{path}:{event}:{number}:0"]\ntrusted_hash = "sha256:{kept}"\n'
        for event, number, kept in TRUSTED
    )
    config = home / ".codex" / "config.toml"
    commands = [hook_command(one["command"]) for one in _handlers(path)]
    places = {(str(one.interpreter), str(one.script)) for one in commands if one}
    assert places == {(sys.executable, str(hook_file()))}
    replaced(path, sys.executable, "/venv/bin/python")
    replaced(path, str(hook_file()), "/venv/lib/memoranda/hook.py")
    config.write_text(f'model = "x"\n{states}', "utf-8")
    assert "does not exist" in presence(home, CODEX).trouble[0]
    config.write_text("not toml", "utf-8")
    replaced(path, "/venv/bin/python", sys.executable)
    replaced(path, "/venv/lib/memoranda/hook.py", str(hook_file()))
    assert "cannot be read" in presence(home, CODEX).trouble[0]
    config.write_text(states, "utf-8")
    assert "10 of 10: they changed since trusted" in presence(home, CODEX).trouble[0]


@pytest.mark.parametrize("linked", [False, True])
def test_hooks_that_codex_trusts_are_well_until_they_change(linked: bool, home: Path) -> None:
    if linked:
        (home / ".codex").rename(home / "dotfiles")
        (home / ".codex").symlink_to(home / "dotfiles")
    path = installed(home, CODEX)
    hooks = json.loads(path.read_text("utf-8"))["hooks"]
    state = "".join(
        f'[hooks.state."{path}:{snake}:{number}:0"]\n'
        f'trusted_hash = "{trust_hash(event, group.get("matcher"), group["hooks"][0])}"\n'
        for snake, event in NAMES.items()
        for number, group in enumerate(hooks[event])
    )
    config = home / ".codex" / "config.toml"
    config.write_text(state, "utf-8")
    assert presence(home, CODEX).trouble == ()
    config.write_text(f"[features]\nhooks = false\n{state}", "utf-8")
    assert "hooks is false" in presence(home, CODEX).trouble[0]
    config.write_text(state.replace("trusted_hash", "enabled = false\ntrusted_hash", 1), "utf-8")
    assert "turned off" in presence(home, CODEX).trouble[0]
    config.write_text(state, "utf-8")
    change(path, lambda found: found["hooks"]["Stop"][0]["hooks"][0].update(timeout=4))
    assert "1 of 10: they changed" in presence(home, CODEX).trouble[0]


def _handlers(path: Path) -> list[dict[str, Any]]:
    hooks = json.loads(path.read_text("utf-8"))["hooks"]
    return [one for groups in hooks.values() for group in groups for one in group["hooks"]]


NAMES = {
    "session_start": "SessionStart",
    "user_prompt_submit": "UserPromptSubmit",
    "post_tool_use": "PostToolUse",
    "subagent_start": "SubagentStart",
    "subagent_stop": "SubagentStop",
    "stop": "Stop",
    "pre_compact": "PreCompact",
    "post_compact": "PostCompact",
    "session_end": "SessionEnd",
}
TRUSTED = [
    (event, number, "0" * 64)
    for event, count in {
        "session_start": 2, "user_prompt_submit": 1, "post_tool_use": 1, "subagent_start": 1,
        "subagent_stop": 1, "stop": 1, "pre_compact": 1, "post_compact": 1, "session_end": 1,
    }.items()
    for number in range(count)
]  # fmt: skip


def environment_of(home: Path) -> dict[str, str]:
    """Return the variables of a login, with those of this interpreter."""
    plain = forked_processes.interpreter(os.environ)
    return plain | {"PATH": os.environ["PATH"], "HOME": str(home)}


def doctor(home: Path) -> dict[str, dict[str, str]]:
    environ = environment_of(home)
    words = ["--data-dir", str(home / "data"), "doctor", "--quick", "--format", "json"]
    done = forked_processes.run(words, environ, home / "shop")
    return {one["check"]: one for one in json.loads(done.stdout)}


def test_doctor_reports_when_a_hook_last_fired(home: Path) -> None:
    installed(home, CLAUDE_CODE)
    assert "no hook events yet" in doctor(home)["hooks of Claude Code"]["detail"]
    without_drain(home / "data")
    assert hook(home / "data", PROMPT | {"cwd": str(home / "shop")}).silent
    waiting = doctor(home)["hooks of Claude Code"]["detail"]
    assert "last event 20" in waiting
    command(home / "data", "drain", "--quiet")
    assert doctor(home)["hooks of Claude Code"]["detail"] == waiting
    assert doctor(home)["hooks of Codex"]["fix"] == "memoranda install codex"


def test_install_reports_what_its_hooks_depend_on(home: Path) -> None:
    environ = environment_of(home)
    words = ["--data-dir", str(home / "data"), "install", "claude-code", "--format", "json"]
    done = forked_processes.run(words, environ, home)
    (note,) = json.loads(done.stdout)["notes"]
    assert "working copy" in note
    assert str(HOOK.parents[1]) in note


def status(home: Path, *options: str) -> str:
    environ = environment_of(home)
    words = ["--data-dir", str(home / "data"), "status", *options]
    done = forked_processes.run(words, environ, home / "shop")
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_status_lists_hosts_with_working_hooks(home: Path) -> None:
    (home / "data" / "spool").mkdir(parents=True)
    assert "none installed; run: memoranda install" in status(home)
    path = installed(home, CLAUDE_CODE)
    text = status(home)
    assert f"hooks of Claude Code  installed in {path}" in text
    assert "no hook events yet" in text
    assert "fix: memoranda install codex" in text
    without_drain(home / "data")
    assert hook(home / "data", PROMPT | {"cwd": str(home / "shop")}).silent
    hooks = {one["host"]: one for one in json.loads(status(home, "--format", "json"))["hooks"]}
    assert hooks["claude-code"]["installed"]
    assert hooks["claude-code"]["last_event_at"]
    assert (hooks["codex"]["installed"], hooks["codex"]["problems"]) == (False, [])


def test_status_names_the_fix_of_hooks_that_do_not_run(home: Path) -> None:
    path = installed(home, CLAUDE_CODE)
    replaced(path, str(Path(sys.executable)), "/no/python")
    (found,) = (
        one
        for one in json.loads(status(home, "--format", "json"))["hooks"]
        if one["host"] == "claude-code"
    )
    assert (found["installed"], found["broken"]) == (True, True)
    assert found["fix"] in status(home)
