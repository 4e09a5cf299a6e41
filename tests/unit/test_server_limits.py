"""Server limits that need no server: rates, concurrency and names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from anyio import CancelScope

from memoranda.api.client.address import is_local
from memoranda.api.rest.problem_details import problem
from memoranda.api.server.authentication import TokenBuckets, credential
from memoranda.api.server.limits import exact, local_hosts
from memoranda.api.server.listener import ListenAddress, check_exposure, options_for
from memoranda.api.server.load_limits import ConcurrencyLimiter, OpenStreams
from memoranda.api.server.request_bodies import media_type
from memoranda.exceptions import (
    BudgetTooSmall,
    Forbidden,
    InvalidInput,
    MemorandaError,
    NotFound,
    Overloaded,
    RateLimited,
    StorageUnusable,
    Unauthenticated,
)
from tables import each


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_grants_its_content_and_then_its_rate() -> None:
    hand = Hand()
    buckets = TokenBuckets(2.0, 3.0, hand)
    assert [buckets.take("ada") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    hand.now += 0.5
    assert buckets.take("ada") == 0.0
    assert buckets.take("ada") == 0.5
    hand.now += 1_000
    assert [bool(buckets.take("ada")) for _ in range(4)] == [False, False, False, True]


def test_each_caller_has_a_bucket_of_its_own() -> None:
    buckets = TokenBuckets(1.0, 1.0, Hand())
    assert (buckets.take("ada"), buckets.take("eve")) == (0.0, 0.0)
    assert buckets.take("ada") == 1.0


def test_asking_for_the_pause_takes_nothing() -> None:
    buckets = TokenBuckets(1.0, 1.0, Hand())
    assert [buckets.pause("ada") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert len(buckets) == 0
    buckets.take("ada")
    assert buckets.pause("ada") == 1.0


def test_strangers_do_not_fill_the_memory_with_buckets() -> None:
    buckets = TokenBuckets(1.0, 1.0, Hand(), most=10)
    for number in range(100):
        buckets.take(number)
    assert len(buckets) == 10
    assert buckets.take(99) > 0
    assert buckets.take(0) == 0.0


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def test_a_gate_lets_some_in_some_wait_and_turns_others_away() -> None:
    async def work() -> None:
        gate = ConcurrencyLimiter(2, 1, 10.0)
        await gate.enter()
        await gate.enter()
        waits = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await gate.enter()
        assert not waits.done()
        gate.leave()
        await waits
        gate.leave()
        await gate.enter()

    run(work)


def test_a_caller_that_waits_too_long_is_refused_and_takes_no_slot() -> None:
    async def work() -> None:
        gate = ConcurrencyLimiter(1, 5, 0.01)
        await gate.enter()
        with pytest.raises(Overloaded, match="too long"):
            await gate.enter()
        gate.leave()
        await gate.enter()

    run(work)


def test_whoever_leaves_the_queue_of_a_gate_leaves_no_trace() -> None:
    async def work() -> None:
        gate = ConcurrencyLimiter(1, 1, 10.0)
        await gate.enter()
        waits = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        following = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        gate.leave()
        await following

    run(work)


def test_streams_of_events_are_limited_and_all_end_together() -> None:
    async def work() -> None:
        streams = OpenStreams(2)
        scopes = [CancelScope(), CancelScope()]
        for scope in scopes:
            streams.add(scope)
        with pytest.raises(Overloaded):
            streams.add(CancelScope())
        streams.drop(scopes[0])
        assert len(streams) == 1
        streams.end()
        assert [scope.cancel_called for scope in scopes] == [False, True]
        with pytest.raises(Overloaded):
            streams.add(CancelScope())

    run(work)


@each(
    ("value", "kind"),
    [
        ("application/json", "application/json"),
        ("Application/JSON; charset=UTF-8", "application/json"),
        ('application/json;charset="utf-8"', "application/json"),
        ("application/json; charset=latin-1", ""),
        ("application/json; boundary=x", ""),
        ("text/plain", "text/plain"),
        ("", ""),
    ],
)
def test_a_content_type_is_read_with_its_parameters(value: str, kind: str) -> None:
    assert media_type(value) == kind


def scope(*headers: tuple[str, str]) -> dict[str, Any]:
    return {"headers": [(name.encode(), value.encode("latin-1")) for name, value in headers]}


@pytest.mark.parametrize(
    "headers",
    [
        [("authorization", "Bearer k-1")],
        [("authorization", "bearer   k-1 ")],
        [("x-api-key", "k-1")],
        [("x-api-key", "k-1"), ("authorization", "Bearer k-1")],
    ],
    ids=["bearer", "spaces and case", "key", "the same twice"],
)
def test_a_key_is_found_in_each_permitted_header(headers: list[tuple[str, str]]) -> None:
    assert credential(scope(*headers)) == "k-1"


@each(
    "headers",
    [
        [],
        [("authorization", "Basic azE6")],
        [("authorization", "Bearer")],
        [("authorization", "Bearer ")],
        [("authorization", "k-1")],
        [("x-api-key", "")],
        [("x-api-key", "k-1"), ("x-api-key", "k-2")],
        [("x-api-key", "k-1"), ("authorization", "Bearer k-2")],
        [("x-api-key", "k-1"), ("authorization", "Basic azE6")],
        [("authorization", "Bearer k-1"), ("authorization", "Bearer k-2")],
        [("x-api-key", "k\xe9")],
        [("x-api-key", "k" * 8_193)],
        [("x-api-key", "k\x7f")],
    ],
    ids=[
        "none", "basic", "no token", "blank", "no scheme", "empty", "two keys", "two that differ",
        "beside another scheme", "two tokens", "not ascii", "too long", "not printable",
    ],
)  # fmt: skip
def test_what_is_no_single_key_is_refused(headers: list[tuple[str, str]]) -> None:
    with pytest.raises(Unauthenticated):
        credential(scope(*headers))


@each(
    ("host", "local"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("::", False), ("10.0.0.7", False), ("memory.example", False),
        ("localhost.example", False), ("", False),
    ],
)  # fmt: skip
def test_a_loopback_address_is_distinguished_from_others(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_a_server_is_opened_to_others_only_by_intent_with_keys_and_a_name() -> None:
    check_exposure(ListenAddress(), authenticated=False)
    check_exposure(ListenAddress(unix=Path("x")), authenticated=False)
    for place, known, error in (
        (ListenAddress("10.0.0.7"), True, Forbidden),
        (ListenAddress("10.0.0.7", public=True), False, Forbidden),
        (ListenAddress("10.0.0.7", hosts=("memory.example",)), True, Forbidden),
        (ListenAddress("0.0.0.0", public=True), True, InvalidInput),
        (ListenAddress("::", public=True), True, InvalidInput),
        (ListenAddress("0:0::0", public=True), True, InvalidInput),
    ):
        with pytest.raises(error):
            check_exposure(place, authenticated=known)
    check_exposure(ListenAddress("10.0.0.7", public=True), authenticated=True)
    check_exposure(
        ListenAddress("0.0.0.0", public=True, hosts=("memory.example",)), authenticated=True
    )


def test_a_server_accepts_the_names_of_its_address_and_configured_ones() -> None:
    here = options_for(ListenAddress(hosts=("Memory.Example:80",)), 7_077)
    assert here.hosts == local_hosts(7_077) | {"memory.example:80"}
    assert "http://localhost:7077" in here.origins
    assert "localhost" in local_hosts(80)
    assert "localhost" not in local_hosts(81)
    away = options_for(ListenAddress("FE80::1", public=True, origins=("https://a.example/",)), 9)
    assert "[fe80::1]:9" in away.hosts
    assert "https://a.example" in away.origins
    file = options_for(ListenAddress(unix=Path("x")), 0)
    assert (file.hosts, file.origins) == ({"localhost"}, frozenset())
    assert exact([" A.b/ "]) == {"a.b"}


@pytest.mark.parametrize(
    ("error", "status", "headers"),
    [
        (NotFound("gone"), 404, {}),
        (Unauthenticated("who"), 401, {"www-authenticate": "Bearer"}),
        (RateLimited("slow", retry_after=2.1), 429, {"retry-after": "3"}),
        (Overloaded("busy"), 503, {"retry-after": "1"}),
        (BudgetTooSmall("more", needed=7), 422, {}),
    ],
    ids=lambda value: getattr(value, "code", None),
)
def test_an_error_is_returned_as_problem_details(
    error: MemorandaError, status: int, headers: dict[str, str]
) -> None:
    answer = problem(error, "r-1")
    response = json.loads(bytes(answer.body))
    assert (answer.status_code, response["status"], response["code"]) == (
        status,
        status,
        error.code,
    )
    assert (response["detail"], response["request_id"]) == (str(error), "r-1")
    assert answer.headers["content-type"] == "application/problem+json"
    assert headers.items() <= dict(answer.headers).items()
    assert response.get("needed") == getattr(error, "needed", None)


def test_internal_errors_are_not_disclosed() -> None:
    response = json.loads(bytes(problem(StorageUnusable("/home/ada/x is gone"), "r").body))
    assert "/home" not in response["detail"]
    assert response["code"] == "storage_unusable"
    assert problem(NotFound("x"), "r", status=410, headers={"A": "b"}).headers["a"] == "b"
