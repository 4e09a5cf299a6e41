"""Error classes: one stable code each, the same at every door."""

from __future__ import annotations

import inspect

from memoranda import exceptions as errors
from memoranda.exceptions import (
    BudgetTooSmall,
    MemorandaError,
    NotFound,
    ProfileFull,
    SystemFault,
    UserError,
)
from tables import each

CLASSES = [
    found
    for _, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, MemorandaError)
]
FINAL = [found for found in CLASSES if found not in (MemorandaError, UserError, SystemFault)]


def test_codes_are_unique() -> None:
    codes = [found.code for found in CLASSES]
    assert len(set(codes)) == len(codes) == 26


def test_codes_for_json_rpc_are_unique_among_the_errors_that_are_raised() -> None:
    codes = [found.rpc_code for found in FINAL]
    assert len(set(codes)) == len(codes)


def test_a_command_has_an_exit_code_for_every_error() -> None:
    codes = [found.exit_code for found in FINAL]
    assert len(set(codes)) == len(codes)
    assert all(1 < code < 126 for code in codes)


@each("found", CLASSES, ids=lambda found: found.__name__)
def test_every_error_has_its_place_in_the_tree_and_a_meaning(found: type[MemorandaError]) -> None:
    assert found.__doc__
    assert found.__name__ in (errors.__doc__ or "")
    if found in FINAL:
        assert found.code in (errors.__doc__ or "")
    assert 400 <= found.http_status < 600
    assert (found.http_status < 500) == issubclass(found, UserError)


@each("found", CLASSES, ids=lambda found: found.__name__)
def test_an_error_without_a_message_has_the_meaning_of_its_class(
    found: type[MemorandaError],
) -> None:
    assert str(found()) == (found.__doc__ or "").splitlines()[0]
    assert str(found("disk on fire")) == "disk on fire"


def test_a_foreign_error_needs_no_docstring() -> None:
    class Unexplained(MemorandaError):
        code = "unexplained"

    assert str(Unexplained("why")) == "why"
    assert isinstance(Unexplained(), MemorandaError)


def test_a_budget_that_is_too_small_reports_the_required_one() -> None:
    assert BudgetTooSmall("too small", needed=42).needed == 42
    assert BudgetTooSmall().needed == 0


def test_figures_are_separate_from_text() -> None:
    full = ProfileFull("no room", used=9, limit=10, needed=2)
    assert full.figures == {"used": 9, "limit": 10, "needed": 2}
    assert NotFound("no task 7").figures == {}
