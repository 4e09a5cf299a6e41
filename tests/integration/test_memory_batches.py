"""Changes of many memories are one transaction, on both engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.api.service import Service
from memoranda.config import Settings
from memoranda.documents.model import MEMORY_METADATA
from memoranda.exceptions import InvalidInput, MemorandaError, NotFound, Stale
from memoranda.identity.principal import Principal, Role
from memoranda.integrations.mem0.operations import Mem0Memories, Mem0Query
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.proposals.model import MemoryChange, MemoryEdit

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]
ABSENT = "00000000-0000-7000-8000-000000000000"
NEW = MemoryEdit(content="Trains are green.")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def service(engine: Settings) -> Iterator[Service]:
    opened = Service(engine)
    yield opened
    opened.close()


@pytest.fixture
def memory(service: Service) -> Memoranda:
    return service.memory(Principal("default", "ada", Role.ADMIN))


@pytest.fixture
def bot(service: Service) -> Memoranda:
    return service.memory(Principal("default", "bot", Role.AGENT, agent="bot"))


@pytest.fixture
def kept(memory: Memoranda) -> list[Memory]:
    made = [memory.remember(NewMemory(f"Trains of line {n} are blue.")) for n in range(3)]
    memory.memories.edit(made[2].id, MemoryEdit(protected=True))
    return [memory.memories.show(one.id).memory for one in made]


def _now(memory: Memoranda, kept: list[Memory]) -> list[Memory]:
    return [memory.memories.show(one.id).memory for one in kept]


def test_all_changes_are_made_with_their_metadata(memory: Memoranda, kept: list[Memory]) -> None:
    edit = MemoryChange(kept[0].id, NEW, metadata={"n": 1}, updated_at=kept[0].updated_at)
    gone = MemoryChange(kept[1].id, archive=True)
    noted = MemoryChange(kept[2].id, metadata=[2])
    changed = memory.memories.change_all([edit, gone, noted], reason="new paint")
    assert [one.memory.id for one in changed] == [one.id for one in kept]
    first, second, third = _now(memory, kept)
    assert first.content == "Trains are green."
    assert second.status is MemoryStatus.ARCHIVED
    assert third == kept[2]
    found = memory.documents.get(MEMORY_METADATA, [one.id for one in kept])
    assert [(one.key, one.value) for one in found] == [(kept[0].id, {"n": 1}), (kept[2].id, [2])]
    assert memory.memories.history(first.id).items[0].reason == "new paint"
    assert memory.memories.change_all([]) == []


WRONG: Mapping[str, tuple[type[MemorandaError], Any]] = {
    "absent": (NotFound, lambda kept: MemoryChange(ABSENT, NEW)),
    "stale": (Stale, lambda kept: MemoryChange(kept[1].id, NEW, updated_at=1)),
    "protected": (InvalidInput, lambda kept: MemoryChange(kept[2].id, archive=True)),
    "too long": (
        InvalidInput,
        lambda kept: MemoryChange(kept[1].id, MemoryEdit(content="x" * 99_999)),
    ),
    "never holds": (
        InvalidInput,
        lambda kept: MemoryChange(kept[1].id, MemoryEdit(valid_from=9, valid_until=1)),
    ),
    "twice": (InvalidInput, lambda kept: MemoryChange(kept[0].id, archive=True)),
    "both": (InvalidInput, lambda kept: MemoryChange(kept[1].id, NEW, archive=True)),
    "nothing": (InvalidInput, lambda kept: MemoryChange(kept[1].id)),
    "secret": (InvalidInput, lambda kept: MemoryChange(kept[1].id, NEW, metadata={"k": SECRET})),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_error_in_the_middle_changes_nothing(
    memory: Memoranda, kept: list[Memory], wrong: str
) -> None:
    error, change = WRONG[wrong]
    first = MemoryChange(kept[0].id, NEW, metadata={"n": 1})
    last = MemoryChange(kept[2].id, MemoryEdit(title="Last"))
    changes = [first, change(kept)] + ([last] if wrong != "protected" else [])
    with pytest.raises(error):
        memory.memories.change_all(changes)
    assert _now(memory, kept) == kept
    assert memory.documents.list(MEMORY_METADATA).items == ()


@pytest.mark.engines("sqlite", "postgres")
def test_a_fault_after_the_changes_undoes_them(
    memory: Memoranda, kept: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr(memory._services.documents, "put_within", full)
    with pytest.raises(RuntimeError, match="no room"):
        memory.memories.change_all([MemoryChange(kept[0].id, NEW, metadata={"n": 1})])
    assert _now(memory, kept) == kept


def test_there_are_at_most_a_thousand(memory: Memoranda) -> None:
    with pytest.raises(InvalidInput, match="at most 1,000"):
        memory.memories.change_all([MemoryChange(str(n), archive=True) for n in range(1_001)])


def test_an_agent_proposes_all_or_nothing(
    memory: Memoranda, bot: Memoranda, kept: list[Memory]
) -> None:
    with pytest.raises(NotFound):
        bot.memories.change_all([MemoryChange(kept[0].id, NEW), MemoryChange(ABSENT, NEW)])
    assert memory.proposals.count() == 0
    edits = [MemoryEdit(content=f"Line {n} is green.") for n in range(2)]
    changed = bot.memories.change_all(
        [MemoryChange(one.id, edit) for one, edit in zip(kept, edits, strict=False)]
    )
    assert all(one.proposal for one in changed)
    assert memory.proposals.count() == 2
    assert _now(memory, kept) == kept


@pytest.fixture
def mem0(service: Service) -> Mem0Memories:
    return Mem0Memories(service, Principal("default", "ada", Role.ADMIN))


@pytest.fixture
def teas(mem0: Mem0Memories) -> list[str]:
    texts = ("oolong", "sencha", "assam")
    return [
        str(mem0.add({"messages": [{"role": "user", "content": one}], "user_id": "u"})[0]["id"])
        for one in texts
    ]


def test_a_batch_of_mem0_is_done_whole_or_not_at_all(
    memory: Memoranda, mem0: Mem0Memories, teas: list[str]
) -> None:
    before = [mem0.get(id) for id in teas]
    update = {"text": "pu-erh", "metadata": {"cup": 1}, "timestamp": 1_000}
    for wrong in ({"text": "x" * 99_999}, {"expiration_date": "1970-13-01"}, {"timestamp": "soon"}):
        with pytest.raises(InvalidInput):
            mem0.update_all([(teas[0], update), (teas[1], wrong), (teas[2], update)])
        assert [mem0.get(id) for id in teas] == before
    memory.memories.edit(teas[1], MemoryEdit(protected=True))
    before = [mem0.get(id) for id in teas]
    with pytest.raises(InvalidInput, match="protected"):
        mem0.delete_batch(teas)
    assert [mem0.get(id) for id in teas] == before


def test_duplicate_updates_in_a_mem0_batch_are_consistent(
    mem0: Mem0Memories, teas: list[str]
) -> None:
    mem0.update_all([
        (teas[0], {"text": "pu-erh", "metadata": {"cup": 1}}),
        (teas[1], {"timestamp": 0}),
        (teas[0].upper(), {"text": "matcha"}),
    ])  # fmt: skip
    first = mem0.get(teas[0])
    assert (first["memory"], first["metadata"]) == ("matcha", {"cup": 1})
    assert mem0.get(teas[1])["created_at"].startswith("1970-01-01T00:00:00")
    mem0.delete_batch([teas[0], teas[0], teas[2]])
    assert [one["id"] for one in mem0.listed(Mem0Query({"user_id": "u"}))] == [teas[1]]
