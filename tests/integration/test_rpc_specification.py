"""Examples of the JSON-RPC 2.0 specification, and cases it leaves open."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from rpc_calls import ADA, BOT, EYE, ROOT, Rpc, is_answer

from memoranda import Memoranda, exceptions as errors
from memoranda.api.jsonrpc import endpoint, faults
from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.jsonrpc.requests import MAX_BATCH, MAX_BODY
from memoranda.api.jsonrpc.trace_ids import Trace
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import BudgetTooSmall, RateLimited, StorageUnusable
from memoranda.operations import OPERATIONS
from tables import each

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service with one observation; tests leave nothing else behind."""
    opened = Service(load_settings({"data_dir": tmp_path_factory.mktemp("rpc") / "data"}))
    opened.call(ROOT, "observe", {"content": "begun", "task": "one", "workspace": "shop"})
    yield opened
    opened.close()


@pytest.fixture
def rpc(service: Service) -> Rpc:
    return Rpc(service)


def error(code: int, id: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "error": {"code": code}, "id": id}


def result(value: Any, id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "result": value, "id": id}


PARSE, INVALID, METHOD, PARAMS = -32700, -32600, -32601, -32602
EXAMPLES: dict[str, tuple[str, Any]] = {
    "positional": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "params": ["shop"], "id": 1}', result(0, 1)
    ),
    "named": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "params": {"workspace": "shop"}, "id": 3}',
        result(0, 3),
    ),
    "a notification": ('{"jsonrpc": "2.0", "method": "store.stats", "params": []}', None),
    "a notification without params": ('{"jsonrpc": "2.0", "method": "foobar"}', None),
    "no such method": ('{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', error(METHOD, "1")),
    "invalid JSON": ('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', error(PARSE)),
    "invalid request": ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', error(INVALID)),
    "a batch of invalid JSON": (
        '[{"jsonrpc": "2.0", "method": "store.stats", "id": "1"}, {"jsonrpc": "2.0", "method"]',
        error(PARSE),
    ),
    "an empty batch": ("[]", error(INVALID)),
    "a batch of junk": ("[1]", [error(INVALID)]),
    "a batch of more junk": ("[1,2,3]", [error(INVALID)] * 3),
    "a batch of everything": (
        """[
            {"jsonrpc": "2.0", "method": "proposals.count", "params": ["shop"], "id": "1"},
            {"jsonrpc": "2.0", "method": "store.stats", "params": [7]},
            {"jsonrpc": "2.0", "method": "proposals.count", "params": [], "id": "2"},
            {"foo": "boo"},
            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
            {"jsonrpc": "2.0", "method": "proposals.count", "id": "9"}
        ]""",
        [result(0, "1"), result(0, "2"), error(INVALID), error(METHOD, "5"), result(0, "9")],
    ),
    "a batch of notifications": (
        '[{"jsonrpc": "2.0", "method": "stats"}, {"jsonrpc": "2.0", "method": "nonesuch"}]', None
    ),
    "a batch in a batch": (
        '[[{"jsonrpc": "2.0", "method": "proposals.count", "id": 1}]]', [error(INVALID)]
    ),
    "an id of null is no notification": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "id": null}', result(0, None)
    ),
    "an id of null that fails": (
        '{"jsonrpc": "2.0", "method": "foobar", "id": null}', error(METHOD)
    ),
    "a fractional id": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "id": 1.5}', result(0, 1.5)
    ),
    "an empty id": ('{"jsonrpc": "2.0", "method": "proposals.count", "id": ""}', result(0, "")),
    "an id that is true": (
        '{"jsonrpc": "2.0", "method": "store.stats", "id": true}', error(INVALID)
    ),
    "an id that is a list": (
        '{"jsonrpc": "2.0", "method": "store.stats", "id": [1]}', error(INVALID)
    ),
    "version 1": ('{"method": "store.stats", "params": [], "id": 1}', error(INVALID, 1)),
    "params that are a text": (
        '{"jsonrpc": "2.0", "method": "store.stats", "params": "bar", "id": 4}', error(INVALID, 4)
    ),
    "params that are null": (
        '{"jsonrpc": "2.0", "method": "store.stats", "params": null, "id": 4}', error(INVALID, 4)
    ),
    "too many positions": (
        '{"jsonrpc": "2.0", "method": "pending.count", "params": [1, 2], "id": 1}', error(PARAMS, 1)
    ),
    "a wrong name": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "params": {"x": 1}, "id": 1}',
        error(PARAMS, 1),
    ),
    "a wrong type": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "params": [7], "id": 1}', error(PARAMS, 1)
    ),
    "a missing argument": ('{"jsonrpc": "2.0", "method": "search", "id": 1}', error(PARAMS, 1)),
    "a reserved name": ('{"jsonrpc": "2.0", "method": "rpc.stats", "id": 1}', error(METHOD, 1)),
    "a name with a blank": ('{"jsonrpc": "2.0", "method": "stats ", "id": 1}', error(METHOD, 1)),
    "a name in other letters": ('{"jsonrpc": "2.0", "method": "STATS", "id": 1}', error(METHOD, 1)),
    "a name of Python": (
        '{"jsonrpc": "2.0", "method": "memory.__init__", "id": 1}', error(METHOD, 1)
    ),
    "a name of ours": ('{"jsonrpc": "2.0", "method": "memory._ask", "id": 1}', error(METHOD, 1)),
    "an empty name": ('{"jsonrpc": "2.0", "method": "", "id": 1}', error(METHOD, 1)),
    "a member that nobody knows": (
        '{"jsonrpc": "2.0", "method": "proposals.count", "id": 1, "auth": "x"}', result(0, 1)
    ),
}  # fmt: skip


def shortened(answer: Any) -> Any:
    """Return an answer with only the code of an error."""
    if isinstance(answer, list):
        return [shortened(one) for one in answer]
    if isinstance(answer, dict) and "error" in answer:
        return answer | {"error": {"code": answer["error"]["code"]}}
    return answer


@each(("sent", "answer"), EXAMPLES.values(), ids=EXAMPLES)
def test_an_example_is_answered_as_specified(service: Service, sent: str, answer: Any) -> None:
    found = JsonRpcEndpoint(service).answer(ROOT, sent.encode())
    if answer is None:
        assert found is None
    else:
        assert found is not None
        assert is_answer(json.loads(found))
        assert shortened(json.loads(found)) == answer


def test_a_batch_is_carried_out_in_order(rpc: Rpc) -> None:
    calls: list[dict[str, Any]] = [
        {"method": "working.put", "params": ["1", "n", 1]},
        {"method": "working.get", "params": ["1", "n"], "id": 1},
        {"method": "working.put", "params": ["1", "n", 2]},
        {"method": "working.get", "params": ["1", "n"], "id": 2},
        {"method": "working.delete", "params": ["1", "n"], "id": 3},
        {"method": "working.get", "params": ["1", "n"], "id": 4},
    ]
    first, second, deleted, gone = rpc.send([{"jsonrpc": "2.0", **one} for one in calls])
    assert [first["result"]["value"], second["result"]["value"]] == [1, 2]
    assert deleted["result"] is True
    assert gone["error"]["data"]["code"] == "not_found"


def test_a_batch_that_is_too_long_is_one_error_and_nothing_is_done(rpc: Rpc) -> None:
    one = {"jsonrpc": "2.0", "method": "working.put", "params": ["1", "many", 1]}
    assert rpc.send([one] * MAX_BATCH) is None
    rpc.call("working.delete", task="1", key="many")
    refused = rpc.send([one] * (MAX_BATCH + 1))
    assert (refused["error"]["code"], refused["id"]) == (INVALID, None)
    assert rpc.error("working.get", ["1", "many"])["data"]["code"] == "not_found"


def test_a_batch_whose_answers_are_too_long_is_cut_off(
    rpc: Rpc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "MAX_ANSWER", 100)
    requests = [{"jsonrpc": "2.0", "method": "store.stats", "id": id} for id in range(3)]
    requests.append({"jsonrpc": "2.0", "method": "working.put", "params": ["1", "late", 1]})
    first, *others = rpc.send(requests)
    assert "result" in first
    assert [one["error"]["data"]["code"] for one in others] == ["too_large"] * 2
    assert rpc.error("working.get", ["1", "late"])["data"]["code"] == "not_found"


def test_a_message_that_is_too_long_is_reported(service: Service) -> None:
    answer = JsonRpcEndpoint(service).answer(ROOT, b" " * (MAX_BODY + 1))
    assert answer is not None
    response = json.loads(answer)
    assert (response["error"]["code"], response["id"]) == (-32018, None)
    assert response["error"]["data"] == {"code": "too_large"}


def test_a_lone_surrogate_in_an_id_comes_back(service: Service) -> None:
    body = b'{"jsonrpc": "2.0", "method": "proposals.count", "id": "\\ud800 \xc3\xbc"}'
    answer = JsonRpcEndpoint(service).answer(ROOT, body)
    assert answer is not None
    assert json.loads(answer) == result(0, "\ud800 ü")


def test_a_lone_surrogate_in_a_name_is_reported(rpc: Rpc) -> None:
    assert rpc.error("\ud800")["code"] == METHOD
    assert rpc.error("store.stats", {"\ud800": 1})["code"] == PARAMS
    assert rpc.error("search", {"query": ["\ud800"]})["code"] == PARAMS


def test_texts_are_written_as_they_are(service: Service) -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": "proposals.count", "id": "数据库"}).encode()
    answer = JsonRpcEndpoint(service).answer(ROOT, body)
    assert answer is not None
    assert "数据库".encode() in answer


@pytest.mark.parametrize("value", [2**63, -(2**70), 1e308, 10**40])
def test_numbers_that_are_too_large_are_bad_arguments(rpc: Rpc, value: float) -> None:
    assert rpc.error("search", {"query": "x", "limit": value})["code"] == PARAMS


def test_our_own_errors_have_their_codes_and_figures(rpc: Rpc) -> None:
    rpc.call("remember", statement="Never deploy on a Friday; always ask first.", workspace="shop")
    small = rpc.error("context", {"budget": 5, "workspace": "shop"})
    assert small["code"] == BudgetTooSmall.rpc_code
    assert small["data"]["code"] == "budget_too_small"
    assert rpc.call("context", budget=small["data"]["needed"], workspace="shop")["tokens"] > 0
    assert rpc.error("tasks.show", ["99"])["code"] == -32010


def test_the_codes_of_agent_to_agent_are_left_alone() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = [kind.rpc_code for kind in kinds if issubclass(kind, errors.MemorandaError)]
    assert len(codes) > 20
    assert [code for code in codes if -32009 <= code <= -32001] == []
    own = [code for code in codes if code not in (PARAMS, -32603)]
    assert all(-32099 <= code <= -32000 for code in own)


def test_a_requested_pause_is_reported() -> None:
    error_body = faults.error_object(RateLimited("too many", retry_after=2.5), ADA.role)
    assert error_body["data"] == {"code": "rate_limited", "retry_after": 2.5}


def test_internal_errors_are_reported_in_full_to_the_owner_only() -> None:
    fault = StorageUnusable("cannot write /srv/secret/memoranda.db")
    assert faults.error_object(fault, ROOT.role)["message"] == str(fault)
    for who in (ADA, BOT, EYE):
        error_body = faults.error_object(fault, who.role)
        assert "secret" not in json.dumps(error_body)
        assert error_body["code"] == StorageUnusable.rpc_code


@pytest.mark.parametrize("method", ["store.stats", "memory.get_context", "rpc.discover"])
def test_the_text_of_an_unexpected_error_is_not_disclosed(
    rpc: Rpc, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("the words of a memory")

    monkeypatch.setattr(Memoranda.store, "stats", broken)
    monkeypatch.setattr(Memoranda, "context", broken)
    monkeypatch.setattr(endpoint, "document", broken)
    with caplog.at_level(logging.DEBUG):
        response = rpc.error(method)
    assert (response["code"], response["data"]) == (-32603, {"code": "internal"})
    assert "words" not in json.dumps(response)
    assert "words" not in caplog.text
    (line,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert vars(line)["error"] == "KeyError"
    assert vars(line)["place"].startswith("test_rpc_specification.py:")


def test_a_result_that_json_cannot_hold_is_an_error_of_ours(
    rpc: Rpc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memoranda.proposals, "count", lambda *_, **__: float("nan"))
    assert rpc.error("proposals.count")["code"] == -32603


def test_every_call_is_logged_with_its_ids_and_without_its_words(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "a quiet word"
    message = {
        "jsonrpc": "2.0", "method": "search", "id": 1,
        "params": {"query": secret, "a2a_context": {"trace_id": "t-1"}},
    }  # fmt: skip
    stray = {"jsonrpc": "2.0", "method": f"{secret}.nonesuch", "id": 1}
    # A server that another test started in this process may have set the level of this logger.
    with caplog.at_level(logging.INFO, logger=endpoint.__name__):
        for one in (message, stray):
            JsonRpcEndpoint(service).answer(ROOT, json.dumps(one).encode(), Trace(task_id="7"))
    first, second = [vars(one) for one in caplog.records if one.message == "rpc"]
    assert (first["method"], first["outcome"]) == ("search", "ok")
    assert (first["trace_id"], first["task_id"]) == ("t-1", "7")
    assert (second["method"], second["outcome"]) == ("unknown", "method_not_found")
    assert all(secret not in str(vars(one)) for one in caplog.records)


def test_permissions_are_checked_before_arguments(service: Service) -> None:
    for method in ("remember", "memory.store", "memory.update", "memory.prune", "journal.list"):
        assert Rpc(service, EYE).error(method, {"nonsense": 1})["data"]["code"] == "forbidden"


def test_an_agent_never_decides_through_this_door(service: Service) -> None:
    for name, one in OPERATIONS.items():
        if BOT.role not in one.roles:
            assert Rpc(service, BOT).error(name, {})["data"]["code"] == "forbidden", name
