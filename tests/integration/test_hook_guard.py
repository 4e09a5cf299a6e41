"""Installed hook commands succeed silently when their target is gone."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hooking import HOOK, PROMPT

from memoranda.hooks.commands import guarded, hook_command

pytestmark = pytest.mark.integration

SHELLS = [name for name in ("sh", "dash", "bash", "zsh", "fish", "tcsh") if shutil.which(name)]
NAMES = ["plain", "with space", 'it\'s "quoted"', "ünï-名 $HOME `x`"]
Breaking = Callable[[Path, Path], None]


def nothing(interpreter: Path, script: Path) -> None:
    """Change nothing."""


def interpreter_gone(interpreter: Path, script: Path) -> None:
    interpreter.unlink()


def environment_gone(interpreter: Path, script: Path) -> None:
    shutil.rmtree(interpreter.parents[1])


def interpreter_not_executable(interpreter: Path, script: Path) -> None:
    interpreter.unlink()
    interpreter.write_text("not a program")


def interpreter_is_a_folder(interpreter: Path, script: Path) -> None:
    interpreter.unlink()
    interpreter.mkdir()


def interpreter_is_a_dangling_link(interpreter: Path, script: Path) -> None:
    interpreter.unlink()
    interpreter.symlink_to("/nowhere/python3.99")


def interpreter_without_its_library(interpreter: Path, script: Path) -> None:
    _program(interpreter, "echo 'Fatal Python error: init_fs_encoding' >&2; exit 1")


def interpreter_killed(interpreter: Path, script: Path) -> None:
    _program(interpreter, "kill -SEGV $$")


def interpreter_that_asks_to_block(interpreter: Path, script: Path) -> None:
    _program(interpreter, "echo 'No such file' >&2; exit 2")


def interpreter_of_another_machine(interpreter: Path, script: Path) -> None:
    interpreter.unlink()
    interpreter.write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 100)
    interpreter.chmod(0o755)


def script_gone(interpreter: Path, script: Path) -> None:
    script.unlink()


def package_gone(interpreter: Path, script: Path) -> None:
    shutil.rmtree(script.parent)


def script_is_a_folder(interpreter: Path, script: Path) -> None:
    script.unlink()
    script.mkdir()


def script_cut_off(interpreter: Path, script: Path) -> None:
    script.write_text('"""Cut off', "utf-8")


def its_parts_gone(interpreter: Path, script: Path) -> None:
    (script.parent / "hook_session.py").unlink()


BROKEN: list[Breaking] = [
    interpreter_gone,
    environment_gone,
    interpreter_not_executable,
    interpreter_is_a_folder,
    interpreter_is_a_dangling_link,
    interpreter_without_its_library,
    interpreter_killed,
    interpreter_that_asks_to_block,
    interpreter_of_another_machine,
    script_gone,
    package_gone,
    script_is_a_folder,
    script_cut_off,
    its_parts_gone,
]


def _program(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def _installed(home: Path) -> tuple[Path, Path]:
    """Install an interpreter and a copy of the hook as an environment."""
    interpreter = home / "venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)
    script = home / "lib" / "memoranda" / "hook.py"
    script.parent.mkdir(parents=True)
    for part in ("hook.py", "hook_event.py", "hook_session.py", "hook_output.py"):
        shutil.copy(HOOK.with_name(part), script.with_name(part))
    return interpreter, script


def _run(
    words: list[str], payload: dict[str, object], cwd: Path, **environ: str
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        words,
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={"PATH": os.environ["PATH"], **environ},
        cwd=cwd,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("mode", ["spool", "context codex", "live claude-code 600"])
@pytest.mark.parametrize("breaks", BROKEN, ids=lambda one: one.__name__)
def test_a_host_never_notices_what_is_broken(breaks: Breaking, mode: str, tmp_path: Path) -> None:
    interpreter, script = _installed(tmp_path)
    words = [str(interpreter), "-I", "-S", str(script), *mode.split()]
    command = guarded(words, tmp_path / "data")
    breaks(interpreter, script)
    start = PROMPT | {"hook_event_name": "SessionStart", "source": "startup"}
    for shell in SHELLS:
        ended = _run([shell, "-c", command], start, tmp_path)
        assert ended == (0, b"", b""), shell
    assert _run(shlex.split(command), start, tmp_path) == (0, b"", b""), "without a shell"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shell", SHELLS)
def test_an_event_is_kept_whatever_shell_and_names(shell: str, name: str, tmp_path: Path) -> None:
    interpreter, script = _installed(tmp_path / name)
    words = [str(interpreter), "-I", "-S", str(script), "spool"]
    command = guarded(words, tmp_path / name / "data")
    assert _run([shell, "-c", command], PROMPT, tmp_path) == (0, b"", b"")
    assert "Fix the cart" in (tmp_path / name / "data" / "spool" / "s1.jsonl").read_text("utf-8")
    found = hook_command(command)
    assert found is not None
    assert (found.interpreter, found.script) == (interpreter, script)
    assert found.data_dir == tmp_path / name / "data"


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "/nowhere"}, {"PATH": "/nowhere"}])
def test_no_variable_of_the_environment_is_needed(environ: dict[str, str], tmp_path: Path) -> None:
    interpreter, script = _installed(tmp_path)
    words = [str(interpreter), "-I", "-S", str(script), "spool"]
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "elsewhere")}  # not in the home of the login
    for data_dir, more in ((None, elsewhere), (tmp_path / "data", {})):
        command, variables = guarded(words, data_dir), environ | more
        assert _run(["/bin/sh", "-c", command], PROMPT, tmp_path, **variables) == (0, b"", b"")
    assert (tmp_path / "data" / "spool" / "s1.jsonl").exists()


def test_a_large_event_without_an_interpreter_is_no_ones_trouble(tmp_path: Path) -> None:
    interpreter, script = _installed(tmp_path)
    command = guarded([str(interpreter), "-I", "-S", str(script), "spool"], None)
    interpreter.unlink()
    large = PROMPT | {"prompt": "x" * 5_000_000}
    assert _run(["/bin/sh", "-c", command], large, tmp_path) == (0, b"", b"")
