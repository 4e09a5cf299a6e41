"""The table of MCP tools: cost in tokens, operations and hints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memoranda import Memoranda
from memoranda.api.mcp.knowledge_graph_tools import GraphTools
from memoranda.api.mcp.mcp_server import listed
from memoranda.api.mcp.schemas import place_of
from memoranda.api.mcp.tool_calls import TableTools
from memoranda.api.mcp.tools import McpTool, ToolProfile, tool_named, tools
from memoranda.config import Settings
from memoranda.identity.principal import Role
from memoranda.models.tokens import ToktokCounter
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS
from tables import each

ALL = {tool.name: tool for profile in ToolProfile for tool in tools(profile)}
DEFAULT = ["search", "timeline", "get", "remember", "context", "block_edit", "feedback", "error"]


def listing(profile: ToolProfile) -> list[dict[str, Any]]:
    """Return the tools as they are sent."""
    box = GraphTools() if profile is ToolProfile.REFERENCE_GRAPH else TableTools(profile)
    return [
        listed(one).model_dump(by_alias=True, mode="json", exclude_none=True)
        for one in box.definitions()
    ]


def tokens(profile: ToolProfile) -> int:
    text = json.dumps({"tools": listing(profile)}, separators=(",", ":"))
    return ToktokCounter(Settings.__dataclass_fields__["tokenizer"].default).count(text)


def test_the_default_tools_cost_few_tokens() -> None:
    assert 1_000 < tokens(ToolProfile.DEFAULT) <= 2_500
    assert tokens(ToolProfile.MINIMAL) <= 1_100


def test_the_default_tools_are_eight() -> None:
    assert [one["name"] for one in listing(ToolProfile.DEFAULT)] == DEFAULT
    assert [one["name"] for one in listing(ToolProfile.MINIMAL)] == ["search", "get", "context"]


def test_the_full_profile_has_the_default_tools_first() -> None:
    named = [one["name"] for one in listing(ToolProfile.FULL)]
    assert named[:8] == DEFAULT
    assert len(named) == len(set(named)) == len(ALL)


@pytest.mark.parametrize("profile", ToolProfile)
def test_schemas_are_schemas_and_whole(profile: ToolProfile) -> None:
    for tool in listing(profile):
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in json.dumps(schema) or "$defs" in schema
        assert tool["inputSchema"]["additionalProperties"] is False


@each("tool", ALL.values(), ids=ALL)
def test_a_parameter_fills_something_that_its_operation_takes(tool: McpTool) -> None:
    for call in tool.calls:
        assert call.operation in OPERATIONS
        filled = {place.partition(".")[0] for place in call.takes.values()}
        arguments = OPERATIONS[call.operation].signature(Memoranda).arguments
        assert {one.name for one in arguments if one.required} <= filled
        for name in call.takes:
            place_of(call, name)


@each("tool", ALL.values(), ids=ALL)
def test_a_read_only_tool_changes_nothing(tool: McpTool) -> None:
    access = {OPERATIONS[one.operation].access for one in tool.calls}
    assert tool.reads is (access == {Access.READ})
    assert not (tool.reads and tool.destructive)


@each("tool", ALL.values(), ids=ALL)
def test_no_tool_is_for_somebody_above_an_agent(tool: McpTool) -> None:
    for call in tool.calls:
        assert Role.AGENT in OPERATIONS[call.operation].roles
        assert not OPERATIONS[call.operation].local


@each("tool", ALL.values(), ids=ALL)
def test_a_long_text_is_returned_within_a_limit(tool: McpTool) -> None:
    for call in tool.calls:
        assert bool(call.rows or call.body) <= (tool.bounded or tool.chooses)


def test_annotations_follow_from_what_operations_do() -> None:
    found = {one["name"]: one["annotations"] for one in listing(ToolProfile.FULL)}
    assert found["search"] == {"readOnlyHint": True, "openWorldHint": False}
    assert found["remember"]["readOnlyHint"] is False
    assert found["remember"]["destructiveHint"] is False
    assert found["memory_archive"]["destructiveHint"] is True
    assert {one["openWorldHint"] for one in found.values()} == {False}


def test_a_schema_lists_required_arguments() -> None:
    schemas = {one["name"]: one["inputSchema"] for one in listing(ToolProfile.FULL)}
    assert schemas["search"]["required"] == ["query"]
    assert schemas["block_edit"]["required"] == ["action", "label"]
    assert schemas["remember"]["required"] == ["content"]
    assert "required" not in schemas["context"]
    assert schemas["error"]["properties"]["type"]["enum"][0] == "hallucination"
    assert schemas["search"]["properties"]["kinds"]["items"]["enum"] == [
        "observation",
        "memory",
        "block",
    ]
    assert schemas["get"]["properties"]["max_tokens"]["default"] == 4_000


def test_the_reference_profile_has_the_nine_tools_of_the_reference_server() -> None:
    found = {one["name"]: one for one in listing(ToolProfile.REFERENCE_GRAPH)}
    assert list(found) == [
        "create_entities",
        "create_relations",
        "add_observations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
        "read_graph",
        "search_nodes",
        "open_nodes",
    ]
    entity = found["create_entities"]["inputSchema"]["properties"]["entities"]["items"]
    assert entity["required"] == ["name", "entityType", "observations"]
    assert found["delete_entities"]["annotations"]["destructiveHint"] is True
    assert set(found["read_graph"]["outputSchema"]["properties"]) == {"entities", "relations"}


def test_a_tool_is_found_by_its_name_whatever_the_profile() -> None:
    assert tool_named("brief").name == "brief"
