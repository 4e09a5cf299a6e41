"""A server's error response becomes the error that was raised there."""

from __future__ import annotations

import pytest

from memoranda.api.client.faults import error_classes, make_error, of_rpc, of_status
from memoranda.exceptions import (
    BudgetTooSmall,
    Forbidden,
    InvalidInput,
    MemorandaError,
    NotFound,
    Overloaded,
    ProfileFull,
    RateLimited,
    ServerUnavailable,
    StorageBusy,
    SystemFault,
    TooLarge,
    Unauthenticated,
)
from tables import each


@each("code", sorted(error_classes()))
def test_every_code_comes_back_as_its_class(code: str) -> None:
    error = of_rpc({"code": -1, "message": "it failed", "data": {"code": code}})
    assert (type(error), error.code, str(error)) == (error_classes()[code], code, "it failed")


@pytest.mark.parametrize("nested", [True, False], ids=["in detail", "beside the code"])
def test_figures_come_along(nested: bool) -> None:
    figures = {"used": 9, "limit": 10, "needed": 3}
    data = {"code": "profile_full", **({"detail": figures} if nested else figures)}
    error = of_rpc({"message": "full", "data": data})  # type: ignore[dict-item]
    assert isinstance(error, ProfileFull)
    assert (error.used, error.limit, error.needed) == (9, 10, 3)
    small = of_rpc({"message": "", "data": {"code": "budget_too_small", "needed": 80}})
    assert isinstance(small, BudgetTooSmall)
    assert small.needed == 80


def test_no_more_is_taken_than_an_error_has_a_place_for() -> None:
    expected = {"needed": "many", "retry_after": 2, "args": 1, "code": 5, "limit": None}
    error = make_error(BudgetTooSmall, "no", expected)  # type: ignore[arg-type]
    assert isinstance(error, BudgetTooSmall)
    assert (error.needed, error.code, hasattr(error, "retry_after")) == (
        0,
        "budget_too_small",
        False,
    )
    assert len(str(make_error(InvalidInput, "x" * 9_999, {}))) <= 4_000


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"code": -32601, "message": "no method"}, NotFound),
        ({"code": -32603, "message": "?"}, SystemFault),
        ({"code": -32603, "message": "?", "data": {"code": "internal"}}, SystemFault),
        ({"message": None, "data": [1]}, SystemFault),
        ({"data": {"code": ["invalid"], "detail": 3}}, SystemFault),
    ],
)
def test_what_nobody_knows_is_a_fault_of_the_server(
    arguments: dict[str, object], kind: type[MemorandaError]
) -> None:
    assert type(of_rpc(arguments)) is kind  # type: ignore[arg-type]


@each(
    ("status", "body", "kind"),
    [
        (401, None, Unauthenticated),
        (403, {"code": "forbidden", "detail": "another name"}, Forbidden),
        (413, "too much", TooLarge),
        (429, {}, RateLimited),
        (503, None, Overloaded),
        (503, {"code": "storage_busy"}, StorageBusy),
        (404, {"detail": "Not Found"}, ServerUnavailable),
        (301, None, ServerUnavailable),
        (502, "<html>", ServerUnavailable),
        (799, None, ServerUnavailable),
    ],
)
def test_a_refusal_over_http_has_its_class(
    status: int, body: object, kind: type[MemorandaError]
) -> None:
    error = of_status(status, body, "http://here")  # type: ignore[arg-type]
    assert type(error) is kind
    if kind is ServerUnavailable:
        assert str(status) in str(error)
    if status == 403:
        assert str(error) == "another name"
