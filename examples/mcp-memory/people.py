"""A graph of people in Memoranda, by the nine tools of MCP's reference memory server.

    pip install 'memoranda[mcp]'
    python people.py

Any host does the same: it starts `memoranda mcp --profile reference-graph` in the other's place.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

ADA = {"name": "Ada", "entityType": "person", "observations": ["likes green tea"]}
SHOP = {"name": "Shop", "entityType": "firm", "observations": ["closed on Sundays"]}
WORKS = {"from": "Ada", "to": "Shop", "relationType": "works at"}


async def main() -> None:
    """Make a graph, then ask it."""
    words = ["-m", "memoranda", "mcp", "--profile", "reference-graph", "--role", "member"]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with Client(server) as client:

        async def call(tool: str, **given: Any) -> Any:
            return (await client.call_tool(tool, given)).structured_content

        await call("create_entities", entities=[ADA, SHOP])
        await call("create_relations", relations=[WORKS])
        found = await call("search_nodes", query="tea")
        print(json.dumps(found["entities"]))
        whole = await call("read_graph")
        print(f"{len(whole['entities'])} entities, {len(whole['relations'])} relation")


if __name__ == "__main__":
    anyio.run(main)
