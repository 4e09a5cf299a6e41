"""LangGraph's store gives the same answers as its in-memory store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from contract.clock import FixedClock
from memoranda import Memoranda, Scope
from memoranda.assembly.services import Services
from memoranda.clock import MICROSECONDS
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.integrations.langgraph import MemorandaStore
from memoranda.integrations.langgraph.offline_index import offline_index
from memoranda.integrations.langgraph.store import SPACE
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def letters(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of letter frequencies in a text."""
    return [[float(text.count(one)) for one in "abcd"] for text in texts]


INDEX: Any = {"dims": 4, "embed": letters, "fields": ["text", "more[*].text"]}
labels = st.sampled_from(["a", "b", "a%", "a/b", "A", "*", ":", "-", "ü"])
spaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
keys = st.sampled_from(["k", "K", "k/1", ":", "%3A", ""]).filter(bool)
items = st.fixed_dictionaries(
    {"text": st.sampled_from(["aa", "ab", "cd", "d"])},
    optional={
        "n": st.integers(0, 3),
        "is": st.booleans(),
        "in": st.fixed_dictionaries({"x": st.sampled_from([1, "1", None])}),
        "list": st.lists(st.integers(0, 1), max_size=2),
    },
)
filters = st.sampled_from(
    [
        None,
        {"text": "aa"},
        {"n": 1},
        {"n": {"$ne": 1}},
        {"in": {"x": 1}},
        {"list": [0]},
        {"text": {"$eq": "ab"}},
        {"none": None},
    ]
)
conditions = st.lists(
    st.builds(
        MatchCondition,
        match_type=st.sampled_from(["prefix", "suffix"]),
        path=st.lists(labels, min_size=1, max_size=2).map(tuple),
    ),
    max_size=2,
).map(tuple)
operations = st.lists(
    st.tuples(spaces, keys, items | st.none()).map(lambda given: PutOp(*given))
    | st.tuples(spaces, keys).map(lambda given: GetOp(*given))
    | st.tuples(spaces | st.just(()), filters, st.just(50)).map(lambda given: SearchOp(*given))
    | conditions.map(ListNamespacesOp),
    max_size=8,
)


def _plain(result: Any) -> Any:
    """Return an answer without times, and without an undefined order."""
    if isinstance(result, list) and result and not isinstance(result[0], tuple):
        return sorted((_plain(one) for one in result), key=str)
    if result is None or isinstance(result, list):
        return result
    return result.namespace, result.key, result.value


@given(batches=st.lists(operations, min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_answers_as_the_store_in_memory_does(kept: Memoranda, batches: list[list[Any]]) -> None:
    kept.documents.clear(SPACE, confirm=True)
    ours, theirs = MemorandaStore(kept), InMemoryStore()
    for batch in batches:
        mine, other = ours.batch(batch), theirs.batch(batch)
        for op, one, two in zip(batch, mine, other, strict=True):
            if isinstance(op, ListNamespacesOp):
                continue  # the in-memory store keeps a namespace after its last item
            assert _plain(one) == _plain(two), op
    namespaces = {one.namespace for one in theirs.search((), limit=999)}
    assert ours.list_namespaces(limit=999) == sorted(namespaces)


def test_namespaces_are_matched_by_label_and_cut(kept: Memoranda) -> None:
    ours, theirs = MemorandaStore(kept), InMemoryStore()
    found = [("a",), ("a", "b"), ("a", "b", "c"), ("ab", "c"), ("b", "a", "c"), ("a/b", "c")]
    for store in (ours, theirs):
        for namespace in found:
            for number in range(3):
                store.put(namespace, f"k{number}", {"n": number})
    queries: list[dict[str, Any]] = [
        {},
        {"prefix": ("a",)},
        {"suffix": ("c",)},
        {"prefix": ("*", "b")},
        {"prefix": ("a",), "suffix": ("c",), "max_depth": 2},
        {"max_depth": 1, "offset": 1, "limit": 2},
    ]
    for one in queries:
        assert ours.list_namespaces(**one) == theirs.list_namespaces(**one), one
    assert ours.search(("a",), limit=99) != []
    assert {one.namespace for one in ours.search(("a",), limit=99)} == {
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
    }


def test_pages_come_after_the_filter_and_newest_first(kept: Memoranda) -> None:
    store = MemorandaStore(kept)
    for number in range(25):
        store.put(("n",), f"k{number:02}", {"odd": number % 2 == 1, "n": number})
    found = store.search(("n",), filter={"odd": True}, limit=5, offset=5)
    assert [one.value["n"] for one in found] == [13 - 2 * step for step in range(5)]
    assert [one.value["n"] for one in store.search(("n",), limit=2)] == [24, 23]
    numbers = [
        one.value["n"] for one in store.search(("n",), filter={"n": {"$gte": 22, "$lt": 24}})
    ]
    assert numbers == [23, 22]
    above = [one.value["n"] for one in store.search(("n",), filter={"odd": {"$gt": 0}}, limit=2)]
    assert above == [23, 21]


SCALARS: list[Any] = [True, False, 1, 0, 2.0, "1", "a", None]


@pytest.mark.engines("sqlite", "postgres")
def test_a_filter_finds_what_it_finds_in_the_store_in_memory(kept: Memoranda) -> None:
    ours, theirs = MemorandaStore(kept), InMemoryStore()
    for store in (ours, theirs):
        for number, value in enumerate([*SCALARS, [1], [True], {"a": 1}]):
            store.put((f"n{number}",), "k", {"flag": value})
    orders = [{name: one} for name in ("$gt", "$gte", "$lt", "$lte") for one in SCALARS]
    compared = 0
    for wanted in [*SCALARS, [1], {"a": True}, {"$eq": 1}, {"$ne": True}, *orders]:
        for number in range(len(SCALARS) + 3):
            try:
                expected = len(theirs.search((f"n{number}",), filter={"flag": wanted}))
            except (TypeError, ValueError):
                continue  # the in-memory store returns nothing
            found = ours.search((f"n{number}",), filter={"flag": wanted})
            assert len(found) == expected, (number, wanted)
            compared += 1
    assert compared > 200


@pytest.mark.parametrize(
    "wanted",
    [
        {"n": {"$near": 3}},
        {"text": "none", "n": {"$gt": 1, "$near": 3}},
        {"in": {"x": {"$near": 1}}},
        {"$or": [{"n": 1}]},
    ],
)
def test_an_operator_that_is_not_known_is_refused_whatever_is_there(
    kept: Memoranda, wanted: dict[str, Any]
) -> None:
    store = MemorandaStore(kept)
    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"unknown operator '\$(near|or)'"):
            store.search(("n",), filter=wanted)
        store.put(("n",), "k", {"n": 3})


@pytest.mark.parametrize(
    "namespace", [(), ("a.b",), ("",), ("a", ""), (".",), ("\0",), ("langgraph", "x")]
)
def test_a_namespace_that_langgraph_refuses_is_refused(
    kept: Memoranda, namespace: tuple[str, ...]
) -> None:
    store = MemorandaStore(kept)
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"a": 1})
    if namespace and namespace[0] != "langgraph":  # so that it can be searched for
        with pytest.raises(InvalidNamespaceError):
            store.search(namespace)


def test_signs_in_a_namespace_mean_themselves(kept: Memoranda) -> None:
    ours, theirs = MemorandaStore(kept), InMemoryStore()
    found = [("*", "b"), ("a%", "b"), ("a_", "b"), ("a/b",), ("a",), ("A",), (" ", "\\")]
    for store in (ours, theirs):
        for namespace in found:
            store.put(namespace, "k", {"of": list(namespace)})
    for namespace in [*found, ("a_", "*"), ("/",), ("%",), ("_",)]:
        mine, other = ours.search(namespace), theirs.search(namespace)
        assert [one.namespace for one in mine] == [one.namespace for one in other], namespace
        assert _plain(ours.get(namespace, "k")) == _plain(theirs.get(namespace, "k"))


@pytest.mark.engines("sqlite", "postgres")
def test_items_are_found_by_meaning_as_in_memory(kept: Memoranda) -> None:
    ours, theirs = MemorandaStore(kept, index=INDEX), InMemoryStore(index=INDEX)
    for store in (ours, theirs):
        store.put(("n",), "one", {"text": "aaa", "more": [{"text": "d"}, {"text": "dc"}]})
        store.put(("n",), "two", {"text": "aab", "kind": "x"})
        store.put(("n", "m"), "three", {"text": "bbb"}, index=False)
        store.put(("n",), "four", {"text": "bbb", "other": "aaac"}, index=["other"])
        store.put(("x",), "five", {"text": "aaa"})
    for query in ("a", "d", "bc"):
        for wanted in (None, {"kind": "x"}):
            mine = {one.key: one.score for one in ours.search(("n",), query=query, filter=wanted)}
            other = theirs.search(("n",), query=query, filter=wanted)
            assert mine == {one.key: pytest.approx(one.score, abs=1e-5) for one in other}
            scores = [score for score in mine.values() if score is not None]
            assert scores == sorted(scores, reverse=True)
            assert list(mine.values())[: len(scores)] == scores
    ours.put(("n",), "two", {"text": "dddd", "kind": "x"})
    assert [one.key for one in ours.search(("n",), query="a", limit=2)] == ["one", "four"]
    ours.delete(("n",), "one")
    assert "one" not in [found.key for found in ours.search(("n",), query="a")]
    left = [one.key for one in kept.documents.list(SPACE, prefix="e/", values=False)]
    assert not any("one" in key for key in left)


def test_our_own_model_finds_by_meaning_without_a_network(kept: Memoranda) -> None:
    store = MemorandaStore(kept, index=offline_index(fields=["text"]))
    store.put(("n",), "tea", {"text": "She drinks green tea every morning."})
    store.put(("n",), "car", {"text": "The car has to be repaired in May."})
    first = store.search(("n",), query="What is her favourite hot beverage?")[0]
    assert first.key == "tea"


def test_async_and_sync_are_the_same(kept: Memoranda) -> None:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return letters(texts)

    store = MemorandaStore(kept, index={**INDEX, "embed": embed})

    async def work() -> None:
        await store.aput(("n",), "one", {"text": "aa"})
        await store.aput(("n",), "two", {"text": "bb"})
        assert (await store.aget(("n",), "one")).value == {"text": "aa"}  # type: ignore[union-attr]
        found = await store.asearch(("n",), query="b")
        assert [one.key for one in found] == ["two", "one"]
        await store.adelete(("n",), "two")
        assert await store.alist_namespaces() == [("n",)]

    asyncio.run(work())
    assert [one.key for one in store.search(("n",))] == ["one"]


def test_an_item_ends_and_is_prolonged_by_reading(tmp_path: Path) -> None:
    clock = FixedClock()
    services = Services(load_settings({"data_dir": str(tmp_path / "data")}), clock)
    with Memoranda(services, Scope()) as memory:
        _ends(MemorandaStore(memory, ttl={"default_ttl": 10}, index=INDEX), clock)


def _ends(store: BaseStore, clock: FixedClock) -> None:
    def later(minutes: float) -> None:
        clock.advance(minutes * 60 * MICROSECONDS)

    store.put(("n",), "read", {"text": "aa"})
    store.put(("n",), "looked at", {"text": "aa"})
    store.put(("n",), "stays", {"text": "aa"}, ttl=None)
    store.put(("n",), "short", {"text": "aa"}, ttl=0.5)
    later(6)
    assert store.get(("n",), "short") is None
    changed = store.get(("n",), "read")
    assert store.get(("n",), "looked at", refresh_ttl=False) is not None
    later(6)
    assert store.get(("n",), "looked at") is None
    again = store.get(("n",), "read")
    assert changed is not None
    assert again is not None
    assert (again.updated_at, again.created_at) == (changed.updated_at, changed.created_at)
    later(6)
    found = store.search(("n",), query="a")
    assert {one.key for one in found if one.score is not None} == {"read", "stays"}
    later(11)
    assert [one.key for one in store.search(("n",))] == ["stays"]
    assert store.list_namespaces() == [("n",)]


def test_items_lie_on_a_server_as_they_are_and_hold_no_credential(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            store = MemorandaStore(memory, workspace="shop", index=INDEX)
            assert store.search(()) == []
            arguments = {"text": "aa \0 \ud800", "password": "x1y2z", "session_id": "ada-2"}
            store.put(("n",), "one", arguments)
            with pytest.raises(InvalidInput, match="contains a credential"):
                store.put(("n",), "two", {"text": f"aa {SECRET}"})
            (found,) = store.search(("n",), query="a")
            assert found.value == arguments
    finally:
        server.stop()


def test_embeddings_of_another_size_are_refused(kept: Memoranda) -> None:
    store = MemorandaStore(kept, index={**INDEX, "dims": 5})
    with pytest.raises(InvalidInput, match="5 dimensions"):
        store.put(("n",), "one", {"text": "aa"})
    assert store.get(("n",), "one") is None


@pytest.mark.parametrize("place", [("foo", 1), ("foo.bar",), ("foo", ""), ("\0",)])
def test_a_batch_with_a_label_that_put_refuses_is_refused_whole(
    kept: Memoranda, place: Any
) -> None:
    store = MemorandaStore(kept)
    listed = [ListNamespacesOp((MatchCondition(kind, place),)) for kind in ("prefix", "suffix")]  # type: ignore[arg-type]
    for op in (GetOp(place, "k"), SearchOp(place), PutOp(place, "k", {"n": 1}), *listed):
        batch = [PutOp(("valid",), "k", {"n": 1}), op]
        with pytest.raises(InvalidNamespaceError):
            store.batch(batch)
        with pytest.raises(InvalidNamespaceError):
            asyncio.run(store.abatch(batch))
    assert kept.documents.list(SPACE).items == ()


@pytest.mark.engines("sqlite", "postgres")
def test_a_filter_finds_a_field_within_a_field_by_its_path(kept: Memoranda) -> None:
    store = MemorandaStore(kept)
    store.put(("n",), "inside", {"user": {"access-level": "nested", "1st": {"n": 3}}})
    store.put(("n",), "named", {"user.access-level": "nested", "user": {"access-level": "no"}})
    found = store.search(("n",), filter={"user.access-level": "nested"})
    assert {one.key for one in found} == {"inside", "named"}
    found = store.search(("n",), filter={"user.1st.n": {"$gte": 3}})
    assert [one.key for one in found] == ["inside"]
    assert store.search(("n",), filter={"user.access-level.x": "nested"}) == []


def test_the_index_is_read_as_langgraphs_own_stores_read_it(kept: Memoranda) -> None:
    index: Any = {"dims": 4, "embed": letters, "text_fields": ["text"]}
    store = MemorandaStore(kept, index=index)
    assert store.index_config == index
    assert store.embeddings is not None
    store.put(("n",), "one", {"text": "a", "other": "bbb"})
    store.put(("n",), "two", {"text": "b", "other": "aaa"})
    assert [one.key for one in store.search(("n",), query="a")] == ["one", "two"]


@pytest.mark.parametrize(
    ("distance", "scores"),
    [
        ("cosine", {"near": 0.8, "long": 0.6, "none": None}),
        ("inner_product", {"long": 6.0, "near": 4.0, "none": None}),
        ("l2", {"near": -(18**0.5), "long": -(89**0.5), "none": None}),
    ],
)
def test_scores_are_those_of_the_index(
    kept: Memoranda, distance: str, scores: dict[str, float | None]
) -> None:
    store = MemorandaStore(kept, index={**INDEX, "distance_type": distance})
    store.put(("n",), "none", {"text": "a"}, index=False)
    store.put(("n",), "near", {"text": "aaaabbb"})
    store.put(("n",), "long", {"text": "aaaaaabbbbbbbb"})
    found = store.search(("n",), query="a")
    assert [one.key for one in found] == list(scores)
    assert {one.key: one.score for one in found} == pytest.approx(scores, abs=1e-5)


def test_a_distance_that_is_not_known_is_refused(kept: Memoranda) -> None:
    with pytest.raises(InvalidInput, match="unknown distance 'hamming'"):
        MemorandaStore(kept, index={**INDEX, "distance_type": "hamming"})


def test_a_negative_limit_is_refused(kept: Memoranda) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        MemorandaStore(kept).search(("a",), limit=-1)
