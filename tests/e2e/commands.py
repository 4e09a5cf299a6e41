"""The command line, run as a person runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import forked_processes
import memoranda
from memoranda.cli import cli

SOURCES = str(Path(memoranda.__file__).parents[1])
EXAMPLE = Path(__file__).parents[2] / "examples" / "session"
TRANSCRIPT = EXAMPLE / "parcel-quotes.jsonl"
PROGRESS = re.compile(r"^.+: .+ s passed.*\n", re.MULTILINE)
"""Lines that a slow command prints to standard error; how slow it is depends on the machine."""


@dataclass(frozen=True)
class CommandOutput:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The answer of a command that was asked for JSON."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The complaint of a command that was asked for JSON."""
        complaint: dict[str, Any] = json.loads(self.err)["error"]
        return complaint


def run(
    data_dir: Path,
    *words: str,
    given: bytes | None = None,
    cwd: Path | None = None,
    **variables: str,
) -> CommandOutput:
    """Run a command on a data directory, in a folder that belongs to no workspace by default, and
    without the model unless a variable asks for it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "memoranda", *words],
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        env=_environment(data_dir) | variables,
        cwd=cwd or data_dir.parent,
        timeout=60,
        check=False,
    )
    return _result_of(done)


def forked(
    data_dir: Path, *words: str, given: bytes = b"", cwd: Path | None = None, **variables: str
) -> CommandOutput:
    """Do what `run` does, in a process that is forked from one with the command line loaded."""
    environ = _environment(data_dir) | variables
    return _result_of(forked_processes.run(words, environ, cwd or data_dir.parent, given, 60))


def _environment(data_dir: Path) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    return plain | {
        "HOME": str(data_dir.parent),
        "PYTHONPATH": SOURCES,
        "MEMORANDA_DATA_DIR": str(data_dir),
        "MEMORANDA_EMBEDDER": "none",
    }


def _result_of(done: subprocess.CompletedProcess[bytes]) -> CommandOutput:
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return CommandOutput(done.returncode, out, PROGRESS.sub("", err))


def invoke(data_dir: Path, *words: str, given: str | None = None) -> CommandOutput:
    """Do what `run` does within this process, which is many times faster."""
    done = CliRunner().invoke(cli, ["--data-dir", str(data_dir), *words], input=given)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return CommandOutput(done.exit_code, done.stdout, done.stderr)


def ask(data_dir: Path, *words: str) -> Any:
    """Invoke a command that must go well; return its JSON."""
    output = invoke(data_dir, *words, "--format", "json")
    assert output.code == 0, f"{words}: exit {output.code}\n{output.out}\n{output.err}"
    said = PROGRESS.sub("", output.err)
    assert said == "", said
    return output.json
