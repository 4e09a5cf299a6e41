"""Records found by the beginning of their ids, and ids of no record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from acting import acting, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, MemorandaError, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

NAMED: dict[str, Callable[[Memoranda, str], object]] = {
    "memory": lambda memory, id: memory.memories.evidence(id),
    "proposal": lambda memory, id: memory.proposals.show(id),
    "feedback": lambda memory, id: memory.feedback.show(id),
    "rule": lambda memory, id: memory.rules.remove(id),
    "observation": lambda memory, id: memory.quarantine.show(id),
}


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


@pytest.mark.parametrize("what", NAMED)
@pytest.mark.parametrize("id", ["", "0" * 36, "nonesuch"], ids=["nothing", "whole", "beginning"])
def test_an_id_that_names_nothing_never_finds_the_only_thing_there_is(
    memory: Memoranda, what: str, id: str
) -> None:
    memory.remember("the port is 8123", workspace="shop")
    memory.feedback.add("Never push to main", workspace="shop")
    memory.rules.add(category="insight")
    with pytest.raises(NotFound, match=what):
        NAMED[what](memory, id)
    assert len(memory.rules.list()) == 1


def test_rules_that_begin_alike_are_left_until_one_is_meant(memory: Memoranda) -> None:
    one, two = (memory.rules.add(confidence=sure) for sure in (0.5, 0.75))
    with pytest.raises(
        InvalidInput, match=r"more than one rule begins with '.{8}': .*; use a longer"
    ):
        memory.rules.remove(one.id[:8])
    assert memory.rules.remove(one.id) == one.id
    assert list(memory.rules.list()) == [two]
    assert memory.rules.remove(two.id[:8]) == two.id


STARTED = 8
"""Common first characters of ids of the same minute."""


def test_private_memories_of_agents_make_no_prefix_ambiguous(memory: Memoranda) -> None:
    """Private memories of another agent with that prefix change no answer."""
    ann, bob = acting(memory, "ann"), acting(memory, "bob")
    nothing = matches_of(bob, "0" * STARTED)
    for word in ("amber", "coral"):
        hers = ann.remember(NewMemory(f"the lamp is {word}", visibility=Visibility.AGENT))
        for caller in (bob, memory):
            assert matches_of(caller, hers.id[:STARTED]) == nothing
    his = bob.remember(NewMemory("the lamp is jade", visibility=Visibility.AGENT))
    assert his.id[:STARTED] == hers.id[:STARTED]
    assert bob.memories.evidence(his.id[:STARTED]).memory == his
    assert bob.resolve(his.id[:STARTED]) == his.id


def test_proposals_of_others_make_no_prefix_ambiguous(memory: Memoranda) -> None:
    ann, bob = acting(memory, "ann"), acting(memory, "bob")
    hers, his = (one.remember(f"{one.acting} sells lamps", workspace="shop") for one in (ann, bob))
    wishes = {one.memory: one.id for one in memory.proposals.list()}
    hers_waits, his_waits = wishes[hers.id], wishes[his.id]
    assert hers_waits[:STARTED] == his_waits[:STARTED]
    assert bob.proposals.show(his_waits[:STARTED]).id == his_waits
    with pytest.raises(InvalidInput, match="more than one proposal"):
        memory.proposals.show(his_waits[:STARTED])


def test_feedback_of_others_makes_no_prefix_ambiguous(memory: Memoranda) -> None:
    ann, bob = acting(memory, "ann", "shop"), acting(memory, "bob", "shop")
    hers, his = (one.feedback.add(f"Never sell {one.acting} lamps").feedback for one in (ann, bob))
    assert hers.id[:STARTED] == his.id[:STARTED]
    assert bob.feedback.show(his.id[:STARTED]).feedback.id == his.id
    with pytest.raises(InvalidInput, match="more than one feedback"):
        memory.feedback.show(his.id[:STARTED])


def matches_of(caller: Memoranda, beginning: str) -> list[str]:
    """Return the answer to each prefix, with the prefix removed."""
    reported = []
    for ask in (caller.memories.evidence, caller.resolve):
        with pytest.raises(MemorandaError) as refused:
            ask(beginning)
        reported.append(f"{refused.value.code}: {refused.value}".replace(beginning, "@"))
    return reported
