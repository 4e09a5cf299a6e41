"""Context preview: what a session is given, to the letter, and what earlier ones were given."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browsers import Opens, Visit
from made_store import HOSTILE, SOURCES, WORKSPACE, Made, Site, environment
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.observations.model import Origin

pytestmark = pytest.mark.e2e

HOOK = Path(SOURCES) / "memoranda" / "hook.py"
SAID = Event(
    kind=EventKind.MESSAGE, host="claude-code", session="first", source=EventSource.HOOK,
    key="goal",
    origin=Origin.HUMAN, text="Count the money",
)  # fmt: skip


def opened(folder: Path, **names: str) -> Memoranda:
    """Open a memory as its owner."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    return Memoranda.open(settings=settings, **names)


def started(folder: Path, place: Path, session: str) -> str:
    """Start a session in a folder, as a host does; return what it was given."""
    event = {"session_id": session, "hook_event_name": "SessionStart", "source": "startup",
             "cwd": str(place)}  # fmt: skip
    for _ in range(3):  # a busy machine gets three tries
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "context"],
            input=json.dumps(event).encode(), env=environment(folder), capture_output=True,
            check=True,
        )  # fmt: skip
        if done.stdout:
            answer: dict[str, Any] = json.loads(done.stdout)
            return str(answer["hookSpecificOutput"]["additionalContext"])
    raise AssertionError("the hook gave nothing")


@pytest.fixture
def told_site(tmp_path: Path) -> Iterator[Site]:
    """A server of a memory of a folder in which sessions start."""
    folder, place = tmp_path / "data", tmp_path / "till"
    place.mkdir()
    with opened(folder) as memory:
        memory.capture.take([replace(SAID, cwd=str(place))])
        memory.remember("Amounts are <b>whole</b> cents & never \u20ac fractions", workspace="till")
        memory.remember(HOSTILE, workspace="till")
        memory.capture.drain(wait=True)
        for number in range(12):
            started(folder, place, f"session {number}")
        memory.capture.drain(wait=True)
    (folder / "spool" / ".drain").touch()
    served = Site(Made(folder, {"place": str(place)}))
    yield served
    served.close()


def test_the_text_is_the_one_that_the_hook_gives(opens: Opens, told_site: Site) -> None:
    visit = opens(told_site)
    page = visit.open("/context?workspace=till")
    shown = page.locator("pre.context-text").evaluate("(one) => one.textContent")
    values = started(told_site.made.folder, Path(told_site.made.ids["place"]), "another")
    assert shown == values
    assert "<b>whole</b> cents & never" in values
    assert "<script>alert(1)</script>" in values
    expect(page.locator("#brief")).to_contain_text("that the hook passes to the next session")
    visit.check("context-hook")


def test_every_line_leads_to_its_source(opens: Opens, told_site: Site) -> None:
    with opened(told_site.made.folder) as memory:
        memory.blocks.create(NewBlock("runbook", "Restart the till first."), workspace="till")
        memory.observe("Decision: sums stay whole.", type="decision", task="sums", workspace="till")
    page = opens(told_site).open("/context?workspace=till")
    sources = page.locator("li.source a.id")
    paths = {one.get_attribute("href") or "" for one in sources.all()}
    for start in ("/observations/", "/blocks/"):
        assert any(path.startswith(start) for path in paths), (start, paths)
    for path in paths:
        assert page.request.get(told_site.url + path).status == 200, path


def test_contexts_of_sessions_are_listed_newest_first(opens: Opens, told_site: Site) -> None:
    visit = opens(told_site)
    page = visit.open("/context?workspace=till")
    rows = page.locator("#log > ol > li")
    expect(rows).to_have_count(10)
    expect(rows.first).to_contain_text("the text above")
    expect(rows.first).to_contain_text("session 11")
    expect(rows.first).to_contain_text("at startup")
    rows.first.locator("summary").click()
    expect(rows.first.get_by_role("link", name="task 1", exact=True)).to_be_visible()
    visit.check("context-log")
    page.get_by_role("link", name="Load more").click()
    expect(rows).to_have_count(2)
    expect(rows.last).to_contain_text("session 0")
    with opened(told_site.made.folder) as memory:
        memory.remember("Zone 9 opens on Monday", workspace="till")
    page = visit.open("/context?workspace=till")
    expect(rows.first).to_contain_text("an earlier text")


def test_changes_since_the_last_context_are_marked(opens: Opens, told_site: Site) -> None:
    visit = opens(told_site)
    page = visit.open("/context?workspace=till")
    expect(page.get_by_text("The same entries")).to_be_visible()
    with opened(told_site.made.folder) as memory:
        memory.remember("Zone 9 opens on Monday", workspace="till")
        gone = next(one for one in memory.memories.list(workspace="till") if "whole" in one.content)
        memory.memories.archive(gone.id)
    page = visit.open("/context?workspace=till")
    changed = page.locator("#since + ul > li")
    expect(changed).to_have_count(2)
    expect(changed.first).to_contain_text("Zone 9 opens on Monday")
    expect(changed.last).to_contain_text("removed")
    visit.check("context-changed")
    expect(visit.open("/context?workspace=till&query=zone").locator("#since")).to_have_count(0)


def test_every_part_shows_its_tokens_and_omissions(visit: Visit, site: Site) -> None:
    page = visit.open("/context?budget=700")
    with opened(site.made.folder, workspace=WORKSPACE) as memory:
        brief = memory.context(budget=700, at_start=True)
    assert page.locator("pre.context-text").evaluate("(one) => one.textContent") == brief.text
    rows = page.locator("table.sections tbody tr")
    expect(rows).to_have_count(len(brief.sections) + 1)
    numbers = [int(one.inner_text().replace(",", "")) for one in
               page.locator("table.sections tbody td.number:nth-child(3)").all()]  # fmt: skip
    assert numbers[:-1] == [one.tokens for one in brief.sections]
    assert sum(numbers) == brief.tokens
    assert brief.left_out
    for one in brief.left_out:
        expect(page.locator("#brief")).to_contain_text(one.how)
    expect(page.locator("#brief")).to_contain_text(f"{brief.tokens:,} of 700 tokens")
    expect(page.get_by_text("This workspace has no folder")).to_have_count(
        0 if any(place.root for place in _places(site)) else 1
    )
    visit.check("context")


def _places(site: Site) -> list[Any]:
    with opened(site.made.folder) as memory:
        return [one for one in memory.workspaces.list() if one.name == WORKSPACE]


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_another_question_gets_another_text(opens: Opens, site: Site, script: bool) -> None:
    page = opens(site, script=script).open("/context")
    page.get_by_label("next step").fill("half up rounding")
    page.get_by_label("task", exact=True).fill("1")
    page.get_by_label("budget (tokens)").fill("900")
    page.get_by_role("button", name="Show").last.click()
    expect(page.locator("#brief > p").first).to_contain_text("about \u201chalf up rounding\u201d")
    with opened(site.made.folder) as memory:
        text = memory.context(budget=900, query="half up rounding", task="1").text
    assert page.locator("pre.context-text").inner_text() == text
    page.get_by_role("link", name="Start of a session").click()
    expect(page.locator("#brief")).to_contain_text("that the hook passes to the next session")


def test_a_budget_too_small_for_any_context_is_reported(visit: Visit) -> None:
    page = visit.open("/context?budget=20")
    expect(page.locator("#brief")).to_contain_text("A context needs at least")
    visit.check("context-too-small")
    page.get_by_role("link", name="Show with").click()
    expect(page.locator("pre.context-text")).to_contain_text("memoranda context --allow-overflow")


def test_a_reader_sees_the_text_and_no_log(opens: Opens, site: Site) -> None:
    page = opens(site, site.made.keys["reader"]).open("/context")
    expect(page.locator("pre.context-text")).to_be_visible()
    expect(page.get_by_text("which reviewers and admins can read")).to_be_visible()


def test_an_empty_memory_teaches_the_next_step(opens: Opens, tmp_path: Path) -> None:
    served = Site(Made(tmp_path / "data"))
    visit = opens(served)
    page = visit.open("/context")
    expect(page.locator(".empty code").first).to_contain_text("memoranda install claude-code")
    visit.check("context-empty")
    served.close()
