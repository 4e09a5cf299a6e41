"""POST /rpc: the caller is set by the guards; every answer is JSON-RPC."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rpc_calls import ADA, BOT, EYE, ROOT
from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from memoranda.api.jsonrpc.http import http_route
from memoranda.api.jsonrpc.requests import MAX_BODY
from memoranda.api.rest import openapi
from memoranda.api.service import Service
from memoranda.config import load_settings

pytestmark = pytest.mark.integration

KEYS = {"root-key": ROOT, "ada-key": ADA, "bot-key": BOT, "eye-key": EYE}


def application(service: Service) -> Starlette:
    """Return the route behind a guard that accepts four keys."""

    async def guard(request: Request, go_on: RequestResponseEndpoint) -> Response:
        who = KEYS.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if who is None:
            return Response(status_code=401)
        request.state.principal = who
        return await go_on(request)

    app = Starlette(routes=[http_route(service)])
    app.add_middleware(BaseHTTPMiddleware, dispatch=guard)
    return app


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "data"}))
    yield opened
    opened.close()


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(application(service)) as made:
        made.headers["authorization"] = "Bearer ada-key"
        yield made


def call(method: str, id: object = 1, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": id}


def test_a_call_is_answered_as_its_caller_may(client: TestClient) -> None:
    made = client.post("/rpc", json=call("remember", statement="Prices are net.", workspace="shop"))
    assert made.status_code == 200
    assert made.headers["content-type"] == "application/json"
    assert made.json()["result"]["status"] == "approved"
    as_bot = {"authorization": "Bearer bot-key"}
    wish = call("remember", statement="Lamps are blue.", workspace="shop")
    assert client.post("/rpc", json=wish, headers=as_bot).json()["result"]["status"] == "pending"
    as_eye = {"authorization": "Bearer eye-key"}
    assert client.post("/rpc", json=wish, headers=as_eye).json()["error"]["code"] == -32012


def test_whom_the_guard_turns_away_is_not_answered(client: TestClient) -> None:
    stranger = {"authorization": "Bearer nonesuch"}
    assert client.post("/rpc", json=call("store.stats"), headers=stranger).status_code == 401


def test_nobody_waits_for_notifications(client: TestClient) -> None:
    one = {"jsonrpc": "2.0", "method": "observe", "params": {"content": "x", "task": "t"}}
    for message in (one, [one, one]):
        answer = client.post("/rpc", json=message)
        assert (answer.status_code, answer.content) == (204, b"")
    assert client.post("/rpc", json=call("store.stats")).json()["result"]["observations"] == 3


def test_errors_have_the_status_of_answers(client: TestClient) -> None:
    for body in (b"", b"{", b"[]", b"[1]", b"\xff", json.dumps(call("nonesuch")).encode()):
        answer = client.post("/rpc", content=body)
        assert answer.status_code == 200
        found = answer.json()
        assert "error" in (found[0] if isinstance(found, list) else found)


def test_other_ways_of_asking_are_not_taken(client: TestClient) -> None:
    for verb in ("GET", "PUT", "DELETE", "PATCH"):
        assert client.request(verb, "/rpc").status_code == 405


def test_a_body_without_end_is_read_no_further_than_the_limit(client: TestClient) -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b" " * 1_000_000

    answer = client.post("/rpc", content=pieces())
    assert answer.json()["error"]["code"] == -32018
    assert MAX_BODY < 100 * 1_000_000


def test_headers_carry_the_context_and_a_message_takes_precedence(client: TestClient) -> None:
    headers = {"X-Trace-Id": "outer", "X-Context-Id": "c-1"}
    answer = client.post("/rpc", json=call("store.stats"), headers=headers).json()
    assert answer["a2a_context"] == {"trace_id": "outer", "context_id": "c-1"}
    own = call("store.stats", a2a_context={"trace_id": "inner"})
    first, second = client.post("/rpc", json=[own, call("store.stats", 2)], headers=headers).json()
    assert first["a2a_context"]["trace_id"] == "inner"
    assert second["a2a_context"]["trace_id"] == "outer"


def test_a_header_grants_no_identity(client: TestClient) -> None:
    for key, code in (("bot-key", -32012), ("ada-key", None)):
        headers = {"authorization": f"Bearer {key}", "X-Agent-Id": "rival"}
        answer = client.post("/rpc", json=call("store.stats"), headers=headers).json()
        assert answer.get("error", {}).get("code") == code


def test_the_route_is_no_part_of_the_description_of_rest() -> None:
    assert "/rpc" not in json.loads(openapi.text("/api/v1"))["paths"]


def test_callers_at_once_get_their_own_answers(client: TestClient) -> None:
    def ask(number: int) -> bool:
        wish = call("observe", number, content=f"step {number}", task=f"t{number % 4}")
        answer = client.post("/rpc", json=wish).json()
        return bool(answer["id"] == number and f"step {number}" in answer["result"]["summary"])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(60)))
    assert client.post("/rpc", json=call("store.stats")).json()["result"]["observations"] == 60
