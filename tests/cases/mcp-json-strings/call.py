"""Call tools with the official MCP client; print the refused calls."""

import asyncio
import json
import os
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

DEFAULT: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"content": "No deploys on Fridays", "tags": '["deploy", "rule"]'}),
    ("remember", {"content": "Totals are in cents", "tags": "money", "category": None}),
    ("search", {"query": "cents", "limit": "5", "tags": "[]"}),
    ("search", {"query": "cents", "limit": 5.0, "since": "", "kinds": '["memory"]'}),
    ("context", {"max_tokens": "800"}),
    ("search", {"query": "cents", "limit": "many"}),
    ("remember", {"content": "x", "colour": "red"}),
]
GRAPH: list[tuple[str, dict[str, Any]]] = [
    ("create_entities", {"entities": '[{"name": "X", "entityType": "t", "observations": []}]'}),
    ("add_observations", {"observations": [{"entityName": "X", "contents": '["born 1815"]'}]}),
    ("open_nodes", {"names": '["X"]'}),
    ("create_entities", {"entities": "X"}),
]


async def refused(profile: str, calls: list[tuple[str, dict[str, Any]]]) -> list[bool]:
    words = ["-m", "memoranda", "mcp", "--profile", profile]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        await session.initialize()
        return [(await session.call_tool(name, values)).is_error for name, values in calls]


async def both() -> None:
    answers = {
        "default": await refused("default", DEFAULT),
        "graph": await refused("reference-graph", GRAPH),
    }
    print(json.dumps(answers))


asyncio.run(both())
