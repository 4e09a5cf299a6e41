"""A request repeated with the same idempotency key runs once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from test_rest import Ask, asking, code

from contract.clock import FixedClock
from memoranda.api.rest import idempotency as repeats
from memoranda.api.rest.idempotency import IdempotentRequest, RequestInProgress, StoredAnswer
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Conflict, InvalidInput, StorageBusy, StorageError
from memoranda.idempotency import table as kept_answers
from memoranda.idempotency.model import IdempotencyRecord
from postgres_stores import EmptyStores
from rest_apps import TOKENS

pytestmark = pytest.mark.integration
ADA = TOKENS["ada"]
BODY = {"statement": "Prices are net.", "workspace": "shop"}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Service]:
    arguments: dict[str, object] = {"data_dir": tmp_path / "data", "embedder": "none"}
    stores: EmptyStores | None = None
    if request.param == "postgres":
        stores = request.getfixturevalue("postgres_stores")
        arguments["database_url"] = stores.url
    opened = Service(load_settings(arguments, {}), clock)
    yield opened
    opened.close()
    if stores:
        stores.empty()


@pytest.fixture
def ask(service: Service) -> Ask:
    return asking(service)


def keyed(ask: Ask, key: str, body: dict[str, Any] = BODY, who: str = "ada") -> Any:
    return ask("POST", "/memories", who, json=body, headers={"Idempotency-Key": key})


def observed(ask: Ask, key: str, content: str = "it rained") -> Any:
    headers = {"Idempotency-Key": key}
    return ask("POST", "/observations", json={"content": content}, headers=headers)


def count(ask: Ask) -> int:
    return int(ask("GET", "/stats").json()["observations"])


def test_the_first_answer_is_repeated_and_nothing_done_twice(ask: Ask) -> None:
    first, second = observed(ask, "k"), observed(ask, "k")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert count(ask) == 1


def test_a_key_is_of_one_request_and_of_one_caller(ask: Ask) -> None:
    assert observed(ask, "k").status_code == 201
    assert code(observed(ask, "k", "it snowed")) == (422, "invalid")
    assert code(keyed(ask, "k")) == (422, "invalid")
    assert keyed(ask, "k", who="mia").status_code == 201
    assert keyed(ask, "k", who="eve").status_code == 201
    assert count(ask) == 1


def test_the_order_of_names_makes_no_other_request(ask: Ask) -> None:
    headers = {"Idempotency-Key": "k"}
    one = ask("POST", "/memories", content=b'{"statement":"x","workspace":"w"}', headers=headers)
    two = ask("POST", "/memories", content=b'{ "workspace":"w", "statement":"x"}', headers=headers)
    assert one.json() == two.json()
    assert two.headers["idempotency-replayed"] == "true"


def test_what_was_refused_may_be_sent_again_put_right(ask: Ask) -> None:
    assert code(keyed(ask, "k", {"statement": 1})) == (422, "invalid")
    assert keyed(ask, "k").status_code == 201


@pytest.mark.parametrize("key", ["", "a b", "\u00e9".encode(), "x" * 201, "a\tb"])
def test_a_key_that_is_none_is_refused(key: str | bytes, ask: Ask) -> None:
    answer = ask("POST", "/memories", json=BODY, headers={"Idempotency-Key": key})
    assert code(answer) == (422, "invalid")
    assert ask("GET", "/memories").json()["items"] == []


def test_after_a_day_a_key_is_free(ask: Ask, clock: FixedClock) -> None:
    observed(ask, "k")
    clock.advance(repeats.KEEP)
    assert observed(ask, "k").headers["idempotency-replayed"] == "true"
    clock.advance(1)
    assert "idempotency-replayed" not in observed(ask, "k", "it snowed").headers
    assert count(ask) == 2


def test_forgetting_reaches_kept_answers_and_a_second_try_is_still_known(
    service: Service, ask: Ask
) -> None:
    made = keyed(ask, "k").json()
    receipt = ask("POST", "/forget", json={"chosen": {"ids": [made["id"]]}, "confirm": True})
    assert receipt.status_code == 200, receipt.text
    assert "kept answers" in receipt.json()["places"]
    database = service.home.database
    kept = database.read(lambda tx: kept_answers.of(tx, "local", "admin ada ", "k"))
    assert kept
    assert kept.body is None
    assert code(keyed(ask, "k")) == (409, "conflict")
    assert ask("GET", "/memories").json()["items"] == []


def test_an_answer_too_large_to_store_is_remembered_as_sent(service: Service) -> None:
    repeat = IdempotentRequest(service, ADA, "k", b"asked")
    assert repeat.begin() is None
    repeat.finish(200, "x" * (repeats.LARGEST + 1))
    with pytest.raises(Conflict, match="no longer stored"):
        IdempotentRequest(service, ADA, "k", b"asked").begin()


def test_a_request_in_progress_is_reported_and_then_answered(
    service: Service, clock: FixedClock
) -> None:
    first = IdempotentRequest(service, ADA, "k", b"asked")
    assert first.begin() is None
    with pytest.raises(RequestInProgress):
        IdempotentRequest(service, ADA, "k", b"asked").begin()
    with pytest.raises(InvalidInput):
        IdempotentRequest(service, ADA, "k", b"asked for something else").begin()
    first.finish(201, "{}")
    assert IdempotentRequest(service, ADA, "k", b"asked").begin() == StoredAnswer(201, "{}")


def test_a_request_that_was_cut_off_is_never_done_again_in_silence(
    service: Service, ask: Ask, clock: FixedClock
) -> None:
    assert IdempotentRequest(service, ADA, "k", b"asked").begin() is None
    clock.advance(repeats.RUNNING)
    with pytest.raises(Conflict, match="interrupted") as raised:
        IdempotentRequest(service, ADA, "k", b"asked").begin()
    assert not isinstance(raised.value, RequestInProgress)


@pytest.mark.parametrize(("error", "free"), [(StorageBusy, True), (StorageError, False)])
def test_only_what_surely_did_nothing_lets_go_of_its_key(
    error: type[Exception], free: bool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, carry_out = asking(service), service.call

    def fail(*value: Any) -> Any:
        raise error("at the worst moment")

    monkeypatch.setattr(service, "call", fail)
    assert observed(ask, "k").status_code == error.http_status  # type: ignore[attr-defined]
    monkeypatch.setattr(service, "call", carry_out)
    again = observed(ask, "k")
    assert again.status_code == (201 if free else 409)
    assert again.headers.get("retry-after") == (None if free else "1")


def test_of_two_concurrent_requests_one_runs_and_the_other_is_deferred(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go_on, carry_out = Event(), Event(), service.call

    def slow(*value: Any) -> Any:
        entered.set()
        assert go_on.wait(20)
        return carry_out(*value)

    monkeypatch.setattr(service, "call", slow)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(observed, asking(service), "k")
        assert entered.wait(20)
        second = observed(asking(service), "k")
        go_on.set()
        assert first.result().status_code == 201
    assert code(second) == (409, "conflict")
    assert second.headers["retry-after"] == "1"
    assert observed(asking(service), "k").json() == first.result().json()
    assert count(asking(service)) == 1


def test_many_at_once_make_one(service: Service) -> None:
    with ThreadPoolExecutor(6) as threads:
        result = list(threads.map(lambda _: observed(asking(service), "k"), range(12)))
    assert {one.status_code for one in result} <= {201, 409}
    assert len({one.text for one in result if one.status_code == 201}) == 1
    assert count(asking(service)) == 1


DYING = """
import os, signal, sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from memoranda.config import load_settings
from memoranda.api.rest import idempotency as repeats
from memoranda.api.service import Service
from rest_apps import rest_app
from test_rest import asking
service = Service(load_settings({"data_dir": sys.argv[1], "embedder": "none"}, {}))
repeats.IdempotentRequest.finish = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
body = {"content": "it rained"}
asking(service)("POST", "/observations", json=body, headers={"Idempotency-Key": "k"})
"""


def test_a_crash_between_the_change_and_its_answer_doubles_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    here = Path(__file__).parent
    died = subprocess.run(
        [sys.executable, "-c", DYING, folder, str(here), str(here.parent)],
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL
    service = Service(load_settings({"data_dir": folder, "embedder": "none"}, {}))
    try:
        ask = asking(service)
        assert count(ask) == 1
        assert code(observed(ask, "k")) == (409, "conflict")
        assert count(ask) == 1
        begun = IdempotencyRecord("local", "admin ada ", "k", "", None, None, 0)
        found = service.home.database.read(
            lambda tx: kept_answers.of(tx, "local", "admin ada ", "k")
        )
        assert found
        assert replace(found, request_hash="", created_at=0) == begun
        assert observed(ask, "another").status_code == 201
    finally:
        service.close()


def test_what_is_shown_once_is_not_kept_to_be_shown_again(ask: Ask, service: Service) -> None:
    headers = {"Idempotency-Key": "k"}
    made = ask("POST", "/tokens", json={"role": "member"}, headers=headers)
    assert made.status_code == 201
    assert code(ask("POST", "/tokens", json={"role": "member"}, headers=headers)) == (
        409,
        "conflict",
    )
    sql = "select coalesce(body, '') from kept_answer"
    rows = service.home.database.read(lambda tx: tx.fetch(sql, {}))
    assert rows == [("",)]
