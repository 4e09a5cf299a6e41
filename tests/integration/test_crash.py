"""Acknowledged writes survive SIGKILL; no other write is partly stored."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from happenings import finish, start

from memoranda import Memoranda
from memoranda.observations import table as observations
from memoranda.store.sqlite import inspection_and_backup as maintenance

pytestmark = [
    pytest.mark.disk,
    pytest.mark.integration,
    pytest.mark.skipif(os.name != "posix", reason="kills with signals"),
]

KILLS = 8
GROUP = 3
"""Events of one call; they are stored together or not at all."""

WRITER = """
import os, sys, threading
from happenings import ran
from memoranda import Memoranda
import memoranda.memory, toktok  # loaded once, before the first fork

def write(memory, cycle, thread):
    turn = 0
    while True:
        names = [f"{cycle}-{thread}-{turn}-{part}" for part in range(3)]
        events = [ran(name, f"echo {name}", name, session=f"s{thread}") for name in names]
        memory.capture.take(events)
        os.write(1, (" ".join(names) + "\\n").encode())
        turn += 1

def work(cycle):
    memory = Memoranda.open(sys.argv[1])
    for thread in range(2):
        threading.Thread(target=write, args=(memory, cycle, thread), daemon=True).start()
    threading.Event().wait()

while cycle := sys.stdin.readline().strip():
    child = os.fork()
    if child == 0:
        work(cycle)
    os.write(1, f"pid {child}\\n".encode())
    os.waitpid(child, 0)
    os.write(1, b"over\\n")
"""
"""Forks writers one after another, so that each starts at once."""


def test_nothing_acknowledged_is_lost_when_writers_are_killed(data_dir: Path) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    ledger: set[str] = set()
    mother = start(WRITER, data_dir)
    for cycle in range(KILLS):
        ledger |= _killed(mother, cycle, acknowledgements=chance.randrange(1, 12))
    finish(mother)
    with Memoranda.open(data_dir) as memory:
        known = _known(memory)
        assert ledger <= known, f"seed {seed}"
        calls = Counter(name.rpartition("-")[0] for name in known)
        assert set(calls.values()) == {GROUP}, "a call was stored in part"
        found = maintenance.inspect(memory._database)
        assert found.sound, found
        assert memory.journal.verify().intact
        assert sum(task.observations for task in memory.tasks.list()) == len(known)


def _killed(mother: subprocess.Popen[str], cycle: int, acknowledgements: int) -> set[str]:
    """Kill a writer after some acknowledgements; return what it acknowledged."""
    assert mother.stdin is not None and mother.stdout is not None
    mother.stdin.write(f"{cycle}\n")
    mother.stdin.flush()
    writer, names, lines = 0, "", 0
    while (line := mother.stdout.readline()) != "over\n":
        assert line, mother.communicate()[1]
        if line.startswith("pid "):
            writer = int(line.split()[1])
        else:
            names += line
            lines += 1
        if writer and lines >= acknowledgements:
            os.kill(writer, signal.SIGKILL)
            lines = -1_000_000
    return set(names.split())


def _known(memory: Memoranda) -> set[str]:
    """Return the names of all stored events, and check their numbers."""
    names: set[str] = set()
    for task in memory.tasks.list():
        look = partial(observations.in_task, team="local", task=task.id, limit=1_000_000)
        rows = memory._database.read(look)
        assert [row.sequence for row in rows] == list(range(1, task.observations + 1))
        names |= {memory.observations.show(row.id).content.split()[-1] for row in rows}
    return names
