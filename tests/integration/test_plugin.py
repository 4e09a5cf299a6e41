"""The Claude Code plugin matches the code, and its hook runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from hooking import PROMPT, hook

from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.hooks.commands import hook_file
from memoranda.hooks.hosts import CLAUDE_CODE
from memoranda.hooks.installation import Installation
from memoranda.hooks.plugin import plugin_files, write_plugin
from tables import each

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"
PAGES = sorted([*PLUGIN.glob("commands/*.md"), *PLUGIN.glob("skills/*/*.md")])
_COMMAND = re.compile(r"(?:`|^    |Bash\()memoranda ([a-z][a-z -]*[a-z])", re.MULTILINE)


def test_generated_files_are_as_the_code_has_them(tmp_path: Path) -> None:
    assert {name: (ROOT / name).read_text("utf-8") for name in plugin_files()} == plugin_files()
    write_plugin(tmp_path)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert set(plugin_files()) <= written


@each("page", PAGES, ids=lambda page: page.stem)
def test_commands_in_its_pages_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.startswith("---\n")
    assert "description: " in text.split("---")[1]
    for found in _COMMAND.findall(text):
        here: click.Command = cli
        words = found.split()
        while words and isinstance(here, click.Group):
            inner = here.get_command(click.Context(here), words.pop(0))
            assert inner is not None, found
            here = inner


def _command(mode: str) -> str:
    """Return a command of the plugin's hooks by its last argument."""
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    commands: list[str] = [
        one["command"] for groups in hooks.values() for group in groups for one in group["hooks"]
    ]
    return next(command for command in commands if f" {mode};" in command)


def _run(folder: Path, data: Path, mode: str, payload: object) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": os.environ["PATH"],
        "MEMORANDA_DATA_DIR": str(data),
        "HOME": str(data),
        "CLAUDE_PLUGIN_ROOT": str(folder),
    }
    return subprocess.run(
        ["sh", "-c", _command(mode)],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env=environ,
        check=False,
    )


def test_its_hook_stores_an_event_and_prints_the_context(tmp_path: Path) -> None:
    folder, data = tmp_path / "a folder" / "plugin", tmp_path / "data"
    shutil.copytree(PLUGIN, folder)
    project = tmp_path / "shop"
    project.mkdir()
    event = {"session_id": "s", "cwd": str(project)}
    payload = {**event, "hook_event_name": "UserPromptSubmit", "prompt": "Use cents. Never floats."}
    done = _run(folder, data, "spool", payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with Memoranda.open(data) as memory:
        assert memory.capture.drain(wait=True).intake.observations == 1
        memory.capture.drain()
    (data / "python").write_text(f"{sys.executable}\n", "utf-8")
    start = {**event, "hook_event_name": "SessionStart", "source": "startup"}
    output = json.loads(_run(folder, data, "context", start).stdout)
    assert "Never floats" in output["hookSpecificOutput"]["additionalContext"]


def test_its_hook_ends_well_whatever_is_wrong(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "python").write_text("/nowhere/python\n", "utf-8")
    for payload in ("", "not an object", {"hook_event_name": "Stop"}):
        done = _run(PLUGIN, data, "spool", payload)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (data / "python").write_text("/bin/false\n", "utf-8")
    assert _run(PLUGIN, data, "spool", {"a": 1}).returncode == 0
    gone = _run(tmp_path / "nowhere", data, "context", {"hook_event_name": "SessionStart"})
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, "", "")


def test_it_puts_no_program_on_the_path_of_the_agent() -> None:
    assert not (PLUGIN / "bin").exists()


@pytest.mark.parametrize("file", ["data/.claude/settings.json", "shop/.claude/settings.local.json"])
def test_next_to_an_installation_the_context_is_printed_once(file: str, tmp_path: Path) -> None:
    data, project = tmp_path / "data", tmp_path / "shop"
    project.mkdir()
    payload = PROMPT | {"cwd": str(project), "prompt": "Use cents. Never floats."}
    start = payload | {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s2"}
    assert _run(PLUGIN, data, "spool", payload).returncode == 0
    with Memoranda.open(data) as memory:
        memory.capture.drain(wait=True)
    (data / "python").write_text(f"{sys.executable}\n", "utf-8")
    assert "Never floats" in _run(PLUGIN, data, "context", start).stdout
    settings = Installation(CLAUDE_CODE, tmp_path / file, data)
    settings.apply(settings.installing())
    assert _run(PLUGIN, data, "context", start).stdout == ""
    assert "Never floats" in hook(data, start, "context").out.decode()
    gone = (tmp_path / file).read_text("utf-8").replace(str(hook_file()), "/x/memoranda/hook.py")
    (tmp_path / file).write_text(gone, "utf-8")
    assert "Never floats" in _run(PLUGIN, data, "context", start).stdout


def test_the_command_line_notes_where_it_runs(data_dir: Path, memory: Memoranda) -> None:
    from click.testing import CliRunner

    memory.close()
    CliRunner().invoke(cli, ["--data-dir", str(data_dir), "task", "list"])
    assert (data_dir / "python").read_text("utf-8") == f"{sys.executable}\n"
