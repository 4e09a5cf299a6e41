"""The nine tools of the MCP reference memory server, backed by memories.

Their arguments and results have the same structure as in that server.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from memoranda.api.mcp.coercion import coerced
from memoranda.api.mcp.knowledge_graph import (
    Graph,
    GraphEntity,
    GraphMemories,
    GraphNode,
    GraphRelation,
)
from memoranda.api.mcp.tool_calls import ToolDefinition, checked_arguments
from memoranda.api.mcp.tool_results import ToolAnswer, projected
from memoranda.api.mcp.tools import MAXIMUM, document
from memoranda.api.service import Service
from memoranda.calls.conversion import read, refuse_strangers
from memoranda.calls.schema import Schema
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue, dump_json, map_texts
from memoranda.ports import TokenCounter
from memoranda.text import NOTICE, clip, normalise, one_line

TABLE = "knowledge_graph_tools.json"
SEARCHED = 2_048
"""Maximum number of characters of a query."""
BATCH = 200
"""Maximum number of items that one call creates or deletes."""

ToolArguments = Mapping[str, Any]
_TYPES: Mapping[str, Any] = {"string": str, "array": list[Any], "object": dict[str, Any]}
"""Types of arguments by their names in JSON Schema."""


class GraphTools:
    """The tools of the reference graph. Thread-safe."""

    @property
    def names(self) -> Collection[str]:
        """Names of the tools."""
        return _CARRIED_OUT

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return the definitions for the listing."""
        return tuple(map(_definition, document(TABLE)["tools"]))

    def call(
        self, service: Service, principal: Principal, name: str, arguments: ToolArguments
    ) -> ToolAnswer:
        """Call a tool for a caller. Raises the same errors as `Toolbox.call`."""
        definition = next(
            tool_definition
            for tool_definition in self.definitions()
            if tool_definition.name == name
        )
        passed = coerced(definition.input, checked_arguments(arguments))
        checked = {name: map_texts(value, normalise) for name, value in passed.items()}
        _check_object(definition.input, checked, name)
        counter = service.home.counter
        return _CARRIED_OUT[name](GraphMemories(service, principal), checked, counter)


def _create_entities(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    names, entities = set(memories.graph().entities), []
    for item in arguments["entities"]:
        entity = GraphEntity(item["name"], item["entityType"], item["observations"])
        if one_line(entity.name) not in names:
            names.add(one_line(entity.name))
            entities.append(memories.create_entity(entity))
    return _listed("entities", [_shown(graph_entity) for graph_entity in entities])


def _create_relations(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    requested, graph = _relations(arguments), memories.graph()
    for relation in requested:
        _existing(graph, relation.start)
        _existing(graph, relation.end)
    new = [one for one in dict.fromkeys(requested) if one not in graph.relations]
    return _listed(
        "relations", [_related(memories.relate(graph_relation)) for graph_relation in new]
    )


def _add_observations(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    graph = memories.graph()
    requested = [
        (_existing(graph, item["entityName"]), item["contents"])
        for item in arguments["observations"]
    ]
    results: list[JsonValue] = []
    for entity, texts in requested:
        new = [item for item in dict.fromkeys(texts) if item not in entity.observations]
        added: list[JsonValue] = [memories.observe(entity.name, one) for one in new]
        entity.observations += new
        results.append({"entityName": entity.name, "addedObservations": added})
    return _listed("results", results)


def _delete_entities(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    names = {one_line(item) for item in arguments["entityNames"]}
    absent = names - set(memories.graph().entities)

    def meant(node: GraphNode) -> bool:
        return bool(names & {node.tags.get(item, "") for item in ("name", "from", "to")})

    waiting = memories.remove(meant)[1]
    message = "Entities deleted successfully"
    if absent:
        lost = clip(", ".join(sorted(absent)), 200)
        message = f"Deleted {len(names) - len(absent)} of {len(names)} entities. Not found: {lost}"
    return _deleted(message, waiting)


def _delete_observations(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    requested = {
        (one_line(item["entityName"]), text)
        for item in arguments["deletions"]
        for text in item["observations"]
    }
    gone, waiting = memories.remove(
        lambda node: node.kind == "observation" and (node.tags["name"], node.observed) in requested
    )
    return _deleted(_counted("observations", gone + waiting, len(requested)), waiting)


def _delete_relations(
    memories: GraphMemories, arguments: ToolArguments, _: TokenCounter
) -> ToolAnswer:
    requested = set(_relations(arguments))
    gone, waiting = memories.remove(
        lambda node: node.kind == "relation" and node.relation in requested
    )
    return _deleted(_counted("relations", gone + waiting, len(requested)), waiting)


def _read_graph(memories: GraphMemories, _: ToolArguments, counter: TokenCounter) -> ToolAnswer:
    return _bounded(memories.graph(), counter)


def _search_nodes(
    memories: GraphMemories, arguments: ToolArguments, counter: TokenCounter
) -> ToolAnswer:
    query = arguments["query"].lower()
    if len(query) > SEARCHED:
        raise InvalidInput(f"query may have at most {SEARCHED:,} characters")

    def matches_query(entity: GraphEntity) -> bool:
        return any(
            query in item.lower() for item in (entity.name, entity.type, *entity.observations)
        )

    return _bounded(memories.graph().around(matches_query), counter)


def _open_nodes(
    memories: GraphMemories, arguments: ToolArguments, counter: TokenCounter
) -> ToolAnswer:
    names = {one_line(item) for item in arguments["names"]}
    return _bounded(memories.graph().around(lambda entity: entity.name in names), counter)


_CARRIED_OUT: Mapping[str, Callable[[GraphMemories, ToolArguments, TokenCounter], ToolAnswer]] = {
    "create_entities": _create_entities,
    "create_relations": _create_relations,
    "add_observations": _add_observations,
    "delete_entities": _delete_entities,
    "delete_observations": _delete_observations,
    "delete_relations": _delete_relations,
    "read_graph": _read_graph,
    "search_nodes": _search_nodes,
    "open_nodes": _open_nodes,
}


def _bounded(graph: Graph, counter: TokenCounter) -> ToolAnswer:
    """Return a graph with as many of its oldest entities as the limit allows."""
    entities: list[JsonValue] = [_shown(graph_entity) for graph_entity in graph.entities.values()]
    relations: list[JsonValue] = [_related(relation) for relation in graph.relations]
    while True:
        fields: dict[str, JsonValue] = {"entities": entities, "relations": relations}
        text = dump_json(fields, indent=2)
        if counter.count(text) <= MAXIMUM or not (entities or relations):
            cut = len(graph.entities) - len(entities)
            more = f"{cut} entities are not shown; search_nodes finds them." if cut else ""
            return ToolAnswer(text, fields, notes=(f"{NOTICE} {more}".strip(),))
        entities = entities[: len(entities) // 2]
        left = {entity["name"] for entity in entities if isinstance(entity, dict)}
        relations = [
            item
            for item in relations[: len(relations) // 2]
            if isinstance(item, dict) and (item["from"] in left or item["to"] in left)
        ]


def _shown(entity: GraphEntity) -> JsonValue:
    observations: list[JsonValue] = [*entity.observations]
    fields: JsonValue = {
        "name": entity.name,
        "entityType": entity.type,
        "observations": observations,
    }
    return projected(fields, {})


def _related(relation: GraphRelation) -> JsonValue:
    fields: JsonValue = {"from": relation.start, "to": relation.end, "relationType": relation.type}
    return projected(fields, {})


def _listed(name: str, items: list[JsonValue]) -> ToolAnswer:
    return ToolAnswer(dump_json(items, indent=2), {name: items}, notes=(NOTICE,))


def _counted(what: str, found: int, requested: int) -> str:
    if found == requested:
        return f"{what.capitalize()} deleted successfully"
    return f"Deleted {found} of {requested} {what}. The other items matched nothing."


def _deleted(message: str, waiting: int) -> ToolAnswer:
    """Report what was deleted.

    Deletions that are pending approval have not happened yet, so they are not a success.
    """
    if waiting:
        message = f"{waiting} of these deletions are pending approval."
    return ToolAnswer(message, {"success": not waiting, "message": message})


def _existing(graph: Graph, name: str) -> GraphEntity:
    entity = graph.entities.get(one_line(name))
    if entity is None:
        raise NotFound(f"Entity with name {clip(name, 80)} not found")
    return entity


def _relations(arguments: ToolArguments) -> list[GraphRelation]:
    return [
        GraphRelation(*(one_line(item[name]) for name in ("from", "to", "relationType")))
        for item in arguments["relations"]
    ]


def _check_object(schema: Schema, value: Mapping[str, Any], place: str, prefix: str = "") -> None:
    """Refuse an object unless it has exactly the fields of its schema."""
    properties = schema["properties"]
    refuse_strangers(value, properties, place)
    if missing := [name for name in properties if name not in value]:
        raise InvalidInput(f"{place} lacks {', '.join(missing)}")
    for name, part in properties.items():
        _check(part, value[name], f"{prefix}{name}")


def _check(schema: Schema, value: Any, place: str) -> None:
    kind = schema["type"]
    read(_TYPES[kind], value, place)
    if kind == "object":
        _check_object(schema, value, place, f"{place}.")
    elif kind == "array":
        if len(value) > BATCH:
            raise InvalidInput(f"{place} has at most {BATCH} items, not {len(value)}")
        for at, item in enumerate(value):
            _check(schema["items"], item, f"{place}[{at}]")


def _definition(definition: Mapping[str, Any]) -> ToolDefinition:
    return ToolDefinition(
        definition["name"],
        definition["title"],
        definition["description"],
        _object(definition["takes"]),
        _object(definition["gives"]),
        definition.get("reads", False),
        definition.get("destructive", False),
        definition.get("idempotent", False),
    )


def _object(parts: Mapping[str, str | list[str]]) -> Schema:
    shapes = document(TABLE)["shapes"]

    def schema(description: str | list[str]) -> Schema:
        if isinstance(description, list):
            return {"type": "array", "items": schema(description[0])}
        return shapes.get(description, {"type": description})  # type: ignore[no-any-return]

    whole: Schema = {"type": "object", "properties": {k: schema(v) for k, v in parts.items()}}
    return whole | ({"required": list(parts)} if parts else {}) | {"additionalProperties": False}
