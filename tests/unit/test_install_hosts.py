"""Each host gets its own events, file and units of time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoranda.capture.hosts.hook_payloads import ADAPTERS
from memoranda.exceptions import InvalidInput
from memoranda.hooks.commands import hook_command, hook_file
from memoranda.hooks.hosts import CODEX, CURSOR, GEMINI_CLI, HOSTS, Host, InstallScope, host_of
from memoranda.hooks.installation import Installation

OTHERS = [CODEX, GEMINI_CLI, CURSOR]


def _installed(host: Host, path: Path, data: Path) -> Any:
    installation = Installation(host, path, data)
    installation.apply(installation.installing())
    return json.loads(path.read_text("utf-8"))


def _handlers(host: Host, settings: Any) -> dict[str, list[Any]]:
    hooks = settings["hooks"]
    if host.flat:
        return dict(hooks)
    return {event: [one for group in hooks[event] for one in group["hooks"]] for event in hooks}


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.name)
def test_every_event_of_a_host_runs_the_hook_in_its_name(host: Host, tmp_path: Path) -> None:
    installed = _handlers(host, _installed(host, tmp_path / host.file, tmp_path / "data"))
    assert set(installed) == set(host.events)
    for event, handlers in installed.items():
        found = [hook_command(one["command"]) for one in handlers]
        expected = [(hook_file(), (mode, host.name)) for _, mode in host.events[event]]
        assert [(one.script, one.mode) for one in found if one] == expected
        granted = host.timeouts.get(event, host.timeout)
        assert all(one.get("timeout") == granted for one in handlers)


def test_units_and_forms_are_those_of_the_host(tmp_path: Path) -> None:
    gemini = _installed(GEMINI_CLI, tmp_path / "g.json", tmp_path / "d")["hooks"]
    assert gemini["AfterTool"][0]["hooks"][0]["timeout"] == 5_000
    assert [one["matcher"] for one in gemini["SessionStart"]] == ["startup", "clear", "resume"]
    codex = _installed(CODEX, tmp_path / "c.json", tmp_path / "d")["hooks"]
    assert codex["PostToolUse"][0]["hooks"][0]["timeout"] == 5
    assert "matcher" not in codex["PostToolUse"][0]
    cursor = _installed(CURSOR, tmp_path / "u.json", tmp_path / "d")
    assert cursor["version"] == 1
    assert list(cursor["hooks"]["stop"][0]) == ["command"]


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.name)
@pytest.mark.parametrize("text", ["", "{}", '{"version": 1, "hooks": {}}', '{"a": 1}\n'])
def test_what_was_there_comes_back(host: Host, tmp_path: Path, text: str) -> None:
    path = tmp_path / host.file
    path.write_text(text, "utf-8")
    _installed(host, path, tmp_path / "data")
    installation = Installation(host, path, tmp_path / "data")
    assert installation.installing().diff == ""
    installation.apply(installation.removing())
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("host", OTHERS, ids=lambda host: host.name)
def test_commands_of_others_stay(host: Host, tmp_path: Path) -> None:
    event = next(iter(host.events))
    other: Any = {"command": "notify-send"} if host.flat else {"hooks": [{"command": "notify"}]}
    path = tmp_path / host.file
    path.write_text(json.dumps({"hooks": {event: [other], "Other": [other]}}), "utf-8")
    settings = _installed(host, path, tmp_path / "data")
    assert settings["hooks"][event][0] == other
    path.write_text(json.dumps(settings | {"more": True}), "utf-8")
    installation = Installation(host, path, tmp_path / "data")
    installation.apply(installation.removing())
    left = json.loads(path.read_text("utf-8"))
    assert left["hooks"] == {event: [other], "Other": [other]}
    assert left["more"] is True


def test_each_host_has_its_files(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "elsewhere")}
    user = {name: host.settings_file(InstallScope.USER, tmp_path, environ)
            for name, host in HOSTS.items()}  # fmt: skip
    assert {name: path.relative_to(tmp_path).as_posix() for name, path in user.items()} == {
        "claude-code": ".claude/settings.json",
        "codex": "elsewhere/hooks.json",
        "gemini-cli": ".gemini/settings.json",
        "cursor": ".cursor/hooks.json",
    }
    project = CURSOR.settings_file(InstallScope.PROJECT, tmp_path / "shop", environ)
    assert project == tmp_path / "shop" / ".cursor" / "hooks.json"


def test_a_host_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="known: claude-code, codex, gemini-cli, cursor"):
        host_of("emacs")
    assert set(HOSTS) <= set(ADAPTERS)
