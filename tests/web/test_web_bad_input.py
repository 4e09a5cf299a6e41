"""What people and machines do wrong, and what the page makes of it: nothing is lost or repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import NARROW, Opens, Visit
from made_store import WORKSPACE, Made, Site
from playwright.sync_api import Locator, Page, expect

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.observations.model import Origin
from memoranda.web.registry import pages

pytestmark = pytest.mark.e2e
FEED = "/api/v1/events"
MANY = 303
"""Observations of a long task: six pages, and some."""
HEBREW = "תעריפים נוצרים אוטומטית; אין לערוך אותם ביד."
ARABIC = "تُقرَّب المبالغ مرة واحدة فقط عند الحساب النهائي"
CHINESE = "运费按区域计算\uff0c四舍五入到分。" * 12
JAPANESE = "送料は地域ごとに計算され、最後に一度だけ丸められます。" * 8
WITHOUT = {
    "/privacy": "None so far, in 0 observations",
    "/health": "Checked just now",
    "/profile/merge": "select 2 to",
}
"""Pages that have no empty state of their own, and what they say."""
EMPTY = (
    "/learnings/conflicts", "/learnings/places/global", "/learnings?status=archived",
    "/profile/optimize", "/profile/agent-file", "/profile/history", "/blocks/held",
    "/blocks/prompt",
    "/blocks?away=yes", "/pending/rules", "/pending?status=approved", "/pending?status=rejected",
    "/errors/all", "/errors/interventions", "/errors/tools", "/tasks?status=failed",
    "/search?q=anything", "/journal?operation=nothing",
)  # fmt: skip


def opened(folder: Path, **names: str) -> Memoranda:
    """The same memory from another process."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    return Memoranda.open(settings=settings, workspace=WORKSPACE, **names)


@pytest.fixture
def folder(made: Made, site: Site, tmp_path: Path) -> Path:
    """A copy of the made memory."""
    return made.copied(tmp_path / "data").folder


@pytest.fixture
def bare_visit(opens: Opens, tmp_path: Path, tabs: list[Visit]) -> Iterator[Visit]:
    """A tab at a memory that nothing was put into."""
    served = Site(Made(tmp_path / "bare"))
    yield opens(served)
    for one in tabs:
        one.page.context.close()
    served.close()


def test_a_page_outlives_its_server(opens: Opens, folder: Path, tabs: list[Visit]) -> None:
    """The feed comes back by itself, with what was missed, and does not knock all the time."""
    first = Site(Made(folder))
    visit = opens(first)
    page = visit.open("/")
    expect(page.locator("#latest")).to_contain_text("zones")
    first.close()
    page.wait_for_timeout(7_000)
    with opened(folder) as memory:
        memory.observe("Looked at the harbour while nobody served", task="harbour")
    knocks = visit.struck(FEED)
    assert 1 <= len(knocks) <= 3, knocks
    # A server that stops may still say so.
    assert all("net::ERR_" in one or "status of 503" in one for one in knocks), knocks
    second = Site(first.made, "--port", first.url.rpartition(":")[2])
    expect(page.locator("#latest")).to_contain_text("while nobody served", timeout=40_000)
    with opened(folder) as memory:
        memory.observe("Looked at the harbour once more", task="harbour")
    expect(page.locator("#latest")).to_contain_text("once more")
    visit.struck(FEED)
    visit.struck("/icon.svg")  # which the browser may ask for by itself while nobody serves
    for one in tabs:
        one.page.context.close()
    second.close()


def test_a_page_with_an_ended_session_polls_rarely(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    visit.open("/")
    with opened(own_site.made.folder) as memory:
        for one in memory.tokens.list(limit=100).items:
            if one.kind == "session":
                memory.tokens.revoke(one.id)
    visit.page.wait_for_timeout(14_000)
    result = visit.struck(FEED)
    assert 1 <= len(result) <= 3, result
    assert all("401" in one for one in result)
    visit.page.get_by_role("link", name="Tasks").click()
    visit.page.wait_for_url("**/sign-in?next=*")
    visit.struck(FEED)  # the page may have asked once more before it was left


def test_a_button_that_types_nothing_outlives_the_session(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/observations/1%2342")
    page.context.clear_cookies()
    page.get_by_role("button", name="Quarantine").click()
    expect(page.get_by_role("alert")).to_contain_text("You are signed out")
    assert visit.struck("401")
    page.get_by_label("Key, token").fill(own_site.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="1#42")).to_be_visible()
    expect(page.get_by_role("button", name="Quarantine")).to_be_visible()


def test_a_task_of_thousands_is_gone_through_without_a_gap(
    opens: Opens, folder: Path, tabs: list[Visit]
) -> None:
    with opened(folder) as memory:
        memory.capture.take(
            [Event(kind=EventKind.MESSAGE, host="api", session="long", source=EventSource.API,
                   key=str(n), origin=Origin.AGENT, text=f"step {n} of many") for n in range(MANY)],
            workspace=WORKSPACE,
        )  # fmt: skip
        number = memory.tasks.list(limit=1).items[0].number
    served = Site(Made(folder))
    page = opens(served, script=False).open(f"/tasks/{number}")
    seen: list[int] = []
    while True:
        page.wait_for_load_state()
        steps = page.locator("li.step:not(.pin)").evaluate_all("(all) => all.map((one) => one.id)")
        seen += [int(one.removeprefix("n")) for one in steps]
        following = page.get_by_role("link", name="Load more")
        if not following.count():
            break
        following.click()
    assert seen == list(range(1, MANY + 1))
    page.get_by_role("link", name="50 earlier").click()
    expect(page.locator("li.step").first).to_have_attribute("id", f"n{seen[-1] - 52}")
    page.get_by_role("link", name="Newest").click()
    expect(page.locator(f"#n{MANY}")).to_have_count(1)
    page.get_by_role("link", name="Beginning").click()
    expect(page.locator("#n1")).to_have_count(1)
    page.goto(f"{served.url}/tasks/{number}?at=99999999")
    expect(page.locator(f"#n{MANY}")).to_have_count(1)
    page.goto(f"{served.url}/tasks/{number}?at=-5")
    expect(page.locator("#n1")).to_have_count(1)
    for one in tabs:
        one.page.context.close()
    served.close()


def test_every_page_is_read_without_scripts(opens: Opens, site: Site) -> None:
    visit = opens(site, script=False)
    for path in (*(one.path for one in pages()), "/tasks/1", "/observations/1%2342", *EMPTY):
        page = visit.open(path)
        expect(page.locator("h1").first).to_be_visible()
        expect(page.get_by_role("button", name="Show", exact=True).first).to_be_visible()
        expect(page.get_by_role("navigation", name="Pages").first).to_be_attached()


def test_other_scripts_run_in_their_direction_and_stay_on_the_page(
    opens: Opens, folder: Path, tabs: list[Visit]
) -> None:
    with opened(folder) as memory:
        for text in (HEBREW, ARABIC, CHINESE, JAPANESE):
            seen = memory.observe(text, task="languages", type="decision")
            memory.remember(text)
            memory.profile.add(f"{text} 1")
        block = memory.blocks.create(NewBlock("תעריפים", ARABIC, HEBREW), workspace=WORKSPACE)
    served = Site(Made(folder))
    visit = opens(served)
    task = visit.open("/tasks").locator("a.title", has_text="languages").get_attribute("href")
    for path in (str(task), "/learnings", "/profile?workspace=parcel", f"/blocks/{block.id}",
                 "/blocks?workspace=parcel", f"/observations/{seen.id}", "/search?q=运费",
                 "/"):  # fmt: skip
        visit.wide()
        page = visit.open(path)
        for text in (HEBREW, ARABIC):
            if lines(page, text[:20]).count():
                assert direction(page, text[:20]) == "rtl", (path, text)
        page.set_viewport_size(NARROW)
        assert visit.sideways() <= 0, path
    page = visit.open(f"/blocks/{block.id}")
    expect(page.get_by_role("heading", name="תעריפים")).to_be_visible()
    visit.check("block-right-to-left")
    for one in tabs:
        one.page.context.close()
    served.close()


def direction(page: Page, text: str) -> str:
    """The direction in which a text runs."""
    found = lines(page, text).first
    return str(found.evaluate("(one) => getComputedStyle(one).direction"))


def lines(page: Page, text: str) -> Locator:
    """The elements with a text, but a context's exact text, which a page loads later."""
    return page.get_by_text(text).and_(page.locator(":not(pre)"))


def test_where_there_is_nothing_each_page_teaches_the_next_step(bare_visit: Visit) -> None:
    for path in (*(one.path for one in pages() if one.path != "/journal"), *EMPTY):
        page = bare_visit.open(path)
        if path in WITHOUT:
            expect(page.locator("main")).to_contain_text(WITHOUT[path])
            continue
        taught = page.locator(".empty code.command").first
        expect(taught).to_be_visible()
        assert "memoranda " in taught.inner_text(), path
    bare_visit.open("/profile/agent-file")
    bare_visit.check("nothing-agent-file")


def test_displayed_keys_are_readable_for_everyone(visit: Visit) -> None:
    for path in ("/", "/pending"):
        page = visit.open(path)
        page.locator("html.scripted").wait_for()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        visit.check(f"keys-told-{path.strip('/') or 'now'}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_menu_of_a_telephone_can_be_read_by_all(visit: Visit) -> None:
    page = visit.open("/")
    page.set_viewport_size(NARROW)
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    assert visit.sideways() <= 0
    for turn in (visit.light, visit.dark):
        turn()
        assert (found := visit.faults()) == [], found
    visit.picture("menu-narrow", whole=False)
    page.get_by_role("link", name="Tasks").click()
    page.wait_for_url("**/tasks")


def test_stored_texts_are_readable_for_everyone(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/errors/new")
    page.get_by_label("Description").fill("it made up a flag " + "w" * 300)
    page.get_by_label("Activity").fill("<b>packing</b>\nparcels " * 40)
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Your input is kept")
    visit.expect_complaint("401")
    visit.check("sign-in-kept")
    page.get_by_label("Key, token").fill(own_site.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Signed in again")).to_be_visible()
    visit.check("kept")
