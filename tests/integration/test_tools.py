"""The tools that agents know by name, as a model calls them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from memoranda import Memoranda, NewBlock
from memoranda.config import Settings
from memoranda.tools.memory_tools import TOOLS

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return a memory opened by an agent, on each engine."""
    settings = replace(engine, embedder="none")
    with Memoranda.open(settings=settings, workspace="shop", agent="ada") as opened:
        opened.blocks.create(NewBlock("notes", "one\ntwo\nthree"))
        yield opened


def test_every_tool_can_be_called(memory: Memoranda) -> None:
    calls: dict[str, dict[str, object]] = {
        "memory_insert": {"label": "notes", "new_str": "four"},
        "memory_replace": {"label": "notes", "old_str": "two", "new_str": "2"},
        "memory_rethink": {"label": "notes", "new_memory": "a\nb", "reasoning": "shorter"},
        "memory_apply_patch": {"label": "notes", "patch": "@@\n a\n-b\n+c\n"},
        "core_memory_append": {"label": "notes", "content": "d"},
        "core_memory_replace": {"label": "notes", "old_content": "d", "new_content": "e"},
        "archival_memory_insert": {"content": "Prices are net.", "tags": ["price"]},
        "archival_memory_search": {"query": "prices", "tags": ["price"]},
    }
    assert calls.keys() == TOOLS.keys()
    for name, arguments in calls.items():
        answer = memory.tools.call(name, arguments)
        assert not answer.startswith("Error"), (name, answer)
    assert memory.blocks.show("notes").value == "a\nc\ne"
    assert "Prices are net." in answer
    assert "shorter" in {one.reason for one in memory.blocks.history("notes")}


def test_what_a_model_can_put_right_comes_back_as_a_text(memory: Memoranda) -> None:
    missing = memory.tools.call(
        "memory_replace", {"label": "notes", "old_str": "x", "new_str": "y"}
    )
    assert missing.startswith("Error:")
    assert "one\ntwo\nthree" in missing
    assert memory.tools.call("memory_insert", {"label": "nope", "text": "x"}).startswith(
        "Error: no block"
    )
    assert "missing" in memory.tools.call("memory_rethink", {})
    assert memory.tools.call("rm", {}).startswith("Error: no tool")
    assert memory.blocks.show("notes").version == 1


def test_a_patch_of_several_blocks_is_all_or_nothing(memory: Memoranda) -> None:
    patch = (
        "*** Begin Patch\n*** Add Block: plan\n+first\n*** Update Block: notes\n"
        "*** Move to: log\n@@\n one\n-two\n+2\n*** End Patch"
    )
    answer = memory.tools.call("memory_apply_patch", {"patch": patch, "reason": "tidy"})
    assert not answer.startswith("Error"), answer
    values = {one.label: one.value for one in memory.blocks.list()}
    assert values == {"plan": "first", "log": "one\n2\nthree"}
    broken = "*** Delete Block: plan\n*** Update Block: log\n@@\n-nine\n+9\n"
    assert memory.tools.call("memory_apply_patch", {"patch": broken}).startswith("Error:")
    assert {one.label for one in memory.blocks.list()} == {"plan", "log"}
    assert memory.blocks.apply("*** Delete Block: plan\n")[0].deleted_at is not None
    assert {one.label for one in memory.blocks.list()} == {"log"}


def test_an_agents_memory_waits_and_is_found_by_it(memory: Memoranda) -> None:
    stored = memory.tools.call("archival_memory_insert", {"content": "The gate is blue."})
    assert "pending approval" in stored
    assert "pending" in memory.tools.call("archival_memory_search", {"query": "gate"})
    none = {"query": "gate", "end_datetime": "2020-01-01"}
    assert memory.tools.call("archival_memory_search", none) == "nothing found"
    assert memory.tools.call("archival_memory_search", none | {"end_datetime": "soon"}).startswith(
        "Error"
    )
