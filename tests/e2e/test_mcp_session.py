"""A host starts ``memoranda mcp`` and an agent works with it, through every default tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from commands import SOURCES, ask, forked
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

import forked_processes
from made_stores import copied
from mcp_processes import stdio
from memoranda import Memoranda

pytestmark = pytest.mark.e2e

REVISIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
BUDGET = 2_600
"""Tokens of any answer of this session, counted roughly."""


def environment(data: Path, embedder: str = "none") -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    home = {"HOME": str(data.parent), "PYTHONPATH": SOURCES, "MEMORANDA_DATA_DIR": str(data)}
    return plain | home | {"MEMORANDA_EMBEDDER": embedder}


def hosted(
    data: Path,
    function: Callable[[Client], Awaitable[None]],
    *words: str,
    mode: str = "legacy",
    cwd: Path | None = None,
    embedder: str = "none",
) -> None:
    """Be a host that starts the program, without the model unless it is asked for."""

    async def session() -> None:
        started = stdio(words, environment(data, embedder), cwd or data.parent)
        info = Implementation(name="Test Host", version="1")
        async with Client(started, mode=mode, client_info=info) as client:
            await function(client)

    anyio.run(session)


def proposals(data: Path) -> list[dict[str, Any]]:
    """What waits for a person, whom the command tells of it on standard error."""
    found: list[dict[str, Any]] = forked(data, "pending", "list", "--format", "json").json["items"]
    return found


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must go well; return its result as data."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    text = answer.content[0].text
    assert text.startswith("<memoranda-")
    assert len(text) / 4 < BUDGET
    return answer.structured_content["result"]


@pytest.mark.parametrize("mode", REVISIONS)
def test_an_agent_works_through_all_default_tools(
    imported_example: Path, tmp_path: Path, mode: str
) -> None:
    data = copied(imported_example, tmp_path / "data")

    async def scenario(client: Client) -> None:
        assert client.protocol_version == REVISIONS[mode]
        listed = (await client.list_tools()).tools
        used = set()

        async def use(tool: str, **value: Any) -> Any:
            used.add(tool)
            return await call(client, tool, **value)

        context = await use("context", query="rounding of quotes", max_tokens=1_500)
        assert 0 < context["tokens"] <= 1_500
        hits = (await use("search", query="rounding", kinds=["observation"]))["hits"]
        assert hits
        ref = hits[0]["ref"]
        around = await use("timeline", ref=ref, before=2, after=2)
        assert ref in [one["ref"] for one in around]
        assert (await use("get", ref=ref))["content"]
        kept = await use(
            "remember", content="Quotes are rounded last.", category="decision", evidence=[ref]
        )
        assert kept["status"] == "pending"
        task = ref.partition("#")[0]
        await use("block_edit", action="insert", label="task", task=task, text="1. round last")
        block = await use("block_edit", action="view", label="task", task=task)
        assert "round last" in block["value"]
        await use("feedback", text="Wrong, round half up.", type="correction", task=task)
        await use(
            "error", description="Assumed half-even rounding.", type="hallucination", task=task
        )
        assert used == {one.name for one in listed}

    hosted(data, scenario, "--workspace", "parcel", mode=mode)
    (waiting,) = proposals(data)
    assert waiting["agent"] == "Test-Host"
    with Memoranda.open(data) as memory:
        memory.proposals.approve(waiting["id"], memory.proposals.show(waiting["id"]).hash)

    async def later(client: Client) -> None:
        found = await call(client, "search", query="quotes rounded last", kinds=["memory"])
        assert "Quotes are rounded last." in [one["title"] for one in found["hits"]]
        resources = (await client.list_resources()).resources
        assert "memory://context/parcel" in [one.uri for one in resources]
        text = (await client.get_prompt("handoff", {"task": "1"})).messages[0].content.text
        assert "round last" in text

    hosted(data, later, "--workspace", "parcel", mode=mode)


def test_a_session_with_the_model_finds_by_meaning(tmp_path: Path) -> None:
    data, fact = tmp_path / "data", "She drinks green tea every morning."
    ask(data, "remember", fact, "--workspace", "parcel")

    async def scenario(client: Client) -> None:
        found: list[str] = []
        with anyio.fail_after(60):
            while fact not in found:  # embedded in the background
                asked = {"query": "favourite hot beverage", "kinds": ["memory"]}
                found = [one["title"] for one in (await call(client, "search", **asked))["hits"]]

    hosted(data, scenario, "--workspace", "parcel", embedder="local")


def test_the_starting_process_determines_the_caller(tmp_path: Path) -> None:
    data = tmp_path / "data"

    async def remember(client: Client) -> None:
        await call(client, "remember", content="Prices are net.")

    hosted(data, remember, "--agent", "scribe")
    (waiting,) = proposals(data)
    assert waiting["agent"] == "scribe"

    async def person(client: Client) -> None:
        kept = await call(client, "remember", content="Shops close at six.")
        assert kept["status"] == "approved"

    hosted(data, person, "--role", "admin")

    async def reader(client: Client) -> None:
        failed = await client.call_tool("remember", {"content": "x"})
        assert failed.content[0].text.startswith("forbidden: ")

    hosted(data, reader, "--role", "reader")
    refused = forked(data, "mcp", "--role", "member", "--agent", "scribe")
    assert refused.code == 2
    assert "is for users" in refused.err


def test_the_workspace_is_that_of_the_folder(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "shop"
    folder.mkdir()
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "one",
        "cwd": str(folder),
        "prompt": "Prices must stay net.",
    }
    made = forked(data, "observe", "x", "--workspace", "barn")
    assert made.code == 0
    subprocess.run(
        [sys.executable, "-m", "memoranda.hook", "claude-code"],
        input=json.dumps(event).encode(),
        env=environment(data),
        check=True,
    )

    async def scenario(client: Client) -> None:
        await call(client, "tasks")  # takes in what the hook left
        context = await call(client, "context")
        assert 'workspace="shop"' in context["text"]
        assert "Prices must stay net." in context["text"]
        kept = await call(client, "remember", content="Cards are taken.")
        shown = await call(client, "get", ref=kept["id"])
        assert shown["memory"]["status"] == "pending"

    hosted(data, scenario, "--profile", "full", cwd=folder)
    places = forked(data, "workspace", "list", "--format", "json").json["items"]
    assert [one["name"] for one in places] == ["barn", "shop"]


def test_nothing_is_opened_before_the_first_call(tmp_path: Path) -> None:
    data = tmp_path / "data"

    async def scenario(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 3
        assert len((await client.list_prompts()).prompts) == 2
        assert not data.exists()

    hosted(data, scenario, "--profile", "minimal")
    (tmp_path / "file").write_text("x")

    async def unusable(client: Client) -> None:
        failed = await client.call_tool("search", {"query": "x"})
        assert failed.content[0].text.startswith("storage_unusable: ")
        with pytest.raises(MCPError):
            await client.read_resource("memory://profile")

    hosted(tmp_path / "file", unusable)


def spoken(data: Path, *lines: bytes, until: int) -> tuple[dict[Any, Any], str, int]:
    """Write lines to the program and read until an answer came; return what was answered by id,
    what was logged, how it ended."""
    program = forked_processes.command(["mcp"], environment(data), data.parent)
    program.stdin.write(b"".join(line + b"\n" for line in lines).decode("utf-8", "surrogateescape"))
    program.stdin.flush()
    answers: dict[Any, Any] = {}
    while until not in answers:
        message = json.loads(program.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        answers[message.get("id")] = message
    rest, logged = program.communicate(timeout=60)
    assert rest == ""
    return answers, logged, program.wait()


def initialize(version: str = "2025-11-25") -> bytes:
    return json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            },
        }
    ).encode()


READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def call_message(id: int, name: str, **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps(
        {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    ).encode()


def test_rubbish_on_standard_input_does_not_end_it(tmp_path: Path) -> None:
    rubbish = (b"", b"{", b"[]", b"\xff\xfe\x00", b"null", b"[" * 50_000, b'{"jsonrpc":"2.0"}')
    lines = (initialize(), READY, *rubbish, call_message(1, "search"))
    answers, _, code = spoken(tmp_path / "data", *lines, until=1)
    assert answers[0]["result"]["serverInfo"]["name"] == "memoranda"
    assert answers[1]["result"]["isError"] is True
    assert code == 0


def test_a_call_that_is_cancelled_does_not_end_it(tmp_path: Path) -> None:
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    lines = (
        initialize(),
        READY,
        call_message(1, "context"),
        cancelled,
        call_message(2, "search", query="x"),
    )
    answers, logged, code = spoken(tmp_path / "data", *lines, until=2)
    assert answers[2]["result"]["structuredContent"]["result"] == {"hits": []}
    assert "Traceback" not in logged
    assert code == 0


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    answers, _, code = spoken(
        tmp_path / "data", initialize(), READY, call_message(2, "nope"), until=2
    )
    assert answers[2]["error"]["code"] == -32602
    assert code == 0


def test_every_line_of_a_host_gets_an_answer(tmp_path: Path) -> None:
    """A line that the SDK cannot parse is repaired or refused, with its id where it has one."""
    data = tmp_path / "data"
    info = {"name": "Test Host", "version": "1"}
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    remembered = {"name": "remember", "arguments": {"content": "high \ud83d and low \udc00"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": remembered}),
        '{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[1]}',
        '{"id":"4","method":"tools/list"}',
        "nonsense",
        '{"deep":' + "[" * 100_000,
        "[]",
    ]
    program = forked_processes.command(["mcp"], environment(data), tmp_path, stderr=2)
    program.stdin.write("".join(f"{line}\n" for line in lines))
    program.stdin.flush()
    answers = [json.loads(program.stdout.readline()) for _ in range(len(lines) - 1)]
    program.stdin.close()
    assert program.wait(60) == 0
    program.close()
    codes = [(one["id"], one.get("error", {}).get("code")) for one in answers]
    assert sorted(codes, key=str) == sorted(
        [
            *((1, None), (2, None), (3, -32600), ("4", -32600)),
            *((None, -32700), (None, -32700), (None, -32600)),
        ],
        key=str,
    )
    stored = next(one for one in answers if one["id"] == 2)
    assert "high \ufffd and low \ufffd" in stored["result"]["content"][0]["text"]


def test_what_was_received_before_the_end_of_the_input_is_answered(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "printf", "version": "1"}}  # fmt: skip
    note = {"name": "block_edit", "arguments": {"command": "create", "label": "n", "text": "x"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": note},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
    ]
    sent = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-m", "memoranda", "mcp"], input=sent, capture_output=True, text=True,
        env=environment(tmp_path / "data"), cwd=tmp_path, timeout=90, check=True,
    )  # fmt: skip
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {1, 2, 3}
