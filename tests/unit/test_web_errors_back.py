"""Recurring errors: in another task, recent, newest first."""

from __future__ import annotations

from typing import Any

from memoranda.clock import MICROSECONDS
from memoranda.web.pages.errors import returned

DAY = 86_400 * MICROSECONDS
NOW = 100 * DAY


def pattern(name: str, days_ago: int, kind: str = "frequency") -> dict[str, Any]:
    seen = NOW - days_ago * DAY
    expected = {
        "kind": kind,
        "signature": name,
        "last_seen": seen,
        "examples": [f"{name}#1", "x#2"],
    }
    return {"pattern": expected}


def test_the_newest_stand_first_and_a_few_are_named() -> None:
    arguments = {"a": 9, "b": 1, "c": 4, "d": 2, "e": 3}
    found = returned([pattern(name, days) for name, days in arguments.items()], NOW)
    assert found == {"count": 5, "newest": [("b", "b#1"), ("d", "d#1"), ("e", "e#1")]}


def test_what_is_long_past_or_recurs_otherwise_did_not_come_back() -> None:
    others = [pattern("old", 31), pattern("then", 1, "sequence"), pattern("with", 1, "context")]
    assert returned(others, NOW) == {"count": 0, "newest": []}
    assert returned([*others, pattern("new", 29)], NOW)["newest"] == [("new", "new#1")]
