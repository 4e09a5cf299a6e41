"""Block tools of agents: descriptions, and valid arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.models.tokens import ToktokCounter
from memoranda.tools.memory_tools import TOOLS, arguments, tool_definitions
from tables import each

PARAMETERS = {
    "memory_insert": "label new_string insert_line? insert_after? reason?",
    "memory_replace": "label old_string new_string replace_all? reason?",
    "memory_rethink": "label new_memory reasoning? reason?",
    "memory_apply_patch": "label? patch reason?",
    "core_memory_append": "label content reason?",
    "core_memory_replace": "label old_content new_content reason?",
    "archival_memory_insert": "content tags?",
    "archival_memory_search": "query tags? tag_match_mode? top_k? start_datetime? end_datetime?",
}

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.one_of(st.text(max_size=3), st.integers()), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=1),
)


def test_the_tools_have_the_names_and_parameters_that_agents_know() -> None:
    found = {}
    for tool in tool_definitions():
        schema = tool["input_schema"]
        required = set(schema["required"])
        names = [name if name in required else name + "?" for name in schema["properties"]]
        found[tool["name"]] = " ".join(names)
    assert found == PARAMETERS


def test_a_schema_is_closed_with_types_defaults_and_choices() -> None:
    tools = {tool["name"]: tool["input_schema"] for tool in tool_definitions()}
    assert all(schema["type"] == "object" for schema in tools.values())
    assert all(schema["additionalProperties"] is False for schema in tools.values())
    assert tools["memory_insert"]["properties"]["insert_line"] == {
        "type": "integer",
        "description": "0 = at the start, N = after line N, -1 = at the end.",
        "minimum": -1,
        "default": -1,
    }
    search = tools["archival_memory_search"]["properties"]
    assert search["tag_match_mode"] == {
        "type": "string",
        "enum": ["any", "all"],
        "default": "any",
    }
    assert search["tags"] == {"type": "array", "items": {"type": "string"}}
    assert tools["memory_replace"]["properties"]["replace_all"]["default"] is False


def test_both_dialects_are_equivalent() -> None:
    for one, other in zip(tool_definitions("anthropic"), tool_definitions("openai"), strict=True):
        assert other["type"] == "function"
        function = other["function"]
        assert function == {
            "name": one["name"],
            "description": one["description"],
            "parameters": one["input_schema"],
        }


def test_another_dialect_is_refused() -> None:
    with pytest.raises(InvalidInput, match="anthropic, openai"):
        tool_definitions("latin")  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", ["anthropic", "openai"])
def test_the_whole_list_costs_less_than_1200_tokens(dialect: Any) -> None:
    assert ToktokCounter().count(json.dumps(tool_definitions(dialect))) < 1_200


def test_a_list_that_a_caller_changes_is_his_own() -> None:
    tool_definitions()[0]["input_schema"]["properties"].clear()
    assert tool_definitions()[0]["input_schema"]["properties"]


@each(
    ("name", "given_arguments", "expected"),
    [
        (
            "memory_insert",
            {"label": "plan", "new_string": "x"},
            {"label": "plan", "new_string": "x", "insert_line": -1},
        ),
        (
            "memory_insert",
            {"label": "plan", "new_string": "x", "insert_after": "y", "reason": "z"},
            {
                "label": "plan",
                "new_string": "x",
                "insert_line": -1,
                "insert_after": "y",
                "reason": "z",
            },
        ),
        (
            "memory_rethink",
            {"label": "plan", "new_memory": "", "reasoning": "r"},
            {"label": "plan", "new_memory": "", "reasoning": "r"},
        ),
        ("memory_apply_patch", {"patch": "@@"}, {"patch": "@@"}),
        (
            "core_memory_append",
            {"label": "plan", "content": "x"},
            {"label": "plan", "new_string": "x"},
        ),
        (
            "core_memory_replace",
            {"label": "plan", "old_content": "x", "new_content": ""},
            {"label": "plan", "old_string": "x", "new_string": ""},
        ),
        ("archival_memory_insert", {"content": "x", "tags": []}, {"content": "x", "tags": []}),
        (
            "archival_memory_search",
            {"query": "x", "top_k": 1, "tag_match_mode": "all"},
            {"query": "x", "top_k": 1, "tag_match_mode": "all"},
        ),
        ("archival_memory_search", {"query": "x"}, {"query": "x", "tag_match_mode": "any"}),
    ],
)
def test_arguments_come_out_under_one_name(
    name: str, given_arguments: dict[str, object], expected: dict[str, object]
) -> None:
    assert arguments(name, given_arguments) == expected


@each("old", ["old_string", "old_str", "old_content"])
@each("new", ["new_string", "new_str", "new_content"])
@each("name", ["memory_replace", "core_memory_replace"])
def test_texts_to_replace_go_by_all_their_names(name: str, old: str, new: str) -> None:
    found = arguments(name, {"label": "plan", old: "x", new: "y"})
    assert (found["old_string"], found["new_string"]) == ("x", "y")


@each("text", ["new_string", "new_str", "new_content", "text", "insert_text", "content"])
@each("name", ["memory_insert", "core_memory_append"])
def test_a_text_to_insert_goes_by_all_its_names(name: str, text: str) -> None:
    assert arguments(name, {"label": "plan", text: "x"})["new_string"] == "x"


def test_a_rewritten_text_goes_by_both_its_names() -> None:
    assert arguments("memory_rethink", {"label": "a", "new_value": "x"})["new_memory"] == "x"


@each(
    ("name", "changed", "text"),
    [
        ("memory_insert", {"insert_line": True}, "insert_line must be an integer, not bool"),
        ("memory_insert", {"insert_line": 1.0}, "insert_line must be an integer, not float"),
        ("memory_insert", {"insert_line": "1"}, "insert_line must be an integer, not str"),
        ("memory_insert", {"insert_line": -2}, "insert_line must be -1 or more"),
        ("memory_insert", {"insert_after": None}, "insert_after must be a string, not null"),
        ("memory_replace", {"old_string": "x", "replace_all": 1}, "replace_all must be true or"),
        ("memory_replace", {"old_string": ["x"]}, "old_string must be a string, not list"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused(
    name: str, changed: dict[str, object], text: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{name}: {text}"):
        arguments(name, {"label": "plan", "new_string": "x"} | changed)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"top_k": 0}, "top_k must be 1 or more"),
        ({"tags": "a"}, "tags must be a list of strings, not str"),
        ({"tags": ["a", 1]}, "tags must be a list of strings"),
        ({"tag_match_mode": "some"}, "tag_match_mode must be one of any, all"),
    ],
)
def test_a_search_is_checked(changed: dict[str, object], text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        arguments("archival_memory_search", {"query": "x"} | changed)


def test_all_problems_are_named_at_once() -> None:
    call = {"old_str": "a", "old_string": "b", "replace_all": "yes", "path": "x", "limit": 1}
    with pytest.raises(InvalidInput) as refusal:
        arguments("memory_replace", call)
    assert str(refusal.value) == (
        "memory_replace: label is missing; old_string and old_str are synonyms; pass only one; "
        "new_string is missing; replace_all must be true or false, not str; unknown: path, limit "
        "(it takes label, old_string, new_string, replace_all, reason)"
    )


def test_many_unknown_names_are_cut_short() -> None:
    with pytest.raises(InvalidInput) as refusal:
        arguments("memory_apply_patch", {"patch": "x"} | {f"{'n' * 99}{at}": 1 for at in range(99)})
    assert len(str(refusal.value)) < 1_500


def test_a_tool_that_is_not_known_is_not_found() -> None:
    with pytest.raises(NotFound, match="memory_insert, memory_replace"):
        arguments("memory_finish", {})


@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(
        st.sampled_from(sorted({n for t in TOOLS.values() for p in t.parameters for n in p.names})),
        values,
    ),
)
def test_any_model_answer_is_refused_or_matches_the_schema(
    name: str, call: dict[str, object]
) -> None:
    parameters = {parameter.key: parameter for parameter in TOOLS[name].parameters}
    try:
        found = arguments(name, call)
    except InvalidInput:
        return
    assert set(found) <= set(parameters)
    assert not [key for key, one in parameters.items() if one.required and key not in found]
    for key, value in found.items():
        kind = {"string": str, "integer": int, "boolean": bool, "strings": list}
        assert type(value) is kind[parameters[key].kind]
