"""Hooks are added to and removed from settings, which else stay unchanged."""

from __future__ import annotations

import json
import os
import pwd
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from settings_texts import COMMENTED, OTHERS, SETTINGS

from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.hooks.commands import HookCommand, hook_command, hook_file
from memoranda.hooks.hosts import CLAUDE_CODE, InstallScope
from memoranda.hooks.installation import Installation, SettingsChange
from memoranda.hooks.settings_text import parsed_settings

EVENTS = CLAUDE_CODE.events


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a settings file that does not exist yet."""
    return tmp_path / "home" / ".claude" / "settings.json"


@pytest.fixture
def installation(path: Path, tmp_path: Path) -> Installation:
    """Return the installation of hooks in that file."""
    return Installation(CLAUDE_CODE, path, tmp_path / "data")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def content(path: Path) -> str:
    return path.read_bytes().decode()


def said(text: str) -> Any:
    """Return the parsed settings, with or without comments."""
    return parsed_settings(text, Path("settings.json")).value


def read(path: Path) -> Any:
    return json.loads(content(path).removeprefix("\ufeff"))


def install(installation: Installation) -> SettingsChange:
    change = installation.installing()
    installation.apply(change)
    return change


def uninstall(installation: Installation) -> SettingsChange:
    change = installation.removing()
    installation.apply(change)
    return change


def ours(settings: Any) -> dict[str, list[Any]]:
    """Return the handlers that run our hook, by event."""
    found: dict[str, list[Any]] = {}
    for event, groups in settings.get("hooks", {}).items():
        for group in groups if isinstance(groups, list) else ():
            for handler in group.get("hooks", ()) if isinstance(group, dict) else ():
                if str(hook_file()) in handler["command"]:
                    found.setdefault(event, []).append(handler)
    return found


def parsed(handler: Any) -> HookCommand:
    """Return the command of one of our handlers."""
    found = hook_command(handler["command"])
    assert found is not None
    return found


def test_every_event_runs_the_hook_of_this_installation(
    installation: Installation, path: Path
) -> None:
    install(installation)
    assert set(ours(read(path))) == set(EVENTS)
    for event, handlers in ours(read(path)).items():
        expected = [
            HookCommand(Path(sys.executable), hook_file(), (mode,), None, guarded=True)
            for _, mode in EVENTS[event]
        ]
        assert [parsed(handler) for handler in handlers] == expected
    assert hook_file().is_file()
    start = [group["matcher"] for group in read(path)["hooks"]["SessionStart"]]
    assert start == ["startup|clear|compact", "resume|fork"]


def test_an_empty_object_of_hooks_stays_where_another_setting_changed(
    installation: Installation, path: Path
) -> None:
    text = '{\r\n\t"model": "opus", /* c */\r\n\t"hooks": {},\r\n}'
    put(path, text)
    install(installation)
    put(path, content(path).replace("opus", "sonnet"))
    uninstall(installation)
    assert content(path) == text.replace("opus", "sonnet")


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_existing_entries_stay(installation: Installation, path: Path, text: str) -> None:
    put(path, text)
    install(installation)
    before, after = said(text), said(content(path))
    assert set(ours(after)) == set(EVENTS)
    assert {k: v for k, v in after.items() if k != "hooks"} == {
        k: v for k, v in before.items() if k != "hooks"
    }
    for event, groups in before.get("hooks", {}).items():
        expected = groups if event not in EVENTS else after["hooks"][event][: len(groups)]
        assert groups == expected


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_uninstalling_gives_the_file_back_byte_for_byte(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    for _ in range(2):
        assert install(installation).diff
        assert uninstall(installation).diff
        assert content(path) == text


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_live_mode_is_turned_on_off_and_removed_like_the_rest(
    path: Path, tmp_path: Path, text: str
) -> None:
    put(path, text)
    plain = Installation(CLAUDE_CODE, path, tmp_path / "data")
    live = Installation(CLAUDE_CODE, path, tmp_path / "data", live_over=6_000)
    install(plain)
    once = read(path)
    assert install(live).diff
    assert install(live).diff == ""
    result = {
        event: [[*parsed(handler).mode] for handler in handlers]
        for event, handlers in ours(read(path)).items()
    }
    assert result.pop("PostToolUse") == [["live", "claude-code", "6000"]]
    assert result == {
        event: [[mode] for _, mode in modes]
        for event, modes in EVENTS.items()
        if event != "PostToolUse"
    }
    assert install(plain).diff
    assert read(path) == once
    install(live)
    uninstall(plain)
    assert content(path) == text


def test_another_limit_takes_the_place_of_the_old_one(path: Path, tmp_path: Path) -> None:
    for limit in (6_000, 9_000):
        install(Installation(CLAUDE_CODE, path, tmp_path / "data", live_over=limit))
    (handler,) = ours(read(path))["PostToolUse"]
    assert parsed(handler).mode == ("live", "claude-code", "9000")


def test_a_file_that_was_made_goes_away_again(installation: Installation, path: Path) -> None:
    install(installation)
    uninstall(installation)
    assert not path.exists()
    put(path, "")
    install(installation)
    uninstall(installation)
    assert content(path) == ""


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_installing_twice_changes_nothing(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    install(installation)
    once = content(path)
    assert install(installation).diff == ""
    assert content(path) == once
    uninstall(installation)
    assert content(path) == text


def test_installing_again_leaves_the_order_and_form_that_somebody_gave_the_file(
    installation: Installation, path: Path
) -> None:
    install(installation)
    settings = read(path)
    settings["hooks"]["Stop"].append(OTHERS)
    put(path, json.dumps(settings, indent=7))
    assert install(installation).diff == ""


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_uninstalling_what_is_not_installed_changes_nothing(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    assert uninstall(installation).diff == ""
    assert content(path) == text


def test_uninstalling_without_a_file_makes_none(installation: Installation, path: Path) -> None:
    assert uninstall(installation).diff == ""
    assert not path.exists()


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_edits_made_after_installing_survive_uninstalling(
    installation: Installation, path: Path, indent: int | str
) -> None:
    put(path, json.dumps({"hooks": {"Stop": [OTHERS]}}, indent=indent))
    install(installation)
    settings = read(path)
    settings["model"] = "opus"
    settings["hooks"]["PreToolUse"] = [{"matcher": "Bash", **OTHERS}]
    settings["hooks"]["Stop"][1]["hooks"].append(OTHERS["hooks"][0])
    put(path, json.dumps(settings, indent=indent))
    uninstall(installation)
    expected = {
        "hooks": {"Stop": [OTHERS, OTHERS], "PreToolUse": [{"matcher": "Bash", **OTHERS}]},
        "model": "opus",
    }
    assert read(path) == expected
    assert content(path) == json.dumps(expected, indent=indent)


def test_hooks_of_an_older_installation_are_replaced_and_removed(
    path: Path, tmp_path: Path
) -> None:
    older = {"command": "/old/python -I -S '/old venv/memoranda/hook.py' spool", "type": "command"}
    windows = {"command": "C:\\py.exe -I -S C:\\lib\\memoranda\\hook.py context"}
    put(path, json.dumps({"hooks": {"Stop": [{"hooks": [older]}, {"hooks": [windows]}, OTHERS]}}))
    installation = Installation(CLAUDE_CODE, path, tmp_path / "data")
    install(installation)
    assert "old" not in content(path)
    assert len(read(path)["hooks"]["Stop"]) == 2
    uninstall(installation)
    assert read(path) == {"hooks": {"Stop": [OTHERS]}}


def test_hooks_left_from_before_an_edit_go_away_too(path: Path, tmp_path: Path) -> None:
    install(Installation(CLAUDE_CODE, path, tmp_path / "data"))
    settings = read(path) | {"model": "opus"}
    put(path, json.dumps(settings))
    moved = Installation(CLAUDE_CODE, path, tmp_path / "data", custom_data_dir=True)
    install(moved)
    uninstall(moved)
    assert read(path) == {"model": "opus"}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "not json",
        "[]",
        '"text"',
        "null",
        "{'a': 1}",
        '{"hooks": []}',
        "// only\n",
        "{/*}",
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        "{,}",
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_and_left(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    with pytest.raises(InvalidInput, match="correct it first"):
        install(installation)
    assert content(path) == text


def test_a_list_of_hooks_that_is_none_is_refused(installation: Installation, path: Path) -> None:
    put(path, '{"hooks": {"Stop": "x"}}')
    with pytest.raises(InvalidInput, match=r"hooks\.Stop"):
        install(installation)


def test_bytes_that_are_no_text_are_refused_and_left(
    installation: Installation, path: Path
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(StorageUnusable):
        install(installation)
    assert path.read_bytes() == b'{"a": "\xff"}'


def test_a_dry_run_writes_nothing(installation: Installation, tmp_path: Path) -> None:
    change = installation.installing()
    assert "+" in change.diff
    assert "hook.py" in change.diff
    assert list(tmp_path.iterdir()) == []


def test_a_linked_settings_file_stays_a_link(
    installation: Installation, path: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "dotfiles" / "claude.json"
    put(kept, '{"model": "opus"}')
    path.parent.mkdir(parents=True)
    path.symlink_to(kept)
    install(Installation(CLAUDE_CODE, path, tmp_path / "data"))
    assert path.is_symlink()
    assert set(ours(read(kept))) == set(EVENTS)
    uninstall(Installation(CLAUDE_CODE, path, tmp_path / "data"))
    assert path.is_symlink()
    assert content(kept) == '{"model": "opus"}'


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_file_permissions_are_unchanged(
    installation: Installation, path: Path, mode: int
) -> None:
    put(path, "{}\n")
    path.chmod(mode)
    install(installation)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("indent", [2, None])
def test_settings_are_not_copied_into_the_data_directory(
    installation: Installation, path: Path, tmp_path: Path, indent: int | None
) -> None:
    secret = "sk-ant-api03-AAAABBBBCCCC"
    text = json.dumps({"env": {"ANTHROPIC_API_KEY": secret}}, indent=indent) + "\n"
    put(path, text)
    path.chmod(0o640)
    install(installation)
    kept = [one for one in (tmp_path / "data").rglob("*") if one.is_file()]
    assert len(kept) == 1
    assert secret not in content(kept[0])
    for beside in path.parent.iterdir():
        assert beside == path or stat.S_IMODE(beside.stat().st_mode) == 0o600
    uninstall(installation)
    assert content(path) == text
    assert list(path.parent.iterdir()) == [path]
    assert not kept[0].exists()


def test_a_new_data_directory_is_its_owners_alone(path: Path, tmp_path: Path) -> None:
    data_dir = tmp_path / "share" / "memoranda"
    before = os.umask(0o022)
    try:
        install(Installation(CLAUDE_CODE, path, data_dir))
    finally:
        os.umask(before)
    folders = (data_dir.parent, data_dir, data_dir / "installed")
    assert [stat.S_IMODE(one.stat().st_mode) for one in folders] == [0o700] * 3


def test_half_of_a_surrogate_pair_stays_an_escape(installation: Installation, path: Path) -> None:
    text = '{\n  "a": "\\ud800 é"\n}\n'
    put(path, text)
    install(installation)
    assert read(path)["a"] == "\ud800 é"
    uninstall(installation)
    assert content(path) == text


def test_hooks_use_a_custom_data_directory(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    install(Installation(CLAUDE_CODE, path, Path("my data"), custom_data_dir=True))
    for handlers in ours(read(path)).values():
        for handler in handlers:
            assert parsed(handler).data_dir == tmp_path / "my data"


def test_each_scope_has_its_file(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path / "ada")}
    user = CLAUDE_CODE.settings_file(InstallScope.USER, tmp_path, home)
    assert user == tmp_path / "ada" / ".claude" / "settings.json"
    elsewhere = home | {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    assert (
        CLAUDE_CODE.settings_file(InstallScope.USER, tmp_path, elsewhere).parent
        == tmp_path / "config"
    )
    project = CLAUDE_CODE.settings_file(InstallScope.PROJECT, tmp_path / "shop", elsewhere)
    assert project == tmp_path / "shop" / ".claude" / "settings.local.json"


def test_scopes_do_not_know_each_other(tmp_path: Path) -> None:
    one, two = (
        Installation(CLAUDE_CODE, tmp_path / name / "s.json", tmp_path / "data") for name in "ab"
    )
    put(tmp_path / "a" / "s.json", "{ }")
    install(one)
    install(two)
    uninstall(one)
    assert content(tmp_path / "a" / "s.json") == "{ }"
    assert ours(read(tmp_path / "b" / "s.json"))


@pytest.mark.parametrize("text", COMMENTED.values(), ids=COMMENTED)
def test_comments_stay_and_the_file_comes_back_byte_for_byte(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    for _ in range(2):
        install(installation)
        present = content(path)
        settings = said(present)
        assert set(ours(settings)) == set(EVENTS)
        for note in ("// mine", "the best", "/* two */", "// note", "// end", "later", "// loud"):
            assert (note in present) == (note in text)
        before = said(text)
        assert {k: v for k, v in settings.items() if k != "hooks"} == {
            k: v for k, v in before.items() if k != "hooks"
        }
        assert install(installation).diff == ""
        uninstall(installation)
        assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("text", COMMENTED.values(), ids=COMMENTED)
def test_comments_survive_an_edit_between_install_and_uninstall(
    installation: Installation, path: Path, text: str
) -> None:
    put(path, text)
    install(installation)
    edited = content(path).replace('"model"', '"modal"') + "\n// added\n"
    put(path, edited)
    uninstall(installation)
    left = content(path)
    assert "hook.py" not in left
    assert left.endswith("\n// added\n")
    wanted = said(text.replace('"model"', '"modal"'))
    found = said(left)
    hooks = {event: groups for event, groups in wanted.get("hooks", {}).items() if groups}
    assert found.get("hooks", {}) == hooks
    assert {k: v for k, v in found.items() if k != "hooks"} == {
        k: v for k, v in wanted.items() if k != "hooks"
    }


@pytest.mark.parametrize("text", [*SETTINGS.values(), *COMMENTED.values()])
def test_another_environment_with_other_data_gives_the_file_back_too(
    path: Path, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, text)
    first = Installation(CLAUDE_CODE, path, tmp_path / "a", custom_data_dir=True)
    install(first)
    replaced = content(path).replace(sys.executable, "/gone/python")
    monkeypatch.setattr(sys, "executable", "/other/python")
    uninstall(Installation(CLAUDE_CODE, path, tmp_path / "b"))
    assert path.read_bytes() == text.encode()
    assert list((tmp_path / "a" / "installed").iterdir()) == []
    put(path, replaced)  # of a deleted environment: without a record
    uninstall(Installation(CLAUDE_CODE, path, tmp_path / "b"))
    assert "/gone/python" not in content(path)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "home/ada"}], ids=str)
def test_without_an_absolute_home_the_settings_are_those_of_the_login(
    environ: dict[str, str], tmp_path: Path
) -> None:
    login = Path(pwd.getpwuid(os.getuid()).pw_dir)
    found = CLAUDE_CODE.settings_file(InstallScope.USER, tmp_path, environ)
    assert found == login / ".claude" / "settings.json"
