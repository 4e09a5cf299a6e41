"""Statements that people later change by a value, in searches and start contexts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import START, message_event

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.integration

PAIRS = [
    ("Deploys go out on Fridays.", "Deploys go out on Tuesdays now.", "when do deploys go out"),
    ("The retry limit is 3.", "The retry limit is 5.", "what is the retry limit"),
    (
        "The staging server is on 10.0.0.4.",
        "The staging server is on 10.0.0.9.",
        "which address has the staging server",
    ),
    (
        "Always use port 8080 for the dev server, please.",
        "From now on use port 9090 for the dev server, not 8080.",
        "port of the dev server",
    ),
]
CORRECTED = [
    (
        "KM-037 is a loaner from the university, its data leaves this house to nobody.",
        "My mistake, I gave you the wrong one: the loaner is KM-039. KM-037 is ours.",
    ),
    (
        "Remember that the reviewer of billing is team-14.",
        "Sorry, wrong one: the reviewer is team-41.",
    ),
]
BESIDE = [
    ("Deploys go out on Fridays.", "Reviews are due on Tuesdays."),
    ("The retry limit is 3.", "The page limit is 50."),
    ("The meeting with Bob is on Friday.", "The meeting with Anna is on Tuesday."),
    ("The retry limit is 3.", "Use a retry limit of 9 just for this one run."),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as opened:
        yield opened


def say(memory: Memoranda, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        at = START + number * 3_600_000_000
        event = message_event(
            f"{number}", text, cwd="/srv/shop", session=f"s-{number}", occurred_at=at
        )
        memory.capture.take([event])


def context(memory: Memoranda) -> str:
    return memory.context(workspace="shop", at_start=True).text


@pytest.mark.parametrize(("old", "new", "query"), PAIRS)
def test_a_replaced_hit_is_marked_and_follows_its_replacement(
    memory: Memoranda, old: str, new: str, query: str
) -> None:
    say(memory, old, new)
    hits = [hit for hit in memory.search(query, workspace="shop").hits if hit.type == "message"]
    assert [hit.title for hit in hits] == [new, old]
    assert [hit.replaced_by for hit in hits] == [None, hits[0].ref]
    assert hits[0].score >= hits[1].score
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=2e-3)


@pytest.mark.parametrize(("old", "new"), [pair[:2] for pair in PAIRS] + CORRECTED)
def test_a_start_context_omits_what_a_person_replaced(
    memory: Memoranda, old: str, new: str
) -> None:
    say(memory, old, "Thanks, that looks good to me so far.", new)
    text = context(memory)
    assert old.rstrip(".") not in text
    assert new.rstrip(".") in text


@pytest.mark.parametrize(("first", "second"), BESIDE)
def test_statements_about_different_things_stand_beside_each_other(
    memory: Memoranda, first: str, second: str
) -> None:
    say(memory, first, second)
    assert first.rstrip(".") in context(memory)
    query = (
        first.rstrip(".").rsplit(" ", 1)[0] + " today"
    )  # a question with the same words is no hit
    hits = memory.search(query, workspace="shop").hits
    assert {hit.title: hit.replaced_by for hit in hits}[first] is None
