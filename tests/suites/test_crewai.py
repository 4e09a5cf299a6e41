"""The storage of CrewAI's memory, beside CrewAI's own and within its memory."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"

import pytest
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from memoranda import Memoranda
from memoranda.documents.model import NewDocument
from memoranda.exceptions import CorruptData
from memoranda.integrations.crewai import MemorandaStorage
from memoranda.integrations.vectors import offline_embedder
from serving import Served
from trying import tried

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"
THEN = datetime(2026, 5, 1, 12)  # noqa: DTZ001 - UTC that does not say so, as CrewAI's own


def _record(id: str, scope: str, days: int, vector: list[float], **more: Any) -> MemoryRecord:
    return MemoryRecord(
        id=id, content=f"text {id}", scope=scope, embedding=vector,
        created_at=THEN + timedelta(days=days), **more,
    )  # fmt: skip


RECORDS = (
    _record("a", "/shop", 0, [1.0, 0.0], categories=["rule", "tax"], metadata={"by": "ada"}),
    _record("b", "/shop/cart", 1, [0.9, 0.1], categories=["rule"], metadata={"by": "bob", "n": 1}),
    _record("c", "/shop/cart/total", 2, [0.0, 1.0], private=True, source="ada", importance=0.9),
    _record("d", "/office", 3, [0.7, 0.7], categories=["tax"]),
    _record("e", "/", 4, [-1.0, 0.1]),
)


@pytest.fixture
def ours(memory: Memoranda) -> MemorandaStorage:
    return MemorandaStorage(memory, workspace="crew")


@pytest.fixture
def theirs(tmp_path: Path) -> LanceDBStorage:
    return LanceDBStorage(path=str(tmp_path / "lance"), vector_dim=2)


def _answers(storage: Any) -> dict[str, Any]:
    """What CrewAI asks of a storage, but for scores, which each computes in its own way."""

    def near(**named: Any) -> list[str]:
        return [one.id for one, _ in storage.search([1.0, 0.0], **named)]

    return {
        "near": near(),
        "two": near(limit=2),
        "scope": near(scope_prefix="/shop"),
        "deep": near(scope_prefix="/shop/cart/"),
        "category": near(categories=["tax"]),
        "meta": near(metadata_filter={"by": "bob", "n": 1}),
        "listed": [one.id for one in storage.list_records()],
        "page": [one.id for one in storage.list_records("/shop", limit=1, offset=1)],
        "scopes": storage.list_scopes(),
        "below": storage.list_scopes("/shop"),
        "categories": storage.list_categories(),
        "of shop": storage.list_categories("/shop"),
        "counts": [storage.count(), storage.count("/shop"), storage.count("/none")],
        "info": storage.get_scope_info("/shop").model_dump(),
        "root": storage.get_scope_info("/").model_dump(),
        "none": storage.get_scope_info("/none").model_dump(),
        "one": storage.get_record("c").model_dump(),
        "no such": storage.get_record("x"),
    }


def test_it_answers_as_crewais_own_storage_does(ours: MemorandaStorage, theirs: Any) -> None:
    assert isinstance(ours, StorageBackend)
    for storage in (ours, theirs):
        storage.save(list(RECORDS))
    assert _answers(ours) == _answers(theirs)
    changed = RECORDS[1].model_copy(update={"content": "other", "scope": "/shop/b"})
    for storage in (ours, theirs):
        storage.update(changed)
        assert storage.delete(record_ids=["a", "x"]) == 1
        assert storage.delete(categories=["tax"], older_than=THEN) == 0
        assert storage.delete(metadata_filter={"by": "bob"}, scope_prefix="/shop/c") == 0
    assert _answers(ours) == _answers(theirs)
    for storage in (ours, theirs):
        assert storage.delete(older_than=THEN + timedelta(days=2, hours=1)) == 2
        storage.reset("/office")
        assert [one.id for one in storage.list_records()] == ["e"]
        storage.reset()
        assert storage.count() == 0


def test_a_scope_ends_where_its_name_does(ours: MemorandaStorage) -> None:
    """CrewAI's own storage takes /shopping for a part of /shop, and % for any sign."""
    scopes = {"a": "/shop", "b": "/shopping", "c": "/shop%", "d": "shop/cart/", "e": "/a.b/*"}
    ours.save([_record(id, scope, 0, [1.0, 0.0]) for id, scope in scopes.items()])
    assert {one.id for one in ours.list_records("/shop/")} == {"a", "d"}
    assert {one.id for one in ours.list_records("/shop%")} == {"c"}
    assert ours.list_scopes() == ["/a.b", "/shop", "/shop%", "/shopping"]
    assert ours.list_scopes("/a.b") == ["/a.b/*"]
    assert ours.count("/*") == ours.count("/a") == 0
    ours.reset("/shop")
    assert {one.id for one in ours.list_records()} == {"b", "c", "e"}


def test_scores_are_cosines(ours: MemorandaStorage) -> None:
    ours.save(list(RECORDS))
    found = {one.id: score for one, score in ours.search([2.0, 0.0])}
    assert found["a"] == pytest.approx(1)
    assert found["d"] == pytest.approx(0.5**0.5)
    assert {one.id for one, _ in ours.search([2.0, 0.0], min_score=0.9)} == {"a", "b"}
    first = ours.search([1.0, 0.0], limit=1)[0][0]
    assert first.embedding == [1.0, 0.0]


def test_awaited_twins_do_the_same(ours: MemorandaStorage) -> None:
    async def work() -> list[str]:
        await ours.asave(list(RECORDS))
        assert await ours.adelete(record_ids=["a"]) == 1
        return [one.id for one, _ in await ours.asearch([1.0, 0.0], limit=2)]

    assert asyncio.run(work()) == ["b", "d"]


def test_what_does_not_fit_is_refused_and_nothing_is_deleted_by_mistake(
    ours: MemorandaStorage, memory: Memoranda
) -> None:
    ours.save(list(RECORDS))
    with pytest.raises(EmbeddingDimensionMismatchError):
        ours.save([_record("f", "/", 0, [1.0, 0.0, 0.0])])
    with pytest.raises(EmbeddingDimensionMismatchError):
        ours.search([1.0])
    assert ours.delete(record_ids=[]) == 0
    aware = datetime.now(UTC) + timedelta(days=9_999)
    assert ours.delete(scope_prefix="/none", older_than=aware) == 0
    assert ours.count() == 5
    memory.documents.put("other", [NewDocument("k", {"n": 1})], workspace="crew")
    with pytest.raises(CorruptData, match="another space"):
        MemorandaStorage(memory, workspace="crew", space="other").list_records()


def test_workspaces_do_not_see_each_other_and_secrets_stay_out(
    ours: MemorandaStorage, memory: Memoranda
) -> None:
    ours.save([_record("s", "/", 0, [1.0, 0.0], metadata={"key": SECRET})])
    assert MemorandaStorage(memory, workspace="other").list_records() == []
    assert SECRET not in str(ours.list_records())


def test_the_memory_may_lie_on_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as there:
            storage = MemorandaStorage(there, workspace="crew")
            storage.save(list(RECORDS))
            assert [one.id for one, _ in storage.search([1.0, 0.0], "/shop")] == ["a", "b", "c"]
            assert storage.delete("/shop") == 3
            assert [one.id for one in storage.list_records()] == ["e", "d"]
    finally:
        server.stop()


def test_crewais_memory_remembers_and_recalls(ours: MemorandaStorage) -> None:
    talk = Memory(storage=ours, embedder=offline_embedder(), llm=None, root_scope="/crew")
    payload = {"scope": "/tea", "categories": ["taste"], "importance": 0.5, "metadata": {}}
    talk.remember("She drinks green tea every morning.", **payload)
    talk.remember("The car is repaired in May.", **{**payload, "scope": "/car"})
    found = talk.recall("What is her favourite hot beverage?", depth="shallow", limit=1)
    assert [one.record.content for one in found] == ["She drinks green tea every morning."]
    assert talk.list_scopes() == ["/crew/car", "/crew/tea"]
    assert talk.forget(scope="/tea") == 1
    assert ours.count() == 1
    talk.close()


def test_records_move_here_from_crewais_own_storage(ours: MemorandaStorage, theirs: Any) -> None:
    theirs.save(list(RECORDS))
    ours.save(theirs.list_records(limit=100_000))
    assert _answers(ours) == _answers(theirs)


def test_its_example_works_as_documented(capfd: Any) -> None:
    result, requests = tried("crewai", capfd)
    assert result[-1] == "/crew/tea: She drinks green tea every morning."
    assert "kept: ['/crew/car', '/crew/tea']" in result
    assert requests == []
