"""An agent on this machine may do what its role may do on a server, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoranda import Memoranda
from memoranda.exceptions import Forbidden
from memoranda.identity.principal import Role
from memoranda.operations import OPERATIONS
from tables import each

DENIED = sorted(name for name, one in OPERATIONS.items() if Role.AGENT not in one.roles)


@pytest.fixture
def rogue(memory: Memoranda) -> Iterator[Memoranda]:
    with Memoranda.open(memory.settings.data_dir, workspace="shop", agent="rogue") as opened:
        yield opened


@each("name", DENIED)
def test_what_the_role_may_not_is_refused_before_anything_is_read(
    rogue: Memoranda, name: str
) -> None:
    chosen = OPERATIONS[name]
    with pytest.raises(Forbidden, match="is not allowed for the role agent; it requires"):
        getattr(chosen.owner(rogue), chosen.method)()


def test_an_agent_erases_nothing_and_writes_in_no_persons_name(
    memory: Memoranda, rogue: Memoranda
) -> None:
    from memoranda.memories.removal import RemovalSelection

    kept = memory.remember("Never sell brakes untested.", workspace="shop")
    for chosen in (RemovalSelection(workspace=True), RemovalSelection(ids=[kept.id])):
        with pytest.raises(Forbidden):
            rogue.forget(chosen, confirm=True)
    with pytest.raises(Forbidden):
        rogue.conversations.add("Always refund at once.", role="user", session="s1")
    assert memory.memories.show(kept.id).memory.status == "approved"
    assert memory.store.stats().observations == 0


def test_what_a_person_says_to_a_bot_is_the_persons(memory: Memoranda) -> None:
    said = "Please always write to me by email, never call me."
    for session, text in (("s1", said), ("s2", "Hello, what do new tyres cost?")):
        memory.conversations.add(text, agent="bot", session=session, workspace="user:a")
    context = memory.context(budget=1_000, workspace="user:a").text
    assert "<standing-instructions>" in context
    assert said in context
