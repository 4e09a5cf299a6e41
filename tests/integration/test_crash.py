"""What was acknowledged outlives a kill -9, whole, and nothing else is half there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from happenings import start

from memoranda import Memoranda
from memoranda.capture.prepare import event_key
from memoranda.store.sqlite import upkeep
from memoranda.store.tables import observations, tasks

pytestmark = pytest.mark.integration

KILLS = 20
GROUP = 3
"""Events of one call; they are stored together or not at all."""

WRITER = """
import os, sys, threading
from happenings import ran
from memoranda import Memoranda

memory = Memoranda.open(sys.argv[1])
cycle = sys.argv[2]

def write(thread):
    turn = 0
    while True:
        names = [f"{cycle}-{thread}-{turn}-{part}" for part in range(3)]
        events = [ran(name, f"echo {name}", f"out {name}", session=f"s{thread}") for name in names]
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
    ledger: list[str] = []
    for cycle in range(KILLS):
        ledger += _killed_writer(data_dir, cycle, acknowledgements=chance.randrange(1, 25))
    with Memoranda.open(data_dir) as memory:
        database = memory._database
        keys = {_key(name): name for name in ledger}
        known = database.read(lambda tx: observations.known_keys(tx, "local", keys))
        lost = [keys[key] for key in keys.keys() - known]
        assert lost == [], f"seed {seed}"
        found = upkeep.inspect(database)
        assert found.sound, found
        assert memory.verify_journal().intact
        _assert_whole(memory)


def _killed_writer(data_dir: Path, cycle: int, acknowledgements: int) -> list[str]:
    """Let a process write, kill it after so many acknowledgements; return what it acknowledged."""
    process = start(WRITER, data_dir, cycle)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(acknowledgements)]
    process.kill()
    rest, complaints = process.communicate(timeout=30)
    assert complaints == ""
    return " ".join([*lines, rest]).split()


def _key(name: str) -> str:
    from happenings import ran

    thread = name.split("-")[1]
    return event_key(ran(name, "", session=f"s{thread}"))


def _assert_whole(memory: Memoranda) -> None:
    """Numbers run from 1 without a gap, calls are whole, every row is found by its words."""
    for task in memory.tasks():
        team, id = task.team, task.id
        rows = memory._database.read(
            lambda tx, team=team, id=id: observations.in_task(tx, team, id, limit=100_000)  # type: ignore[misc]
        )
        assert [row.sequence for row in rows] == list(range(1, task.observations + 1))
        names = [row.summary.split()[1].strip("`") for row in rows]
        calls = {name.rpartition("-")[0] for name in names}
        assert len(names) == GROUP * len(calls)
    total = memory._database.read(lambda tx: tasks.count(tx, "local", None))
    assert total == 2
