"""From the first page to where each of its figures comes from, and decisions made on it."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from browsers import Opens, Visit
from made_store import Site
from playwright.sync_api import Error as PlaywrightError, Locator, Page, expect

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e


def there(page: Page, title: str | re.Pattern[str]) -> None:
    """Make sure that a page of some title is open."""
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("last capture", re.compile(r"^2#\d+")),
        ("kept out of context", "Cost and quality"),
        ("proposals", "Pending"),
    ],
)
def test_every_figure_leads_to_where_it_comes_from(
    visit: Visit, words: str, title: str | re.Pattern[str]
) -> None:
    page = visit.open("/?workspace=parcel")
    page.get_by_label("Status").get_by_role("link", name=words, exact=True).click()
    there(page, title)
    expect(page.get_by_label("Workspace")).to_have_value("parcel")


def test_what_is_not_well_leads_to_where_it_is_put_right(visit: Visit) -> None:
    page = visit.open("/")
    expect(page.locator("#back[hx-get]")).to_have_count(0)
    expect(page).to_have_title("Now · Memoranda")
    element = page.locator(".note", has_text="reads like an instruction")
    element.get_by_role("link", name=re.compile(r"^2#\d+$")).click()
    expect(page.get_by_text("Quarantined: excluded from every context")).to_be_visible()
    page = visit.open("/")
    page.get_by_role("link", name="Resolve it").click()
    expect(page.get_by_label("Contradicting memories")).to_have_count(1)


def test_the_latest_task_leads_to_its_parts(visit: Visit) -> None:
    latest = visit.open("/").locator("#latest")
    latest.get_by_role("heading").get_by_role("link").click()
    expect(visit.page).to_have_url(re.compile(r"/tasks/2$"))
    for words, path in (
        ("1 error, 1 open", r"/tasks/2\?type=error$"),
        ("checkpoints", r"/tasks/2/checkpoints$"),
        ("resume", r"/tasks/2/resume$"),
    ):
        visit.open("/").locator("#latest").get_by_role("link", name=words, exact=True).click()
        expect(visit.page).to_have_url(re.compile(path))
    row = visit.open("/").locator("#latest li[data-row]").first
    name = row.locator(".id").inner_text()
    row.get_by_role("link").click()
    there(visit.page, re.compile(rf"^2{name}"))


def test_the_next_sessions_context_is_one_click_away(visit: Visit) -> None:
    page = visit.open("/")
    result = page.get_by_label("The next session's context", exact=True)
    expect(result).to_contain_text("of 10,000 tokens of the profile")
    result.get_by_role("link", name="preview").click()
    there(page, "Context preview")


def _opened(button: Locator, shown: Locator) -> None:
    """Click a button of a list, which may be fetched anew under the pointer."""
    with suppress(PlaywrightError):
        button.click()
        shown.wait_for(timeout=5_000)
    if not shown.is_visible():
        button.click()


def test_a_proposal_is_decided_on_the_spot(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/?workspace=parcel")
    card = page.locator("#waiting article", has_text="Update")
    expect(card).to_contain_text("trust: agent")
    card.get_by_role("button", name="Approve").click()
    result = page.get_by_role("status").first
    expect(result).to_contain_text("Approved: Run the tests with pnpm test")
    expect(page).to_have_url(f"{own_site.url}/?workspace=parcel")
    expect(page.locator("#waiting article")).to_have_count(2)
    expect(page.get_by_label("Status")).to_contain_text(
        "4 proposals pending approval", use_inner_text=True
    )
    archive = page.locator("#waiting article", has_text="Archive")
    reason = page.get_by_label("Reason")
    _opened(archive.get_by_role("button", name="Reject"), reason)
    reason.fill("they still do")
    page.get_by_role("button", name="Reject").click()
    expect(result).to_contain_text("Rejected")
    there(page, "Now")
    edit = page.locator("#waiting article").first.get_by_role("button", name="Edit")
    leave = page.get_by_role("link", name="Cancel")
    _opened(edit, leave)
    leave.click()
    there(page, "Now")
    settings = load_settings({"data_dir": own_site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace="parcel") as memory:
        assert memory.memories.evidence(own_site.made.ids["npm"]).memory.content.endswith(
            "pnpm test"
        )
        assert [one.note for one in memory.proposals.list(status="rejected")] == ["they still do"]


def test_keys_decide_on_the_first_page_too(opens: Opens, own_site: Site) -> None:
    page = opens(own_site).open("/")
    page.locator("html.scripted").wait_for()
    page.keyboard.press("a")  # nobody went to a row: nothing is decided
    page.keyboard.press("j")
    title = page.locator("#waiting .unseen").first.inner_text()
    page.keyboard.press("a")
    expect(page.get_by_role("status").first).to_contain_text("Approved")
    expect(page.get_by_label("Status")).to_contain_text(
        "4 proposals pending approval", use_inner_text=True
    )
    page.locator("html.scripted").wait_for()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Approve the selected proposal")
    assert title


@pytest.mark.parametrize("role", ["reader", "agent"])
def test_nobody_is_led_to_where_they_may_not_go(opens: Opens, site: Site, role: str) -> None:
    page = opens(site, site.made.keys[role]).open("/")
    expect(page.locator("#back[hx-get]")).to_have_count(0)
    links = [one.get_attribute("href") or "" for one in page.locator("main a").all()]
    assert links
    forbidden = ("/health", "/cost", "/journal") + (("/pending",) if role == "reader" else ())
    assert [one for one in links if one.startswith(forbidden)] == []
    expect(page.locator("#waiting button")).to_have_count(0)
    for one in set(links):
        answer = page.request.get(site.url + one.partition("#")[0])
        assert answer.status == 200, (one, answer.status)
