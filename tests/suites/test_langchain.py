"""LangChain's own standard tests (langchain-tests) on ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import (
    BaseStoreAsyncTests,
    BaseStoreSyncTests,
    RetrieversIntegrationTests,
    VectorStoreIntegrationTests,
)

from memoranda import Memoranda
from memoranda.integrations.langchain import (
    MemorandaRetriever,
    MemorandaStore,
    MemorandaVectorStore,
)


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, memory: Memoranda) -> Iterator[VectorStore]:
        yield MemorandaVectorStore(memory, self.get_embeddings())


class TestStore(BaseStoreSyncTests[Any]):
    @pytest.fixture
    def kv_store(self, memory: Memoranda) -> MemorandaStore:
        return MemorandaStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[Any, Any, Any]:
        return {"n": 1}, b"\x00\xff", ["c"]


class TestStoreAsync(BaseStoreAsyncTests[Any]):
    @pytest.fixture
    async def kv_store(self, memory: Memoranda) -> AsyncIterator[MemorandaStore]:
        yield MemorandaStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[Any, Any, Any]:
        return "a", {"b": None}, b"c"


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _known(self, memory: Memoranda) -> None:
        for number in range(12):
            memory.observe(f"Parcel {number} went to Porto.", workspace="shop")
        self._memory = memory

    @property
    def retriever_constructor(self) -> type[MemorandaRetriever]:
        return MemorandaRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self._memory, "workspace": "shop"}

    @property
    def retriever_query_example(self) -> str:
        return "Where did the parcels go to?"
