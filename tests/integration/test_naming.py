"""Things that are named by the beginning of their ids, or of no id at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from acting import opened

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.errors import InvalidInput, NotFound
from memoranda.testing.clock import FixedClock

pytestmark = pytest.mark.integration

NAMED: dict[str, Callable[[Memoranda, str], object]] = {
    "memory": lambda memory, id: memory.why(id),
    "proposal": lambda memory, id: memory.proposal(id),
    "feedback": lambda memory, id: memory.feedback_show(id),
    "rule": lambda memory, id: memory.rule_remove(id),
    "observation": lambda memory, id: memory.quarantine_show(id),
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
    memory.feedback_add("Never push to main", workspace="shop")
    memory.rule_add(category="insight")
    with pytest.raises(NotFound, match=what):
        NAMED[what](memory, id)
    assert len(memory.rules()) == 1


def test_rules_that_begin_alike_are_left_until_one_is_meant(memory: Memoranda) -> None:
    one, two = (memory.rule_add(confidence=sure) for sure in (0.5, 0.75))
    with pytest.raises(InvalidInput, match=r"more than one rule begins with '.{8}'; give more"):
        memory.rule_remove(one.id[:8])
    assert memory.rule_remove(one.id) == one.id
    assert list(memory.rules()) == [two]
    assert memory.rule_remove(two.id[:8]) == two.id
