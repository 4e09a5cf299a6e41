"""LangChain's vector store, key-value store and retriever over a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from memoranda import Memoranda, NewDocument
from memoranda.config import Settings
from memoranda.exceptions import CorruptData, InvalidInput
from memoranda.integrations.langchain import (
    SPACE,
    MemorandaRetriever,
    MemorandaStore,
    MemorandaVectorStore,
)
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


class Letters(Embeddings):
    """Vectors of letter frequencies in a text."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(text.count(one)) for one in "abcd"] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


ids = st.sampled_from(["1", "a/b", "..", "%", "ü", "A", "a"])
texts = st.text("abcd", min_size=1, max_size=5)
documents = st.builds(
    Document, page_content=texts, metadata=st.fixed_dictionaries({"n": st.integers(0, 2)})
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(ids, documents, min_size=1, max_size=3)),
        st.tuples(st.just("delete"), st.lists(ids, max_size=2)),
        st.tuples(st.just("get"), st.lists(ids, max_size=3, unique=True)),
        st.tuples(st.just("search"), texts),
    ),
    max_size=6,
)


@given(steps=steps)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_does_what_the_vector_store_in_memory_does(
    kept: Memoranda, steps: list[tuple[str, Any]]
) -> None:
    ours, theirs = MemorandaVectorStore(kept, Letters()), InMemoryVectorStore(Letters())
    ours.delete()
    for what, given_ in steps:
        if what == "add":
            for store in (ours, theirs):
                store.add_documents(list(given_.values()), ids=list(given_))
        elif what == "delete":
            for store in (ours, theirs):
                store.delete(given_)
        elif what == "get":
            assert ours.get_by_ids(given_) == theirs.get_by_ids(given_)
        else:
            for wanted in (None, lambda one: one.metadata["n"] == 1):
                mine = ours.similarity_search_with_score(given_, 9, filter=wanted)
                other = theirs.similarity_search_with_score(given_, 9, filter=wanted)
                assert {one.id: score for one, score in mine} == {
                    one.id: pytest.approx(score, abs=1e-5) for one, score in other
                }
                assert [score for _, score in mine] == sorted((s for _, s in mine), reverse=True)


def test_texts_are_found_by_meaning_without_a_network(kept: Memoranda) -> None:
    store = MemorandaVectorStore(kept, workspace="shop")
    store.add_texts(
        ["She drinks green tea every morning.", "The car has to be repaired in May."],
        [{"about": "tea"}, {"about": "car"}],
    )
    (first,) = store.similarity_search("What is her favourite hot beverage?", k=1)
    assert first.metadata == {"about": "tea"}
    (only,) = store.similarity_search("beverage", filter={"about": "car"})
    assert only.page_content.startswith("The car")
    scores = store.similarity_search_with_relevance_scores("green tea", k=2)
    assert all(0 <= score <= 1 for _, score in scores)
    assert len(store.max_marginal_relevance_search("tea", k=2)) == 2
    found = asyncio.run(store.asimilarity_search("green tea", k=1))
    assert found == [first]
    assert MemorandaVectorStore(kept).similarity_search("tea") == []


@pytest.mark.parametrize("wanted", [{"n": {"$gt": 1}}, {"$or": [{"n": 1}]}, {"a": 1, "$in": 2}])
def test_an_operator_is_refused_also_where_nothing_is_kept(
    kept: Memoranda, wanted: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match=r"unknown operator '\$"):
        MemorandaVectorStore(kept, Letters()).similarity_search("a", filter=wanted)


def test_an_invalid_document_is_refused_and_nothing_is_stored(kept: Memoranda) -> None:
    store = MemorandaVectorStore(kept, Letters())
    good = Document("a")
    for wrong, names in (
        ([good, Document("b", metadata={"x": {1, 2}})], ["1", "2"]),
        ([good], ["1", "2"]),
        ([good, good], ["1", ""]),
        ([good], [SECRET]),
    ):
        with pytest.raises(InvalidInput):
            store.add_documents(wrong, ids=names)
    assert store.similarity_search("a") == []
    kept.documents.put(SPACE, [NewDocument("other", 1)])
    with pytest.raises(CorruptData, match="another program"):
        store.similarity_search("a")


def test_a_text_on_a_server_contains_no_secret(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            store = MemorandaVectorStore.from_texts(
                [f"aa {SECRET}"], Letters(), [{"password": "x1y2z"}], memory=memory
            )
            (found,) = store.similarity_search("a")
            assert SECRET not in str(found)
            assert "x1y2z" not in str(found)
            memory.observe(f"The parcels go to Porto. {SECRET}", workspace="shop")
            (known,) = MemorandaRetriever(memory=memory, workspace="shop").invoke("parcels")
            assert "Porto" in known.page_content
            assert SECRET not in known.page_content
    finally:
        server.stop()


def test_a_key_value_store_does_what_the_one_in_memory_does(kept: Memoranda) -> None:
    ours, theirs = MemorandaStore(kept), InMemoryStore()
    pairs = [("a/1", {"n": 1}), ("a/2", b"\x00\xff"), ("b%", [1]), ("a/1", "again"), ("A", None)]
    for store in (ours, theirs):
        store.mset(pairs)
        store.mdelete(["b%", "nonesuch"])
    keys = ["a/2", "nonesuch", "a/1", "a/1", "A"]
    assert ours.mget(keys) == theirs.mget(keys)
    for prefix in (None, "a", "a/", "x"):
        assert sorted(ours.yield_keys(prefix=prefix)) == sorted(theirs.yield_keys(prefix=prefix))
    with pytest.raises(InvalidInput):
        ours.mset([("c", 1), ("d", object())])
    assert ours.mget(["c"]) == [None]


def test_a_retriever_returns_what_is_known_of_a_workspace(kept: Memoranda) -> None:
    kept.observe("The parcels go to Porto.", workspace="shop")
    kept.remember("Parcels are weighed twice.", workspace="shop")
    kept.observe("The parcels go to Lisbon.", workspace="other")
    knows = MemorandaRetriever(memory=kept, workspace="shop", k=5)
    found = knows.invoke("parcels")
    assert {one.metadata["kind"] for one in found} == {"observation", "memory"}
    assert not any("Lisbon" in one.page_content for one in found)
    assert len(knows.invoke("parcels", k=1)) == 1
    assert asyncio.run(knows.ainvoke("parcels")) == found
