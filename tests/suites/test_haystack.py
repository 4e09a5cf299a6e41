"""Haystack's own tests of document stores on ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing.document_store import DocumentStoreBaseExtendedTests
from haystack.testing.document_store_async import (
    CountDocumentsAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
)

from memoranda import Memoranda
from memoranda.exceptions import InvalidInput
from memoranda.integrations.haystack import MemorandaDocumentStore, MemorandaEmbeddingRetriever
from trying import tried

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


@pytest.fixture
def document_store(memory: Memoranda) -> MemorandaDocumentStore:
    return MemorandaDocumentStore(memory=memory)


class OnOurs:
    @pytest.fixture
    def document_store(self, memory: Memoranda) -> MemorandaDocumentStore:
        return MemorandaDocumentStore(memory=memory)


class TestStore(OnOurs, DocumentStoreBaseExtendedTests):
    def test_write_documents(self, document_store: Any) -> None:
        one = Document(content="one")
        assert document_store.write_documents([one]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([one])


class TestStoreAsync(
    OnOurs,
    CountDocumentsAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
):
    async def test_write_documents_async(self, document_store: Any) -> None:
        assert await document_store.write_documents_async([Document(content="one")]) == 1


def test_the_nearest_come_first(document_store: MemorandaDocumentStore) -> None:
    near = Document(content="near", embedding=[1.0, 0.1], meta={"n": 1})
    far = Document(content="far", embedding=[0.0, 1.0], meta={"n": 1})
    other = Document(content="other", embedding=[1.0, 0.0], meta={"n": 2})
    document_store.write_documents([far, near, other, Document(content="none")])
    retriever = MemorandaEmbeddingRetriever(document_store, top_k=2)
    wanted = {"field": "meta.n", "operator": "==", "value": 1}
    found = retriever.run([1.0, 0.0], filters=wanted)["documents"]
    assert [one.content for one in found] == ["near", "far"]
    assert found[0].score == pytest.approx(0.995, abs=1e-3)


@pytest.mark.parametrize("wrong", [
    {"field": "meta.n", "operator": "near", "value": 1},
    {"operator": "XOR", "conditions": []},
    {"operator": "AND", "conditions": [
        {"field": "content", "operator": "==", "value": "none"},
        {"field": "meta.n", "operator": "near", "value": 1},
    ]},
    {"operator": "AND", "conditions": [{"field": "meta.n", "value": 1}]},
])  # fmt: skip
def test_a_filter_that_is_none_is_refused_whatever_is_there(
    document_store: MemorandaDocumentStore, wrong: dict[str, Any]
) -> None:
    for _ in range(2):
        with pytest.raises((FilterError, ValueError)):
            document_store.filter_documents(wrong)
        with pytest.raises((FilterError, ValueError)):
            document_store.delete_by_filter(wrong)
        document_store.write_documents([Document(content="a")], DuplicatePolicy.SKIP)
    assert document_store.count_documents() == 1


def test_it_is_written_down_and_read_again(tmp_path: Path) -> None:
    store = MemorandaDocumentStore(str(tmp_path / "data"), workspace="shop")
    store.write_documents([Document(content=f"aa {SECRET}", meta={"a": 1})])
    again = MemorandaDocumentStore.from_dict(store.to_dict())
    (found,) = again.filter_documents()
    assert found.meta == {"a": 1}
    assert SECRET not in str(found.content)


def test_invalid_json_is_refused_and_nothing_is_stored(
    document_store: MemorandaDocumentStore,
) -> None:
    wrong = Document(content="b", meta={"a": {1, 2}})
    with pytest.raises(InvalidInput):
        document_store.write_documents([Document(content="a"), wrong], DuplicatePolicy.OVERWRITE)
    assert document_store.count_documents() == 0
    with pytest.raises(InvalidInput):
        document_store.to_dict()


def test_its_example_works_as_documented(capfd: Any) -> None:
    result, requests = tried("haystack", capfd)
    assert result == ["kept: 2", "By ship."]
    messages = str(requests[0].body["messages"])
    assert "Parcels for Portugal go by ship." in messages
    assert "Invoices" not in messages
