"""Warnings on the first page, and their links by role."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from contract.clock import FixedClock
from memoranda.identity.principal import Principal, Role, owner
from memoranda.json_data import iso_time
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.now import (
    HealthWarning,
    _failed,
    _late,
    _place,
    _unrecorded,
    _untidy,
    saved,
)

HOUR = 3_600_000_000
NOW = 500_000 * HOUR


def page_request(role: Role = Role.ADMIN, workspace: str = "") -> PageRequest:
    who = owner("local") if role is Role.ADMIN else Principal("local", role, "ann")
    service: Any = SimpleNamespace(home=SimpleNamespace(clock=FixedClock(NOW)))
    return PageRequest(service, who, "/", query={"workspace": [workspace]} if workspace else {})


@pytest.mark.parametrize(
    ("role", "links", "command"),
    [(Role.ADMIN, (("/health", "How to fix it"),), ""), (Role.READER, (), "memoranda doctor")],
)
def test_failed_work_links_to_its_remedy(
    role: Role, links: tuple[tuple[str, str], ...], command: str
) -> None:
    status = {"failures": [{"kind": "entry", "attempts": 5, "error": "no room " * 100}]}
    (found,) = _failed(page_request(role), status)
    assert (found.links, found.command, found.kind) == (links, command, "bad")
    assert found.what.startswith("Failed after 5 attempts: entry (no room")
    assert len(found.what) < 260


def test_work_pending_for_more_than_an_hour_is_reported() -> None:
    waits: dict[str, Any] = {"spool_files": 2, "spool_oldest_at": iso_time(NOW - HOUR - 1_000_000)}
    (found,) = _late(page_request(), waits)
    assert (found.command, found.links[0][0]) == ("memoranda drain", "/health")
    assert _late(page_request(), waits | {"spool_oldest_at": iso_time(NOW - HOUR)}) == []
    assert _late(page_request(), {"spool_files": 0, "spool_oldest_at": None}) == []


def test_hooks_that_do_not_work_lead_to_what_to_do() -> None:
    checks = [
        {"check": "spool", "verdict": "warning", "detail": "late", "fix": "memoranda drain"},
        {"check": "hooks of Codex", "verdict": "warning", "detail": "untrusted", "fix": "/hooks"},
        {"check": "hooks of Cursor", "verdict": "failure", "detail": "gone", "fix": "install"},
        {"check": "hooks of Gemini CLI", "verdict": "ok", "detail": "none", "fix": ""},
    ]
    seen: Any = SimpleNamespace(may=lambda name: True, call=lambda name, **how: checks)
    codex, cursor = _unrecorded(seen)
    assert codex == HealthWarning(
        "Hooks of Codex: untrusted.", (("/health", "How to fix it"),), "/hooks", "warn"
    )
    assert (cursor.kind, cursor.command) == ("bad", "install")
    seen.may = lambda name: False
    assert _unrecorded(seen) == []


def test_a_crowded_profile_and_contradictions_lead_to_where_they_are_put_right() -> None:
    assert _untidy({"used": 8_000, "limit": 10_000}, ()) == []
    crowded, clash = _untidy({"used": 8_001, "limit": 10_000}, {"m1", "m2"})
    assert crowded == HealthWarning(
        "The profile is nearly full: 8,001 of 10,000 tokens.", (("/profile", "Free space"),)
    )
    assert clash.links == (("/learnings/conflicts", "Resolve it"),)


def test_the_next_session_is_likely_where_the_latest_task_is() -> None:
    task = {"workspace": "w1"}
    assert _place(page_request(), None) is None
    assert _place(page_request(), task) == "w1"
    assert _place(page_request(workspace="all"), task) == "w1"
    assert _place(page_request(workspace="lamps"), task) == "lamps"


def test_a_share_is_shown_if_something_was_captured() -> None:
    assert saved({"raw_tokens": 0, "summary_characters": 0}) is None
    assert saved({"raw_tokens": 1_000, "summary_characters": 400}) == pytest.approx(0.9)
    assert saved({"raw_tokens": 10, "summary_characters": 400}) == 0
