"""The examples as `scripts/try` runs them, or forked from a process with their packages loaded.

Each command has a process of its own either way. To load the packages of a framework takes seconds,
and an example has several commands.
"""

from __future__ import annotations

import importlib.util
import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import IO, Any

ROOT = Path(__file__).parents[1]
ORIGIN = """
import ast, json, os, runpy, sys
for line in sys.stdin:
    words = json.loads(line)
    for node in ast.parse(open(words[0]).read()).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(ast.unparse(node), {})
    sys.stdout.flush()
    if not os.fork():
        sys.stdin = open(os.devnull)
        sys.argv, sys.path[0] = words, os.path.dirname(words[0])
        runpy.run_path(words[0], run_name="__main__")
        sys.exit()
    os.write(int(sys.argv[1]), f"{os.waitstatus_to_exitcode(os.wait()[1])}\\n".encode())
"""
"""Imports what a script does, and forks each of its commands."""


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trying_script", ROOT / "scripts" / "try.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCRIPT: Any = _script()


class Origin:
    """What has the packages of an example's scripts loaded, and forks its commands one by one."""

    def __init__(self, ended: ExitStack) -> None:
        """Start nothing yet; it goes when ``ended`` does."""
        self._ended = ended
        self._commands: IO[str] | None = None
        self._codes: IO[str] | None = None

    def start(self, command: Sequence[str], work: Path, environ: Mapping[str, str]) -> Origin:
        """Start a command of the example."""
        if self._commands is None:
            self._load(work, environ)
        assert self._commands is not None
        self._commands.write(f"{json.dumps(list(command))}\n")
        self._commands.flush()
        return self

    def wait(self, timeout: float) -> int:
        """Return the code that the command ends with."""
        assert self._codes is not None
        assert select.select([self._codes], [], [], timeout)[0], "the command did not end"
        return int(self._codes.readline() or 1)  # nothing: the script's imports failed

    def _load(self, work: Path, environ: Mapping[str, str]) -> None:
        codes, told = os.pipe()
        self._codes = self._ended.enter_context(os.fdopen(codes))
        process = subprocess.Popen(
            [sys.executable, "-c", ORIGIN, str(told)],
            stdin=subprocess.PIPE, cwd=work, env=environ, text=True, pass_fds=[told],
        )  # fmt: skip
        os.close(told)
        self._commands = self._ended.enter_context(process).stdin


def tried(name: str, capfd: Any, *, forked: bool = False) -> tuple[list[str], list[Any]]:
    """Try an example; return what it told, without the commands, and what its model was asked.

    ``forked``: have its commands forked, which helps where it has several and they load much.
    """
    with ExitStack() as ended:
        start = Origin(ended).start if forked else SCRIPT.started
        code, requests = SCRIPT.tried(name, start)
    output = capfd.readouterr()
    assert code == 0, output.err
    return [line for line in output.out.splitlines() if not line.startswith("$ ")], requests
