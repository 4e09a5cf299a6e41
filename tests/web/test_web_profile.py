"""The profile as a person keeps it: its room, its entries, and what makes it smaller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import crowded_store
import pytest
from browsers import Visit
from made_store import Made, Site
from playwright.sync_api import expect

from conftest import Opens
from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e
HERE = "?workspace=parcel"


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Site]:
    """A server of a memory that nothing was put into."""
    folder = tmp_path / "bare"
    with Memoranda.open(
        settings=load_settings({"data_dir": folder, "embedder": "none"}, {})
    ) as one:
        key = one.tokens.create("reader", subject="reader-1").secret
    served = Site(Made(folder, {}, {"reader": key}))
    yield served
    served.close()


def test_an_entry_is_added_protected_edited_and_removed(own_site: Site, opens: Opens) -> None:
    visit = opens(own_site)
    page = visit.open(f"/profile{HERE}")
    expect(page.get_by_role("heading", name="Profile", exact=True)).to_be_visible()
    expect(page.locator("#room")).to_contain_text("of 10,000 tokens")
    page.get_by_text("Add an entry").click()
    page.get_by_role("textbox", name="Text").fill("Reply in French")
    page.get_by_label("Category").select_option("communication_style")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("status")).to_contain_text(
        re.compile(r"In the profile, for \d+ tokens")
    )
    row = page.locator("li.entry", has_text="Reply in French")
    expect(row).to_contain_text("manual · 100 % confidence · used 0 times")
    row.get_by_role("button", name="Protect").click()
    row = page.locator("li.entry", has_text="Reply in French")
    expect(row.get_by_text("protected", exact=True)).to_be_visible()
    expect(row.get_by_role("link", name="Remove")).to_have_count(0)
    row.get_by_role("button", name="Unprotect").click()
    row.get_by_role("link", name="Edit").click()
    page.get_by_label(re.compile("^Text")).fill(
        "Reply in German, and keep the names of code in English"
    )
    page.get_by_label("Why").fill("a new team")
    visit.check("profile-edit")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("tokens more")
    page.locator("li.entry", has_text="Reply in German").get_by_role("link", name="Remove").click()
    expect(page.get_by_role("heading", name="Archive it?")).to_be_visible()
    visit.check("profile-remove")
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("li.entry", has_text="Reply in German")).to_have_count(0)
    visit.picture("profile-removed")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("li.entry", has_text="Reply in German")).to_have_count(1)
    visit.check("profile")


def test_what_was_added_by_mistake_is_taken_back_at_once(own_site: Site, opens: Opens) -> None:
    page = opens(own_site).open(f"/profile{HERE}")
    page.get_by_text("Add an entry").click()
    page.get_by_role("textbox", name="Text").fill("Never trust a clock")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Archived")
    expect(page.locator("#entries")).not_to_contain_text("Never trust a clock")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#entries")).to_contain_text("Never trust a clock")


def test_a_crowded_profile_is_made_smaller_as_it_was_shown(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/profile{HERE}")
    expect(page.locator("#room")).to_contain_text("Over 80 %")
    visit.check("profile-crowded")
    page.get_by_role("link", name="Preview", exact=True).click()
    expect(page.get_by_role("heading", name="After all suggestions")).to_be_visible()
    visit.check("optimiser")
    boxes = page.locator("input[name=suggestion]")
    for number in range(2, boxes.count()):
        boxes.nth(number).uncheck()
    page.get_by_role("button", name="Apply selected").click()
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"Done: \d+ tokens freed"))
    page.get_by_role("link", name="Size changes").click()
    expect(page.locator("[data-row]")).to_contain_text("merge")
    visit.check("profile-history")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("entry is restored")
    expect(page.locator("#room")).to_contain_text("9,120 of 10,000")


def test_a_preview_that_is_out_of_date_changes_nothing(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/profile/optimize{HERE}")
    other = opens(crowded).open(f"/profile{HERE}")
    other.locator("li.entry").first.get_by_role("button", name="Protect").click()
    page.get_by_role("button", name="Apply selected").click()
    expect(page.get_by_role("heading", name="Changed in the meantime")).to_be_visible()
    # A job may have made another preview by then, which is refused as well.
    expect(page.locator("main")).to_contain_text(
        re.compile("changed since the preview|not the latest preview")
    )
    visit.expect_complaint("409")
    visit.open(f"/profile{HERE}")
    expect(page.locator("#room")).to_contain_text("9,120 of 10,000")


def test_entries_are_merged_by_hand(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/profile{HERE}")
    while not page.get_by_label("Merge: Tests are run with").count():
        page.get_by_role("link", name="Load more").click()
    page.get_by_label("Merge: Tests are run with").first.check()
    page.get_by_label("Merge: Tests are run with").last.check()
    page.get_by_role("button", name="Merge selected").click()
    visit.check("profile-merge")
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_role("status")).to_contain_text("Merged")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone")


def test_a_list_longer_than_a_page_goes_on(crowded: Site, opens: Opens) -> None:
    page = opens(crowded).open(f"/profile{HERE}")
    expect(page.locator("li.entry")).to_have_count(50)
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("li.entry")).to_have_count(50)
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("li.entry")).to_have_count(10)
    expect(page.locator("main")).to_contain_text("End of the list.")


def test_hostile_text_is_text(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/profile{HERE}")
    while not page.get_by_text(crowded_store.IMAGE).count():
        page.get_by_role("link", name="Load more").click()
    expect(page.get_by_text(crowded_store.IMAGE, exact=True).first).to_be_visible()
    expect(page.locator("main img")).to_have_count(0)
    visit.narrow()
    assert visit.sideways() <= 0
    visit.picture("profile-hostile")


def test_without_scripts_forms_do_the_same(crowded: Site, opens: Opens) -> None:
    page = opens(crowded, script=False).open(f"/profile{HERE}")
    row = page.locator("li.entry", has_text="Rule").first
    row.get_by_role("button", name="Protect").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as protected.")
    page.get_by_role("link", name="Preview", exact=True).click()
    page.get_by_role("button", name="Apply selected").click()
    expect(page.get_by_role("status")).to_contain_text("tokens freed")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone")


def test_a_reader_reads(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded, crowded.made.keys["reader"])
    page = visit.open(f"/profile{HERE}")
    expect(page.locator("#room")).to_contain_text("A user with write access can preview it.")
    expect(page.locator("main button")).to_have_count(0)
    visit.picture("profile-reader", whole=False)
    visit.open(f"/profile/optimize{HERE}")
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    visit.expect_complaint("403")


def test_agents_wishes_wait(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded, crowded.made.keys["agent"])
    page = visit.open(f"/profile{HERE}")
    page.locator("li.entry", has_text="Rule").first.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_role("status")).to_contain_text("is pending approval")
    expect(page.locator("li.entry")).to_have_count(50)


def test_a_profile_without_entries_teaches(bare: Site, opens: Opens) -> None:
    visit = opens(bare)
    page = visit.open("/profile")
    expect(page.locator("main")).to_contain_text("memoranda profile add")
    visit.check("profile-empty")
    for path in ("agent-file", "history", "optimize"):
        visit.open(f"/profile/{path}")
        expect(page.locator("main code").first).to_contain_text("memoranda")


def test_agents_file(visit: Visit) -> None:
    page = visit.open(f"/profile/agent-file{HERE}")
    expect(page.locator(".prose")).to_contain_text("## User preferences")
    visit.check("profile-file")
