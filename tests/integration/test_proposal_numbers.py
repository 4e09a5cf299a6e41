"""Proposals are found by number, id or the beginning of the id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.proposals.model import Proposal, ProposalStatus
from memoranda.scope import Scope

pytestmark = pytest.mark.integration

TEXTS = ("Deploys happen on Tuesdays.", "Prices are net.", "Logs go to stderr.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        yield memory


def agent(memory: Memoranda, name: str = "critic", team: str | None = None) -> Memoranda:
    """Return the memory as an agent."""
    return Memoranda(memory._services, Scope(team or memory.settings.team, agent=name))


def proposed(memory: Memoranda) -> list[Proposal]:
    """Make an agent's proposals of the texts; return them, oldest first."""
    for text in TEXTS:
        agent(memory).remember(NewMemory(text))
    return sorted(memory.proposals.list().items, key=lambda one: one.number)


def test_numbers_are_assigned_in_order_and_stay(memory: Memoranda) -> None:
    made = proposed(memory)
    assert [one.number for one in made] == [1, 2, 3]
    memory.proposals.reject("2")
    again = agent(memory).remember(NewMemory("Backups run at noon."))
    numbers = {one.number: one.memory for one in memory.proposals.list().items}
    assert numbers == {1: made[0].memory, 3: made[2].memory, 4: again.id}
    assert memory.proposals.show("2").status is ProposalStatus.REJECTED


@pytest.mark.parametrize("form", ["{number}", "#{number}", " {number} ", "{id}", "{beginning}"])
def test_every_printed_form_finds_it(memory: Memoranda, form: str) -> None:
    for one in proposed(memory):
        ids = [other.id for other in memory.proposals.list().items]
        length = next(
            size for size in range(8, 37) if sum(id.startswith(one.id[:size]) for id in ids) == 1
        )
        text = form.format(number=one.number, id=one.id, beginning=one.id[:length])
        assert memory.proposals.show(text).id == one.id


@pytest.mark.parametrize("text", ["9", "#9", "0", "#0", "-1", "1.0", "x", "ffffffff"])
def test_what_names_none_is_not_found(memory: Memoranda, text: str) -> None:
    proposed(memory)
    with pytest.raises((NotFound, InvalidInput)):
        memory.proposals.show(text)
    assert memory.proposals.count() == len(TEXTS)


def test_a_beginning_of_several_ids_is_refused(memory: Memoranda) -> None:
    first, *others = proposed(memory)
    size = next(
        size
        for size in range(len(first.id), 0, -1)
        if any(one.id.startswith(first.id[:size]) for one in others)
    )
    if size < 8:
        pytest.skip("the ids share too few characters")
    with pytest.raises(InvalidInput, match="more than one"):
        memory.proposals.show(first.id[:size])


def test_an_agent_finds_its_own_only(memory: Memoranda) -> None:
    (first, *_) = proposed(memory)
    assert agent(memory).proposals.show("#1").id == first.id
    with pytest.raises(NotFound):
        agent(memory, "planner").proposals.show("#1")
    with pytest.raises(NotFound):
        agent(memory, "planner").proposals.show(first.id)


def test_each_team_has_numbers_of_its_own(memory: Memoranda) -> None:
    proposed(memory)
    other = Memoranda(memory._services, Scope("other"))
    agent(memory, team="other").remember(NewMemory("Ours is another team."))
    assert [one.number for one in other.proposals.list().items] == [1]
    with pytest.raises(NotFound):
        other.proposals.show("#2")


def test_decisions_take_the_number_that_is_listed(memory: Memoranda) -> None:
    made = proposed(memory)
    memory.proposals.approve("#1", shown=memory.proposals.show("1").hash)
    memory.proposals.reject("3", note="no")
    assert memory.proposals.show("1").status is ProposalStatus.APPROVED
    assert memory.proposals.show("3").status is ProposalStatus.REJECTED
    assert [one.number for one in memory.proposals.list().items] == [2]
    assert memory.memories.show(made[0].memory).memory.content == TEXTS[0]
