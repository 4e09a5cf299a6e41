"""Records tied to observations and tasks, and the preview of a rollback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from acting import acting, begun, opened
from happenings import ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.observations.model import IndexEntry

pytestmark = pytest.mark.integration


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def lamps(memory: Memoranda) -> tuple[IndexEntry, ...]:
    """Return two failed calls, of which one was repeated with success."""
    trouble = [("b", "make lamp", "cc: error: no such file: lamp.c")]
    trouble.insert(0, ("a", "python lamp.py", "ModuleNotFoundError: No module named 'lamp_kit'"))
    failed = [replace(ran(*one), failed=True) for one in trouble]
    memory.capture.take([*failed, ran("c", "python lamp.py", "the lamp runs")])
    return memory.observations.index(task=memory.tasks.list().items[0].id).items


def test_an_error_and_what_ended_it_name_each_other(memory: Memoranda) -> None:
    error, other, fix = lamps(memory)
    first, second, third = memory.observations.backlinks([error.id, other.id, fix.id])
    assert (first.ended_by, first.ends) == (fix.ref, "")
    assert (second.ended_by, second.ends) == ("", "")
    assert (third.ended_by, third.ends) == ("", error.ref)


def test_errors_of_tasks_are_counted_with_the_open_ones(memory: Memoranda) -> None:
    lamps(memory)
    task, other = memory.tasks.list().items[0].id, begun(memory)
    memory.errors.record("read the wrong page", type="hallucination", task=other)
    mine, others = memory.errors.count([task, other])
    assert (mine.errors, mine.open) == (2, 1)
    assert (others.errors, others.open) == (1, 1)
    with pytest.raises(NotFound):
        memory.errors.count(["nonesuch"])


def test_memories_that_rest_on_an_observation_are_named_to_whoever_sees_them(
    memory: Memoranda,
) -> None:
    seen = memory.observe("lamps come in boxes of six", task="lamps", workspace="shop")
    bob = acting(memory, "bob", "shop")
    everybodys = memory.remember(
        NewMemory("Boxes hold six lamps.", evidence=(seen.id,)), workspace="shop"
    )
    own = bob.remember(
        NewMemory("Ask for boxes.", evidence=(seen.id,), visibility=Visibility.AGENT)
    )
    (mine,), (yours,) = (
        bob.observations.backlinks([seen.id]),
        acting(memory, "ada", "shop").observations.backlinks([seen.id]),
    )
    assert {one.id for one in mine.memories} == {everybodys.id, own.id}
    assert [one.id for one in yours.memories] == [everybodys.id]
    assert acting(memory, "bob", "mill").observations.backlinks([seen.id]) == ()


def test_no_more_than_200_are_returned_at_once(memory: Memoranda) -> None:
    with pytest.raises(InvalidInput):
        memory.observations.backlinks(["x"] * 201)
    assert memory.observations.backlinks(["01234567-0000-7000-8000-000000000001"]) == ()


def test_a_dry_run_rollback_reports_its_changes_and_changes_nothing(
    memory: Memoranda,
) -> None:
    task = begun(memory)
    memory.blocks.rethink("task", "first", task=task)
    memory.checkpoints.create(task, "coding", state={"n": 1})
    memory.blocks.rethink("task", "second", task=task)
    memory.tasks.note(task, {"n": 2})
    entries = len(memory.journal.list(limit=1_000))
    tried = memory.checkpoints.rollback(task, "1", dry_run=True)
    assert tried.blocks == ("task",)
    assert memory.blocks.show("task", task=task).value == "second"
    assert dict(memory.tasks.state(task).state) == {"n": 2}
    assert len(memory.checkpoints.list(task)) == 1
    assert len(memory.journal.list(limit=1_000)) == entries
    checkpoint = memory.checkpoints.diff(task, "now", "1")
    assert "-second" in checkpoint["task"] and "+first" in checkpoint["task"]
    assert '-  "n": 2' in checkpoint["state"]
    memory.checkpoints.rollback(task, "1")
    assert memory.checkpoints.diff(task, "now", "1") == {}
