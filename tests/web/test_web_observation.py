"""One observation, as a person opens it and decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from browsers import Opens, Visit
from made_store import WORKSPACE, Made, Site
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory

pytestmark = pytest.mark.e2e

HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(1)> \u202eright to left 漢字 '
LONG = "unbroken" * 1_250
SECRET = "token ghp_" + "a1B2c3D4" * 4 + "e5F6 was in it\n"
HUGE = 10_000_000


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A memory with what is hard to show: hostile, secret and huge."""
    made = Made(tmp_path_factory.mktemp("odd") / "data")
    settings = load_settings({"data_dir": made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace=WORKSPACE) as person:
        seen = person.observe(HOSTILE + LONG + "\n" + SECRET, task="odd", type="decision")
        person.observe("x" * HUGE, task="odd", type="tool_call", tool="Bash")
        person.remember(NewMemory(HOSTILE + "is how it is", evidence=(seen.id,)))
        for number in range(30):
            person.observe(f"looked at shelf {number}", task=f"shelf {number}")
        made.keys["reader"] = person.tokens.create("reader", subject="rita").secret
    return made


@pytest.fixture(scope="module")
def odd_site(odd: Made) -> Iterator[Site]:
    served = Site(odd)
    yield served
    served.close()


def at(name: str) -> str:
    return f"/observations/{quote(name, safe='')}"


def test_an_observation_opens_by_its_short_name_summary_first(visit: Visit) -> None:
    page = visit.open("/tasks")
    page.get_by_label("go to").fill("1#42")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", name="1#42")).to_be_visible()
    expect(page.locator(".prose")).to_have_count(1)
    visit.check("observation")
    page.get_by_role("link", name="Open part 1 of 5").click()
    expect(page.locator(".prose")).to_have_count(2)
    page.wait_for_load_state()  # a page that still moves to its fragment swallows a click
    page.locator("ol.rows li[data-row] a").last.click()
    expect(page.get_by_role("heading", name="1#47")).to_be_visible()


def test_what_is_hostile_is_shown_and_does_nothing(opens: Opens, odd_site: Site) -> None:
    visit = opens(odd_site)
    page = visit.open(at("1#1"))
    expect(page.get_by_text("<script>alert(1)</script>").first).to_be_visible()
    page.goto(f"{odd_site.url}{at('1#1')}?part=1")
    expect(page.locator("mark.redacted")).to_contain_text("redacted:")
    expect(page.locator("dd .redacted")).to_have_count(1)
    expect(page.get_by_role("heading", name="Memories based on it")).to_be_visible()
    expect(page.locator("a[href^='/learnings/']")).to_have_count(1)
    visit.check("observation-hostile")
    visit.open("/tasks/1")
    visit.check("task-hostile")


def test_ten_million_characters_come_in_parts_or_as_a_file(
    opens: Opens, odd_site: Site, tmp_path: Path
) -> None:
    visit = opens(odd_site)
    page = visit.open(at("1#2"))
    expect(page.get_by_text("10,000,005 characters").first).to_be_visible()
    page.get_by_role("link", name="Open part 1 of 501").click()
    expect(page.get_by_text("Part 1 of 501")).to_be_visible()
    page.get_by_role("link", name="Next part").click()
    expect(page.get_by_text("Part 2 of 501")).to_be_visible()
    assert len(page.content()) < 100_000
    with page.expect_download() as begun:
        page.get_by_role("link", name="Download as text").click()
    kept = tmp_path / "kept.txt"
    begun.value.save_as(kept)
    assert begun.value.suggested_filename == "observation-1-2.txt"
    assert kept.stat().st_size == HUGE + 5
    answer = page.request.get(f"{odd_site.url}{at('1#2')}/raw")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_reader_sees_it_and_who_may_do_more(opens: Opens, odd_site: Site) -> None:
    visit = opens(odd_site, odd_site.made.keys["reader"])
    page = visit.open(at("1#1"))
    expect(page.get_by_role("heading", name="1#1")).to_be_visible()
    for name in ("Helpful", "Quarantine"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Forget")).to_have_count(0)
    visit.open(f"{at('1#1')}/forget")
    visit.expect_complaint("403")


def test_a_quarantined_record_is_released_and_quarantined_again_without_scripts(
    opens: Opens, own_site: Site
) -> None:
    page = opens(own_site, script=False).open(at("2#32"))
    expect(page.locator(".note.warn")).to_be_visible()
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_role("status")).to_contain_text("is released for contexts")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note.warn")).to_be_visible()
    page.get_by_role("button", name="Not helpful").click()
    expect(page.get_by_role("status")).to_contain_text("ranks lower")


def test_forgetting_previews_what_it_affects(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open(at("2#32"))
    visit.check("observation-held")
    page.get_by_role("link", name="Forget…").click()
    expect(page.get_by_text("1 observation is removed permanently")).to_be_visible()
    visit.check("observation-forget")
    page.get_by_role("button", name="Forget it permanently").click()
    expect(page.get_by_role("status")).to_contain_text("Forgotten: 1 observation")
    visit.open(at("2#32"))
    visit.expect_complaint("404")


def test_tasks_come_a_page_at_a_time(opens: Opens, odd_site: Site) -> None:
    page = opens(odd_site).open("/tasks")
    expect(page.locator("ol.tasks > li")).to_have_count(25)
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("ol.tasks > li")).to_have_count(6)
    expect(page.locator("ol.tasks > li").last).to_contain_text("odd")


def test_without_a_task_the_page_explains_how_to_create_one(opens: Opens, tmp_path: Path) -> None:
    bare = Site(Made(tmp_path / "data"))
    try:
        visit = opens(bare)
        page = visit.open("/tasks")
        expect(page.get_by_text("memoranda import ~/.claude/projects")).to_be_visible()
        visit.check("tasks-none")
    finally:
        bare.close()
