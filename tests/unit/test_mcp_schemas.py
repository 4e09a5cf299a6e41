"""Tool schemas follow from the operations' types, as short as possible."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from memoranda.api.mcp.schemas import (
    input_schema,
    needs,
    output_schema,
    place_of,
    required,
    tree_of,
)
from memoranda.api.mcp.tool_calls import checked_arguments, operation_arguments
from memoranda.api.mcp.tools import LIMIT, ToolProfile, tool_named, tools
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue

FULL = {one.name: one for one in tools(ToolProfile.FULL)}


def test_a_parameter_of_a_field_has_its_type_and_default() -> None:
    call = tool_named("search").calls[0]
    assert place_of(call, "query") == (str, dataclasses.MISSING)
    message, default = place_of(call, "tags")
    assert "str" in str(message)
    assert default == ()
    assert needs(call, "query")
    assert not needs(call, "tags")


def test_a_field_of_a_union_is_found_in_its_dataclass() -> None:
    call = tool_named("remember").calls[0]
    assert place_of(call, "content") == (str, dataclasses.MISSING)
    assert input_schema(tool_named("remember"))["properties"]["content"]["type"] == "string"


def test_null_and_integer_limits_are_omitted() -> None:
    for tool in FULL.values():
        for name, schema in input_schema(tool)["properties"].items():
            assert {"type": "null"} not in schema.get("anyOf", ()), (tool.name, name)
            assert schema.get("maximum", 0) < 2**62, (tool.name, name)


def test_what_every_operation_of_a_tool_needs_is_required() -> None:
    assert required(tool_named("block_edit")) == ["action", "label"]
    assert required(tool_named("memories")) == []
    assert required(tool_named("stage_begin")) == ["task", "name"]


def test_results_of_two_kinds_are_alternatives() -> None:
    result = output_schema(tool_named("get"))["properties"]["result"]
    observation, memory = result["anyOf"]
    assert set(observation["properties"]) == {"observation", "content"}
    assert "trust" in memory["properties"]


def test_results_of_one_kind_are_one_shape() -> None:
    result = output_schema(tool_named("block_edit"))["properties"]["result"]
    assert set(result["properties"]) == {
        "label",
        "version",
        "value",
        "limit",
        "read_only",
        "tokens",
    }


def test_lists_and_pages_of_lists_are_arrays() -> None:
    timeline = output_schema(tool_named("timeline"))["properties"]["result"]
    assert timeline["type"] == "array"
    page = output_schema(tool_named("memories"))["properties"]["result"]
    assert page["properties"]["items"]["type"] == "array"
    assert page["properties"]["cursor"] == {"type": "string"}


def test_what_may_be_missing_is_an_object_all_the_same() -> None:
    changed = output_schema(tool_named("memory_change"))["properties"]["result"]
    assert changed["properties"]["proposal"]["type"] == "object"


def test_paths_are_taken_together() -> None:
    assert tree_of(["a.b", "a.c", "d"]) == {"a": {"b": {}, "c": {}}, "d": {}}


def test_arguments_are_mapped_as_in_the_table() -> None:
    tool = tool_named("search")
    arguments: dict[str, JsonValue] = {"query": "x", "tags": ["a"], "since": "2026-01-01"}
    assert operation_arguments(tool, tool.calls[0], arguments) == {
        "query": "x",
        "where": {"tags": ["a"], "since": "2026-01-01"},
        "limit": 10,
    }


def test_how_long_an_answer_is_to_be_is_not_the_operations_matter() -> None:
    tool = tool_named("timeline")
    assert LIMIT not in operation_arguments(tool, tool.calls[0], {"ref": "1#1", LIMIT: 500})
    context = tool_named("context")
    assert operation_arguments(context, context.calls[0], {LIMIT: 500}) == {"budget": 500}
    assert operation_arguments(context, context.calls[0], {}) == {"budget": 2_000}


@pytest.mark.parametrize(
    "arguments",
    [{"query": "x", "limit": 0}, {"query": "x", "limit": 1e9}, {"query": "x", "where": {}}],
)
def test_arguments_that_violate_the_schema_are_refused(arguments: dict[str, Any]) -> None:
    tool = tool_named("search")
    with pytest.raises(InvalidInput):
        operation_arguments(tool, tool.calls[0], arguments)


def test_arguments_that_are_null_are_not_there() -> None:
    assert checked_arguments({"query": "x", "tags": None}) == {"query": "x"}


def test_the_table_is_not_changed_by_who_reads_it() -> None:
    first = input_schema(tool_named("search"))
    first["properties"].clear()
    assert input_schema(tool_named("search"))["properties"]
