"""A host of the reference memory server changes to ours: nine tools, and its file both ways."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from commands import SOURCES, forked
from mcp import Client
from mcp_types import Implementation

from mcp_processes import stdio

pytestmark = pytest.mark.e2e

TOOLS = {
    "create_entities", "create_relations", "add_observations", "delete_entities",
    "delete_observations", "delete_relations", "read_graph", "search_nodes", "open_nodes",
}  # fmt: skip
ADA = {"name": "Ada", "entityType": "person", "observations": ["likes tea: green", "ünïcode → ok"]}
SHOP = {"name": "Shop", "entityType": "firm", "observations": ["sells parcels"]}
WORKS = {"from": "Ada", "to": "Shop", "relationType": "works at"}


def hosted(
    data: Path, function: Callable[[Client], Awaitable[None]], role: str = "reviewer"
) -> None:
    async def session() -> None:
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        ours = {"HOME": str(data.parent), "PYTHONPATH": SOURCES, "MEMORANDA_DATA_DIR": str(data)}
        words = ["--profile", "reference-graph", "--role", role, "--workspace", "graph"]
        started = stdio(words, plain | ours, data.parent)
        info = Implementation(name="Test Host", version="1")
        async with Client(started, mode="legacy", client_info=info) as client:
            await function(client)

    anyio.run(session)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    found = answer.structured_content
    assert found is not None
    return found


def _plain(graph: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    entities = sorted(graph["entities"], key=lambda one: str(one["name"]))
    return entities, sorted(graph["relations"], key=str)


def _lines(path: Path) -> list[str]:
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return sorted(json.dumps(one, sort_keys=True) for one in found)


def test_a_graph_is_made_written_to_a_file_and_read_from_it(tmp_path: Path) -> None:
    data, again, file = tmp_path / "data", tmp_path / "again", tmp_path / "memory.jsonl"
    graph: list[Any] = []

    async def made(client: Client) -> None:
        assert {one.name for one in (await client.list_tools()).tools} == TOOLS
        await call(client, "create_entities", entities=[ADA, SHOP, {**SHOP, "name": "Old"}])
        await call(client, "create_relations", relations=[WORKS])
        more = {"entityName": "Shop", "contents": ["closed on Sundays", "sells parcels"]}
        await call(client, "add_observations", observations=[more])
        gone = {"entityName": "Ada", "observations": ["ünïcode → ok"]}
        await call(client, "delete_observations", deletions=[gone])
        await call(client, "delete_entities", entityNames=["Old"])
        graph.append(_plain(await call(client, "read_graph")))
        found = await call(client, "search_nodes", query="parcels")
        assert [one["name"] for one in found["entities"]] == ["Shop"]
        opened = await call(client, "open_nodes", names=["Ada", "nobody"])
        assert [one["name"] for one in opened["entities"]] == ["Ada"]

    hosted(data, made)
    assert graph[0] == (
        [
            {**ADA, "observations": ["likes tea: green"]},
            {**SHOP, "observations": ["sells parcels", "closed on Sundays"]},
        ],
        [WORKS],
    )
    assert forked(data, "export", str(file), "--as", "mcp-memory", "--workspace", "graph").code == 0
    assert _lines(file) == sorted(
        json.dumps(one, sort_keys=True)
        for one in (
            *({"type": "entity", **one} for one in graph[0][0]),
            {"type": "relation", **WORKS},
        )
    )
    taken = forked(again, "import", str(file), "--workspace", "graph", "--trust")
    assert taken.code == 0

    async def read(client: Client) -> None:
        assert _plain(await call(client, "read_graph")) == graph[0]
        await call(client, "delete_relations", relations=[WORKS])
        assert (await call(client, "read_graph"))["relations"] == []

    hosted(again, read)
