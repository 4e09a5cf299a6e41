"""Run an agent's session with the official MCP client over stdio and HTTP.

Every default tool is called.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx
from jsonschema import validate
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from mcp_tools import EXAMPLE, listing
from measuring.report import Report, parser
from memoranda import Memoranda
from memoranda.api.mcp.tools import ToolProfile
from memoranda.config import Settings
from memoranda.models.tokens import ToktokCounter
from serving import SOURCES, Served

REVISIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
MOST_TOKENS = 2_500
MOST_SECONDS = 10.0
"""Maximum seconds for a refusal on a busy machine."""
STORY: Sequence[tuple[str, dict[str, Any]]] = (
    ("context", {"query": "rounding of quotes", "workspace": "parcel"}),
    ("search", {"query": "rounding of quotes", "workspace": "parcel"}),
    ("timeline", {"ref": "1#5"}),
    ("get", {"ref": "1#5"}),
    ("remember", {"content": "Quotes are rounded last.", "workspace": "parcel"}),
    ("block_edit", {"action": "insert", "label": "task", "task": "1", "text": "1. round last"}),
    ("block_edit", {"action": "view", "label": "task", "task": "1"}),
    ("feedback", {"text": "Wrong, round half up.", "type": "correction", "task": "1"}),
    ("error", {"description": "Assumed half-even.", "type": "hallucination", "task": "1"}),
)
WRONG: Sequence[tuple[str, str, dict[str, Any], str]] = (
    ("nothing of what it needs", "search", {}, "invalid"),
    ("a wrong type", "search", {"query": 3}, "invalid"),
    ("a list for a text", "remember", {"content": ["x"] * 1_000}, "invalid"),
    ("a name that it has not", "get", {"ref": "1#5", "nonesuch": True}, "invalid"),
    ("a choice that there is not", "block_edit", {"action": "burn", "label": "task"}, "invalid"),
    ("a number out of range", "search", {"query": "x", "limit": 10**9}, "invalid"),
    ("what is not there", "get", {"ref": "99#99"}, "not_found"),
    ("a text too long to keep", "remember", {"content": "x" * 20_001}, "invalid"),
    ("more than a call may be", "search", {"query": "x" * 1_500_000}, "too_large"),
    ("deep nesting", "search", {"query": "x", "tags": json.loads("[" * 90 + "]" * 90)}, "invalid"),
)
"""Wrong calls: (what is wrong, tool, arguments, expected error code)."""


@dataclass
class Seen:
    """Results of one session."""

    revision: str = ""
    listed: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    unfit: list[str] = field(default_factory=list)
    """Tools whose data does not match their schema."""
    unclear: list[str] = field(default_factory=list)
    """Wrong calls that did not return the expected error."""
    slowest: float = 0.0
    """Seconds of the slowest refusal."""
    seconds: float = 0.0
    read: int = 0
    """Resources and prompts that were read."""


async def played(client: Client) -> Seen:
    """Run an agent's session, from the first call to the last."""
    seen, begun = Seen(str(client.protocol_version)), time.perf_counter()
    schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}
    seen.listed = set(schemas)
    for name, values in STORY:
        answer = await client.call_tool(name, values)
        if answer.is_error:
            continue
        seen.answered.add(name)
        try:
            validate(answer.structured_content, schemas[name])
        except Exception as error:
            seen.unfit.append(f"{name}: {error}"[:200])
    await _read(client, seen)
    await _go_wrong(client, seen)
    seen.seconds = time.perf_counter() - begun
    return seen


async def _read(client: Client, seen: Seen) -> None:
    resources = (await client.list_resources()).resources
    for uri in [str(one.uri) for one in resources[:5]] + ["memory://observation/1%235"]:
        seen.read += bool((await client.read_resource(uri)).contents[0].text)
    for name, values in (("recall", {"query": "rounding"}), ("handoff", {"task": "1"})):
        seen.read += bool((await client.get_prompt(name, values)).messages)


async def _go_wrong(client: Client, seen: Seen) -> None:
    for what, name, values, code in WRONG:
        begun = time.perf_counter()
        answer = await client.call_tool(name, values)
        seen.slowest = max(seen.slowest, time.perf_counter() - begun)
        text = answer.content[0].text
        if not (answer.is_error and text.startswith(f"{code}: ")):
            seen.unclear.append(f"{what}: {text[:80]}")
    for what, requests in (
        ("an unknown tool", lambda: client.call_tool("nonesuch", {})),
        ("an unknown resource", lambda: client.read_resource("memory://task/99")),
        ("an unknown prompt", lambda: client.get_prompt("nonesuch", {})),
    ):
        try:
            await requests()
            seen.unclear.append(f"{what}: no error")
        except MCPError as error:
            if error.code != -32602:
                seen.unclear.append(f"{what}: {error.code}")


@asynccontextmanager
async def by_stdio(data: Path, mode: str, log: Any) -> AsyncIterator[Client]:
    """Start the server over stdio as a host does."""
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memoranda", "--data-dir", str(data), "mcp", "--workspace", "parcel"],
        env=plain | {"PYTHONPATH": SOURCES},
    )
    async with Client(stdio_client(started, errlog=log), mode=mode) as client:
        yield client


@asynccontextmanager
async def by_http(server: Served, mode: str) -> AsyncIterator[Client]:
    """Connect to a server in a process of its own."""
    headers = {"Authorization": f"Bearer {server.token}"}
    url = f"http://127.0.0.1:{server.port}/mcp"
    async with (
        httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the session four times; return 1 when a claim does not hold."""
    options = parser(__doc__).parse_args(arguments)
    report = Report("mcp_session", vars(options))
    counter = ToktokCounter(Settings.__dataclass_fields__["tokenizer"].default)
    count, tokens = listing(ToolProfile.DEFAULT, counter)
    report.add("listing", "default tools", count)
    report.add("listing", "tokens to list them", tokens, "tokens")
    report.claim(f"the listing costs at most {MOST_TOKENS:,} tokens", tokens <= MOST_TOKENS)
    for mode in REVISIONS:
        with tempfile.TemporaryDirectory(prefix="mcp-session-") as folder:
            _both(report, Path(folder) / "data", mode)
    return report.finish(as_json=options.json)


def _both(report: Report, data: Path, mode: str) -> None:
    with Memoranda.open(data) as memory:
        memory.capture.import_transcript(EXAMPLE, workspace="parcel")
    log = data.parent / "log"
    with log.open("w") as file:
        seen = anyio.run(_session, by_stdio(data, mode, file))
    _judge(report, f"stdio, {REVISIONS[mode]}", mode, seen)
    report.claim(f"stdio, {REVISIONS[mode]}: nothing on standard error", not log.read_text())
    server = Served(data)
    try:
        seen = anyio.run(_session, by_http(server, mode))
    finally:
        server.stop()
    _judge(report, f"HTTP, {REVISIONS[mode]}", mode, seen)


async def _session(opening: Any) -> Seen:
    async with opening as client:
        return await played(client)


def _judge(report: Report, where: str, mode: str, seen: Seen) -> None:
    report.add(where, "tools that answered", len(seen.answered), "", f"of {len(seen.listed)}")
    report.add(where, "resources and prompts read", seen.read)
    report.add(where, "wrong calls told as they should be", len(WRONG) + 3 - len(seen.unclear))
    report.add(where, "slowest refusal", seen.slowest * 1e3, "ms", "; ".join(seen.unclear))
    report.add(where, "session", seen.seconds, "s", "; ".join(seen.unfit))
    report.claim(f"{where}: that revision was spoken", seen.revision == REVISIONS[mode])
    report.claim(f"{where}: all tools answered", seen.answered == seen.listed)
    report.claim(f"{where}: all data is as the schemas say", not seen.unfit)
    report.claim(f"{where}: every wrong call was told with its code", not seen.unclear)
    report.claim(f"{where}: refusals within {MOST_SECONDS:.0f} s", seen.slowest < MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
