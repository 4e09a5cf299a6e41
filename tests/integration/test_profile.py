"""The profile: in every context, and within its limit after any change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from acting import acting, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound, ProfileFull
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.profile.model import LIMIT, OVERHEAD, cost
from memoranda.proposals.model import MemoryEdit

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

WORD = " a"
"""One token."""


def known(content: str, **arguments: Any) -> NewMemory:
    """Store domain knowledge, which is part of the profile."""
    return NewMemory(content, category=Category.DOMAIN_KNOWLEDGE, **arguments)


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


@pytest.fixture
def bob(memory: Memoranda) -> Memoranda:
    return acting(memory, "bob", "shop")


def weighing(tokens: int, name: str = "one") -> str:
    """Return a text that takes this many tokens of the profile."""
    return f"{name}:" + WORD * (tokens - OVERHEAD - 2)


def fill(memory: Memoranda, tokens: int, workspace: str = "shop") -> Memory:
    """Fill a workspace's profile with this many tokens."""
    memory._named_or_new(workspace)
    for name in ("first", "second", "third"):
        if tokens - memory.profile.show(workspace=workspace).used > 3_000:
            memory.profile.add(weighing(2_500, f"{workspace} {name}"), workspace=workspace)
    used = memory.profile.show(workspace=workspace).used
    low = memory.profile.add("last", workspace=workspace)
    edit = "last" + WORD * (tokens - used - cost(low))
    return memory.profile.edit(low.id, MemoryEdit(content=edit)).memory


def test_the_profile_is_shown_with_what_it_takes(memory: Memoranda) -> None:
    tabs = memory.profile.add("Tabs, never spaces.", workspace="shop", protected=True)
    cents = memory.remember(known("Amounts are in cents."), workspace="shop")
    french = memory.profile.add("Reply in French.", "communication_style")
    memory.remember(NewMemory("We chose SQLite.", category=Category.DECISION), workspace="shop")
    memory.profile.add("Another place.", workspace="yard")
    shown = memory.profile.show(workspace="shop")
    assert shown.memories.items[0].id == tabs.id
    assert {one.id for one in shown.memories} == {tabs.id, cents.id, french.id}
    assert (shown.entries, shown.limit) == (3, 10_000)
    assert shown.used == cost(tabs) + cost(cents) + cost(french)
    assert shown.categories == {
        "user_preference": cost(tabs),
        "project_pattern": 0,
        "learned_rule": 0,
        "domain_knowledge": cost(cents),
        "communication_style": cost(french),
    }
    assert [one.id for one in memory.profile.show().memories] == [french.id]
    file = memory.profile.agent_file(workspace="shop")
    assert file.index("Tabs") < file.index("cents") < file.index("French")
    assert "SQLite" not in file


def test_pages_of_the_profile_neither_repeat_nor_skip(memory: Memoranda) -> None:
    made = {memory.profile.add(f"Lamp {n} is on.", workspace="shop").id for n in range(7)}
    found, cursor = [], None
    while True:
        page = memory.profile.show(workspace="shop", limit=3, cursor=cursor).memories
        found += [one.id for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert len(found) == len(made)
    assert set(found) == made
    with pytest.raises(InvalidInput):
        memory.profile.show(limit=0)


def test_the_ten_thousandth_token_fits_and_the_next_does_not(memory: Memoranda) -> None:
    last = fill(memory, LIMIT)
    assert memory.profile.show(workspace="shop").used == LIMIT
    longer = MemoryEdit(content=last.content + WORD)
    with pytest.raises(ProfileFull, match="memoranda optimize --workspace shop") as full:
        memory.profile.edit(last.id, longer)
    assert (full.value.used, full.value.limit, full.value.needed) == (10_000, 10_000, 1)
    assert memory.memories.evidence(last.id).memory == last
    assert memory.memories.history(last.id).items[0].version == 1
    with pytest.raises(ProfileFull, match="has 10,000 of 10,000 tokens, this needs 21 more"):
        memory.profile.add("x", workspace="shop")
    assert memory.profile.show(workspace="shop").entries == 4
    assert memory.journal.verify().intact


def test_every_way_into_a_full_profile_is_refused(memory: Memoranda, bob: Memoranda) -> None:
    fill(memory, LIMIT)
    before = memory.profile.show(workspace="shop")
    decided = NewMemory("We chose it.", category=Category.DECISION)
    other = memory.remember(decided, workspace="shop")
    away = memory.profile.add("Yards are blue.", workspace="yard")
    ways = {
        "remember": lambda: memory.remember(known("Amounts are in cents."), workspace="shop"),
        "for all": lambda: memory.profile.add("Reply in French."),
        "category": lambda: memory.memories.edit(
            other.id, MemoryEdit(category=Category.LEARNED_RULE)
        ),
        "promote": lambda: memory.memories.promote(away.id),
        "critical": lambda: memory.remember(known("Never.", critical=True), workspace="shop"),
    }
    for name, way in ways.items():
        with pytest.raises(ProfileFull):
            way()
        assert memory.profile.show(workspace="shop") == before, name
    assert memory.memories.evidence(away.id).memory == away
    assert memory.memories.evidence(other.id).memory == other
    waits = bob.remember(known("Amounts are in cents."))
    assert waits.status is MemoryStatus.PENDING
    (proposal,) = memory.proposals.list().items
    with pytest.raises(ProfileFull):
        memory.proposals.approve(proposal.id, proposal.hash)
    assert memory.proposals.count() == 1
    decided_all = memory.proposals.approve_all([proposal])
    assert decided_all.approved == ()
    assert "memoranda optimize" in decided_all.left[0].reason


def test_what_comes_back_into_a_full_profile_is_refused_too(memory: Memoranda) -> None:
    gone = memory.profile.add("Tabs, never spaces.", workspace="shop")
    memory.profile.remove(gone.id)
    fill(memory, LIMIT)
    with pytest.raises(ProfileFull):
        memory.memories.restore(gone.id, 1)
    assert memory.memories.evidence(gone.id).memory.status is MemoryStatus.ARCHIVED


def test_a_full_profile_can_shrink_and_change_within_its_size(memory: Memoranda) -> None:
    last = fill(memory, LIMIT)
    same = last.content.replace(WORD, " b", 1)
    memory.profile.edit(last.id, MemoryEdit(content=same))
    memory.profile.edit(last.id, MemoryEdit(protected=True))
    memory.profile.edit(last.id, MemoryEdit(category=Category.LEARNED_RULE))
    memory.profile.edit(last.id, MemoryEdit(content="short"))
    memory.remember(NewMemory("We chose it.", category=Category.DECISION), workspace="shop")
    assert memory.profile.show(workspace="shop").used < LIMIT


def test_what_is_for_all_must_fit_every_workspace(memory: Memoranda) -> None:
    for place in ("shop", "yard"):
        memory.profile.add(weighing(2_000, place), workspace=place)
    fill(memory, LIMIT, "yard")
    memory.profile.add("only here", workspace="shop")
    with pytest.raises(ProfileFull, match="the profile of yard has"):
        memory.profile.add("for everybody")


def test_private_memories_count_for_their_agent_alone(memory: Memoranda, bob: Memoranda) -> None:
    mine = bob.remember(known(weighing(3_000), visibility=Visibility.AGENT))
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    assert bob.profile.show().used == cost(mine)
    assert memory.profile.show(workspace="shop").used == 0
    assert acting(memory, "eve", "shop").profile.show().used == 0
    memory.profile.add(weighing(4_000, "two"), workspace="shop")
    with pytest.raises(ProfileFull, match="as bob sees it"):
        memory.profile.add(weighing(3_500, "three"), workspace="shop")
    memory.profile.add(weighing(3_500, "four"), workspace="yard")


@pytest.mark.parametrize("value", ["decision", "nonesuch"])
def test_other_categories_are_none_of_the_profile(memory: Memoranda, value: str) -> None:
    with pytest.raises(InvalidInput, match=value):
        memory.profile.add("text", value, workspace="shop")


def test_only_what_is_in_the_profile_is_edited_there(memory: Memoranda, bob: Memoranda) -> None:
    other = memory.remember(NewMemory("Chosen.", category=Category.DECISION), workspace="shop")
    for act in (
        lambda: memory.profile.edit(other.id, MemoryEdit(content="x")),
        lambda: memory.profile.remove(other.id),
    ):
        with pytest.raises(NotFound, match="not in the profile"):
            act()
    tabs = memory.profile.add("Tabs, never spaces.", workspace="shop")
    wish = bob.profile.remove(tabs.id, reason="why tabs")
    assert wish.proposal is not None
    assert memory.memories.evidence(tabs.id).memory == tabs
    assert bob.profile.add("Bob likes tea.").status is MemoryStatus.PENDING


def test_a_context_lists_the_profile_by_importance(memory: Memoranda) -> None:
    memory.capture.take([])
    lamps = [memory.remember(known(f"Lamp {n} is on."), workspace="shop") for n in range(40)]
    kept = memory.remember(known("Lamp 7 is new.", protected=True), workspace="shop")
    critical = memory.remember(known("Lamp 9 is hot.", critical=True), workspace="shop")
    chosen = memory.remember(NewMemory("We chose.", category=Category.INSIGHT), workspace="shop")
    memory.capture.drain(wait=True)
    brief = memory.context(workspace="shop", budget=400)
    sections = {one.name: [item.id for item in one.items] for one in brief.sections}
    assert brief.tokens <= 400
    assert sections["critical-facts"] == [critical.id]
    assert sections["profile"][0] == kept.id
    assert critical.id not in sections["profile"]
    assert sections["memories"] == [chosen.id]
    (out,) = [one for one in brief.left_out if one.section == "profile"]
    assert out.count == len(lamps) + 1 - len(sections["profile"])
    assert f"memoranda profile show ({out.count})" in brief.text
    everything = memory.context(workspace="shop", budget=9_000)
    result = next(one for one in everything.sections if one.name == "profile")
    assert {item.id for item in result.items} == {one.id for one in [*lamps, kept]}
    assert everything.text == memory.context(workspace="shop", budget=9_000).text


def test_an_answer_is_included_even_if_unimportant(memory: Memoranda) -> None:
    for number in range(60):
        memory.profile.add(f"Lamp {number} is on in the long hall.", workspace="shop")
    memory.profile.add("The heliotrope pump is at gate 4.", workspace="shop")
    for number in range(60, 90):
        memory.profile.add(f"Lamp {number} is on in the long hall.", workspace="shop")
    memory.capture.drain()
    brief = memory.context(workspace="shop", budget=500, query="where is the heliotrope pump")
    assert "gate 4" in brief.text


def test_without_a_workspace_every_profile_is_included(memory: Memoranda) -> None:
    memory.profile.add("Yards are blue.", workspace="yard")
    memory.profile.add("Reply in French.")
    text = memory.context(budget=2_000).text
    assert "Yards are blue." in text
    assert "Reply in French." in text
