"""Checks of search results: missing coverage and contradictions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from happenings import message_event
from hypothesis import HealthCheck, given, settings, strategies as st

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    """Return an open, empty memory with the local model, on each engine."""
    with Memoranda.open(settings=engine, workspace="shop") as opened:
        yield opened


def test_a_critical_memory_that_is_not_found_is_named(memory: Memoranda) -> None:
    critical = memory.remember(NewMemory("Never ship on a Friday.", critical=True))
    for number in range(30):
        memory.remember(f"The pump number {number} leaks at its valve.")
    memory.index.reembed()
    found = memory.search("leaking pumps", limit=5).validation
    assert found.coverage == 0
    assert found.left_out == (critical.id[:18],)
    there = memory.search("shipping on Friday", limit=5)
    assert there.hits[0].id == critical.id
    assert (there.validation.coverage, there.validation.left_out) == (1, ())


def test_what_no_filter_lets_through_is_not_missed(memory: Memoranda) -> None:
    memory.remember(NewMemory("Never ship on a Friday.", critical=True))
    memory.capture.take([message_event("m", "the pump leaks")])
    memory.index.reembed()
    where = SearchFilter(kinds=(HitKind.OBSERVATION,))
    assert memory.search("pump", where=where).validation.left_out == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    facts=st.lists(st.sampled_from(["boats", "tea", "Friday", "valves"]), unique=True, max_size=4),
    limit=st.integers(1, 6),
    query=st.sampled_from(["tea", "boats and valves", "zebra"]),
)
def test_every_critical_memory_is_shown_by_some_page_or_named_as_left_out(
    facts: list[str], limit: int, query: str, memory: Memoranda
) -> None:
    """Coverage is complete on the last page, or names what is missing."""
    for fact in facts:
        memory.remember(NewMemory(f"Mind the {fact}.", critical=True))
    refs = {m.id[:18] for m in memory.memories.list(limit=100).items if m.critical and m.title}
    shown: set[str] = set()
    cursor: str | None = None
    while True:
        page = memory.search(query, limit=limit, cursor=cursor)
        shown |= {hit.ref for hit in page.hits}
        assert refs - shown == set(page.validation.left_out)
        cursor = page.cursor
        if not cursor:
            break


def test_contradictions_and_updates_among_results_are_reported(memory: Memoranda) -> None:
    memory.remember("The release is planned for 3 May.")
    memory.remember("The release is planned for 10 May.")
    memory.remember("The canteen opens at noon.")
    memory.index.reembed()
    result = memory.search("when is the release planned")
    [pair] = result.validation.contradictions
    by_ref = {hit.ref: hit.title for hit in result.hits}
    assert by_ref[pair.older].endswith("3 May.")
    assert by_ref[pair.newer].endswith("10 May.")
    assert pair.reason == "date"


def test_a_persons_denial_contradicts_their_earlier_statement(memory: Memoranda) -> None:
    memory.capture.take(
        [
            message_event("a", "I have worked with Flask before."),
            message_event("b", "Let us look at the weather."),
            message_event("c", "I have never worked with Flask before."),
        ]
    )
    memory.index.reembed()
    [pair] = memory.search("worked with Flask").validation.contradictions
    assert (pair.older, pair.newer) == ("1#1", "1#3")


def test_things_that_only_look_alike_are_no_contradiction(memory: Memoranda) -> None:
    for text in (
        "Ana likes tea.",
        "Ana likes coffee.",
        "The timeout is 30 seconds.",
        "The retry count is 3.",
        "Staging runs version 1.2.",
        "Production runs version 1.1.",
    ):
        memory.remember(text)
    memory.index.reembed()
    for query in ("what does Ana like", "timeout and retry", "which version runs"):
        assert memory.search(query).validation.contradictions == (), query


def test_the_steps_that_an_agent_reports_do_not_contradict_each_other(memory: Memoranda) -> None:
    texts = ("looked at 0", "looked at 1", "The port is 8080.", "The port is 8081.")
    for number, text in enumerate(texts):
        memory.capture.take([message_event(f"m{number}", text, origin=Origin.AGENT)])
    memory.index.reembed()
    assert memory.search("looked at 0").validation.contradictions == ()
    [pair] = memory.search("which port").validation.contradictions
    assert (pair.older, pair.newer) == ("1#3", "1#4")


def test_ratings_of_the_results_give_their_precision(memory: Memoranda) -> None:
    memory.capture.take([message_event(f"n{n}", f"the valve leaks at pump {n}") for n in range(3)])
    memory.index.reembed()
    one, two, _ = memory.search("leaking valve").hits
    assert memory.search("leaking valve").validation.precision is None
    memory.observations.rate(one.id, useful=True)
    memory.observations.rate(one.id, useful=True)
    memory.observations.rate(two.id, useful=False)
    assert memory.search("leaking valve").validation.precision == pytest.approx(2 / 3, abs=1e-4)


TWO_THINGS = (
    ("I am allergic to peanuts.", "We moved to Lisbon."),
    ("moved the config to pyproject.toml", "moved the tests to tests/unit"),
    ("Ana now writes to Riga about chess.", "Ana now writes to Riga about opera."),
    ("Ana no longer teaches chess.", "Ana likes chess very much."),
    ("Ana bought 83 books on chess.", "Ana bought 15 books on opera."),
    ("Do not use mocks in integration tests.", "Use mocks in unit tests."),
    ("I work at Acme.", "I work at night."),
    ("The mobile app uses SQLite.", "The desktop app no longer uses SQLite."),
    ("I live in Lisbon.", "I moved to Lisbon last year."),
)
ONE_THING = (
    ("The launch is on May 4.", "The launch is on June 8."),
    ("I am allergic to peanuts.", "I am not allergic to peanuts."),
    ("We use mocks in unit tests.", "We do not use mocks in unit tests."),
    ("The auth service listens on port 8081.", "The auth service listens on port 8082."),
)


def reported(memory: Memoranda, pairs: tuple[tuple[str, str], ...]) -> list[str]:
    """Store each pair in a workspace of its own; return the pairs that are in conflict."""
    for number, pair in enumerate(pairs):
        for text in pair:
            memory.remember(text, workspace=f"pair {number}")
    memory.index.reembed()
    memory.capture.drain(wait=True)
    found = []
    for number, (old, new) in enumerate(pairs):
        place = f"pair {number}"
        result = memory.search(f"{old} {new}", workspace=place, min_score=0)
        stored = memory.memories.list(workspace=place, ever=True)
        conflicts = memory.memories.conflicts(workspace=place).items
        ended = [one for one in stored if one.superseded_by]
        if result.validation.contradictions or conflicts or ended:
            found.append(new)
    return found


def test_statements_of_two_things_are_not_reported_as_contradictions(memory: Memoranda) -> None:
    assert reported(memory, TWO_THINGS) == []


def test_statements_of_one_thing_are_reported_as_contradictions(memory: Memoranda) -> None:
    assert reported(memory, ONE_THING) == [new for _, new in ONE_THING]
