"""Knowledge graph stored as memories: entities, observations, relations.

Each entity, observation and relation is a separate memory, distinguished by its tags. Thus all
rules for memories apply: secrets are removed, an agent's memories and deletions are pending until a
person approves them, and nothing is deleted permanently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memoranda.api.mcp.tool_results import value_at
from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput, empty_text
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue
from memoranda.memories.model import MemoryStatus
from memoranda.text import clip, is_blank, normalise, one_line

KIND = "graph:"
PAGES, PAGE = 20, 500
"""Number and size of the pages of memories that are read: the newest 10,000 memories."""
_LIVING = frozenset({MemoryStatus.PENDING.value, MemoryStatus.APPROVED.value})


@dataclass(frozen=True, slots=True)
class GraphRelation:
    """Relation between two entities."""

    start: str
    end: str
    type: str


@dataclass(slots=True)
class GraphEntity:
    """A known entity."""

    name: str
    type: str
    observations: list[str]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One memory of the graph."""

    id: str
    kind: str
    tags: dict[str, str]
    content: str

    @property
    def relation(self) -> GraphRelation:
        """The relation that the memory represents."""
        return GraphRelation(self.tags["from"], self.tags["to"], self.tags["type"])

    @property
    def observed(self) -> str:
        """The observation that the memory represents."""
        return self.content.removeprefix(f"{self.tags['name']}: ")


@dataclass(slots=True)
class Graph:
    """Entities in the order of their creation, and their relations."""

    entities: dict[str, GraphEntity] = field(default_factory=dict)
    relations: list[GraphRelation] = field(default_factory=list)

    def around(self, wanted: Callable[[GraphEntity], bool]) -> Graph:
        """Return the matching entities, and the relations of at least one of them."""
        chosen = {name: entity for name, entity in self.entities.items() if wanted(entity)}
        near = [
            relation
            for relation in self.relations
            if relation.start in chosen or relation.end in chosen
        ]
        return Graph(chosen, near)


class GraphMemories:
    """The graph that is visible to a caller."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal

    def nodes(self) -> list[GraphNode]:
        """Return the memories of the graph, oldest first."""
        nodes = [node for memory in self._memories() if (node := _node(memory))]
        return nodes[::-1]

    def graph(self) -> Graph:
        """Return the graph."""
        return assembled(self.nodes())

    def create_entity(self, entity: GraphEntity) -> GraphEntity:
        """Store an entity and return it as stored."""
        name, type = _name(entity.name), _name(entity.type)
        node = self._remember("entity", f"{name} is of type {type}.", {"name": name, "type": type})
        created = GraphEntity(node.tags["name"], node.tags["type"], [])
        created.observations += [
            self.observe(name, item) for item in dict.fromkeys(entity.observations)
        ]
        return created

    def observe(self, name: str, text: str) -> str:
        """Store an observation of an entity and return it as stored."""
        content = normalise(text).strip()
        if is_blank(content):
            raise empty_text("an observation")
        return self._remember("observation", f"{name}: {content}", {"name": name}).observed

    def relate(self, relation: GraphRelation) -> GraphRelation:
        """Store a relation and return it as stored."""
        start, end, type = _name(relation.start), _name(relation.end), _name(relation.type)
        tags = {"from": start, "to": end, "type": type}
        return self._remember("relation", f"{start} -> {type} -> {end}", tags).relation

    def remove(self, wanted: Callable[[GraphNode], bool]) -> tuple[int, int]:
        """Archive memories of the graph; return the archived and pending counts.

        Pending deletions require a person's approval.
        """
        gone = waiting = 0
        for node in filter(wanted, self.nodes()):
            arguments: dict[str, JsonValue] = {"id": node.id, "reason": "deleted from the graph"}
            changed = self._service.call(self._principal, "memories.archive", arguments)
            if value_at(changed, "proposal.status") == "pending":
                waiting += 1
            else:
                gone += 1
        return gone, waiting

    def _remember(self, kind: str, content: str, tags: dict[str, str]) -> GraphNode:
        marks: list[JsonValue] = [f"{KIND}{kind}", *(f"{key}:{tag}" for key, tag in tags.items())]
        statement: JsonValue = {"content": content, "tags": marks}
        stored = self._service.call(self._principal, "remember", {"statement": statement})
        node = _node(stored)
        if node is None or node.kind != kind:  # another memory has exactly this text
            raise InvalidInput(
                f"{clip(content, 80)!r} is already the text of a memory outside the graph"
            )
        return node

    def _memories(self) -> Iterator[JsonValue]:
        cursor: JsonValue = None
        for _ in range(PAGES):
            arguments: dict[str, JsonValue] = {"limit": PAGE, "cursor": cursor}
            page = self._service.call(self._principal, "memories.list", arguments)
            items = value_at(page, "items")
            yield from items if isinstance(items, list) else ()
            cursor = value_at(page, "cursor")
            if cursor is None:
                return


def assembled(nodes: Iterable[GraphNode]) -> Graph:
    """Build the graph from its memories.

    Statements about entities that no longer exist are omitted.
    """
    graph, graph_nodes = Graph(), list(nodes)
    for node in graph_nodes:
        if node.kind == "entity":
            name = node.tags["name"]
            graph.entities.setdefault(name, GraphEntity(name, node.tags["type"], []))
    for node in graph_nodes:
        if node.kind == "observation" and (entity := graph.entities.get(node.tags["name"])):
            entity.observations.append(node.observed)
        elif node.kind == "relation" and _ends_known(node.relation, graph):
            graph.relations.append(node.relation)
    return graph


def _ends_known(relation: GraphRelation, graph: Graph) -> bool:
    both_exist = relation.start in graph.entities and relation.end in graph.entities
    return both_exist and relation not in graph.relations


_NEEDED: dict[str, Sequence[str]] = {
    "entity": ("name", "type"),
    "observation": ("name",),
    "relation": ("from", "to", "type"),
}


def _node(memory: JsonValue) -> GraphNode | None:
    tags = value_at(memory, "tags")
    if not isinstance(tags, list) or value_at(memory, "status") not in _LIVING:
        return None
    marks = [tag for tag in tags if isinstance(tag, str)]
    kind = next((mark.removeprefix(KIND) for mark in marks if mark.startswith(KIND)), "")
    fields = {key: value for key, colon, value in (one.partition(":") for one in marks) if colon}
    if kind not in _NEEDED or any(item not in fields for item in _NEEDED[kind]):
        return None
    return GraphNode(str(value_at(memory, "id")), kind, fields, str(value_at(memory, "content")))


def _name(text: str) -> str:
    name = one_line(normalise(text))
    if not 1 <= len(name) <= 200:
        raise InvalidInput(f"a name or type must have 1 to 200 characters, not {len(name)}")
    return name
