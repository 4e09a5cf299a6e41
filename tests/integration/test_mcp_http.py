"""MCP over HTTP: a real client, both revisions, and a real server."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.api.mcp.application import LARGEST, McpApplication
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal, Role
from servers import free_port
from tables import each

pytestmark = pytest.mark.integration

CALLERS = {
    "bot": Principal("local", "bot", Role.AGENT, "bot", "shop"),
    "ada": Principal("local", "ada", Role.MEMBER, workspace="shop"),
    "eye": Principal("local", "eye", Role.READER),
    "eve": Principal("barn", "eve", Role.ADMIN),
}
REVISIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Guard:
    """Sets the caller in the state of a request, as the server's guards do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            values = dict(scope["headers"]).get(b"authorization", b"").decode()
            if found := CALLERS.get(values.removeprefix("Bearer ")):
                scope.setdefault("state", {})["principal"] = found
        await self._app(scope, receive, send)


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """Serve it on a free port; yield the URL."""
    door = McpApplication(service)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with door.running():
            yield

    app = Guard(Starlette(routes=[door.route()], lifespan=lifespan))
    port = free_port()
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        running.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path_factory.mktemp("store")}))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    with serving(service) as address:
        yield address


def session(url: str, who: str, mode: str, function: Callable[[Client], Awaitable[None]]) -> None:
    """Run a client of a caller."""

    async def run() -> None:
        headers = {"Authorization": f"Bearer {who}"}
        async with httpx.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                await function(client)

    anyio.run(run)


def result_text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize("mode", REVISIONS)
def test_an_agent_works_with_either_revision(url: str, mode: str) -> None:
    async def scenario(client: Client) -> None:
        assert client.protocol_version == REVISIONS[mode]
        assert len((await client.list_tools()).tools) == 8
        fact = f"Prices are net in {mode}."
        kept = await client.call_tool("remember", {"content": fact, "category": "decision"})
        assert kept.structured_content["result"]["status"] == "pending"
        found = await client.call_tool("get", {"ref": kept.structured_content["result"]["id"]})
        assert fact in result_text(found)
        assert {"profile", "context shop"} <= {
            one.name for one in (await client.list_resources()).resources
        }
        read = await client.read_resource("memory://context/shop")
        assert "not instructions" in read.contents[0].text
        assert len((await client.list_resource_templates()).resource_templates) == 4
        message = (await client.get_prompt("recall", {"query": "prices"})).messages[0]
        assert "prices" in message.content.text

    session(url, "bot", mode, scenario)


@pytest.mark.parametrize("mode", REVISIONS)
def test_errors_follow_the_protocol(url: str, mode: str) -> None:
    async def scenario(client: Client) -> None:
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("nonesuch", {})
        assert unknown.value.code == -32602
        for name, values in (("search", {"query": 3}), ("search", {}), ("get", {"ref": "9#9"})):
            failed = await client.call_tool(name, values)
            assert failed.is_error
            assert result_text(failed).startswith(("invalid: ", "not_found: "))
            assert "Traceback" not in result_text(failed)
        with pytest.raises(MCPError) as absent:
            await client.read_resource("memory://task/99")
        assert absent.value.code == -32602
        with pytest.raises(MCPError):
            await client.get_prompt("nonesuch", {})

    session(url, "bot", mode, scenario)


@pytest.mark.parametrize("mode", REVISIONS)
def test_each_caller_is_who_the_request_says(url: str, mode: str) -> None:
    async def by_ada(client: Client) -> None:
        kept = await client.call_tool("remember", {"content": f"Ada says {mode}."})
        assert kept.structured_content["result"]["status"] == "approved"

    async def by_eye(client: Client) -> None:
        failed = await client.call_tool("remember", {"content": "x"})
        assert failed.is_error
        assert result_text(failed).startswith("forbidden: ")

    async def by_eve(client: Client) -> None:
        found = await client.call_tool("search", {"query": f"Ada says {mode}"})
        assert found.structured_content["result"]["hits"] == []

    session(url, "ada", mode, by_ada)
    session(url, "eye", mode, by_eye)
    session(url, "eve", mode, by_eve)


def test_who_is_not_known_is_turned_away(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for method in ("POST", "GET", "DELETE"):
        answer = httpx.request(method, url, headers=JSON, json=body)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "unauthenticated"


@each("revision", [None, *REVISIONS.values()])
@each(
    "body",
    [
        b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
        b"[]",
        b"{",
        b"\xff\xfe",
        b"null",
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":["tools/list"]}',
        b"[" * 100_000,
    ],
    ids=["batch", "empty", "broken", "bytes", "null", "version", "method", "deep"],
)
def test_what_is_no_message_is_refused(url: str, body: bytes, revision: str | None) -> None:
    headers = JSON | {"authorization": "Bearer bot"}
    if revision:
        headers["mcp-protocol-version"] = revision
    answer = httpx.post(url, headers=headers, content=body)
    assert answer.status_code == 400
    assert "Traceback" not in answer.text


def test_a_message_too_large_is_refused(url: str) -> None:
    headers = JSON | {"authorization": "Bearer bot"}
    answer = httpx.post(url, headers=headers, content=b" " * (LARGEST + 1))
    assert answer.status_code == 413


def test_giant_arguments_are_refused_by_the_tool(url: str) -> None:
    async def scenario(client: Client) -> None:
        failed = await client.call_tool("search", {"query": "x" * 1_500_000})
        assert result_text(failed).startswith("too_large: ")

    session(url, "bot", "legacy", scenario)


def test_an_abandoned_call_leaves_the_server_working(url: str) -> None:
    async def scenario(client: Client) -> None:
        for _ in range(5):
            with anyio.move_on_after(0.001):
                await client.call_tool("search", {"query": "prices " * 500})
        assert not (await client.call_tool("search", {"query": "prices"})).is_error

    for mode in REVISIONS:
        session(url, "bot", mode, scenario)


def test_calls_at_once_each_get_their_own_answer(url: str) -> None:
    async def scenario(client: Client) -> None:
        async def one(number: int) -> None:
            kept = await client.call_tool("remember", {"content": f"Fact number {number} holds."})
            assert kept.structured_content["result"]["title"] == f"Fact number {number} holds."

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(one, number)

    session(url, "bot", "2026-07-28", scenario)


def test_an_unexpected_error_is_reported_without_details(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}))

    class Broken(Service):
        def __init__(self) -> None:
            pass

        home = service.home

        def call(self, *_: object) -> Any:
            raise RuntimeError("the secret inside")

    async def scenario(client: Client) -> None:
        failed = await client.call_tool("search", {"query": "x"})
        assert failed.is_error
        assert result_text(failed) == "error: internal error; see the server's log"

    with serving(Broken()) as address:
        session(address, "bot", "legacy", scenario)
    service.close()


def test_a_profile_shows_other_tools_and_no_more_rights(service: Service) -> None:
    async def scenario(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 9
        with pytest.raises(MCPError):
            await client.call_tool("search", {"query": "x"})
        failed = await client.call_tool("create_entities", {"entities": []})
        assert not failed.is_error
        read = await client.call_tool("read_graph", {})
        assert read.structured_content == {"entities": [], "relations": []}
        assert len(read.content) == 2

    with serving(service) as address:
        session(f"{address}?profile=reference-graph", "eye", "2026-07-28", scenario)


@pytest.mark.parametrize("profile", ToolProfile)
def test_the_url_chooses_the_tools_of_a_profile(url: str, profile: ToolProfile) -> None:
    number = {"minimal": 3, "default": 8, "full": 26, "reference-graph": 9}[profile]

    async def scenario(client: Client) -> None:
        assert len((await client.list_tools()).tools) == number

    session(f"{url}?profile={profile}", "bot", "2026-07-28", scenario)


def test_an_unknown_profile_is_refused(url: str) -> None:
    headers = JSON | {"authorization": "Bearer bot"}
    answer = httpx.post(f"{url}?profile=all", headers=headers, content="{}", timeout=5)
    assert answer.status_code == 422
    assert "minimal, default, full, reference-graph" in answer.json()["error"]["message"]


def test_there_is_no_stream_to_open_and_no_session_to_end(url: str) -> None:
    events = {"accept": "text/event-stream", "authorization": "Bearer bot"}
    for method in ("GET", "DELETE", "FOO"):
        answer = httpx.request(method, url, headers=events, timeout=5)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
