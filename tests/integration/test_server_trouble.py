"""Slow, lying, vanishing and too many callers; shutdown of a server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memoranda.api.server.app import Interfaces
from memoranda.api.server.connection import Connection
from memoranda.api.server.spool_thread import LOCK, Upkeep, known_teams
from memoranda.api.service import TEAMS, Service
from memoranda.config import load_settings
from serving import (
    ADA,
    EVE,
    RPC,
    InProcess,
    answer_of,
    head,
    raw,
    read_response,
    request_of,
    ticking,
)

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("trouble") / "data"
    opened = Service(load_settings({"data_dir": folder}, {}))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def hasty(service: Service) -> Iterator[InProcess]:
    """Return a server with short timeouts."""
    made = InProcess(service, head_seconds=0.5, body_seconds=0.5, failures=1e6, rate=1e6, burst=1e6)
    yield made
    made.close()


def start(server: InProcess, **headers: str) -> bytes:
    arguments = {"Host": server.host, "X_API_Key": "key-of-ada", "Content_Type": "application/json"}
    arguments |= {"Connection": "close"}
    return head("POST", RPC, **(arguments | headers))


NONSENSE: dict[str, Callable[[InProcess], bytes]] = {
    "noise": lambda s: b"\x00\xff\x16\x03\x01 hello\r\n\r\n",
    "another protocol": lambda s: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": lambda s: b"GET /\r\n\r\n",
    "endless path": lambda s: b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    "endless header": lambda s: start(s, X_Long="a" * 70_000),
    "many headers": lambda s: start(s, **{f"X_{n}": "a" * 40 for n in range(2_000)}),
    "length is no number": lambda s: start(s, Content_Length="ten") + b"x",
    "length below zero": lambda s: start(s, Content_Length="-1") + b"x",
    "two lengths": lambda s: start(s, Content_Length="5").replace(
        b"\r\n\r\n", b"\r\nContent-Length: 6\r\n\r\n") + b"hello!",
    "chunk is no number": lambda s: start(s, Transfer_Encoding="chunked") + b"zz\r\nhello\r\n",
    "chunk is shorter than it says": lambda s: start(s, Transfer_Encoding="chunked")
        + b"3\r\nhello\r\n0\r\n\r\n",
    "endless chunk size": lambda s: start(s, Transfer_Encoding="chunked") + b"f" * 70_000,
    "unknown coding": lambda s: start(s, Transfer_Encoding="gzip, chunked") + b"0\r\n\r\n",
    "folded header": lambda s: b"GET / HTTP/1.1\r\nConnection: close\r\nHost: x\r\n y: z\r\n\r\n",
    "line breaks in a header": lambda s: start(s, X_A="a\rb"),
    "half a head": lambda s: start(s)[:-9],
    "a head without its end": lambda s: start(s)[:-2],
    "half a body": lambda s: start(s, Content_Length="100") + b"{",
    "no body at all": lambda s: start(s, Content_Length="100"),
    "chunks without an end": lambda s: start(s, Transfer_Encoding="chunked") + b"1\r\n{\r\n",
    "a zero in the path": lambda s: head("GET", "/%00/%ff", Host=s.host, Connection="close"),
    "an upgrade": lambda s: head("GET", "/mcp", Host=s.host, Connection="upgrade",
                                 Upgrade="websocket", X_API_Key="key-of-ada"),
}  # fmt: skip


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_ends_soon_and_is_nobodys_fault_here(hasty: InProcess, name: str) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
        with suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(NONSENSE[name](hasty))
        heard = line.recv(65_536) if name == "an upgrade" else read_response(line)
    assert 400 <= answer_of(heard).status < 500
    assert hasty.call("workspaces.list").status == 200


def test_a_head_that_trickles_in_is_not_waited_for(hasty: InProcess) -> None:
    result = raw(hasty.port, *(start(hasty)[at : at + 1] for at in range(60)), pause=0.02)
    assert (result.status, result.code) == (408, "invalid")
    assert result.seconds < 5


def test_a_body_that_trickles_in_is_not_waited_for(hasty: InProcess) -> None:
    pieces = [start(hasty, Content_Length="500"), *[b" "] * 60]
    result = raw(hasty.port, *pieces, pause=0.02)
    assert (result.status, result.code) == (408, "invalid")


def test_a_second_request_that_trickles_in_is_not_waited_for_either(hasty: InProcess) -> None:
    whole = head("GET", "/healthz", Host=hasty.host)
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
        line.sendall(whole)
        result = line.recv(65_536)
        while b'"ok"' not in result:  # head and body may arrive separately
            piece = line.recv(65_536)
            assert piece
            result += piece
        line.sendall(whole[:-4])
        assert answer_of(read_response(line)).status == 408


def test_several_requests_on_one_line_are_answered_in_order(hasty: InProcess) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
        last = head("GET", "/readyz", Host=hasty.host, Connection="close")
        line.sendall(head("GET", "/healthz", Host=hasty.host) + head("GET", "/x", Host=hasty.host)
                     + last)  # fmt: skip
        heard = read_response(line)
    assert [part[:3] for part in heard.split(b"HTTP/1.1 ")[1:]] == [b"200", b"401", b"200"]


def test_a_line_on_which_nobody_speaks_is_cut(hasty: InProcess) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
        assert read_response(line) == b""


def test_many_slow_callers_keep_nobody_else_waiting(service: Service) -> None:
    server = InProcess(service, head_seconds=20.0, body_seconds=20.0, at_work=2, waiting=2)
    slow = []
    try:
        for number in range(60):
            line = socket.create_connection(("127.0.0.1", server.port), 20)
            line.sendall(start(server, Content_Length="100")[: None if number % 2 else -8])
            slow.append(line)
        assert server.call("workspaces.list").status == 200
    finally:
        for line in slow:
            line.close()
        server.close()


def test_a_caller_that_leaves_early_does_no_harm(hasty: InProcess) -> None:
    body = request_of("call", "remember", statement="Left early.", workspace="shop")
    for cut in (10, 80, None):
        with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
            line.sendall((start(hasty, Content_Length=str(len(body))) + body)[:cut])
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as line:
        line.sendall(start(hasty, Content_Length=str(len(body))) + body[:-3])
    assert hasty.call("workspaces.list").status == 200


class Slow:
    """Doors whose requests take a chosen time, or stream events."""

    def __init__(self, service: Service) -> None:
        self.go = threading.Event()
        self.inside = threading.Semaphore(0)
        self.doors = Interfaces(routes=self._routes())

    def _routes(self) -> list[Route]:
        async def slow(request: Request) -> Response:
            await run_in_threadpool(self._wait)
            return JSONResponse({"done": True})

        async def events(request: Request) -> Response:
            return ticking()

        return [Route("/slow", slow), Route("/events", events)]

    def _wait(self) -> None:
        self.inside.release()
        assert self.go.wait(20)


def test_excess_requests_are_refused_and_the_rest_is_served(service: Service) -> None:
    slow = Slow(service)
    server = InProcess(service, slow.doors, at_work=2, waiting=3)
    try:
        with ThreadPoolExecutor(12) as pool:
            futures = [pool.submit(server.send, "GET", "/slow") for _ in range(12)]
            while sum(one.done() for one in futures) < 7:
                time.sleep(0.01)
            assert server.send("GET", "/readyz", key="").status == 200
            slow.go.set()
            answers = [one.result() for one in futures]
        assert sorted(one.status for one in answers) == [200] * 5 + [503] * 7
        refused = [one for one in answers if one.status == 503]
        assert {one.code for one in refused} == {"overloaded"}
        assert all(one.headers["retry-after"] == "1" for one in refused)
    finally:
        server.close()


def test_too_many_bytes_at_once_are_turned_away(service: Service) -> None:
    server = InProcess(service, buffered_bytes=5_000)
    try:
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            line.sendall(start(server, Content_Length="4000") + b" " * 3_900)
            deadline = time.monotonic() + 10
            while server.send("POST", RPC, b" " * 2_000).status != 503:
                assert time.monotonic() < deadline
            line.sendall(b" " * 100)
        while server.send("POST", RPC, b" " * 2_000).status == 503:
            assert time.monotonic() < deadline + 10
    finally:
        server.close()


def test_streams_of_events_hold_no_place_and_end_with_the_server(service: Service) -> None:
    slow = Slow(service)
    server = InProcess(service, slow.doors, at_work=1, waiting=1, events=2)
    lines = []
    try:
        for _ in range(2):
            line = socket.create_connection(("127.0.0.1", server.port), 20)
            line.sendall(head("GET", "/events", Host=server.host, X_API_Key="key-of-ada"))
            assert b"200 OK" in line.recv(1_000)
            lines.append(line)
        assert server.send("GET", "/events").code == "overloaded"
        assert server.send("GET", "/nothing").status == 404
    finally:
        began = time.monotonic()
        server.close()
    assert time.monotonic() - began < 4
    for line in lines:
        assert read_response(line).endswith(b"0\r\n\r\n"), "ended as a whole answer does"
        line.close()


def test_what_runs_is_ended_well_when_the_server_stops(service: Service) -> None:
    slow = Slow(service)
    server = InProcess(service, slow.doors)
    with ThreadPoolExecutor(2) as pool:
        future = pool.submit(server.send, "GET", "/slow")
        assert slow.inside.acquire(timeout=10)
        stopping = pool.submit(server.close)
        deadline = time.monotonic() + 10
        while not _refuses(server.port):
            assert time.monotonic() < deadline
        assert not future.done()
        slow.go.set()
        assert future.result().json == {"done": True}
        stopping.result()


def _refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return True
    return False


def test_a_caller_that_does_not_read_its_answer_holds_no_place_for_ever(service: Service) -> None:
    async def large(request: Request) -> Response:
        return Response(b"x" * 30_000_000)

    doors = Interfaces(routes=(Route("/large", large),))
    server = InProcess(service, doors, at_work=1, waiting=5, write_seconds=0.5)
    try:
        with socket.create_connection(("127.0.0.1", server.port), 20) as line:
            line.sendall(head("GET", "/large", Host=server.host, X_API_Key="key-of-ada"))
            assert line.recv(10)
            assert server.send("GET", "/nothing").status == 404
    finally:
        server.close()


def spooled(folder: Path, text: str) -> None:
    """Spool an event as a hook does."""
    import json

    folder.mkdir(parents=True, exist_ok=True)
    event = {"kind": "message", "session": "s", "cwd": "/srv/shop", "text": text}
    line = {"v": 1, "t": time.time_ns(), "h": "generic", "p": event}
    (folder / f"{time.time_ns()}.jsonl").write_text(json.dumps(line) + "\n")


def observed(service: Service, who: object) -> str:
    return str(service.call(who, "observations.list", {}))  # type: ignore[arg-type]


def test_what_hooks_leave_is_taken_in_for_every_known_team(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {}))
    folder = tmp_path / "data" / TEAMS
    (folder / "Not A Team").mkdir(parents=True)
    spooled(service.settings.spool_dir, "the bell is cracked")
    spooled(folder / "barn" / "spool", "the barn is red")
    upkeep = Upkeep(service, 0.01)
    upkeep.start()
    try:
        assert set(known_teams(service)) == {"local", "barn"}
        _until(lambda: "bell" in observed(service, ADA) and "barn is red" in observed(service, EVE))
        assert "bell" not in observed(service, EVE)
        spooled(folder / "barn" / "spool", "the roof leaks")
        _until(lambda: "roof leaks" in observed(service, EVE))
    finally:
        assert upkeep.stop(10)
        service.close()


def test_one_process_is_in_charge_and_another_takes_over(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {}))
    first, second = Upkeep(service, 0.01), Upkeep(service, 0.01)
    first.start()
    _until(lambda: first.in_charge)
    second.start()
    time.sleep(0.1)
    assert not second.in_charge
    assert first.stop(10)
    _until(lambda: second.in_charge)
    assert second.stop(10)
    assert (tmp_path / "data" / LOCK).stat().st_mode & 0o077 == 0
    service.close()


def _until(so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_connections_beyond_the_limit_are_asked_to_retry(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "most_connections", 2)
    server = InProcess(service)
    sockets = [socket.create_connection(("127.0.0.1", server.port), 5) for _ in range(2)]
    answer = server.send("GET", "/healthz")
    assert (answer.status, answer.code) == (503, "overloaded")
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["connection"] == "close"
    sockets.pop().close()
    give_up = time.monotonic() + 5
    while server.send("GET", "/healthz").status != 200:
        assert time.monotonic() < give_up
    sockets.pop().close()
    server.close()
