"""A user's virtual environment with Memoranda, which tests can remove."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked_processes
import memoranda

PLACED = ("install", "uninstall")
"""Commands that write into the settings of a host where their environment is."""


@dataclass(frozen=True, slots=True)
class UserEnvironment:
    """A virtual environment with a copy of the package, and its variables."""

    folder: Path
    environ: dict[str, str]
    cwd: Path

    @classmethod
    def make(cls, folder: Path, environ: dict[str, str], cwd: Path) -> UserEnvironment:
        """Make the environment; dependencies come from the tests' environment."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        made = cls(folder, environ, cwd)
        shutil.copytree(
            Path(memoranda.__file__).parent,
            made.package,
        )
        others = made.package.with_name("dependencies.pth")
        others.write_text(sysconfig.get_path("purelib") + "\n")
        return made

    @property
    def package(self) -> Path:
        """Return the folder of the package in it."""
        (packages,) = self.folder.glob("lib/python*/site-packages")
        return packages / "memoranda"

    @property
    def command(self) -> list[str]:
        """Return the path of the command."""
        return [str(self.folder / "bin" / "python"), "-m", "memoranda"]

    def call(self, *arguments: str, text: str = "") -> str:
        """Run a command that must succeed, and return its output.

        Where the environment is matters to few; the others have the same source in a process that
        is forked, which costs a tenth.
        """
        if arguments[0] in PLACED:
            command = [*self.command, *arguments]
            done = subprocess.run(
                command,
                capture_output=True,
                env=self.environ,
                cwd=self.cwd,
                timeout=120,
                check=False,
            )
        else:
            environ = forked_processes.interpreter(os.environ) | self.environ
            done = forked_processes.run(arguments, environ, self.cwd, text.encode())
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == 0, f"{arguments}: {out}\n{err}"
        return out

    def json(self, *arguments: str) -> Any:
        """Run a command and return its JSON."""
        return json.loads(self.call(*arguments, "--format", "json"))

    def rpc(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        """Return the results of JSON-RPC calls, all made by one process."""
        requests = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(calls)
        ]
        printed = self.call("rpc", text="".join(f"{json.dumps(one)}\n" for one in requests))
        answers = {answer["id"]: answer for answer in map(json.loads, printed.splitlines())}
        return [answers[number]["result"] for number in range(len(calls))]

    def observations(self) -> list[dict[str, Any]]:
        """Return all observations with their content, by task and in order."""
        return self.stored()[0]

    def stored(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return all observations with their content, by task and in order, and all tasks,
        oldest first."""
        self.call("drain", "--wait")
        everything = {"workspace": "all", "limit": 1000}
        listed, tasks = self.rpc(("observation.list", everything), ("task.list", everything))
        shown = self.rpc(
            *(("observation.show", {"id": one["id"], "full": True}) for one in listed["items"])
        )
        found = [one["observation"] | {"content": one["content"]} for one in shown]
        return (
            sorted(found, key=lambda one: [int(part) for part in one["ref"].split("#")]),
            sorted(tasks["items"], key=lambda one: int(one["number"])),
        )
