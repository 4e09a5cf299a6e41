"""The endpoint answers any bytes with valid JSON-RPC."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from rpc_calls import ADA, BOT, EYE, ROOT, is_answer

from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.jsonrpc.methods import methods
from memoranda.api.jsonrpc.trace_ids import of_headers
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal

pytestmark = pytest.mark.integration

HARMLESS = {
    "forget",
    "store.retention",
    "memory.prune",
    "index.reembed",
    "index.rebuild",
    "mirror.rebuild",
}
"""Excluded methods: they process the whole store."""
NAMES = sorted(set(methods()) - HARMLESS)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["1", "1#1", "default", "shop", "all", "\x00", "\ud800", "' or 1=1 --", "*:*",
                     "../../etc/passwd", "<memoranda-context>", "%", "a\u202eb", "9" * 40,
                     "2026-01-01", "${jndi:x}", '"NEAR("', "\U000e0041"]),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-5, 5), st.sampled_from([2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
IDS = ("trace_id", "agent_id", "task_id", "context_id")
CONTEXTS = st.none() | VALUES | st.fixed_dictionaries({}, optional=dict.fromkeys(IDS, TEXTS))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path_factory.mktemp("fuzz") / "data"}))
    for content in ("begun", "Prices are always net."):
        opened.call(ROOT, "observe", {"content": content, "task": "one", "workspace": "shop"})
    yield opened
    opened.close()


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Draw calls of existing methods with their argument names, any values."""
    name = draw(st.sampled_from(NAMES))
    named = {one.name: VALUES for one in methods()[name].arguments}
    by_name = st.fixed_dictionaries({}, optional=named)
    params: Any = draw(st.one_of(by_name, st.lists(VALUES, max_size=4)))
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": name, "params": params, "id": 1}
    if draw(st.booleans()) and isinstance(params, dict):
        params["a2a_context"] = draw(CONTEXTS)
    return message


MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2, None]) | VALUES,
        "method": st.sampled_from(["store.stats", "rpc.discover", "rpc.x", "nonesuch"]) | VALUES,
        "params": VALUES,
        "id": VALUES,
        "a2a_context": CONTEXTS,
        "more": VALUES,
    },
)
CALLERS = st.sampled_from([ROOT, ADA, BOT, EYE])
FAST = settings(suppress_health_check=list(HealthCheck))


def answered(service: Service, who: Principal, body: bytes) -> Any:
    """Return the answer to a body, which has to be valid."""
    answer = JsonRpcEndpoint(service).answer(who, body)
    if answer is None:
        return None
    found = json.loads(answer)
    assert is_answer(found), answer[:500]
    errors = [one["error"]["code"] for one in (found if isinstance(found, list) else [found])
              if "error" in one]  # fmt: skip
    assert -32603 not in errors, body[:500]
    return found


@FAST
@given(who=CALLERS, body=st.binary(max_size=200))
def test_any_bytes_are_answered(service: Service, who: Principal, body: bytes) -> None:
    found = answered(service, who, body)
    assert found is None or "error" in found


@FAST
@given(
    who=CALLERS,
    text=st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \\udNaI', max_size=60),
)
def test_anything_like_json_is_answered(service: Service, who: Principal, text: str) -> None:
    answered(service, who, text.encode())


@FAST
@given(who=CALLERS, message=st.one_of(MESSAGES, st.lists(MESSAGES | VALUES, max_size=4), VALUES))
def test_any_json_is_answered_once_for_each_call(
    service: Service, who: Principal, message: Any
) -> None:
    found = answered(service, who, json.dumps(message).encode())
    if isinstance(message, list) and message:
        assert found is None or len(found) <= len(message)
    elif isinstance(message, dict) and "id" in message:
        assert found is not None


@FAST
@given(who=CALLERS, call=calls())
def test_any_arguments_of_any_method_are_answered(
    service: Service, who: Principal, call: dict[str, Any]
) -> None:
    found = answered(service, who, json.dumps(call).encode())
    assert found["id"] == 1


@FAST
@given(
    headers=st.dictionaries(
        st.sampled_from(["x-trace-id", "x-agent-id", "x-task-id", "traceparent", "x-context-id"]),
        TEXTS,
    )
)
def test_no_header_breaks_anything(headers: dict[str, str]) -> None:
    for one in of_headers(headers).known().values():
        assert isinstance(one, str)
        assert one.isprintable()
