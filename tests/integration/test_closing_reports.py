"""A session's start shows the agent's closing reports of earlier tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import message_event
from histories import opened

from memoranda import Memoranda
from memoranda.observations.model import Origin

pytestmark = pytest.mark.integration

HOUR = 3_600_000
REPORT = (
    "Where it stands:\n\n"
    "- the importer reads `prices.csv` in one pass, 41 tests pass\n"
    "- **Open:** rounding of the Danish prices, it waits for Mette\n"
)
ESSAY = (
    "It seems that the attempted change to `prices.py` may not have been enough, and that a more "
    "thorough reading of the whole of it could be beneficial before anything else is tried, since "
    "there might be other places in which the same thing could go wrong in much the same way later."
)


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with opened(data_dir) as memory:
        yield memory


def session(memory: Memoranda, number: int, goal: str, *answers: str) -> None:
    """Store a session with the agent's messages in order."""
    own = {"session": f"s{number}", "cwd": "/srv/shop"}
    at = number * 24 * HOUR + 1_700_000_000_000
    events = [message_event(f"{number}-goal", goal, occurred_at=at, **own)]
    for place, text in enumerate(answers, 1):
        key = f"{number}-{place}"
        agent = {"origin": Origin.AGENT, "occurred_at": at + place * 1_000}
        events.append(message_event(key, text, **own | agent))
    memory.capture.take(events)


def progress(memory: Memoranda, budget: int = 2_000) -> str:
    brief = memory.context(workspace="shop", at_start=True, budget=budget)
    found = [one for one in brief.sections if one.name == "task-progress"]
    return "\n".join(item.text for section in found for item in section.items)


def test_the_report_of_each_of_the_last_three_tasks_is_read(memory: Memoranda) -> None:
    for number in range(1, 5):
        session(memory, number, f"Task number {number}", REPORT.replace("41", f"{number}41"))
    text = progress(memory)
    assert "reads `prices.csv` in one pass, 441 tests pass." in text
    assert "Open: rounding of the Danish prices, it waits for Mette." in text
    assert "341 tests" in text
    assert "241 tests" in text
    assert "141 tests" not in text


def test_code_at_the_head_of_a_line_stays_code(memory: Memoranda) -> None:
    session(memory, 1, "Read the prices", f"{REPORT}\n`fix/prices` is pushed, 7 commits.")
    assert "`fix/prices` is pushed, 7 commits." in progress(memory)


def test_the_goal_of_an_unfinished_task_precedes_its_report(memory: Memoranda) -> None:
    session(memory, 1, "Read the prices", REPORT)
    assert "Read the prices" in progress(memory)
    memory.tasks.end("1")
    text = progress(memory)
    assert "41 tests pass" in text
    assert "Read the prices" not in text


def test_a_report_is_not_hidden_by_a_farewell(memory: Memoranda) -> None:
    session(memory, 1, "Read the prices", REPORT, "You are welcome.")
    assert "41 tests pass" in progress(memory)


def test_a_report_is_not_hidden_by_a_short_answer_with_a_value(memory: Memoranda) -> None:
    session(memory, 1, "Read the prices", REPORT, "Scheduled at 22:00, the log is `prices.log`.")
    text = progress(memory)
    assert "41 tests pass" in text
    assert "Scheduled at 22:00" in text


@pytest.mark.parametrize("by_person", [True, False])
def test_what_was_unfinished_is_left_out_once_it_came_up_again(
    memory: Memoranda, by_person: bool
) -> None:
    earlier = (
        "- `rounding.py` rounds once, 41 tests pass\n"
        "- PR 118 is still a draft, it waits for Mette\n"
        "- migration 0033 is not loaded yet\n"
        "Next: the export of `zones.csv`.\n"
    )
    newer = "118 was merged on Wednesday, so `rounding.py` is on main now."
    session(memory, 1, "Round the prices", earlier)
    goal, answer = (newer, "Good.") if by_person else ("Go on", newer)
    session(memory, 2, goal, f"{answer} The import of `shops.csv` is done, 52 tests pass.")
    memory.capture.drain()
    text = progress(memory)
    assert "52 tests pass" in text
    assert "`rounding.py` rounds once, 41 tests pass." in text
    assert "migration 0033 is not loaded yet." in text
    assert "still a draft" not in text
    assert "zones.csv" not in text


def test_unfinished_work_is_left_out_once_somebody_says_that_it_is_done(memory: Memoranda) -> None:
    broken = "Open: the front-end build still fails, the load test has not been run."
    session(memory, 1, "Build the front end", broken)
    session(memory, 2, "I fixed the front-end build myself, it is green now.", "Good to know it.")
    assert "front-end build still fails" not in progress(memory)


def test_unfinished_work_stays_when_other_work_is_done(memory: Memoranda) -> None:
    session(memory, 1, "Build the front end", "Open: the load test has not been run.")
    session(memory, 2, "The contract test is done, the suite runs.", "Good to know it.")
    assert "load test has not been run" in progress(memory)


def test_an_essay_is_no_report(memory: Memoranda) -> None:
    session(memory, 1, "Read the prices", ESSAY)
    text = progress(memory)
    assert "thorough reading" not in text
    assert "Read the prices" in text


@pytest.mark.parametrize("budget", [200, 400, 800])
def test_reports_stay_within_the_budget(memory: Memoranda, budget: int) -> None:
    for number in range(1, 4):
        session(memory, number, "Read the prices", REPORT * 20)
    brief = memory.context(workspace="shop", at_start=True, budget=budget)
    assert brief.tokens <= budget


def test_a_long_memory_is_in_the_context_of_a_store_with_little_else(memory: Memoranda) -> None:
    session(memory, 1, "Count the money")
    rule = "Prices: " + ", ".join(f"zone {n} costs {n * 7} cents" for n in range(110)) + "."
    memory.remember(rule, workspace="shop")
    brief = memory.context(workspace="shop", at_start=True, budget=2_000)
    assert rule in brief.text
    assert 600 < brief.tokens <= 2_000


def test_a_report_in_prose_is_read_by_its_sentences(memory: Memoranda) -> None:
    message = (
        "Staging is done: 5 nodes on v1.31.2, the old pools are removed, no pod outside Running. "
        "The new alerts follow main and carry their arguments from git. "
        "That took longer than it should have, and I learned much about the pools on the way. "
        "Still open: the runbook page about drains, and the retention of the old table."
    )
    session(memory, 1, "Move the pools", message)
    text = progress(memory)
    assert "5 nodes on v1.31.2" in text
    assert "Still open: the runbook page about drains" in text
    assert "learned much" not in text
