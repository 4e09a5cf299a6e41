"""The first pages, as a person sees them: how it stands, and what a search finds."""

from __future__ import annotations

import pytest
from browsers import Visit
from conftest import Opens
from made_store import Site
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def test_now_says_how_it_stands(visit: Visit) -> None:
    page = visit.open("/")
    expect(page.get_by_role("heading", name="Now", exact=True)).to_be_visible()
    expect(page.get_by_label("How it stands")).to_contain_text("kept out of context")
    visit.check("now")


def test_search(visit: Visit) -> None:
    page = visit.open("/search?q=half+up+rounding")
    visit.check("search")
    page.locator("[data-row] a.title").first.click()
    page.locator("#panel").wait_for()
    visit.check("search-panel")
