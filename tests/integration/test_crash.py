"""What was acknowledged outlives a kill -9, whole, and nothing else is half there."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from happenings import start

from memoranda import Memoranda
from memoranda.store.sqlite import upkeep
from memoranda.store.tables import observations

pytestmark = pytest.mark.integration

KILLS = 20
GROUP = 3
"""Events of one call; they are stored together or not at all."""

WRITER = """
import os, sys, threading
from happenings import ran
from memoranda import Memoranda

sys.stdin.readline()
memory = Memoranda.open(sys.argv[1])
cycle = sys.argv[2]

def write(thread):
    turn = 0
    while True:
        names = [f"{cycle}-{thread}-{turn}-{part}" for part in range(3)]
        events = [ran(name, f"echo {name}", name, session=f"s{thread}") for name in names]
        memory.take(events)
        os.write(1, (" ".join(names) + "\\n").encode())
        turn += 1

for thread in range(2):
    threading.Thread(target=write, args=(thread,), daemon=True).start()
threading.Event().wait()
"""


def test_nothing_acknowledged_is_lost_when_writers_are_killed(data_dir: Path) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    ledger: set[str] = set()
    waiting = start(WRITER, data_dir, 0)
    for cycle in range(1, KILLS + 1):
        writer, waiting = waiting, start(WRITER, data_dir, cycle)
        ledger |= _killed(writer, acknowledgements=chance.randrange(1, 25))
    waiting.kill()
    waiting.communicate()
    with Memoranda.open(data_dir) as memory:
        known = _known(memory)
        assert ledger <= known, f"seed {seed}"
        calls = Counter(name.rpartition("-")[0] for name in known)
        assert set(calls.values()) == {GROUP}, "a call was stored in part"
        found = upkeep.inspect(memory._database)
        assert found.sound, found
        assert memory.verify_journal().intact
        assert sum(task.observations for task in memory.tasks()) == len(known)


def _killed(process: subprocess.Popen[str], acknowledgements: int) -> set[str]:
    """Let a process write, kill it after so many acknowledgements; return what it acknowledged."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    lines = [process.stdout.readline() for _ in range(acknowledgements)]
    process.kill()
    rest, complaints = process.communicate(timeout=30)
    assert complaints == ""
    return set(" ".join([*lines, rest]).split())


def _known(memory: Memoranda) -> set[str]:
    """Return the names of all events that are stored, after checking how they are numbered."""
    names: set[str] = set()
    for task in memory.tasks():
        look = partial(observations.in_task, team="local", task=task.id, limit=1_000_000)
        rows = memory._database.read(look)
        assert [row.sequence for row in rows] == list(range(1, task.observations + 1))
        names |= {memory.observation(row.id).content.split()[-1] for row in rows}
    return names
