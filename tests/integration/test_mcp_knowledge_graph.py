"""The reference memory server's tools over memories, in the same shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import validate

from memoranda.api.mcp.knowledge_graph_tools import GraphTools
from memoranda.api.mcp.tool_results import ToolAnswer, value_at
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.identity.principal import Principal, Role
from memoranda.json_data import JsonValue
from memoranda.text import NOTICE
from tables import each

pytestmark = pytest.mark.integration

ADA = Principal("local", "ada", Role.REVIEWER, workspace="shop")
BOT = Principal("local", "bot", Role.AGENT, "bot", "shop")
EYE = Principal("local", "eye", Role.READER, workspace="shop")
TOOLS = GraphTools()
SCHEMAS = {one.name: (one.input, one.output) for one in TOOLS.definitions()}
JOHN: JsonValue = {"name": "John", "entityType": "person", "observations": ["Speaks Dutch"]}
ACME: JsonValue = {"name": "Acme", "entityType": "company", "observations": []}
WORKS: JsonValue = {"from": "John", "to": "Acme", "relationType": "works at"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "data"}))
    yield opened
    opened.close()


def call(service: Service, tool: str, who: Principal = ADA, **arguments: JsonValue) -> ToolAnswer:
    """Call a tool with arguments and result checked against its schemas."""
    taken, made = SCHEMAS[tool]
    validate(arguments, taken)
    answer = TOOLS.call(service, who, tool, arguments)
    validate(dict(answer.structured), made)
    return answer


def filled(service: Service, who: Principal = ADA) -> None:
    call(service, "create_entities", who, entities=[JOHN, ACME])
    call(service, "create_relations", who, relations=[WORKS])


def names(answer: ToolAnswer) -> list[JsonValue]:
    entities = answer.structured["entities"]
    assert isinstance(entities, list)
    return [value_at(one, "name") for one in entities]


def test_a_graph_is_created_and_read_back(service: Service) -> None:
    made = call(service, "create_entities", entities=[JOHN, ACME])
    assert made.structured == {"entities": [JOHN, ACME]}
    assert json.loads(made.text) == [JOHN, ACME]
    assert call(service, "create_relations", relations=[WORKS]).structured == {"relations": [WORKS]}
    read = call(service, "read_graph")
    assert read.structured == {"entities": [JOHN, ACME], "relations": [WORKS]}
    assert json.loads(read.text) == read.structured
    assert read.notes == (NOTICE,)


def test_what_is_there_already_is_not_made_again(service: Service) -> None:
    filled(service)
    again = call(service, "create_entities", entities=[JOHN, ACME, ACME])
    assert again.structured == {"entities": []}
    assert call(service, "create_relations", relations=[WORKS]).structured == {"relations": []}
    value: JsonValue = [{"entityName": "John", "contents": ["Speaks Dutch", "Is tall", "Is tall"]}]
    added = call(service, "add_observations", observations=value)
    assert added.structured == {
        "results": [{"entityName": "John", "addedObservations": ["Is tall"]}]
    }


@each("name", ["Jo\0hn", "Jo\ud800hn"])
def test_characters_that_no_store_keeps_are_replaced_in_every_tool(
    service: Service, name: str
) -> None:
    entity: JsonValue = {"name": name, "entityType": "person", "observations": [f"{name} left"]}
    assert len(names(call(service, "create_entities", entities=[entity]))) == 1
    assert names(call(service, "create_entities", entities=[entity])) == []
    found = call(service, "open_nodes", names=[name])
    assert len(names(found)) == 1
    found.text.encode()
    deleted = call(service, "delete_entities", entityNames=[name])
    assert deleted.structured["success"] is True
    assert names(call(service, "open_nodes", names=[name])) == []


def test_two_entities_of_which_the_same_is_observed_both_keep_it(service: Service) -> None:
    both = [{**one, "observations": ["Is old"]} for one in (JOHN, ACME)]  # type: ignore[dict-item]
    call(service, "create_entities", entities=both)  # type: ignore[arg-type]
    entities = call(service, "read_graph").structured["entities"]
    assert [value_at(one, "observations") for one in entities] == [["Is old"], ["Is old"]]  # type: ignore[union-attr]


def test_nodes_are_searched_and_opened_with_what_touches_them(service: Service) -> None:
    filled(service)
    for query in ("john", "PERSON", "dutch"):
        found = call(service, "search_nodes", query=query)
        assert names(found) == ["John"]
        assert found.structured["relations"] == [WORKS]
    assert names(call(service, "search_nodes", query="nothing")) == []
    assert names(call(service, "open_nodes", names=["Acme", "Nobody"])) == ["Acme"]


def test_a_statement_about_an_unknown_entity_is_refused(service: Service) -> None:
    filled(service)
    stray: JsonValue = {"from": "John", "to": "Nobody", "relationType": "knows"}
    with pytest.raises(NotFound, match="Entity with name Nobody not found"):
        call(service, "create_relations", relations=[stray])
    with pytest.raises(NotFound, match="Nobody"):
        call(
            service, "add_observations", observations=[{"entityName": "Nobody", "contents": ["x"]}]
        )


def test_a_person_deletes_and_it_can_be_brought_back(service: Service) -> None:
    filled(service)
    gone = call(service, "delete_entities", entityNames=["John"])
    assert gone.structured == {"success": True, "message": "Entities deleted successfully"}
    assert gone.text == "Entities deleted successfully"
    assert call(service, "read_graph").structured == {"entities": [ACME], "relations": []}
    kept = value_at(service.call(ADA, "memories.list", {"status": "archived"}), "items")
    assert isinstance(kept, list)
    assert len(kept) == 3  # the entity, its observation, its relation


def test_deleting_a_missing_entity_is_reported(service: Service) -> None:
    filled(service)
    gone = call(service, "delete_entities", entityNames=["Nobody", "Acme"])
    assert gone.text == "Deleted 1 of 2 entities. Not found: Nobody"
    value: JsonValue = [{"entityName": "John", "observations": ["Speaks Dutch", "Is short"]}]
    assert call(service, "delete_observations", deletions=value).text.startswith("Deleted 1 of 2")
    assert call(service, "delete_relations", relations=[WORKS]).text.startswith("Deleted 0 of 1")


def test_an_observation_and_a_relation_are_deleted_alone(service: Service) -> None:
    filled(service)
    value: JsonValue = [{"entityName": "John", "observations": ["Speaks Dutch"]}]
    assert call(service, "delete_observations", deletions=value).structured["success"] is True
    assert call(service, "delete_relations", relations=[WORKS]).structured["success"] is True
    left = call(service, "read_graph").structured
    assert left["relations"] == []
    assert value_at(left["entities"][0], "observations") == []  # type: ignore[index, call-overload]


def test_an_agents_graph_waits_for_a_person_and_is_seen_meanwhile(service: Service) -> None:
    filled(service, BOT)
    assert names(call(service, "read_graph", BOT)) == ["John", "Acme"]
    waiting = value_at(service.call(ADA, "memories.list", {"status": "pending"}), "items")
    assert isinstance(waiting, list)
    assert len(waiting) == 4


def test_an_agents_deletion_of_a_persons_statement_is_pending(service: Service) -> None:
    filled(service)
    answer = call(service, "delete_entities", BOT, entityNames=["Acme"])
    assert answer.structured["success"] is False
    assert "pending approval" in answer.text
    assert names(call(service, "read_graph", BOT)) == ["John", "Acme"]


def test_a_reader_of_a_graph_changes_nothing(service: Service) -> None:
    filled(service)
    assert names(call(service, "read_graph", EYE)) == ["John", "Acme"]
    with pytest.raises(Forbidden):
        call(service, "create_entities", EYE, entities=[{**JOHN, "name": "Jo"}])  # type: ignore[dict-item]
    with pytest.raises(Forbidden):
        call(service, "delete_entities", EYE, entityNames=["John"])


def test_other_memories_are_not_of_the_graph(service: Service) -> None:
    service.call(ADA, "remember", {"statement": "Prices are net."})
    tagged: JsonValue = {"content": "Odd.", "tags": ["graph:entity", "graph:relation", "from:a"]}
    service.call(ADA, "remember", {"statement": tagged})
    assert call(service, "read_graph").structured == {"entities": [], "relations": []}


def test_a_graph_too_long_to_read_is_truncated_and_marked(service: Service) -> None:
    long = "word " * 1_500
    many: list[JsonValue] = [
        {"name": f"N{n}", "entityType": "thing", "observations": [f"{n} {long}"]} for n in range(24)
    ]
    call(service, "create_entities", entities=many)
    read = call(service, "read_graph")
    assert 0 < len(names(read)) < 24
    assert "entities are not shown" in read.notes[0]


@each(
    ("tool", "arguments"),
    [
        ("create_entities", {}),
        ("create_entities", {"entities": "John"}),
        ("create_entities", {"entities": [{"name": "John"}]}),
        ("create_entities", {"entities": [{"name": "", "entityType": "x", "observations": []}]}),
        ("create_entities", {"entities": [{"name": "a", "entityType": "x", "observations": [1]}]}),
        ("create_entities", {"entities": [{"name": "a", "entityType": "x", "observations": [""]}]}),
        ("create_entities", {"entities": [{}] * 1_000}),
        ("create_relations", {"relations": [{"from": 1, "to": "b", "relationType": "c"}]}),
        (
            "create_relations",
            {"relations": [{"from": "a", "to": "b", "relationType": "c", "x": 1}]},
        ),
        ("search_nodes", {"query": "x" * 3_000}),
        ("search_nodes", {"query": ["x"]}),
        ("open_nodes", {"names": ["x"] * 1_000}),
        ("read_graph", {"all": True}),
    ],
)
def test_arguments_that_violate_the_schema_are_refused(
    service: Service, tool: str, arguments: dict[str, JsonValue]
) -> None:
    with pytest.raises(InvalidInput):
        TOOLS.call(service, ADA, tool, arguments)


def test_an_agent_deletes_what_it_created_itself(service: Service) -> None:
    filled(service, BOT)
    gone = call(service, "delete_entities", BOT, entityNames=["Acme"])
    assert gone.structured["success"] is True
    assert names(call(service, "read_graph", BOT)) == ["John"]
