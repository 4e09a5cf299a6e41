"""Guards of the server by raw socket: callers, origins, forms and sizes."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoranda.api.server.app import Interfaces
from memoranda.api.server.health import SAME_FOR
from memoranda.api.server.limits import HEAD_BYTES
from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import StorageUnusable
from serving import RPC, Answer, InProcess, head, raw, request_of
from tables import each

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("guards") / "data"
    opened = Service(load_settings({"data_dir": folder}, {}))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(service: Service) -> Iterator[InProcess]:
    made = InProcess(service, failures=10_000.0)
    yield made
    made.close()


def stated(server: InProcess, text: str) -> bytes:
    return request_of("call", "remember", statement=text, workspace="shop")


def test_a_request_that_is_as_it_should_be_is_carried_out(server: InProcess) -> None:
    made = server.call("remember", statement="Prices are net.", workspace="shop")
    assert made.status == 200
    assert made.json["result"]["content"] == "Prices are net."
    found = server.call("memories.show", id=made.json["result"]["id"]).json["result"]
    assert found["memory"]["content"] == "Prices are net."


HOSTS = {
    "own": (lambda port: f"127.0.0.1:{port}", True),
    "name": (lambda port: f"LocalHost:{port}", True),
    "six": (lambda port: f"[::1]:{port}", True),
    "rebound": (lambda port: f"evil.example:{port}", False),
    "bare": (lambda port: "127.0.0.1", False),
    "port": (lambda port: f"127.0.0.1:{port + 1}", False),
    "prefix": (lambda port: f"localhost:{port}.evil.example", False),
    "suffix": (lambda port: f"evil.localhost:{port}", False),
    "empty": (lambda port: "", False),
}
ORIGINS = {
    "absent": (lambda port: None, True),
    "own": (lambda port: f"http://localhost:{port}", True),
    "null": (lambda port: "null", False),
    "foreign": (lambda port: "https://evil.example", False),
    "port": (lambda port: f"http://localhost:{port + 1}", False),
    "prefix": (lambda port: f"http://localhost:{port}.evil.example", False),
    "scheme": (lambda port: f"https://localhost:{port}", False),
}
KINDS = {
    "json": ("application/json", True),
    "charset": ("application/json; charset=utf-8", True),
    "plain": ("text/plain", False),
    "form": ("application/x-www-form-urlencoded", False),
    "parts": ("multipart/form-data; boundary=x", False),
    "lookalike": ("application/json+evil", False),
    "disguised": ("text/plain; application/json", False),
    "lines": ("application/x-ndjson", False),
    "absent": (None, False),
}
CELLS = [*product(HOSTS, ORIGINS, KINDS)]


def knock(server: InProcess, host: str, origin: str, kind: str, body: bytes) -> Answer:
    """Send a change with a host, origin, content type, and a valid key."""
    headers = {"Host": HOSTS[host][0](server.port), "X_API_Key": "key-of-ada"}
    page, media = ORIGINS[origin][0](server.port), KINDS[kind][0]
    headers |= {"Origin": page} if page is not None else {}
    headers |= {"Content_Type": media} if media is not None else {}
    headers |= {"Content_Length": str(len(body)), "Connection": "close"}
    return raw(server.port, head("POST", RPC, **headers) + body)


def test_only_fitting_host_origin_and_content_type_together_get_in(server: InProcess) -> None:
    assert len(CELLS) >= 60
    before = len(server.call("memories.list", limit=1000).json["result"]["items"])
    wrong, good = [], 0
    for number, (host, origin, kind) in enumerate(CELLS):
        answer = knock(server, host, origin, kind, stated(server, f"cell {number} is so"))
        host_fits, origin_fits, kind_fits = HOSTS[host][1], ORIGINS[origin][1], KINDS[kind][1]
        expected = 200 if kind_fits else 415
        expected = expected if origin_fits else 403
        expected = expected if host_fits else 421
        good += expected == 200
        if answer.status != expected:
            wrong.append((host, origin, kind, answer.status, expected))
        assert "access-control-allow-origin" not in answer.headers
    assert wrong == []
    after = len(server.call("memories.list", limit=1000).json["result"]["items"])
    assert after - before == good == 12


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "HEAD", "DELETE", "PUT"])
def test_the_host_is_looked_at_in_every_method(server: InProcess, method: str) -> None:
    result = raw(server.port, head(method, "/healthz", Host="evil.example", Connection="close"))
    assert result.status == 421


@each("path", ["/healthz", "/readyz"])
@each("times", [1, 3])
@each("pieces", [1, 40])
@each("host", ["", "evil.example"], ids=["its host", "another host"])
def test_an_oversized_head_is_refused_before_the_health_check(
    server: InProcess, path: str, times: int, pieces: int, host: str
) -> None:
    """Whether it is sent at once or in pieces, with any other fault."""
    long = "a" * (HEAD_BYTES * times)
    request = head("GET", path, Host=host or server.host, X_Long=long, Connection="close")
    size = -(-len(request) // pieces)
    parts = [request[at : at + size] for at in range(0, len(request), size)]
    result = raw(server.port, *parts, pause=0.002)
    assert (result.status, result.code) == (431, "too_large")
    fits = "a" * (HEAD_BYTES - 1_000)
    short = head("GET", path, Host=server.host, X_Long=fits, Connection="close")
    fine = raw(server.port, short)
    assert (fine.status, fine.json) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    "lines",
    [
        b"Host: {host}\r\nHost: evil.example",
        b"Host: {host}\r\nOrigin: http://{host}\r\nOrigin: https://evil.example",
        b"X-Forwarded-Host: {host}\r\nHost: evil.example",
        b"Forwarded: host={host}\r\nHost: evil.example",
        b"Host : {host}",
        b"Accept: */*",
    ],
    ids=["two hosts", "two origins", "forwarded host", "forwarded", "space", "no host"],
)
def test_tricks_with_headers_get_nobody_in(server: InProcess, lines: bytes) -> None:
    lines = lines.replace(b"{host}", server.host.encode())
    request = b"GET /healthz HTTP/1.1\r\n" + lines + b"\r\nConnection: close\r\n\r\n"
    assert raw(server.port, request).status in (400, 403, 421)


def test_an_absolute_target_does_not_replace_the_host(server: InProcess) -> None:
    for target, host in (("http://evil.example/healthz", server.host), ("*", server.host)):
        result = raw(server.port, head("GET", target, Host=host, Connection="close"))
        assert result.status == 421


def test_a_preflight_of_a_page_elsewhere_is_not_answered_kindly(server: InProcess) -> None:
    response = server.send("OPTIONS", RPC, key="", Origin="https://evil.example")
    assert (response.status, response.code) == (403, "forbidden")
    assert not [name for name in response.headers if name.startswith("access-control")]
    assert server.send("OPTIONS", RPC, key="").status == 401


@each("path", ["/", RPC, "/api/v1/anything", "/mcp", "/docs", "/openapi.json"])
@each("method", ["GET", "POST", "DELETE"])
def test_strangers_learn_nothing_of_any_path(server: InProcess, method: str, path: str) -> None:
    response = server.send(method, path, b"{}" if method == "POST" else None, key="")
    assert (response.status, response.code) == (401, "unauthenticated")
    assert response.headers["www-authenticate"] == "Bearer"


def test_the_caller_is_identified_before_a_body_is_read(server: InProcess) -> None:
    lookups = server.keys.asked
    headers = {"Host": server.host, "Content_Type": "application/json"}
    result = raw(
        server.port,
        head("POST", RPC, **headers, X_API_Key="wrong", Content_Length="9000000"),
    )
    assert (result.status, result.code) == (401, "unauthenticated")
    assert result.seconds < 5
    assert server.keys.asked == lookups + 1


def test_a_caller_that_waits_for_leave_to_send_is_refused_without_it(server: InProcess) -> None:
    result = raw(
        server.port,
        head("POST", RPC, Host=server.host, X_API_Key="wrong", Content_Length="9",
             Content_Type="application/json", Expect="100-continue"),
    )  # fmt: skip
    assert result.status == 401
    assert result.seconds < 0.9


def test_a_refusal_is_read_even_amid_a_large_body(server: InProcess) -> None:
    body = b"x" * 700_000
    response = server.send("POST", RPC, body, key="wrong")
    assert (response.status, response.code) == (401, "unauthenticated")


def test_health_is_public_and_details_are_for_known_callers(server: InProcess) -> None:
    for path in ("/healthz", "/readyz"):
        assert server.send("GET", path, key="").json == {"status": "ok"}
        assert server.send("HEAD", path, key="").status == 200
        assert server.send("GET", path, key="wrong").status == 401
        known = server.send("GET", path).json
        assert (known["status"], known["store"]) == ("ok", "ok")
        assert server.send("POST", path, b"{}", key="").status == 401


def test_being_ready_follows_the_store(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}, {}))
    server = InProcess(service)
    try:
        assert server.send("GET", "/readyz", key="").status == 200
        service.home.database.close()
        server_told = [server.send("GET", "/readyz", key="") for _ in range(1)]
        while server_told[-1].status == 200:
            server_told.append(server.send("GET", "/readyz", key=""))
        assert server_told[-1].json == {"status": "not ready"}
        assert server_told[-1].headers["retry-after"] == "1"
        assert server.send("GET", "/healthz", key="").status == 200
    finally:
        server.close()
        service.close()


def test_a_store_that_does_not_answer_makes_the_server_not_ready_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}, {}))
    server, over, looks = InProcess(service), threading.Event(), []

    def read(self: object, work: Callable[..., object]) -> None:
        if "Readiness" in work.__qualname__:  # a background job may read too
            looks.append(work)
        over.wait(30)

    try:
        with monkeypatch.context() as patched:
            patched.setattr(type(service.home.database), "read", read)
            for _ in range(2):
                answer = server.send("GET", "/readyz", key="")
                assert (answer.status, answer.json) == (503, {"status": "not ready"})
                assert answer.seconds < 20  # the store answers after 30
                time.sleep(SAME_FOR)
            assert len(looks) == 1  # the probes of an outage occupy one thread
        over.set()
        while server.send("GET", "/readyz", key="").status != 200:
            time.sleep(0.05)
    finally:
        over.set()
        server.close()
        service.close()


def test_every_response_forbids_caching_sniffing_and_framing(server: InProcess) -> None:
    for answer in (
        server.send("GET", "/healthz", key=""),
        server.send("GET", "/nothing"),
        server.call("workspaces.list"),
        raw(server.port, b"nonsense\r\n\r\n"),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


def test_a_request_retains_its_id_if_that_is_harmless(server: InProcess) -> None:
    assert server.send("GET", "/x", X_Request_ID="trace-7.a").headers["x-request-id"] == "trace-7.a"
    for odd in ("a b", "x" * 65, "<script>", ""):
        response = server.send("GET", "/x", X_Request_ID=odd)
        assert response.headers["x-request-id"] != odd
        assert response.code == "not_found"


def test_a_wrong_method_is_answered_with_the_permitted_ones(server: InProcess) -> None:
    response = server.send("GET", RPC)
    assert (response.status, response.code, response.headers["allow"]) == (
        405,
        "user_error",
        "POST",
    )


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 70 + b"]" * 70, b"\xff\xfe", b'"\\ud800'])
def test_invalid_json_is_an_error_of_the_caller(server: InProcess, body: bytes) -> None:
    response = server.send("POST", RPC, body)
    assert (response.status, response.code) == (422, "invalid")


def test_a_packed_body_is_not_unpacked(server: InProcess) -> None:
    assert server.send("POST", RPC, b"{}", Content_Encoding="gzip").status == 415
    assert server.send("POST", RPC, b"{", Content_Encoding="identity").status == 422


def test_deleting_without_a_body_needs_no_content_type(server: InProcess) -> None:
    assert server.send("DELETE", "/nothing").status == 404
    assert server.send("DELETE", "/nothing", Content_Type="text/plain").status == 415
    assert server.send("POST", "/nothing").status == 415


def lengths(service: Service) -> Interfaces:
    """Return doors that read lines, and others with errors."""

    async def lines(request: Request) -> Response:
        pieces = [len(piece) async for piece in request.stream()]
        return JSONResponse({"bytes": sum(pieces), "pieces": len(pieces)})

    async def broken(request: Request) -> Response:
        raise ValueError("the vault opens at nine")

    async def unusable(request: Request) -> Response:
        raise StorageUnusable("/home/ada/secret cannot be opened")

    routes = (
        Route("/lines", lines, methods=["POST"]),
        Route("/broken", broken),
        Route("/unusable", unusable),
    )
    return Interfaces(routes=routes, streams=frozenset({"/lines"}))


@pytest.fixture(scope="module")
def limited(service: Service) -> Iterator[InProcess]:
    made = InProcess(
        service, lengths(service), body_bytes=1_000, stream_bytes=300_000, rate=1e6, burst=1e6,
        failures=10_000.0,
    )  # fmt: skip
    yield made
    made.close()


def chunked(data: bytes, size: int) -> bytes:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    coded = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return coded + b"0\r\n\r\n"


def sent(server: InProcess, data: bytes, kind: str, path: str = "/lines") -> Answer:
    headers = {"Host": server.host, "X_API_Key": "key-of-ada", "Connection": "close"}
    headers |= {"Transfer_Encoding": "chunked", "Content_Type": kind}
    return raw(server.port, head("POST", path, **headers) + chunked(data, 50_000))


def test_a_body_is_limited_by_its_declared_and_its_actual_size(limited: InProcess) -> None:
    assert limited.send("POST", "/lines", b"x" * 1_000).json["bytes"] == 1_000
    assert limited.send("POST", "/lines", b"x" * 1_001).code == "too_large"
    assert sent(limited, b"x" * 1_001, "application/json").status == 413
    announced = head("POST", "/lines", Host=limited.host, X_API_Key="key-of-ada",
                     Content_Type="application/json", Content_Length="9" * 18)  # fmt: skip
    assert raw(limited.port, announced).status == 413


def test_lines_are_taken_as_they_come_where_a_path_says_so(limited: InProcess) -> None:
    result = sent(limited, b"x" * 299_000, "application/x-ndjson")
    assert result.json["bytes"] == 299_000
    assert result.json["pieces"] > 1
    assert sent(limited, b"x" * 300_001, "application/x-ndjson").status == 413
    assert sent(limited, b"x", "application/x-ndjson", "/broken").status == 415


def test_an_unexpected_error_is_logged_without_its_text(
    limited: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response = limited.send("GET", "/broken", X_Request_ID="r-7")
    assert (response.status, response.code) == (500, "system")
    assert b"vault" not in response.body
    assert "vault" not in caplog.text
    (record,) = caplog.records
    assert (vars(record)["request_id"], vars(record)["error"]) == ("r-7", "ValueError")
    assert vars(record)["frames"][-1].endswith(" broken")


def test_an_internal_error_is_reported_without_its_places(
    limited: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response = limited.send("GET", "/unusable")
    assert (response.status, response.code) == (500, "storage_unusable")
    assert b"/home" not in response.body
    assert "/home/ada/secret" in caplog.text


def test_a_caller_over_its_rate_waits_and_others_do_not(service: Service) -> None:
    server = InProcess(service, rate=0.01, burst=3.0)
    try:
        answers = [server.call("workspaces.list") for _ in range(4)]
        assert [one.status for one in answers] == [200, 200, 200, 429]
        assert answers[-1].code == "rate_limited"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 100
        assert server.call("workspaces.list", key="key-of-eve").status == 200
    finally:
        server.close()


def test_guessing_keys_ends_soon_and_shuts_out_no_valid_key(service: Service) -> None:
    server = InProcess(service, failures=5.0)
    try:
        assert server.call("workspaces.list").status == 200
        answers = [server.call("workspaces.list", key=f"guess-{number}") for number in range(8)]
        assert [one.status for one in answers] == [401] * 5 + [429] * 3
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert server.call("workspaces.list").status == 200
        assert server.call("workspaces.list", key="key-of-eve").status == 200, "not known before"
        server.keys.known = {}
        assert server.call("workspaces.list").status == 401
        assert server.call("workspaces.list").status == 429
    finally:
        server.close()


def test_a_path_names_all_its_methods_and_an_unknown_one_is_refused_as_such(
    service: Service,
) -> None:
    server = InProcess(service, doors=doors(service))
    try:
        for method, path, allowed in (
            ("DELETE", "/api/v1/tasks", "GET, POST"),
            ("OPTIONS", "/api/v1/tasks", "GET, POST"),
            ("FOO", "/api/v1/memories/x", "GET, PATCH"),
        ):
            answer = server.send(method, path)
            assert answer.status == 405, (method, path)
            methods = set(answer.headers["allow"].split(", "))
            assert methods >= set(allowed.split(", ")), (path, methods)
    finally:
        server.close()


def test_each_caller_reaches_their_own_team(server: InProcess) -> None:
    made = server.call("remember", statement="Eve keeps bees.", workspace="barn", key="key-of-eve")
    assert made.status == 200
    found: Any = server.call("memories.show", id=made.json["result"]["id"])
    assert (found.status, found.code) == (404, "not_found")
    assert b"bees" not in json.dumps(server.call("memories.list").json).encode()
