"""A correction replaces the memory that it names, and no similar one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory

pytestmark = pytest.mark.integration

REPLACED = [
    ("we use yarn in this repo", "from now on we use pnpm instead of yarn in this repo"),
    (
        "the staging database is called shop_stage",
        "Actually, the staging database is called shop_staging2",
    ),
    (
        "commit messages are written in German",
        "commit messages are now in English, no longer in German",
    ),
    ("the deadline is May 3", "the deadline has moved to May 10"),
    ("tests must run on Python 3.10", "drop Python 3.10, tests must run on Python 3.12"),
    ("the API listens on port 7000", "correction: the API listens on port 7001"),
    ("do not touch the legacy folder", "you may edit the legacy folder again"),
    ("Always use tabs for indentation", "Always use spaces for indentation, never tabs"),
    ("Use ruff for formatting", "Use black for formatting, not ruff"),
    ("Deploy on Fridays", "Never deploy on Fridays"),
    ("The release is on 3 May.", "The release has moved to 10 May."),
    ("I like drinking coffee.", "I do not like coffee anymore, I like drinking tea now."),
    ("We use Jenkins for builds.", "We don't use Jenkins anymore, we use GitHub Actions."),
]
BESIDE = [
    ("Actually the importer lives in src/importer", "Actually the exporter lives in src/exporter"),
    ("we use yarn in the legacy app", "from now on use pnpm instead of yarn in the web app"),
    ("Message 1: port 8001", "Message 2: port 8002"),
    ("build 4411 took 12 minutes", "build 4412 took 14 minutes"),
    ("Entry 01: the sensor at gate 1 reports 20 C", "Entry 02: the sensor at gate 2 reports 25 C"),
    ("the auth service listens on port 8081", "the billing service listens on port 8082"),
    ("Use tabs in Makefiles", "Use spaces for indentation in Python, never tabs"),
    ("I like chess.", "I no longer teach chess, I like go now."),
    ("From now on use spaces for indentation, no longer tabs", "Use spaces, not tabs"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    """Return an empty memory with an embedder."""
    settings = load_settings({"data_dir": tmp_path, "embedder": "local"})
    with Memoranda.open(settings=settings, workspace="shop") as opened:
        yield opened


def valid_texts(memory: Memoranda, *texts: str) -> set[str]:
    """Store texts in turn; return those that are valid in the end."""
    for text in texts:
        memory.remember(text)
        memory.capture.drain()
    return {one.content for one in memory.memories.list().items}


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_correction_takes_the_place_of_what_it_corrects(
    memory: Memoranda, older: str, newer: str
) -> None:
    assert valid_texts(memory, older, newer) == {newer}


@pytest.mark.parametrize(("one", "other"), BESIDE)
def test_statements_on_two_subjects_are_both_valid(memory: Memoranda, one: str, other: str) -> None:
    assert valid_texts(memory, one, other) == {one, other}
    assert memory.memories.conflicts().items == ()


def test_a_memory_replaces_a_rule_that_was_said_in_a_chat(memory: Memoranda) -> None:
    said = "Fix the rounding. Always use tabs for indentation. Never call the tax API in tests."
    memory.observe(said, task="first", origin="human", type="message")
    memory.remember("Always use spaces for indentation, never tabs.")
    for task in ("first", "second"):
        memory.capture.drain()
        lines = [
            item.text
            for section in memory.context(task=task if task == "first" else None).sections
            for item in section.items
        ]
        stale = [line for line in lines if "use tabs" in line]
        assert all(re.search(r"\(replaced by \S+\) Always use tabs", line) for line in stale)
        assert any("never tabs" in line for line in lines)
        assert any("tax API" in line for line in lines)
        memory.observe(
            "Use spaces for indentation, not tabs.", task="second", type="message", origin="human"
        )


def test_a_goal_with_a_replaced_rule_names_what_replaced_it(memory: Memoranda) -> None:
    said = "Fix the rounding. Always use tabs for indentation."
    memory.observe(said, task="first", origin="human", type="message")
    rule = memory.remember("Always use spaces for indentation, never tabs.")
    memory.capture.drain()
    text = memory.context(at_start=True).text
    assert f"(replaced by {rule.id[:18]}) Always use tabs" in text


def test_an_exception_for_once_replaces_no_rule(memory: Memoranda) -> None:
    said = "Fix the rounding. Always use tabs for indentation."
    memory.observe(said, task="first", origin="human", type="message")
    once = "Use spaces for indentation, not tabs, just this once."
    memory.observe(once, task="second", origin="human", type="message")
    memory.capture.drain()
    text = memory.context(at_start=True).text
    assert "Always use tabs" in text
    assert "(replaced by" not in text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The release is on 3 May in Berlin.", "The release has moved to 10 May."),
        ("The release is on 3 May.", "The beta release has moved to 10 May."),
    ],
)
def test_a_move_that_may_leave_a_part_is_a_conflict(
    memory: Memoranda, one: str, other: str
) -> None:
    assert valid_texts(memory, one, other) == {one, other}
    (found,) = memory.memories.conflicts().items
    assert (found.older.content, found.newer.content) == (one, other)


def test_a_proposal_that_a_person_corrected_is_marked_and_not_approved_with_others(
    memory: Memoranda,
) -> None:
    wrong = "From now on, deploy only from the branch staging."
    right = "No, I was wrong about that: deploy only from the branch main, never from staging."
    other = "From now on, write tests for every endpoint."
    for task, text in (("one", wrong), ("one", other), ("two", right)):
        memory.observe(text, task=task, type="message", origin="human")
        memory.capture.drain()
    agent = Memoranda.open(settings=memory.settings, workspace="shop", agent="bot")
    with agent:
        for text in (wrong, other):
            [seen] = [one.id for one in memory.observations.list() if one.summary == text]
            agent.remember(NewMemory(text, evidence=[seen]))
    listed = {one.after.content: one for one in memory.proposals.list()}
    assert re.fullmatch(r"replaced by 2#1", listed[wrong].superseded)
    assert listed[other].superseded == ""
    decided = memory.proposals.approve_all(memory.proposals.list().items)
    assert [one.id for one in decided.left] == [listed[wrong].id]
    assert "replaced by 2#1" in decided.left[0].reason
    facts = memory.context().text.partition("<critical-facts>")[2].partition("</critical-facts>")[0]
    assert other in facts
    assert wrong not in facts
    memory.proposals.approve(listed[wrong].id, listed[wrong].hash)  # one by one it may be


@pytest.mark.parametrize("remembered", [True, False])
def test_a_context_marks_a_memory_that_a_later_statement_replaces(
    memory: Memoranda, remembered: bool
) -> None:
    memory.remember("I only eat vegan.", workspace="shop")
    if remembered:
        memory.remember("I am not vegan any more.", workspace="shop")
    else:
        memory.observe("I am not vegan any more.", task="two", type="message", origin="human")
    memory.capture.drain()
    later = memory.search("vegan", workspace="shop").hits[0]
    text = memory.context(query="vegan", workspace="shop", budget=2_000).text
    assert f"- (replaced by {later.ref}) I only eat vegan." in text
    assert text.count("(replaced by") == 1


@pytest.mark.parametrize(
    ("rule", "end"),
    [
        ("Always squash commits before pushing.", "You don't have to squash anymore."),
        ("We deploy on tuesdays only.", "The tuesday thing is history."),
        ("The harbour API allows 5 requests per second.",
         "From now on the harbour API allows 20 requests per second."),
    ],
)  # fmt: skip
def test_a_proposal_that_a_later_message_ends_is_not_approved_with_others(
    memory: Memoranda, rule: str, end: str
) -> None:
    with Memoranda.open(settings=memory.settings, workspace="shop", agent="bot") as agent:
        for text in (rule, "Write tests for every endpoint."):
            agent.remember(text)
    memory.observe(f"Go on. {end}", task="two", type="message", origin="human")
    memory.capture.drain()
    by_text = {one.after.content: one.id for one in memory.proposals.list()}
    decided = memory.proposals.approve_all(memory.proposals.list().items)
    assert [one.id for one in decided.left] == [by_text[rule]]
    assert ["replaced by 1#1" in one.reason for one in decided.left] == [True]


def test_a_statement_in_another_workspace_supersedes_no_proposal(memory: Memoranda) -> None:
    with Memoranda.open(settings=memory.settings, workspace="shop", agent="bot") as agent:
        agent.remember("Use tabs for indentation.")
    memory.remember("Use spaces for indentation, never tabs.", workspace="barn")
    assert [one.superseded for one in memory.proposals.list()] == [""]
    memory.remember("Use spaces for indentation, never tabs.")
    [waiting] = memory.proposals.list()
    assert waiting.superseded.startswith("replaced by ")


@pytest.mark.parametrize(
    ("remembered", "said", "mark", "proposed"),
    [
        ("Our production server is called heron.",
         "The production server is called osprey now, not heron.",
         "(corrected in 1#1: osprey, not heron) ", "Our production server is called osprey."),
        ("Releases happen on Thursdays.",
         "No, correction: releases happen on Wednesdays, not Thursdays.",
         "(corrected in 1#1: Wednesdays, not Thursdays) ", "Releases happen on Wednesdays."),
        ("The staging database listens on port 5433.",
         "No, the staging database listens on port 5439.",
         "(replaced by 1#1) ", "the staging database listens on port 5439."),
        ("Piotr reviews all changes to the parser.", "Ola reviews all changes to the parser now.",
         "(replaced by 1#1) ", "Ola reviews all changes to the parser now."),
    ],
)  # fmt: skip
def test_a_later_statement_corrects_an_approved_memory(
    memory: Memoranda, remembered: str, said: str, mark: str, proposed: str
) -> None:
    memory.remember(remembered, workspace="shop")
    memory.observe(said, task="two", type="message", origin="human")
    for number in range(3):
        memory.observe(f"Next: part {number}.", task=f"n{number}", type="message", origin="human")
    memory.capture.drain()
    text = memory.context(workspace="shop").text
    assert f"- {mark}{remembered}" in text
    assert said in text.partition("<standing-instructions>")[2].partition("</standing")[0]
    [proposal] = memory.proposals.list().items
    assert (proposal.after.content, proposal.reason) == (proposed, "corrected in 1#1")
    memory.proposals.approve(proposal.id, proposal.hash)
    text = memory.context(workspace="shop").text
    assert f"- {proposed}" in text
    assert remembered not in text


@pytest.mark.parametrize(
    "said",
    [
        "The production server heron is down now, look at the logs.",
        "Our staging server is called osprey now.",
        "For now the production server is called osprey, just for this run.",
        "Is the production server called osprey now?",
    ],
)
def test_a_statement_on_something_else_corrects_no_memory(memory: Memoranda, said: str) -> None:
    memory.remember("Our production server is called heron.", workspace="shop")
    memory.observe(said, task="two", type="message", origin="human")
    memory.capture.drain()
    assert "- Our production server is called heron." in memory.context(workspace="shop").text
    assert memory.proposals.list().items == ()


CHANGED = [
    ("We always deploy on Tuesdays, remember that.",
     "Actually we deploy on Wednesdays now, not Tuesdays."),
    ("We always deploy on Tuesdays.", "We no longer deploy on Tuesdays; Wednesdays instead."),
    ("We always deploy on Tuesdays.", "From now on we deploy on Wednesdays."),
    ("Always use yarn in this repo.", "Use pnpm from now on, not yarn."),
    ("Always use yarn in this repo.", "Scrap the yarn rule, use pnpm from now on."),
    ("We host the app on Heroku, remember that.", "We've moved off Heroku to Fly.io."),
    ("Always write commit messages in German.", "Commit messages in English now, not German."),
    ("Never use mocks in tests.", "Mocks are fine again."),
    ("Never push to main.", "Pushing to main is fine again."),
    ("Always format with black.", "We no longer use black; use ruff format."),
    ("Always open pull requests against develop.",
     "Pull requests go against main now, not develop."),
]  # fmt: skip
UNCHANGED = [
    ("We never deploy on Fridays.", "We deploy on Wednesdays now, not Tuesdays."),
    ("Backups always run on Tuesdays, remember that.",
     "We deploy on Wednesdays now, not Tuesdays."),
    ("Always run the tests before pushing.", "We run the tests now, not later."),
    ("The production port is always 8080, remember that.",
     "Correction: the staging port is 8443, not 8080."),
    ("Always use yarn in this repo.", "Use pnpm just this once, not yarn."),
    ("Never push to main.", "Pushing to the docs branch is fine again."),
    ("Always check the tests for secrets.", "The tests are fine again."),
    ("Olga is allergic to penicillin, remember that.", "Olga moved to the Vienna office."),
]  # fmt: skip
WAYS = ["message", "approved", "memory"]


def stated(memory: Memoranda, older: str, way: str, newer: str, newer_way: str) -> str:
    """State an older and a newer rule; return the next context without the sessions' goals."""
    for text, how, session in ((older, way, "one"), (newer, newer_way, "two")):
        if how == "memory":
            memory.remember(text)
        else:
            memory.conversations.add("Please look at src/cart.py first.", session=session)
            memory.conversations.add(text, session=session)
        memory.capture.drain()
        for waiting in memory.proposals.list().items if how == "approved" else ():
            memory.proposals.approve(waiting.id, waiting.hash)
    memory.conversations.add("Please look at src/tax.py first.", session="three")
    memory.capture.drain()
    return re.sub(r"(?s)<task-progress>.*?</task-progress>", "", memory.context().text)


def lines_with(text: str, statement: str) -> list[str]:
    return [line for line in text.split("\n") if statement.rstrip(".") in line]


@pytest.mark.parametrize("newer_way", ["message", "memory"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("older", "newer"), CHANGED)
def test_the_next_context_follows_the_newer_rule(
    memory: Memoranda, older: str, newer: str, way: str, newer_way: str
) -> None:
    text = stated(memory, older, way, newer, newer_way)
    marks = ("(replaced by ", "(corrected in ", "(before, ")
    assert all(any(mark in line for mark in marks) for line in lines_with(text, older))
    assert lines_with(text, newer.removeprefix("Actually "))
    waiting = memory.proposals.list().items
    assert all(one.superseded for one in waiting if one.after.content == older)


@pytest.mark.parametrize("newer_way", ["message", "memory"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("older", "newer"), UNCHANGED)
def test_a_rule_on_something_else_stands_in_the_next_context(
    memory: Memoranda, older: str, newer: str, way: str, newer_way: str
) -> None:
    [line] = lines_with(stated(memory, older, way, newer, newer_way), older)
    assert line.startswith(("#2 ", "- "))
    assert line.split(" ", 1)[1].startswith(older)


def test_a_message_that_takes_back_the_last_one_replaces_it(memory: Memoranda) -> None:
    for text in ("Always show totals with VAT.", "Always use yarn in this repo.",
                 "Scrap that, use pnpm from now on."):  # fmt: skip
        memory.conversations.add(text, session="one")
    memory.capture.drain()
    text = memory.context().text
    assert "#2 Always use yarn" not in text
    assert "#1 Always show totals with VAT." in text
    assert "use pnpm from now on" in text
    waiting = {one.after.content: one for one in memory.proposals.list()}
    assert waiting["Always use yarn in this repo."].superseded == "replaced by 1#3"
    decided = memory.proposals.approve_all(list(waiting.values()))
    assert waiting["Always use yarn in this repo."].id in {one.id for one in decided.left}
