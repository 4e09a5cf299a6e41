"""Memories are related once, by any process, by words and by meaning."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

import pytest
from acting import opened
from happenings import finish, start

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.memories import extraction_table as memory_encodings
from memoranda.memories.link_model import LinkKind
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Memory, Visibility
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryEdit
from memoranda.scope import Scope
from memoranda.store.table_catalogue import TABLES

pytestmark = pytest.mark.integration

NAMES = ("Ana", "Bob", "Carol", "Dan", "Eve", "Frank", "Grace", "Heidi", "Ivan", "Judy")
RELATING = """
import os, sys
from acting import opened
from memoranda.config import load_settings
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2]}
memory = opened(load_settings({name: value for name, value in given.items() if value}, {}))
services = memory._services
sys.stdin.readline()
services.encodings.encode()
while services.relating.relate(1):
    os.write(1, b".")
memory.close()
"""


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory
        assert memory.journal.verify().intact


def planted(memory: Memoranda) -> list[tuple[Memory, Memory]]:
    """Store pairs whose second supersedes the first, without comparing them."""
    book = memory._services.memories

    def say(content: str) -> Memory:
        stored = NewMemory(content, visibility=Visibility.TEAM)
        return book.remember(stored, Scope(), Origin.HUMAN, "human")

    return [
        (say(f"{name} lives in Oslo."), say(f"{name} no longer lives in Oslo.")) for name in NAMES
    ]


def assert_each_ended_once(memory: Memoranda, pairs: list[tuple[Memory, Memory]]) -> None:
    changed = [one.subject for one in memory.journal.list(limit=1_000, operation="memory change")]
    for older, newer in pairs:
        assert memory.memories.evidence(older.id).memory.superseded_by == newer.id
        assert len(memory.memories.history(older.id).items) == 1
        assert changed.count(older.id) == changed.count(newer.id) == 1
        kinds = [one.kind for one in memory.memories.show(older.id).links]
        assert kinds.count(LinkKind.SUPERSEDES) == 1


def test_comparing_that_is_killed_goes_on_and_doubles_nothing(
    engine: Settings, memory: Memoranda
) -> None:
    pairs = planted(memory)
    chance = random.Random(random.randrange(1 << 30))
    for _ in range(3):
        child = start(RELATING, str(engine.data_dir), engine.database_url or "")
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        child.stdout.read(chance.randrange(1, 6))
        child.kill()
        child.communicate()
    finish_with_newline(engine)
    assert_each_ended_once(memory, pairs)


def finish_with_newline(engine: Settings) -> None:
    child = start(RELATING, str(engine.data_dir), engine.database_url or "")
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()
    finish(child)


def test_several_processes_end_each_memory_once(engine: Settings, memory: Memoranda) -> None:
    pairs = planted(memory)
    children = [start(RELATING, str(engine.data_dir), engine.database_url or "") for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        finish(child)
    assert_each_ended_once(memory, pairs)


class TestByMeaning:
    """With vectors, similar statements are found in other words."""

    HOUSES = "The town paints all of its old houses yellow."
    AGAIN = "The town paints all its old houses yellow."
    NEAR = "Old houses of the town are painted in bright colours."

    @pytest.fixture
    def memory(self, engine: Settings) -> Iterator[Memoranda]:
        with Memoranda.open(settings=engine) as memory:
            yield memory

    def stated_memory(self, memory: Memoranda, content: str) -> Memory:
        kept = memory.remember(content, workspace="shop")
        memory.index.reembed()
        memory.capture.drain()
        return kept

    def test_an_equal_statement_counts_as_one_use(self, memory: Memoranda) -> None:
        first, second = (self.stated_memory(memory, text) for text in (self.HOUSES, self.AGAIN))
        assert first.id != second.id
        (link,) = memory.memories.show(first.id).links
        assert (link.kind, link.memory.id, link.reason) == (
            LinkKind.RELATED,
            second.id,
            "states the same thing",
        )
        assert memory.memories.evidence(first.id).memory.uses == 1
        memory.index.rebuild()
        memory.capture.drain()
        assert memory.memories.evidence(first.id).memory.uses == 1
        assert memory.memories.evidence(second.id).memory.uses == 0

    def test_what_is_near_is_linked_and_strengthens_nothing(self, memory: Memoranda) -> None:
        first, second = (self.stated_memory(memory, text) for text in (self.HOUSES, self.NEAR))
        far = self.stated_memory(memory, "Quarterly invoices are sent by courier.")
        (link,) = memory.memories.show(first.id).links
        assert (link.kind, link.memory.id, link.reason) == (
            LinkKind.RELATED,
            second.id,
            "near in meaning",
        )
        assert memory.memories.evidence(first.id).memory.uses == 0
        assert memory.memories.show(far.id).links == ()

    def test_every_memory_is_compared_by_its_vector_in_the_end(self, memory: Memoranda) -> None:
        kept = [self.stated_memory(memory, text) for text in (self.HOUSES, self.NEAR)]
        model = memory._services.embedder
        assert model is not None
        for one in kept:
            stored = memory._database.read(
                lambda tx, one=one: memory_encodings.by_memory(tx, one.team, one.id)
            )
            assert stored is not None
            assert stored.compared == model.name
        assert not memory._services.relating.waits()


def test_nothing_is_left_to_look_at_once_the_jobs_are_done(memory: Memoranda) -> None:
    def unread() -> list[str]:
        table = next(table for table in TABLES if table.name == "memory_unread")
        page = partial(table.page, team=memory.settings.team, after=None, limit=99)
        return [row[1] for row in memory._services.database.read(page)]

    def settle() -> None:
        while memory._services.worker.run():
            pass

    pairs = planted(memory)
    assert len(unread()) == 2 * len(pairs)
    settle()
    assert unread() == []
    memory.memories.edit(pairs[0][1].id, MemoryEdit(tags=("moved",)))
    assert unread() == [pairs[0][1].id]
    settle()
    assert unread() == []
    memory.index.rebuild()
    assert unread() == []


def test_common_words_are_not_searched_beside_rare_ones(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(memory)  # each of the twenty has a name that two have, and a town that all have
    relating = memory._services.relating

    def telling(*keywords: str) -> list[str]:
        return memory._services.database.read(partial(relating._rarest, keywords=keywords))

    assert telling("oslo", "ana", "zebra") == ["zebra", "ana", "oslo"]
    monkeypatch.setattr("memoranda.memories.automatic_links.ENOUGH", 5)
    assert telling("oslo", "ana", "zebra") == ["zebra", "ana"]
    assert telling("oslo") == ["oslo"]
    assert telling() == []
