"""A context marks lines that still state a value a person replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import message_event
from histories import opened

from memoranda import Memoranda
from memoranda.observations.model import Origin

pytestmark = pytest.mark.integration

REPORT = (
    "Where the service stands:\n\n"
    "- The dashboard service runs on 8080 behind nginx, started with `make up`.\n"
    "- Client timeout is 30 seconds in `client.py`, with 3 retries.\n"
    "- The pool keeps 30 connections.\n"
    "- Tests of the web app run with Jest, 41 pass.\n"
    "- The release branch is `release/2.3`, its deadline is May 12.\n"
)


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with opened(data_dir) as memory:
        yield memory


def messages(memory: Memoranda, session: int, *texts: str) -> None:
    """Store the messages of a session; those of a person begin with ``>``."""
    own = {"session": f"s{session}", "cwd": "/srv/shop"}
    start = session * 86_400_000 + 1_700_000_000_000
    memory.capture.take(
        [
            message_event(
                f"{session}-{place}",
                text.removeprefix(">"),
                occurred_at=start + place * 1_000,
                origin=Origin.HUMAN if text.startswith(">") else Origin.AGENT,
                **own,
            )
            for place, text in enumerate(texts)
        ]
    )
    memory.capture.drain()


def lines(memory: Memoranda, text: str, **more: object) -> list[str]:
    """Return the lines of a context, after the note of their section, that contain a text."""
    brief = memory.context(workspace="shop", **{"at_start": True} | more)
    return [item.text for one in brief.sections for item in one.items if text in item.text]


@pytest.mark.parametrize(
    ("correction", "old", "new", "line"),
    [
        ("the port is 9090, not 8080", "8080", "9090", "dashboard service"),
        ("no, use 9090 instead of 8080 please", "8080", "9090", "dashboard service"),
        ("the port isn't 8080, it's 9090", "8080", "9090", "dashboard service"),
        ("el puerto es 9090, no 8080", "8080", "9090", "dashboard service"),
        ("Der Port ist 9090, nicht 8080.", "8080", "9090", "dashboard service"),
        ("the timeout should be 45 seconds, not 30", "30", "45", "Client timeout"),
        ("We use Vitest, not Jest.", "Jest", "Vitest", "run with Jest"),
        ("we moved the deadline from May 12 to May 19", "May 12", "May 19", "deadline is"),
        (
            "the branch is release/2.4, not release/2.3",
            "release/2.3",
            "release/2.4",
            "release branch",
        ),
    ],
)
@pytest.mark.parametrize("same_session", [True, False])
def test_an_earlier_report_is_marked(
    memory: Memoranda, correction: str, old: str, new: str, line: str, same_session: bool
) -> None:
    if same_session:
        messages(memory, 1, ">Set up the service", REPORT, f">{correction}")
    else:
        messages(memory, 1, ">Set up the service", REPORT)
        messages(memory, 2, f">{correction}", "Understood, I wrote that down.")
    source = "1#3" if same_session else "2#1"
    marked = [one for one in lines(memory, line) if one != correction]
    assert marked
    assert all(f"(corrected in {source}: {new}, not {old})" in one for one in marked)
    assert not lines(memory, ") The pool keeps 30")


def test_a_context_with_a_query_marks_it_too(memory: Memoranda) -> None:
    messages(memory, 1, ">Set up the service", REPORT, ">No, the port is 9090, not 8080.")
    found = lines(memory, "runs on 8080", at_start=False, query="port of the dashboard service")
    assert found
    assert all("(corrected in 1#3: 9090, not 8080)" in one for one in found)


def test_a_short_number_is_marked_with_its_unit_only(memory: Memoranda) -> None:
    certificate = "the certificate of the pager ends on 2 November"
    keep = f">keep in mind: {certificate}"
    messages(memory, 1, ">the alert fires after 2 min, always", keep, "Noted.")
    messages(memory, 2, ">make it 10 min instead of 2, keep the pager and the certificate", "Done.")
    assert lines(memory, "(corrected in 2#1: 10, not 2) the alert fires after 2 min")
    assert certificate in lines(memory, certificate)


def test_a_memory_of_a_person_corrects_a_report(memory: Memoranda) -> None:
    messages(memory, 1, ">Set up the service", REPORT)
    memory.remember("The dashboard port is 9090, not 8080.", workspace="shop")
    assert all("9090, not 8080)" in one for one in lines(memory, "runs on 8080"))


@pytest.mark.parametrize(
    "statement",
    [
        "is the port 9090, not 8080?",
        "for now use 9090, not 8080, just for this run",
        "the queue has 12 jobs, not 30",
        "the port is 8080",
    ],
)
def test_other_statements_mark_nothing(memory: Memoranda, statement: str) -> None:
    messages(memory, 1, ">Set up the service", REPORT)
    messages(memory, 2, f">{statement}", "Understood, I wrote that down.")
    assert lines(memory, "runs on 8080")
    assert not lines(memory, "(corrected")


def test_a_value_that_changed_twice_has_the_newest(memory: Memoranda) -> None:
    messages(memory, 1, ">Set up the service", REPORT)
    messages(memory, 2, ">the port is 9090, not 8080", "Understood, I wrote that down.")
    messages(memory, 3, ">the port moved from 9090 to 7070", "Understood, I wrote that down.")
    assert all("(corrected in 3#1: 7070, not 8080)" in one for one in lines(memory, "runs on"))


@pytest.mark.parametrize("back", ["we are back to 8080", "the port is 8080, not 9090"])
def test_a_value_that_returned_is_not_marked(memory: Memoranda, back: str) -> None:
    messages(memory, 1, ">Set up the service", REPORT)
    messages(memory, 2, ">the port is 9090, not 8080", "Understood, I wrote that down.")
    messages(memory, 3, f">{back}", "Understood, I wrote that down.")
    assert lines(memory, "runs on 8080")
    assert not any("(corrected" in one for one in lines(memory, "runs on 8080"))


def test_a_report_after_the_correction_is_not_marked(memory: Memoranda) -> None:
    messages(memory, 1, ">the port is 9090, not 8080", REPORT.replace("8080", "9090, was 8080,"))
    messages(memory, 2, ">Go on", REPORT.replace("8080", "8080 in tests"))
    assert not any("(corrected" in one for one in lines(memory, "dashboard service"))
