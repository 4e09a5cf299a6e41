"""Concurrent edits of blocks, and rollbacks interrupted by SIGKILL."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator

import pytest
from acting import begun, opened
from happenings import finish, killed, start

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import Settings

pytestmark = [
    pytest.mark.disk,
    pytest.mark.integration,
    pytest.mark.skipif(os.name != "posix", reason="kills with signals"),
]

OPENED = """
import os, signal, sys
from acting import acting, opened
from memoranda.config import load_settings
from memoranda.exceptions import Conflict
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
"""

APPENDING = (
    OPENED
    + """
agent, done = acting(memory, sys.argv[3]), 0
sys.stdin.readline()
try:
    agent.blocks.rethink("once", sys.argv[3], version=1)
    done = 1
except Conflict as error:
    assert "now, not 1" in str(error)
for turn in range(20):
    agent.blocks.insert("log", f"{sys.argv[3]}-{turn}")
print(done)
"""
)

KILLED = (
    OPENED
    + """
from memoranda.blocks import table as blocks
from memoranda.checkpoints import table as checkpoints
from memoranda.journal import table as journal
modules = {"blocks": blocks, "checkpoints": checkpoints, "journal": journal}
module, name, times = sys.argv[4].split(".")
call, left = getattr(modules[module], name), int(times)

def counted(*arguments, **options):
    global left
    left -= 1
    answer = call(*arguments, **options)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer

setattr(modules[module], name, counted)
memory.checkpoints.rollback(sys.argv[3], "1")
print("done")
"""
)

SWINGING = (
    OPENED
    + """
turn = 0
while True:
    memory.checkpoints.rollback(sys.argv[3], "12"[turn % 2])
    turn += 1
    os.write(1, b".\\n")
"""
)

NAMES = ("a", "b", "c")


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine) as memory:
        yield memory


@pytest.fixture
def task(memory: Memoranda) -> str:
    """Return a task with two checkpoints of three blocks and the state.

    All of them have the same number in a checkpoint.
    """
    id = begun(memory)
    for name in NAMES:
        memory.blocks.create(NewBlock(name), task=id)
    for number in ("1", "2"):
        for name in NAMES:
            memory.blocks.rethink(name, number, task=id)
        memory.checkpoints.create(id, "coding", state={"n": number})
    return id


def place(settings: Settings) -> tuple[str, str]:
    """Return the arguments with which a child opens the same store."""
    return str(settings.data_dir), settings.database_url or ""


def seen(memory: Memoranda, task: str) -> tuple[set[str], int]:
    """Return the values of blocks and state, and the number of checkpoints."""
    values = {memory.blocks.show(name, task=task).value for name in NAMES}
    values.add(str(memory.tasks.state(task).state["n"]))
    return values, len(memory.checkpoints.list(task, limit=1_000))


def test_three_processes_lose_no_line_and_one_of_them_is_first(
    engine: Settings, memory: Memoranda
) -> None:
    memory.blocks.create(NewBlock("log", limit=10_000))
    memory.blocks.create(NewBlock("once"))
    names = [f"agent {number}" for number in range(3)]
    children = [start(APPENDING, *place(engine), name) for name in names]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    assert sum(int(finish(child)) for child in children) == 1
    lines = memory.blocks.show("log").value.split("\n")
    assert sorted(lines) == sorted(f"{name}-{turn}" for name in names for turn in range(20))
    versions = memory.blocks.history("log", limit=1_000)
    assert [one.version for one in versions] == list(range(61, 0, -1))


@pytest.mark.parametrize(
    "moment",
    ["checkpoints.insert.1", "blocks.write.1", "blocks.write.3", "checkpoints.put_state.2",
     "journal.append.1", "journal.append.5"],
)  # fmt: skip
def test_a_rollback_that_is_killed_on_its_way_did_nothing(
    engine: Settings, memory: Memoranda, task: str, moment: str
) -> None:
    before = seen(memory, task)
    child = start(KILLED, *place(engine), task, moment)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (-signal.SIGKILL, ""), err
    assert seen(memory, task) == before == ({"2"}, 2)
    assert memory.journal.verify().intact
    memory.checkpoints.rollback(task, "1")
    assert seen(memory, task) == ({"1"}, 3)


def test_rollbacks_that_are_killed_at_any_time_are_whole_or_not_there(
    engine: Settings, memory: Memoranda, task: str
) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    for _ in range(5):
        before = seen(memory, task)[1]
        child = start(SWINGING, *place(engine), task)
        assert child.stdout is not None
        wanted, done = chance.randrange(1, 6), 0
        while done < wanted:
            assert child.stdout.readline() == ".\n", child.communicate()[1]
            done += 1
        done += killed(child).count(".")
        values, points = seen(memory, task)
        assert len(values) == 1, f"seed {seed}"
        assert points - before in (done, done + 1), f"seed {seed}"
        head = next(one for one in memory.checkpoints.list(task) if one.head)
        assert values == {str(head.checkpoint.sequence)}, f"seed {seed}"
    assert memory.journal.verify().intact
