"""Measure MCP tools: tokens of listing and answers, start and call times."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from memoranda import Memoranda
from memoranda.api.mcp.knowledge_graph_tools import GraphTools
from memoranda.api.mcp.mcp_server import listed
from memoranda.api.mcp.tool_calls import TableTools
from memoranda.api.mcp.tools import ToolProfile
from memoranda.config import Settings
from memoranda.models.tokens import ToktokCounter

EXAMPLE = Path(__file__).parents[1] / "examples" / "session" / "parcel-quotes.jsonl"
CALLS: Sequence[tuple[str, dict[str, Any]]] = (
    ("search", {"query": "rounding of quotes"}),
    ("timeline", {"ref": "1#5"}),
    ("get", {"ref": "1#5"}),
    ("context", {"query": "rounding of quotes"}),
    ("remember", {"content": "Quotes are rounded last."}),
    ("block_edit", {"action": "view", "label": "task", "task": "1"}),
    ("feedback", {"text": "Wrong, round half up.", "type": "correction", "task": "1"}),
    ("error", {"description": "Assumed half-even.", "type": "hallucination", "task": "1"}),
)


def listing(profile: ToolProfile, counter: ToktokCounter) -> tuple[int, int]:
    """Report the number of tools in a profile and tokens of their listing."""
    box = GraphTools() if profile is ToolProfile.REFERENCE_GRAPH else TableTools(profile)
    tools = [
        listed(one).model_dump(by_alias=True, mode="json", exclude_none=True)
        for one in box.definitions()
    ]
    return len(tools), counter.count(json.dumps({"tools": tools}, separators=(",", ":")))


async def session(data: Path, mode: str, rounds: int, counter: ToktokCounter) -> None:
    """Start the server as a host does; call every default tool repeatedly."""
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "memoranda", "--data-dir", str(data), "mcp"]
    )
    before = time.perf_counter()
    async with Client(started, mode=mode) as client:
        await client.list_tools()
        print(f"\n{mode}: start to the listing of tools {time.perf_counter() - before:.2f} s")
        for name, values in CALLS:
            seconds, tokens = [], 0
            for _ in range(rounds):
                begun = time.perf_counter()
                answer = await client.call_tool(name, values)
                seconds.append(time.perf_counter() - begun)
                assert not answer.is_error, answer.content[0].text
                tokens = counter.count(answer.content[0].text)
            first, usual = seconds[0] * 1_000, statistics.median(seconds) * 1_000
            print(f"{name:12} first {first:7.0f} ms, median {usual:6.0f} ms, {tokens:5} tokens")


def main() -> None:
    """Print the figures."""
    values = argparse.ArgumentParser(description=__doc__)
    values.add_argument("--rounds", type=int, default=20)
    chosen = values.parse_args()
    counter = ToktokCounter(Settings.__dataclass_fields__["tokenizer"].default)
    for profile in ToolProfile:
        count, tokens = listing(profile, counter)
        print(f"{profile:16} {count:3} tools, {tokens:6,} tokens to list")
    for mode in ("legacy", "2026-07-28"):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            with Memoranda.open(data) as memory:
                memory.capture.import_transcript(EXAMPLE, workspace="parcel")
            anyio.run(session, data, mode, chosen.rounds, counter)


if __name__ == "__main__":
    main()
