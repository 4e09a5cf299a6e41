"""Several processes on one store: no call is refused, no data lost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from happenings import environment, finish, run, start

import forked_processes
from memoranda import Memoranda
from memoranda.store.sqlite import inspection_and_backup as maintenance

pytestmark = pytest.mark.integration

SECONDS = 5.0

WRITER = """
import sys, time
from happenings import ran
from memoranda import Memoranda

end, name, turn = time.monotonic() + float(sys.argv[2]), sys.argv[3], 0
with Memoranda.open(sys.argv[1]) as memory:
    while time.monotonic() < end:
        key = f"{name}-{turn}"
        memory.capture.take([ran(key, f"echo {key}", key, session=name)])
        turn += 1
print(turn)
"""

READER = """
import sys, time
from memoranda import Memoranda

end, seen = time.monotonic() + float(sys.argv[2]), 0
with Memoranda.open(sys.argv[1]) as memory:
    while time.monotonic() < end:
        memory.search("echo", limit=5)
        memory.context(budget=500)
        page = memory.observations.list(limit=1000)
        assert len({o.id for o in page}) == len(page)
        count = memory.store.stats().observations
        assert count >= seen, "a reader went back in time"
        seen = count
print(seen)
"""

FORKING = """
import os, sys
from memoranda import Memoranda
from memoranda.exceptions import StorageUnusable

memory = Memoranda.open(sys.argv[1])
memory.observe("before the fork", key="1")
memory._services.background.stop()
child = os.fork()
if child == 0:
    try:
        memory.observe("in the child", key="2")
    except StorageUnusable as error:
        os._exit(0 if "fork" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
memory.observe("after the fork", key="3")
print(memory.store.stats().observations)
"""


def test_writers_readers_and_commands_share_a_store(data_dir: Path) -> None:
    Memoranda.open(data_dir).close()
    writers = [start(WRITER, data_dir, SECONDS, name) for name in ("left", "right")]
    readers = [start(READER, data_dir, SECONDS) for _ in range(2)]
    stored = _use_commands(data_dir, time.monotonic() + SECONDS)
    written = [int(finish(process)) for process in writers]
    for process in readers:
        finish(process)
    with Memoranda.open(data_dir) as memory:
        assert memory.store.stats().observations == sum(written) + stored
        assert maintenance.inspect(memory._database).sound
        assert memory.journal.verify().intact
        counts = sorted(task.observations for task in memory.tasks.list())
        assert counts == sorted([*written, stored])


def test_a_store_that_was_open_at_a_fork_is_refused_in_the_child(data_dir: Path) -> None:
    assert run(FORKING, data_dir).split() == ["2"]


def _use_commands(data_dir: Path, end: float) -> int:
    """Run commands until a time; return the number of stored observations."""
    stored = 0
    while time.monotonic() < end:
        for arguments in (["observe", f"noted {stored}"], ["search", "echo"], ["task", "list"]):
            _command(data_dir, *arguments)
        stored += 1
    return stored


def _command(data_dir: Path, *arguments: str) -> None:
    words = ["--data-dir", str(data_dir), *arguments]
    done = forked_processes.run(words, environment(), data_dir.parent, seconds=60)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
