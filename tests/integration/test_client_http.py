"""HTTP client: which requests are retried, and the errors of failures."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.api.client.address import parsed
from memoranda.api.client.http_transport import HttpTransport
from memoranda.api.client.remote import connected
from memoranda.exceptions import (
    InvalidInput,
    MemorandaError,
    NotFound,
    Overloaded,
    RateLimited,
    ServerUnavailable,
    StorageBusy,
    Unauthenticated,
)
from memoranda.models.http_client import RetryPolicy
from memoranda.operations import OPERATIONS
from rpc_servers import Answer, RpcServer, Script, serving
from servers import free_port
from tables import each

pytestmark = pytest.mark.integration

READS, WRITES = OPERATIONS["proposals.count"], OPERATIONS["observations.rate"]
CUT = Answer(cut=True)
BUSY = Answer(503, b'{"code": "overloaded", "detail": "later"}', {"Retry-After": "2"})
PLAIN_503 = Answer(503, b"<html>upstream</html>")
LIMITED = Answer(429, b"", {"Retry-After": "3"})
MOVED = Answer(301, b"", {"Location": "/"})
LONG = Answer(429, b"", {"Retry-After": "3600"})


def respond_with(**reply: Any) -> Callable[[dict[str, Any]], Answer]:
    return lambda message: Answer(
        body=json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}).encode()
    )


def failed(code: str, **data: Any) -> Callable[[dict[str, Any]], Answer]:
    return respond_with(error={"code": -32000, "message": "told", "data": {"code": code, **data}})


Step = Answer | Callable[[dict[str, Any]], Answer]


def steps(*each: Step) -> Script:
    """Return each answer in turn; the last one repeats."""

    def script(number: int, message: dict[str, Any]) -> Answer:
        step = each[min(number, len(each)) - 1]
        return step if isinstance(step, Answer) else step(message)

    return script


@contextmanager
def asking(
    *each: Step, largest: int = 100_000, timeout: float = 5.0
) -> Iterator[tuple[HttpTransport, RpcServer, list[float]]]:
    pauses: list[float] = []
    patience = RetryPolicy(timeout_seconds=timeout, sleep=pauses.append, chance=lambda: 1.0)
    with serving(RpcServer(None, script=steps(*each))) as server:
        transport = HttpTransport(parsed(server.url), "t0ken", patience, largest)
        yield transport, server, pauses
        transport.close()


GOOD = respond_with(result=7)


@each(
    ("each", "reads", "writes"),
    [
        ((GOOD,), (7, 1), (7, 1)),
        ((CUT, GOOD), (7, 2), (ServerUnavailable, 1)),
        ((CUT,), (ServerUnavailable, 4), (ServerUnavailable, 1)),
        ((BUSY, GOOD), (7, 2), (7, 2)),
        ((BUSY,), (Overloaded, 4), (Overloaded, 4)),
        ((PLAIN_503, GOOD), (7, 2), (Overloaded, 1)),
        ((LIMITED, GOOD), (7, 2), (7, 2)),
        ((LONG, GOOD), (RateLimited, 1), (RateLimited, 1)),
        ((failed("rate_limited", retry_after=4), GOOD), (7, 2), (7, 2)),
        ((failed("overloaded", detail={"retry_after": 4}), GOOD), (7, 2), (7, 2)),
        ((failed("storage_busy"), GOOD), (StorageBusy, 1), (StorageBusy, 1)),
        ((failed("not_found"), GOOD), (NotFound, 1), (NotFound, 1)),
        ((Answer(401), GOOD), (Unauthenticated, 1), (Unauthenticated, 1)),
        ((Answer(500), GOOD), (ServerUnavailable, 1), (ServerUnavailable, 1)),
        ((MOVED, GOOD), (ServerUnavailable, 1), (ServerUnavailable, 1)),
    ],
    ids=[
        "all is well",
        "cut once",
        "cut always",
        "busy once",
        "busy always",
        "a strange 503",
        "limited once",
        "limited for an hour",
        "limited as told by the call",
        "busy as told by the call",
        "a locked store",
        "an error",
        "unknown",
        "broken",
        "elsewhere",
    ],
)  # fmt: skip
@each("writing", [False, True], ids=["a read", "a write"])
def test_only_calls_that_certainly_had_no_effect_are_retried(
    each: tuple[Step, ...], reads: tuple[Any, int], writes: tuple[Any, int], writing: bool
) -> None:
    outcome, tries = writes if writing else reads
    with asking(*each) as (transport, server, pauses):
        if isinstance(outcome, type):
            with pytest.raises(outcome):
                transport.call(WRITES if writing else READS, {})
        else:
            assert transport.call(WRITES if writing else READS, {}) == outcome
        assert len(server.asked) == tries
        assert len(pauses) == tries - 1


def test_an_observation_with_a_key_is_sent_again_and_one_without_is_not() -> None:
    for arguments, tries in (({"content": "x", "key": "k"}, 2), ({"content": "x"}, 1)):
        with asking(CUT, GOOD) as (transport, server, _):
            try:
                transport.call(OPERATIONS["observe"], arguments)  # type: ignore[arg-type]
            except ServerUnavailable as error:
                assert "it is unknown whether this was carried out" in str(error)
            assert len(server.asked) == tries
            assert {json.dumps(one["params"]) for one in server.asked} == {json.dumps(arguments)}


def test_pauses_are_as_requested_and_otherwise_grow() -> None:
    with asking(LIMITED, failed("overloaded", retry_after=4), CUT, GOOD) as (transport, _, pauses):
        transport.call(READS, {})
    assert pauses == [3.0, 4.0, 2.0]


def test_an_unreachable_address_is_reported_with_a_remedy() -> None:
    pauses: list[float] = []
    address = parsed(f"http://127.0.0.1:{free_port()}")
    transport = HttpTransport(address, "t0ken", RetryPolicy(sleep=pauses.append))
    with pytest.raises(ServerUnavailable, match="memoranda serve") as caught:
        transport.call(WRITES, {})
    assert str(address) in str(caught.value)
    assert len(pauses) == 3


def test_a_server_that_comes_up_meanwhile_is_reached_by_a_write() -> None:
    port, running = free_port(), []

    def sleep(_: float) -> None:
        if not running:
            running.append(RpcServer(None, script=steps(GOOD), port=port))
            running[0].start()

    transport = HttpTransport(parsed(f"http://127.0.0.1:{port}"), "t", RetryPolicy(sleep=sleep))
    try:
        assert transport.call(WRITES, {}) == 7
    finally:
        transport.close()
        running[0].stop()


def test_a_silent_server_is_given_up_after_one_attempt() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = parsed(f"http://127.0.0.1:{silent.getsockname()[1]}")
        patience = RetryPolicy(timeout_seconds=0.2, sleep=lambda _: pytest.fail("asked again"))
        transport = HttpTransport(address, "t0ken", patience)
        with pytest.raises(ServerUnavailable, match=r"ReadTimeout.*try again"):
            transport.call(READS, {})
        transport.close()


@each(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "id": 99, "result": 7}',
        b'{"jsonrpc": "1.0", "id": 1, "result": 7}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
    ids=["nothing", "a page", "a list", "neither", "another", "old", "deep", "no text"],
)
def test_what_is_no_answer_to_the_call_is_refused(body: bytes) -> None:
    with (
        asking(Answer(body=body), largest=1_000_000) as (transport, _, _),
        pytest.raises(ServerUnavailable, match="does not answer like"),
    ):
        transport.call(READS, {})


def test_an_answer_beyond_all_measure_is_not_taken_in() -> None:
    with (
        asking(respond_with(result="x" * 200_000)) as (transport, server, _),
        pytest.raises(ServerUnavailable, match=r"more than 100,000 bytes"),
    ):
        transport.call(READS, {})
    assert len(server.asked) == 1


def test_the_token_is_in_its_header_and_nowhere_else() -> None:
    with asking(GOOD) as (transport, server, _):
        transport.call(READS, {"workspace": "shop"})
    (headers,), (message,) = server.headers, server.asked
    assert headers["Authorization"] == "Bearer t0ken"
    assert headers["Content-Type"] == "application/json"
    assert headers["Accept-Encoding"] == "identity"
    assert message == {
        "jsonrpc": "2.0", "id": 1, "method": "proposals.count", "params": {"workspace": "shop"},
    }  # fmt: skip
    assert "t0ken" not in repr(transport)


def test_no_proxy_sees_what_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with asking(GOOD) as (transport, _, _):
        assert transport.call(READS, {}) == 7


def test_a_lone_surrogate_is_carried_and_nan_is_refused() -> None:
    with asking(GOOD) as (transport, server, _):
        assert transport.call(READS, {"workspace": "\ud800"}) == 7
        assert server.asked[0]["params"] == {"workspace": "\ud800"}
        with pytest.raises(InvalidInput, match="JSON"):
            transport.call(READS, {"workspace": float("nan")})


def test_many_threads_share_one_transport_and_each_gets_its_own_answer() -> None:
    def echo(message: dict[str, Any]) -> Answer:
        return respond_with(result=message["params"]["n"])(message)

    wrong: list[object] = []
    with asking(echo) as (transport, server, _):

        def work(worker: int) -> None:
            for number in range(25):
                n = worker * 100 + number
                try:
                    if (found := transport.call(READS, {"n": n})) != n:
                        wrong.append(found)
                except MemorandaError as error:
                    wrong.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert len({message["id"] for message in server.asked}) == 200


def test_after_closing_no_request_is_sent() -> None:
    with asking(GOOD) as (transport, server, _):
        transport.close()
        transport.close()
        with pytest.raises(InvalidInput, match="closed"):
            transport.call(READS, {})
        assert server.asked == []


def test_a_socket_file_is_an_address_too(tmp_path: Path) -> None:
    path = tmp_path / "m.sock"
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                heard.append(connection.recv(65_536))
                body = b'{"jsonrpc": "2.0", "id": 1, "result": 7}'
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                connection.sendall(head + body)

        thread = threading.Thread(target=answer)
        thread.start()
        memory = connected(Memoranda, HttpTransport(parsed(f"unix:{path}"), "t0ken"))
        assert memory.proposals.count() == 7
        thread.join()
        memory.close()
    assert b"\r\nhost: localhost\r\n" in heard[0].lower()
