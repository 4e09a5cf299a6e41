"""Summaries are never longer than their sources; priority in briefs."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from happenings import message_event, ran
from histories import START, opened

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind
from memoranda.observations.model import ObservationType, Origin

pytestmark = pytest.mark.integration

WORDS = (
    "fix run parser invoice ok a.py total is wrong (1) x=2 $y {z} \u2014 \u00e9 \u65e5\u672c yes;"
)


def small(dice: random.Random) -> list[Event]:
    """Draw a session of a few short steps of any kind."""
    events = []
    for at in range(dice.randint(2, 9)):
        text = " ".join(dice.choices(WORDS.split(), k=dice.randint(1, 9)))
        kind = dice.choice(["person", "agent", "tool"])
        if kind == "tool":
            events.append(ran(f"k{at}", text, text, cwd="/srv/shop"))
        else:
            origin = Origin.HUMAN if kind == "person" else Origin.AGENT
            events.append(message_event(f"k{at}", text, origin=origin, cwd="/srv/shop"))
    return [*events, replace(message_event("end", "", cwd="/srv/shop"), kind=EventKind.TASK_END)]


@pytest.mark.parametrize("seed", range(12))
def test_no_summary_of_a_small_stage_is_longer_than_its_source(data_dir: Path, seed: int) -> None:
    with opened(data_dir) as memory:
        memory.capture.take(small(random.Random(seed)))
        memory.capture.drain(wait=True)
        (task,) = memory.tasks.list().items
        found = [
            summary
            for stage in memory.stages.list(task.id).items
            if (summary := memory.stages.show(task.id, stage.number).summary)
        ]
        assert found
        for summary in found:
            assert summary.tokens <= summary.source_tokens


STATED = (
    "You must never call the billing endpoint without the idempotency key.",
    "Chose msgpack over JSON for the queue because payloads were 40 % smaller.",
    "The retry limit of the importer is now 7 and lives in importer/limits.py.",
)
SOURCE = """
def load_{n}(path, limit={n}):
    # Column {n} must not be None.
    # Never exceed {n}00 rows here.
    # Table t{n} must be closed first.
    return open(path).read({n}000)
"""


def test_a_brief_lists_decisions_before_comments_of_files(data_dir: Path) -> None:
    events = [message_event("goal", "Find out how tables are loaded", cwd="/srv/shop")]
    for number in range(60):
        text = SOURCE.format(n=number)
        events.append(ran(f"k{number}", f"cat tables/t{number}.py", text, cwd="/srv/shop"))
        if number % 20 == 10:
            decided = {"type": ObservationType.DECISION, "origin": Origin.AGENT, "cwd": "/srv/shop"}
            events.append(message_event(f"d{number}", STATED[number // 20], **decided))
    timed = [replace(one, occurred_at=START + at) for at, one in enumerate(events)]
    with opened(data_dir) as memory:
        memory.capture.take(timed)
        memory.capture.drain(wait=True)
        (task,) = memory.tasks.list().items
        brief = memory.tasks.brief(task.id, tokens=500)
    assert brief.tokens <= 500
    for sentence in STATED:
        assert sentence in brief.text


def test_reports_that_differ_only_in_numbers_are_one_line(memory: Memoranda) -> None:
    memory.conversations.add("Audit the refunds. Never contact customers.", session="aud")
    for batch in range(40):
        memory.observe(f"I continue with batch {batch}", type="message", task="aud")
        checked = f"Checked refund {batch}: it matches the order"
        memory.observe(checked, type="tool_call", tool="check", task="aud")
        if batch == 30:
            memory.conversations.add(
                "Skip the Madrid store. And include gift cards.", session="aud"
            )
    memory.capture.drain()
    text = memory.tasks.brief("aud", tokens=1_000).text
    assert text.count("I continue with batch") == 1
    assert "batch 39 (\u00d740)" in text
    assert "include gift cards" in text
