"""Run child processes and measure their processor and wall time."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Cost:
    """One run of a command."""

    cpu: float
    """User and system seconds of the process itself."""
    wall: float
    code: int


def run(
    command: Command,
    environ: Mapping[str, str],
    *,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> Cost:
    """Run a command to its end, with output to a file or discarded."""
    started = time.perf_counter()
    pid = start(command, environ, stdin=stdin, stdout=stdout)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - started
    return Cost(usage.ru_utime + usage.ru_stime, wall, os.waitstatus_to_exitcode(status))


def start(
    command: Command,
    environ: Mapping[str, str],
    *,
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> int:
    """Start a command with stderr joined to its output; return its id."""
    source, target = str(stdin or os.devnull), str(stdout or os.devnull)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, source, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, target, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawn(command[0], list(command), dict(environ), file_actions=actions)


@dataclass(frozen=True, slots=True)
class Timing:
    """A command's cost over many runs, in milliseconds of processor time."""

    least: float
    middle: float
    wall_middle: float

    @classmethod
    def of(cls, costs: Sequence[Cost]) -> Timing:
        """Sum up several runs."""
        cpu = [cost.cpu * 1e3 for cost in costs]
        return cls(min(cpu), median(cpu), median(cost.wall * 1e3 for cost in costs))


def interleaved(
    commands: Mapping[str, tuple[Command, Path | None]], environ: Mapping[str, str], rounds: int
) -> dict[str, list[Cost]]:
    """Run commands in turn, so that other load affects all of them alike.

    Raises:
        RuntimeError: an exit code is not 0.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, (command, stdin) in commands.items():
            cost = run(command, environ, stdin=stdin)
            if cost.code:
                raise RuntimeError(f"{name} ended with {cost.code}: {' '.join(command)}")
            costs[name].append(cost)
    return costs
