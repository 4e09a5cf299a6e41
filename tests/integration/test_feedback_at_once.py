"""Feedback processed by several processes, some of which are killed."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from acting import opened
from happenings import finish, killed, message_event, start

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.feedback.feedback_service import NewFeedback
from memoranda.feedback.model import EffectTarget, FeedbackState, FeedbackType
from memoranda.observations.model import Origin
from memoranda.scope import Scope

pytestmark = pytest.mark.integration

OPENED = """
import os, sys
from acting import opened
from memoranda.config import load_settings
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
services = memory._services
"""
PROCESSING = (
    OPENED
    + """
sys.stdin.readline()
done = 0
for one in memory.feedback.list(limit=1000):
    if services.feedback_processing.process(one.team, one.id):
        done += 1
        os.write(1, b".\\n")
print(done)
memory.close()
"""
)
WORKING = (
    OPENED
    + """
sys.stdin.readline()
while memory._services.worker.run():
    pass
print("done")
memory.close()
"""
)
LISTENING = (
    OPENED
    + """
from memoranda.scope import Scope
sys.stdin.readline()
(task,) = [one.id for one in memory.tasks.list()]
print(services.hearing.listen(Scope(services.settings.team), task))
memory.close()
"""
)
LINES, RULES, REFUSALS = 8, 8, 8
EVERY = LINES + RULES + REFUSALS


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return pending feedback of every kind, with its jobs."""
    with opened(engine) as memory:
        task = memory.tasks.show(memory.observe("begin", task="one", workspace="shop").task)
        memory._services.background.stop()  # the child processes must do it
        scope = Scope("local", task.workspace, None, task.id)
        book = memory._services.feedback
        values = [NewFeedback(f"ring bell {n}", FeedbackType.INSTRUCTION) for n in range(LINES)]
        values += [
            NewFeedback(f"lamp {n} is always on", FeedbackType.PATTERN) for n in range(RULES)
        ]
        about = "Use UUIDs for the primary keys"
        values += [NewFeedback(f"no {n}", FeedbackType.REJECTION, about) for n in range(REFUSALS)]
        for one in values:
            book.add(scope, book.checked(one))
        yield memory
        assert memory.journal.verify().intact


def place(settings: Settings) -> tuple[str, str]:
    """Return the arguments with which a child opens the same store."""
    return str(settings.data_dir), settings.database_url or ""


def whole(memory: Memoranda) -> int:
    """Return the number of processed items with exactly their effects."""
    done = memory.feedback.list(state="processed", limit=1_000).items
    effects = [one for each in done for one in memory.feedback.show(each.id).effects]
    waiting = memory.feedback.list(state="waiting", limit=1_000).items
    assert all(memory.feedback.show(each.id).effects == () for each in waiting)
    kinds = Counter(one.touched for one in effects)
    result = Counter(each.type for each in done)
    noted = result[FeedbackType.INSTRUCTION] + result[FeedbackType.REJECTION]
    learned, project = (
        [line for line in memory.blocks.show(label, task="1").value.split("\n") if line]
        for label in ("learned", "project")
    )
    assert (len(learned), len(project)) == (noted, result[FeedbackType.PATTERN])
    assert kinds[EffectTarget.BLOCK] == len(learned) + len(project)
    memories = memory.memories.list(limit=1_000).items
    rules = [one for one in memories if one.title.startswith("Don't suggest")]
    assert len(memories) - len(rules) == kinds[EffectTarget.MEMORY] == result[FeedbackType.PATTERN]
    refused = result[FeedbackType.REJECTION]
    assert kinds[EffectTarget.SUGGESTION] == refused
    assert sum(one.rejected for one in memory.feedback.suggestions()) == refused
    assert len(rules) == kinds[EffectTarget.RULE] == (refused >= 3)
    assert sum(one.uses for one in rules) == kinds[EffectTarget.REINFORCED] == max(0, refused - 3)
    entries = [
        e.subject for e in memory.journal.list(limit=1_000) if e.operation.endswith("processed")
    ]
    assert sorted(entries) == sorted(one.id for one in done)
    return len(done)


def test_feedback_is_processed_whole_or_not_at_all_by_who_is_killed(
    engine: Settings, memory: Memoranda
) -> None:
    chance = random.Random(random.randrange(1 << 30))
    number = 0
    for _ in range(4):
        child = start(PROCESSING, *place(engine))
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        for _ in range(chance.randrange(1, 5)):
            line = child.stdout.readline()
            if line.strip().isdigit():
                break  # its count at the end: on a busy machine the others may do all
            assert line == ".\n", child.communicate()[1]
            number += 1
        time.sleep(chance.random() / 100)
        number += killed(child).count(".")
        assert whole(memory) in range(number, EVERY + 1)
    while memory._services.feedback_processing.catch_up("local"):
        pass
    assert whole(memory) == EVERY


def test_two_workers_of_whom_one_is_killed_do_each_feedback_once(
    engine: Settings, memory: Memoranda
) -> None:
    children = [start(WORKING, *place(engine)) for _ in range(2)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    time.sleep(random.random() / 5)
    children[0].kill()
    children[0].communicate()
    assert finish(children[1]).split()[-1] == "done"
    memory.feedback.process()  # the killed process's lease has not expired
    assert whole(memory) == EVERY
    assert memory.feedback.list(state=FeedbackState.WAITING).items == ()


def test_three_processes_at_once_do_each_feedback_once(engine: Settings, memory: Memoranda) -> None:
    children = [start(PROCESSING, *place(engine)) for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    done = [int(finish(child).split()[-1]) for child in children]
    assert sum(done) == EVERY
    assert whole(memory) == EVERY


def test_of_three_concurrent_readers_one_processes_each_message(engine: Settings) -> None:
    with opened(engine) as memory:
        memory._services.background.stop()
        events = [message_event("0", "Begin")]
        for number in range(20):
            events.append(
                message_event(f"a{number}", f"I suggest lamp {number}.", origin=Origin.AGENT)
            )
            events.append(message_event(f"p{number}", f"I don't want lamp {number}"))
        memory.capture.take(events, workspace="shop")
        children = [start(LISTENING, *place(engine)) for _ in range(3)]
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        found = [int(finish(child).split()[-1]) for child in children]
        assert sum(found) == 20
        assert len(memory.feedback.list(limit=1_000).items) == 20
