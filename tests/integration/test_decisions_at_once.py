"""Concurrent decisions, and decisions of killed processes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from acting import acting, opened
from happenings import finish, killed, start

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.memories.model import MemoryStatus
from memoranda.proposals.model import NotificationKind, ProposalStatus

pytestmark = pytest.mark.integration

OPENED = """
import os, sys
from acting import opened
from memoranda.config import load_settings
from memoranda.exceptions import Conflict
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
"""
APPROVING = (
    OPENED
    + """
sys.stdin.readline()
made = 0
for proposal in memory.proposals.list(limit=1000):
    try:
        memory.proposals.approve(proposal.id, proposal.hash)
        made += 1
        os.write(1, b".\\n")
    except Conflict:
        pass
print(made)
memory.close()
"""
)
LAMPS = 24


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine) as memory:
        bob = acting(memory, "bob", "shop")
        for number in range(LAMPS):
            bob.remember(f"Lamp {number} is on.")
        yield memory
        assert memory.journal.verify().intact


def place(settings: Settings) -> tuple[str, str]:
    """Return the arguments with which a child opens the same store."""
    return str(settings.data_dir), settings.database_url or ""


def whole(memory: Memoranda) -> int:
    """Return the number of approved proposals with all of their effects."""
    approved = memory.proposals.list(status=ProposalStatus.APPROVED, limit=1_000).items
    memories = {one.id for one in memory.memories.list(status=MemoryStatus.APPROVED, limit=1_000)}
    assert {one.memory for one in approved} == memories
    entries = [
        one.subject
        for one in memory.journal.list(limit=1_000)
        if one.operation == "proposal approved"
    ]
    assert sorted(entries) == sorted(one.id for one in approved)
    for one in approved:
        (before,) = memory.memories.history(one.memory).items
        assert before.state == one.before
    return len(approved)


def test_an_approval_that_is_killed_is_whole_or_not_there(
    engine: Settings, memory: Memoranda
) -> None:
    chance = random.Random(random.randrange(1 << 30))
    number = 0
    for _ in range(3):
        child = start(APPROVING, *place(engine))
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        for _ in range(chance.randrange(1, 5)):
            line = child.stdout.readline()
            if line.strip().isdigit():
                break  # its count at the end: on a busy machine the others may do all
            assert line == ".\n", child.communicate()[1]
            number += 1
        number += killed(child).count(".")
        assert whole(memory) in range(number, LAMPS + 1)
    news = [
        one
        for one in memory.proposals.notifications("mail")
        if one.notice is NotificationKind.APPROVED
    ]
    assert len(news) == whole(memory) >= number


def test_of_three_processes_each_proposal_is_approved_by_one(
    engine: Settings, memory: Memoranda
) -> None:
    children = [start(APPROVING, *place(engine)) for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    made = [int(finish(child).split()[-1]) for child in children]
    assert sum(made) == LAMPS
    assert whole(memory) == LAMPS
    assert memory.proposals.count() == 0
