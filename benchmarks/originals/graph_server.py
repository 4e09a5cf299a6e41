"""Write a graph with the reference MCP memory server from npm.

Usage: graph_server.py dist/index.js FOLDER.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

PEOPLE = 30


async def main(program: str, folder: str) -> None:
    """Create a ring of people, then add to one and delete from others."""
    place = {"MEMORY_FILE_PATH": str(Path(folder).resolve() / "memory.jsonl")}
    server = StdioServerParameters(command="node", args=[program], env={**os.environ, **place})
    async with Client(server, mode="legacy") as client:

        async def call(tool: str, **value: Any) -> None:
            answer = await client.call_tool(tool, value)
            assert not answer.is_error, answer

        people = [
            {
                "name": f"Person {one}",
                "entityType": "person" if one % 2 else "firm",
                "observations": [f"likes tea {one}", f"lives in town {one}"],
            }
            for one in range(PEOPLE)
        ]
        await call("create_entities", entities=people)
        ring = [
            {"from": f"Person {one}", "to": f"Person {(one + 1) % PEOPLE}", "relationType": "knows"}
            for one in range(PEOPLE)
        ]
        await call("create_relations", relations=ring)
        more = {"entityName": "Person 3", "contents": ["speaks: Portuguese", "ünïcode → ok"]}
        await call("add_observations", observations=[more])
        less = {"entityName": "Person 4", "observations": ["likes tea 4"]}
        await call("delete_observations", deletions=[less])
        await call("delete_entities", entityNames=["Person 29"])


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:3])
