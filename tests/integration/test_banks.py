"""Banks: counts of memories and tasks by place, for those who see them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acting import acting, begun, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.banks.model import GLOBAL
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Visibility

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def keep(memory: Memoranda, text: str, category: str, workspace: str | None = None) -> str:
    """Store a memory in a workspace or for the whole team; return its id."""
    visibility = Visibility.WORKSPACE if workspace else Visibility.TEAM
    statement = NewMemory(text, category=Category(category), visibility=visibility)
    return memory.remember(statement, workspace=workspace).id


def test_a_bank_counts_the_valid_memories_of_its_place(memory: Memoranda) -> None:
    begun(memory, workspace="shop")
    keep(memory, "errors are values", "pattern", "shop")
    keep(memory, "one table for prices", "pattern", "shop")
    keep(memory, "SQLite, not files", "decision", "shop")
    keep(memory, "pin what moves", "insight")
    acting(memory, "bob", "shop").remember("a guess")
    shared, shop = memory.banks.list()
    assert (shared.name, shared.workspace, shared.tasks) == (GLOBAL, None, 0)
    assert shared.memories == {Category.INSIGHT: 1}
    assert (shop.name, shop.tasks, shop.pending) == ("shop", 1, 1)
    assert list(shop.memories.items()) == [(Category.PATTERN, 2), (Category.DECISION, 1)]
    assert shop.last_at is not None
    assert shared.last_at is not None


def test_a_store_of_nothing_has_the_bank_of_the_team(memory: Memoranda) -> None:
    (shared,) = memory.banks.list()
    assert (shared.memories, shared.pending, shared.tasks, shared.last_at) == ({}, 0, 0, None)
    assert memory.banks.show().entries == {}
    assert memory.banks.entries().items == ()


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_pages_give_every_bank_once(memory: Memoranda, size: int) -> None:
    for name in ("b", "a", "d", "c"):
        begun(memory, name, workspace=name)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.banks.list(cursor=cursor, limit=size)
        assert len(page) <= size
        seen += [bank.name for bank in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [GLOBAL, "a", "b", "c", "d"]


def test_a_sheet_shows_the_newest_of_each_category(memory: Memoranda) -> None:
    begun(memory, workspace="shop")
    made = [keep(memory, f"rule {n}", "pattern", "shop") for n in range(7)]
    sheet = memory.banks.show("shop")
    assert [one.id for one in sheet.entries[Category.PATTERN]] == made[:1:-1]
    assert sheet.bank.memories == {Category.PATTERN: 7}
    assert [task.workspace for task in sheet.tasks] == [sheet.bank.workspace]
    assert memory.banks.show(sheet.bank.workspace or "") == sheet  # by its id as well


def test_what_is_archived_or_private_is_not_shown(memory: Memoranda) -> None:
    bob = acting(memory, "bob", "shop")
    secret = bob.remember(NewMemory("mine", visibility=Visibility.AGENT))
    (waits,) = memory.proposals.list()
    memory.proposals.approve(waits.id, waits.hash)
    gone = keep(memory, "old", "pattern", "shop")
    memory.memories.archive(gone)
    assert memory.banks.entries("shop").items == ()
    assert memory.banks.show("shop").bank.memories == {}
    assert [one.id for one in bob.banks.entries("shop")] == [secret.id]


def test_promoting_moves_a_memory_to_the_bank_of_the_team(memory: Memoranda) -> None:
    id = keep(memory, "pin what moves", "insight", "shop")
    assert [one.id for one in memory.banks.entries("shop")] == [id]
    memory.memories.promote(id)
    assert memory.banks.entries("shop").items == ()
    assert [one.id for one in memory.banks.entries()] == [id]
    assert memory.banks.entries(category=Category.DECISION).items == ()


def test_an_unknown_bank_is_no_empty_one(memory: Memoranda) -> None:
    with pytest.raises(NotFound, match="no workspace 'nonesuch'"):
        memory.banks.show("nonesuch")
    with pytest.raises(InvalidInput, match="is not a bank"):
        memory.banks.entries("all")
    with pytest.raises(InvalidInput):
        memory.banks.list(limit=0)
