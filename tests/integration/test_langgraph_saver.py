"""LangGraph's checkpointer: conformance suite and resumed graphs."""

from __future__ import annotations

import asyncio
import operator
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given, strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import create_checkpoint, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import CorruptData, InvalidInput
from memoranda.integrations.langgraph import MemorandaSaver
from memoranda.integrations.langgraph.msgpack_json import tree_of, typed_of
from memoranda.integrations.langgraph.saver import SPACE
from memoranda.json_data import dump_json, parse_json
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"
THREAD: Any = {"configurable": {"thread_id": "t/1:a%", "checkpoint_ns": ""}}
THREAD_ALL: Any = {"configurable": {"thread_id": "t/1:a%"}}


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


class Chat(TypedDict):
    messages: Annotated[list[Any], add_messages]
    count: int


class Sum(TypedDict):
    total: Annotated[int, operator.add]


def _chat(saver: Any, *, asks: bool = False) -> Any:
    def answer(state: Chat) -> dict[str, Any]:
        reply = interrupt("go on?") if asks else "fine"
        number = state.get("count", 0) + 1
        return {"messages": [AIMessage(f"{reply} {number}", id=f"a{number}")], "count": number}

    graph = StateGraph(Chat)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver)


def _say(graph: Any, number: int, config: Any = THREAD) -> Any:
    return graph.invoke({"messages": [HumanMessage(f"say {number}", id=f"h{number}")]}, config)


def _keys(memory: Memoranda) -> list[str]:
    return [one.key for one in memory.documents.list(SPACE, values=False, limit=1_000)]


def test_it_conforms_at_the_full_level(kept: Memoranda) -> None:
    numbers = iter(range(1_000))

    @checkpointer_test(name="MemorandaSaver")
    async def made() -> AsyncIterator[MemorandaSaver]:
        yield MemorandaSaver(kept, space=f"run {next(numbers)}")

    report = asyncio.run(validate(made))
    failed = {name: one.failures for name, one in report.results.items() if one.failures}
    assert (report.conformance_level(), failed) == ("FULL", {})


def test_a_graph_goes_on_in_another_process_after_a_question(engine: Settings) -> None:
    with Memoranda.open(settings=engine) as memory:
        graph = _chat(MemorandaSaver(memory), asks=True)
        state = _say(graph, 1)
        assert state["__interrupt__"][0].value == "go on?"
    with Memoranda.open(settings=engine) as memory:
        graph = _chat(MemorandaSaver(memory), asks=True)
        done = graph.invoke(Command(resume="yes"), THREAD)
        assert [one.content for one in done["messages"]] == ["say 1", "yes 1"]
        assert graph.get_state(THREAD).values["count"] == 1


def test_states_are_those_that_the_saver_in_memory_has(kept: Memoranda) -> None:
    ours, theirs = _chat(MemorandaSaver(kept)), _chat(InMemorySaver())
    for graph in (ours, theirs):
        for number in range(40):  # more messages than one page has
            _say(graph, number)
    pairs = zip(ours.get_state_history(THREAD), theirs.get_state_history(THREAD), strict=True)
    for mine, other in pairs:
        assert mine.values == other.values
        assert mine.metadata == other.metadata
        assert mine.next == other.next
    history = list(ours.get_state_history(THREAD, limit=7))
    forked = ours.update_state(history[6].config, {"count": 100})
    assert ours.get_state(forked).values["count"] == 100
    assert len(ours.get_state(forked).values["messages"]) == len(history[6].values["messages"])


def test_async_and_sync_are_the_same(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _chat(saver)

    async def work() -> list[Any]:
        for number in range(3):
            message = {"messages": [HumanMessage(f"say {number}", id=f"h{number}")]}
            await graph.ainvoke(message, THREAD)
        found = [one async for one in saver.alist(THREAD)]
        assert await saver.aget_tuple(THREAD) == found[0]
        return found

    found = asyncio.run(work())
    assert found == list(saver.list(THREAD))
    assert [one.config for one in saver.list(THREAD, limit=2)] == [one.config for one in found[:2]]
    older = list(saver.list(THREAD, before=found[2].config))
    assert older == found[3:]
    assert list(saver.list(None)) == found
    steps = list(saver.list(THREAD, filter={"source": "loop", "step": 1}))
    assert [one.metadata["step"] for one in steps] == [1]


def test_a_method_that_a_subclass_overrides_is_overridden_for_async_callers(
    kept: Memoranda,
) -> None:
    class Audited(MemorandaSaver):
        deleted: list[str]

        def delete_thread(self, thread_id: str) -> None:
            self.deleted = [thread_id]

    saver = Audited(kept)
    asyncio.run(saver.adelete_thread("one"))
    assert saver.deleted == ["one"]


def test_a_growing_list_is_kept_in_runs_and_pruned_to_the_newest(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _chat(saver)
    for number in range(50):
        _say(graph, number)
    before = graph.get_state(THREAD)
    keys = _keys_all(kept)
    assert 3 <= sum(key.startswith("r/") for key in keys) <= 100
    saver.copy_thread("t/1:a%", "copy")
    saver.prune(["t/1:a%"])
    assert graph.get_state(THREAD).values == before.values
    assert len(list(saver.list(THREAD))) == 1
    left = [key for key in _keys_all(kept) if "copy" not in key]
    kinds = [key[0] for key in left]
    assert kinds.count("r") == 4  # 100 messages in runs of 32
    assert kinds.count("c") == 1
    copy: Any = {"configurable": {"thread_id": "copy"}}
    assert len(list(saver.list(copy))) > 100
    assert graph.get_state(copy).values == before.values
    _say(graph, 51)
    assert len(graph.get_state(THREAD).values["messages"]) == 102
    saver.delete_thread("t/1:a%")
    saver.prune(["copy"], strategy="delete")
    assert _keys_all(kept) == []


def _keys_all(memory: Memoranda) -> list[str]:
    keys, cursor = list[str](), None
    while True:
        page = memory.documents.list(SPACE, values=False, cursor=cursor, limit=1_000)
        keys += [one.key for one in page]
        if (cursor := page.cursor) is None:
            return keys


def test_threads_that_begin_alike_are_kept_apart(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _chat(saver)
    names = ["user", "user/1", "user/10", "user/%", "user%2F1", "..", "ü", "user/1/"]
    for name in names:
        _say(graph, 1, {"configurable": {"thread_id": name}})
    saver.delete_thread("user/1")
    for name in names:
        there = graph.get_state({"configurable": {"thread_id": name}}).values
        assert bool(there) is (name != "user/1"), name


def test_two_spaces_and_workspaces_hold_their_own(kept: Memoranda) -> None:
    savers = [
        MemorandaSaver(kept),
        MemorandaSaver(kept, space="other"),
        MemorandaSaver(kept, workspace="shop"),
    ]
    for number, saver in enumerate(savers):
        _say(_chat(saver), number)
    for number, saver in enumerate(savers):
        messages = _chat(saver).get_state(THREAD).values["messages"][0].content
        assert messages == f"say {number}"


def test_a_state_with_a_credential_is_refused(kept: Memoranda) -> None:
    graph = _chat(MemorandaSaver(kept))
    with pytest.raises(InvalidInput, match=r"contains a credential \(aws\) at .*content"):
        graph.invoke({"messages": [HumanMessage(f"the key is {SECRET}", id="h")]}, THREAD)
    with pytest.raises(InvalidInput, match="the store is not encrypted"):
        _chat(MemorandaSaver(kept, secrets="encrypt")).invoke(
            {"messages": [HumanMessage(SECRET, id="h")]}, THREAD
        )
    with pytest.raises(InvalidInput):
        MemorandaSaver(kept, secrets="hide")
    assert not any(SECRET in one for one in _everything(kept))


def test_a_state_is_redacted_on_request(kept: Memoranda) -> None:
    graph = _chat(MemorandaSaver(kept, secrets="redact"))
    graph.invoke({"messages": [HumanMessage(f"the key is {SECRET}", id="h")]}, THREAD)
    assert any("the key is" in one for one in _everything(kept))
    assert not any(SECRET in one for one in _everything(kept))
    assert SECRET not in str(graph.get_state(THREAD).values)


def _everything(kept: Memoranda) -> list[str]:
    return [dump_json(one.value) for one in kept.documents.list(SPACE, limit=1_000)]


def test_a_graph_runs_against_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            saver = MemorandaSaver(memory, workspace="shop")
            graph = _chat(saver)
            for number in range(20):
                _say(graph, number)
            before = graph.get_state(THREAD).values
            assert before["count"] == 20
            saver.prune(["t/1:a%"])
            assert graph.get_state(THREAD).values == before
    finally:
        server.stop()


def test_invalid_arguments_are_reported(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    with pytest.raises(InvalidInput, match="the thread"):
        saver.get_tuple({"configurable": {}})
    with pytest.raises(ValueError, match="keep_latest"):
        saver.prune(["t"], strategy="half")
    graph = _chat(saver)
    for number in range(40):
        _say(graph, number)
    gone = [key for key in _keys(kept) if key.startswith("r/")]
    kept.documents.delete(SPACE, gone)
    with pytest.raises(CorruptData, match="missing"):
        graph.get_state(THREAD)


def test_versions_rise_and_two_forks_get_different_ones(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept, versions=random.Random(1))
    first = saver.get_next_version(None)
    left, right = (saver.get_next_version(first) for _ in range(2))
    assert first < left != right > first
    assert saver.get_next_version("999") > saver.get_next_version("99")


@dataclass
class Point:
    x: int
    tags: dict[str, Any]


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=9)
    | st.binary(max_size=9)
    | st.datetimes()
    | st.uuids()
    | st.builds(Point, st.integers(0, 9), st.dictionaries(st.text(max_size=3), st.integers(0, 9)))
)
names = st.text(max_size=4) | st.sampled_from(["$ext", "$names", "b", "a"])
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(names, inner)
        | st.dictionaries(st.integers(0, 9), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(HumanMessage, st.text(max_size=9), id=st.text(max_size=4))
    ),
    max_leaves=12,
)


@given(value=values)
def test_any_value_comes_back_through_json(value: Any) -> None:
    serde = JsonPlusSerializer(allowed_msgpack_modules=True)
    kind, data = serde.dumps_typed(value)
    tree = parse_json(dump_json(tree_of(kind, data)))
    again = serde.loads_typed(typed_of(tree))
    assert again == serde.loads_typed((kind, data))
    if isinstance(value, dict):
        assert list(again) == list(value)


@pytest.mark.parametrize("tree", [{"$ext": 0}, {"$pairs": 3}, {"$bytes": "?"}, {"$names": ["a"]}])
def test_a_tree_of_another_program_is_refused(tree: Any) -> None:
    with pytest.raises(CorruptData):
        typed_of(tree)


def test_it_conforms_through_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        with Memoranda.open(f"http://127.0.0.1:{server.port}", token=server.token) as memory:
            numbers = iter(range(1_000))

            @checkpointer_test(name="MemorandaSaver")
            async def made() -> AsyncIterator[MemorandaSaver]:
                yield MemorandaSaver(memory, space=f"run {next(numbers)}")

            report = asyncio.run(validate(made))
    finally:
        server.stop()
    failed = {name: one.failures for name, one in report.results.items() if one.failures}
    assert (report.conformance_level(), failed) == ("FULL", {})


def test_one_id_is_no_list_of_ids(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _chat(saver)
    for thread in ("ab", "a", "b"):
        _say(graph, 1, {"configurable": {"thread_id": thread}})
    before = _keys(kept)
    for strategy in ("keep_latest", "delete"):
        with pytest.raises(TypeError, match="not a str"):
            saver.prune("ab", strategy=strategy)
    with pytest.raises(TypeError, match="not a str"):
        saver.delete_for_runs("ab")
    assert _keys(kept) == before


def test_prune_keeps_what_was_written_before_its_checkpoint(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _chat(saver)
    _say(graph, 1)
    head = saver.get_tuple(THREAD)
    assert head is not None
    coming = create_checkpoint(head.checkpoint, None, 9)
    place: Any = {"configurable": THREAD["configurable"] | {"checkpoint_id": coming["id"]}}
    saver.put_writes(place, [("count", 4)], "task")
    saver.prune(["t/1:a%"])
    pruned = saver.get_tuple(THREAD)
    assert pruned == head._replace(parent_config=None), "its parent is gone"
    saver.put(head.config, coming, {"source": "loop", "step": 9, "parents": {}}, {})
    found = saver.get_tuple(place)
    assert found is not None
    assert found.pending_writes == [("task", "count", 4)]
    saver.prune(["t/1:a%"], strategy="delete")
    assert _keys(kept) == []


def test_a_value_of_a_channel_without_a_version_comes_back(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    made: Any = {"ts": "2024-05-04T06:32:42+00:00", "id": "1ef4f797-8335-6428-8001-8a1503f9b875"}
    values = {"key": "value", "list": [1, [2, "x"]], "none": None}
    saver.put(THREAD, {**made, "channel_values": values}, {"source": "input", "step": 1}, {})
    found = saver.get_tuple(THREAD)
    assert found is not None
    assert found.checkpoint == {**made, "channel_values": values}
    assert [one.checkpoint for one in saver.list(THREAD)] == [found.checkpoint]
    saver.copy_thread("t/1:a%", "copy")
    copy = saver.get_tuple({"configurable": {"thread_id": "copy"}})
    assert copy is not None
    assert copy.checkpoint == found.checkpoint
    saver.prune(["t/1:a%"])
    assert saver.get_tuple(THREAD) == found


def test_a_delta_history_begins_at_a_value_without_a_version(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)

    def put(config: Any, id: str, values: dict[str, Any]) -> Any:
        checkpoint = {**empty_checkpoint(), "id": id, "channel_values": values}
        return saver.put(config, checkpoint, {}, {})  # type: ignore[arg-type]

    root = put(THREAD, "z-older", {"ch": "seed"})
    saver.put_writes(root, [("ch", "write")], "task")
    child = put(root, "a-newer", {})
    history = saver.get_delta_channel_history(config=child, channels=["ch"])
    assert history == {"ch": {"seed": "seed", "writes": [("task", "ch", "write")]}}


@pytest.mark.engines("sqlite", "postgres")
def test_metadata_is_filtered_by_the_path_of_a_field(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    made: Any = {"user": {"access-level": "nested"}, "123abc": "ok"}
    saver.put(THREAD, empty_checkpoint(), made, {})
    for wanted, count in (
        ({"user.access-level": "nested"}, 1),
        ({"123abc": "ok"}, 1),
        ({"user.access-level": "other"}, 0),
        ({"123abc.x": "ok"}, 0),
    ):
        assert len(list(saver.list(None, filter=wanted))) == count, wanted


def _with_subgraphs(saver: Any) -> Any:
    def work(state: Sum) -> dict[str, Any]:
        if state["total"] >= 1_000:
            interrupt("enough?")
        return {"total": 1}

    def subgraph(kept_by: Any) -> Any:
        inner = StateGraph(Sum)
        inner.add_node("work", work)
        inner.add_edge(START, "work")
        inner.add_edge("work", END)
        return inner.compile(checkpointer=kept_by)

    graph = StateGraph(Sum)
    graph.add_node("called", subgraph(None))
    graph.add_node("lasting", subgraph(True))
    graph.add_edge(START, "called")
    graph.add_edge("called", "lasting")
    graph.add_edge("lasting", END)
    return graph.compile(checkpointer=saver)


def test_prune_takes_a_finished_call_of_a_subgraph_with_what_it_began_at(kept: Memoranda) -> None:
    saver = MemorandaSaver(kept)
    graph = _with_subgraphs(saver)

    def namespaces() -> set[str]:
        return {one.config["configurable"]["checkpoint_ns"] for one in saver.list(THREAD_ALL)}

    for _ in range(2):
        graph.invoke({"total": 1}, THREAD)
    called = {one for one in namespaces() if one.startswith("called:")}
    assert len(called) == 2
    saver.prune(["t/1:a%"])
    assert namespaces() == {"", "lasting"}
    assert not [key for key in _keys(kept) if "called%3A" in key], "nothing of the calls is left"
    stopped = graph.invoke({"total": 1_000}, THREAD)
    assert stopped["__interrupt__"], "the third call asks"
    before = graph.get_state(THREAD, subgraphs=True)
    saver.prune(["t/1:a%"])
    asking = {one for one in namespaces() if one.startswith("called:")}
    assert len(asking) == 1, "a call that goes on is kept"
    assert graph.get_state(THREAD, subgraphs=True).values == before.values
    done = graph.invoke(Command(resume="yes"), THREAD)
    assert done["total"] > stopped["total"]


async def _invoked(graph: Any, value: Any, through: str) -> Any:
    if through == "async":
        return await graph.ainvoke(value, THREAD)
    return await asyncio.to_thread(graph.invoke, value, THREAD)


@pytest.mark.parametrize("through", ["sync", "async"])
def test_a_node_with_several_interrupts_resumes(kept: Memoranda, through: str) -> None:
    def ask(state: Chat) -> dict[str, Any]:
        answers = [interrupt(number) for number in range(3)]
        return {"messages": [AIMessage(" ".join(answers), id="a")]}

    graph = StateGraph(Chat)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    states = []
    for saver in (MemorandaSaver(kept), InMemorySaver()):
        chat = graph.compile(checkpointer=saver)
        state: Any = {"messages": []}
        for message in ({"messages": []}, *(Command(resume=f"answer {n}") for n in range(3))):
            state = asyncio.run(_invoked(chat, message, through))
        states.append([one.content for one in state["messages"]])
    assert states == [["answer 0 answer 1 answer 2"]] * 2
