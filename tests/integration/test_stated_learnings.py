"""An agent's explicit statement of a lesson is proposed, nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from happenings import message_event, ran
from histories import opened

from memoranda.capture.event import EventKind
from memoranda.observations.model import Origin

pytestmark = pytest.mark.integration


def proposed(data_dir: Path, answer: str) -> list[str]:
    """Return the proposals after a task with this answer of the agent."""
    where = {"cwd": "/srv/shop"}
    end = replace(message_event("end", "", **where), kind=EventKind.TASK_END)
    with opened(data_dir) as memory:
        memory.capture.take(
            [
                message_event("goal", "Set up the containers.", **where),
                ran("k1", "docker ps", "NAMES", **where),
                message_event("answer", answer, origin=Origin.AGENT, **where),
                end,
            ]
        )
        memory.capture.drain(wait=True)
        return [one.after.content for one in memory.proposals.list().items]


@pytest.mark.parametrize(
    ("answer", "learned"),
    [
        (
            "It runs now. I learned that colima must be started before compose on this machine.",
            "I learned that colima must be started before compose on this machine.",
        ),
        (
            "Lesson learned: the deploy key expires after 90 days. I'll look at the next ticket.",
            "Lesson learned: the deploy key expires after 90 days.",
        ),
        (
            "It turns out that the fixture caches the zone, so TZ is set first. All pass.",
            "It turns out that the fixture caches the zone, so TZ is set first.",
        ),
    ],
)
def test_what_was_learned_is_proposed(data_dir: Path, answer: str, learned: str) -> None:
    assert proposed(data_dir, answer) == [learned]


@pytest.mark.parametrize(
    "answer",
    [
        "I want to learn how the containers start before I change them.",
        "The containers must be started first, because compose needs them.",
        "I'll find out whether colima is running on this machine.",
    ],
)
def test_other_messages_of_an_agent_are_not(data_dir: Path, answer: str) -> None:
    assert proposed(data_dir, answer) == []
