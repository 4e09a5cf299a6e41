"""A rule stated twice in other words is proposed once; two rules are two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from happenings import message_event, ran
from histories import opened

from memoranda.capture.event import EventKind

pytestmark = pytest.mark.integration


def proposed(data_dir: Path, *rules: str, sessions: int) -> list[str]:
    """Return the proposals after people stated rules in several sessions."""
    events = []
    for at, rule in enumerate(rules):
        where = {"session": f"s{at % sessions}", "cwd": "/srv/shop"}
        events += [
            message_event(f"u{at}", rule, **where),
            ran(f"k{at}", "pytest", "3 passed", **where),
        ]
    for number in range(sessions):
        end = message_event(f"end{number}", "", session=f"s{number}", cwd="/srv/shop")
        events.append(replace(end, kind=EventKind.TASK_END))
    with opened(data_dir) as memory:
        memory.capture.take(events)
        memory.capture.drain(wait=True)
        return [one.after.content for one in memory.proposals.list().items]


@pytest.mark.parametrize("sessions", [1, 2])
@pytest.mark.parametrize(
    "rules",
    [
        ("Never push to main directly. Work on the parser.", "Please never push directly to main."),
        (
            "We should always use pnpm to install packages.",
            "Use pnpm for installing packages, always.",
        ),
    ],
)
def test_a_rule_in_other_words_is_proposed_once(
    data_dir: Path, rules: tuple[str, str], sessions: int
) -> None:
    assert len(proposed(data_dir, *rules, sessions=sessions)) == 1


@pytest.mark.parametrize(
    "rules",
    [
        ("Always deploy from staging to production.", "Always deploy from production to staging."),
        ("Always keep unit tests in tests/unit.", "Always keep slow tests in tests/slow."),
        ("Never push to main directly.", "Never push to release directly."),
    ],
)
def test_two_rules_are_two_proposals(data_dir: Path, rules: tuple[str, str]) -> None:
    assert len(proposed(data_dir, *rules, sessions=2)) == 2
