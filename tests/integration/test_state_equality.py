"""State of LangGraph and the OpenAI Agents SDK round-trips unchanged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from langgraph.checkpoint.base import empty_checkpoint

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.integrations.langgraph import MemorandaSaver, MemorandaStore
from memoranda.integrations.openai_session import MemorandaSession

NUMBERS = count()
NAMES = (
    "session_id sessionId sid sha uuid token page_token otp key password api_key cursor $ext $names"
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)  # includes NUL
identifiers = st.one_of(
    st.sampled_from(["ada-2", "sid: S1234567", "token=BTC2024x", "chat-42", "a\0b"]),
    st.from_regex(r"[a-z]{2,8}[-_][0-9]{1,6}", fullmatch=True),
    st.from_regex(r"[0-9a-f]{7}|[0-9a-f]{40}|[0-9a-f]{64}", fullmatch=True),
    st.uuids().map(str),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    identifiers,
)
names = st.sampled_from(NAMES.split()) | texts
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(names, trees, max_size=5)
tuples = st.tuples(st.integers(0, 9), identifiers)
states = st.recursive(
    leaves | st.binary(max_size=9),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(names, inner, max_size=4),
        st.dictionaries(tuples, inner, max_size=3),
        st.tuples(inner, inner),
    ),
    max_leaves=12,
)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


@given(state=states)
@quick
def test_a_checkpoint_comes_back_equal(kept: Memoranda, state: Any) -> None:
    saver = MemorandaSaver(kept)
    config: Any = {"configurable": {"thread_id": f"t{next(NUMBERS)}", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"x": state}
    checkpoint["channel_versions"] = {"x": "1"}
    placed = saver.put(config, checkpoint, {"source": "loop", "step": 1}, {"x": "1"})
    saver.put_writes(placed, [("x", state)], "task")
    found = saver.get_tuple(placed)
    expected = saver.serde.loads_typed(saver.serde.dumps_typed(state))
    assert found is not None
    assert repr(found.checkpoint["channel_values"]["x"]) == repr(expected)
    assert [repr(value) for _, _, value in found.pending_writes or ()] == [repr(expected)]


@given(value=objects)
@quick
def test_an_item_of_the_store_comes_back_equal(kept: Memoranda, value: dict[str, Any]) -> None:
    store = MemorandaStore(kept)
    place = ("users", f"u{next(NUMBERS)}")
    store.put(place, "state", value)
    found = store.get(place, "state")
    assert found is not None
    assert found.value == value
    assert [one.value for one in store.search(place)] == [value]


@given(items=st.lists(objects, max_size=4), arguments=objects)
@quick
def test_items_of_a_session_come_back_equal(
    kept: Memoranda, items: list[Any], arguments: dict[str, Any]
) -> None:
    call = {"type": "function_call", "call_id": "call_1", "name": "resume"}
    values: list[Any] = [*items, {**call, "arguments": json.dumps(arguments)}]
    session = MemorandaSession(f"run {next(NUMBERS)}", kept)

    async def story() -> list[Any]:
        await session.add_items(values)
        return list(await session.get_items(-1))

    assert asyncio.run(story()) == values
