"""The first pages, as a person sees them: how it stands, and what a search finds."""

from __future__ import annotations

import pytest
from browsers import Opens, Visit
from made_store import Site
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e


def test_now_shows_the_status(visit: Visit) -> None:
    page = visit.open("/")
    expect(page.get_by_role("heading", name="Now", exact=True)).to_be_visible()
    standing = page.get_by_label("Status")
    expect(standing).to_contain_text("kept out of context")
    for idle in ("in the spool", "spent"):
        expect(standing).not_to_contain_text(idle)
    expect(standing).to_contain_text("pending approval")
    expect(page.get_by_text("reads like an instruction to the agent")).to_be_visible()
    expect(page.locator("#waiting article")).to_have_count(2)
    expect(page.locator("#latest svg.bands rect")).not_to_have_count(0)
    visit.check("now")


def test_now_shows_activity_errors_and_the_next_context(visit: Visit) -> None:
    page = visit.open("/")
    activity = page.get_by_label("Activity", exact=True)
    expect(activity).to_contain_text("claude-code")
    expect(activity.get_by_role("img", name="Observations by day")).to_be_visible()
    expect(activity.get_by_role("img", name="Errors by day")).to_be_visible()
    expect(page.locator("#next pre")).to_contain_text("<memoranda-context")


def test_what_waits_shows_what_would_change(visit: Visit) -> None:
    card = visit.open("/").locator("#waiting article", has_text="Update")
    expect(card.locator(".gone")).to_contain_text("npm test")
    expect(card.locator(".new ins")).to_have_text("pnpm")
    expect(card).to_contain_text("from bob")


def test_now_changes_while_somebody_looks(opens: Opens, own_site: Site) -> None:
    page = opens(own_site).open("/")
    expect(page.locator("#latest")).to_contain_text("zones")
    settings = load_settings({"data_dir": own_site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace="parcel") as memory:
        memory.observe("Looked at something quite new", task="fresh")
    expect(page.locator("#latest")).to_contain_text("Looked at something quite new")


def test_a_row_of_a_search_is_that_of_the_agent(visit: Visit, site: Site) -> None:
    page = visit.open("/search?q=half+up+rounding")
    settings = load_settings({"data_dir": site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        hits = memory.search("half up rounding", limit=25).hits
    rows = page.locator("li.hit")
    expect(rows).to_have_count(len(hits))
    assert rows.locator("a.title").all_inner_texts() == [one.title for one in hits]
    assert rows.locator(".under > .id").all_inner_texts() == [one.ref for one in hits]
    expect(rows.first.locator(".cost").first).to_have_attribute("title", f"{hits[0].tokens} tokens")
    rows.first.get_by_text("Score:").click()
    expect(rows.first.locator(".why")).to_contain_text("similarity")
    visit.check("search")


def test_a_row_opens_beside_the_others_layer_by_layer(visit: Visit) -> None:
    page = visit.open("/search?q=half+up+rounding&kind=observation")
    page.get_by_role("link", name="No, don't round per parcel").click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Summary")
    expect(panel.locator(".prose")).to_have_count(1)
    expect(panel.locator("ol li")).to_have_count(5)
    visit.check("search-panel")
    panel.get_by_role("link", name="Open for 79 tokens").click()
    expect(panel.locator(".prose").last).to_contain_text("compare with the contract rule")
    page.wait_for_url("**layer=3*")
    page.go_back()
    expect(panel.get_by_role("link", name="Open for 79 tokens")).to_be_visible()
    panel.get_by_role("link", name="Close").click()
    expect(panel).to_have_count(0)
    expect(page.locator("li.hit")).not_to_have_count(0)


def test_a_search_follows_what_is_typed(visit: Visit) -> None:
    page = visit.open("/search")
    expect(page.get_by_text("Search observations")).to_be_visible()
    page.keyboard.type("tariff")
    expect(page.locator("li.hit")).not_to_have_count(0)
    page.wait_for_url("**/search?*q=tariff*")
    page.locator("select[name=type]").select_option("error")
    page.wait_for_url("**type=error*")
    assert set(page.locator("li.hit .kind").all_inner_texts()) == {"error"}


def test_without_scripts_everything_is_a_link_or_a_form(opens: Opens, site: Site) -> None:
    page = opens(site, script=False).open("/search")
    page.get_by_label("Search", exact=True).fill("half up rounding")
    page.locator("select[name=kind]").select_option("observation")
    page.get_by_role("button", name="Search").click()
    page.locator("li.hit a.title").first.click()
    page.get_by_role("link", name="Open for").click()
    expect(page.locator("#panel .prose")).to_have_count(2)
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("li.hit")).not_to_have_count(0)
    expect(page.get_by_role("link", name="First page")).to_be_visible()


def test_the_workspace_that_is_chosen_stays(visit: Visit) -> None:
    page = visit.open("/")
    page.get_by_label("Workspace").select_option("parcel")
    page.wait_for_url("**/?workspace=parcel")
    page.get_by_role("link", name="Search").click()
    page.wait_for_url("**/search?workspace=parcel")
    expect(page.get_by_label("Workspace")).to_have_value("parcel")


def test_keys(visit: Visit) -> None:
    page = visit.open("/search?q=rounding")
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("li.hit").first).to_have_class("hit at")
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_label("Search", exact=True)).to_be_focused()


def test_text_of_a_memory_is_text(visit: Visit) -> None:
    page = visit.open("/search?q=unbroken&kind=memory&mode=words")
    visit.narrow()
    assert visit.sideways() <= 0
    page = visit.open("/search?q=script+alert")
    page.locator("li.hit a.title").first.click()
    expect(page.locator("#panel")).to_contain_text("<script>alert(1)</script>")
    assert visit.sideways() <= 0


def test_an_odd_query_gets_an_explanation(visit: Visit) -> None:
    page = visit.open("/search?q=x&since=yesterday")
    expect(page.get_by_role("heading", name="Invalid request")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Since must be an integer")
    visit.expect_complaint("422")
    visit.check("trouble")
