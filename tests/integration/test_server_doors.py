"""All doors of a server refuse unknown callers, and agree on results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoranda.api.rest.router import PREFIX
from memoranda.api.rest.routes import RestRoute, routes
from memoranda.api.rest.stream_schemas import streams
from memoranda.api.server.mounts import MCP, doors
from memoranda.api.server.worker_process import known_callers
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal, Role, owner
from memoranda.operations import OPERATIONS
from serving import KEYS, RPC, Answer, InProcess

pytestmark = pytest.mark.integration

CALLERS = {
    "key-of-reader": Principal("local", "eye", Role.READER),
    "key-of-bot": Principal("local", "bot-1", Role.AGENT, "bot"),
    "key-of-reviewer": Principal("local", "rev", Role.REVIEWER),
    **KEYS,
}
BY_NAME = {route.operation.name: route for route in routes()}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("doors") / "data"
    opened = Service(load_settings({"data_dir": folder, "embedder": "none"}, {}))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(service: Service) -> Iterator[InProcess]:
    made = InProcess(service, doors(service), failures=10_000.0, rate=10_000.0, burst=10_000)
    made.keys.known = CALLERS
    yield made
    made.close()


def path_of(route: RestRoute) -> str:
    return PREFIX + route.template.replace("{", "").replace("}", "")


def answer_of(server: InProcess, route: RestRoute, key: str) -> Answer:
    """Call by REST with nothing but names in the path."""
    body = None if route.in_query else b"{}"
    return server.send(route.method, path_of(route), body, key)


def code_by_rest(answer: Answer) -> str:
    return "ok" if answer.status < 300 else str(answer.json["code"])


def code_by_rpc(server: InProcess, route: RestRoute, key: str) -> str:
    values = {name: name for name in route.in_path}
    call = {"jsonrpc": "2.0", "id": 1, "method": route.operation.name, "params": values}
    answer: Any = server.send("POST", RPC, json.dumps(call).encode(), key).json
    return "ok" if "result" in answer else str(answer["error"]["data"]["code"])


def everywhere() -> list[tuple[str, str]]:
    ways = [(route.method, path_of(route)) for route in routes()]
    ways += [(m.upper(), PREFIX + p) for p, methods in streams({}).items() for m in methods]
    return [*ways, ("POST", RPC), ("POST", MCP), ("GET", MCP), ("DELETE", MCP)]


@pytest.mark.parametrize("key", ["", "key-of-nobody"], ids=["no-key", "wrong-key"])
def test_nobody_unknown_is_answered_anywhere(server: InProcess, key: str) -> None:
    expected = {
        (method, path): server.send(method, path, None if method == "GET" else b"{}", key).status
        for method, path in everywhere()
    }
    assert {way: status for way, status in expected.items() if status != 401} == {}
    assert len(expected) > len(OPERATIONS) - 10


@pytest.mark.parametrize("key", CALLERS)
def test_the_verdict_is_the_same_at_every_door(server: InProcess, key: str) -> None:
    result = {
        name: (code_by_rest(answer_of(server, route, key)), code_by_rpc(server, route, key))
        for name, route in BY_NAME.items()
    }
    assert {name: codes for name, codes in result.items() if codes[0] != codes[1]} == {}
    role = CALLERS[key].role
    forbidden = {name for name, codes in result.items() if codes[0] == "forbidden"}
    refused = {name for name in BY_NAME if role not in OPERATIONS[name].roles}
    assert refused <= forbidden
    assert {"internal", "system", "storage"}.isdisjoint(
        code for pair in result.values() for code in pair
    )


def test_the_protocol_for_models_lists_its_tools(server: InProcess) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    accept = "application/json, text/event-stream"
    answer = server.send("POST", MCP, body, "key-of-bot", Accept=accept)
    assert answer.status == 200
    assert len(answer.json["result"]["tools"]) == 8


def test_others_are_known_once_there_is_a_key(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {}))
    try:
        known, others = known_callers(service)
        assert not others
        token = (tmp_path / "data" / "token").read_text().strip()
        assert known.principal(token).scope == owner().scope
        made: Any = service.call(owner(), "tokens.create", {"role": "reader"})
        assert known_callers(service)[1]
        assert known.principal(made["secret"]).role is Role.READER
    finally:
        service.close()
