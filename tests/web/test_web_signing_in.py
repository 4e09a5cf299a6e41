"""Signing in and out, as people do it, and what strangers meet."""

from __future__ import annotations

import subprocess
import sys

import pytest
from browsers import Opens, Visit
from made_store import Site, environment
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def link(site: Site) -> str:
    """Make a link as a person does."""
    done = subprocess.run(
        [sys.executable, "-m", "memoranda", "web", "link"],
        env=environment(site.made.folder), capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    return done.stdout.strip()


def path_of(site: Site, address: str) -> str:
    assert address.startswith(f"{site.url}/sign-in?code=")
    return address.removeprefix(site.url)


def test_the_link_of_the_server_signs_in_once(opens: Opens, own_site: Site) -> None:
    there = path_of(own_site, own_site.link)
    first, second = opens(own_site, ""), opens(own_site, "")
    for one in (first, second):
        one.open(there)  # opening alone uses nothing up, as browsers fetch beforehand
    first.check("sign-in-link")
    first.page.get_by_role("button", name="Sign in").click()
    expect(first.page.get_by_role("heading", name="Now", exact=True)).to_be_visible()
    second.page.get_by_role("button", name="Sign in").click()
    expect(second.page.get_by_role("alert")).to_contain_text("was already used")
    second.expect_complaint("401")
    (cookie,) = first.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Strict", False)
    assert first.page.evaluate("() => document.cookie") == ""


def test_a_command_makes_another_link(opens: Opens, site: Site) -> None:
    visit = opens(site, "")
    visit.open(path_of(site, link(site)))
    visit.page.get_by_role("button", name="Sign in").click()
    expect(visit.page.get_by_role("heading", name="Now", exact=True)).to_be_visible()


def test_a_stranger_is_led_to_where_they_were_going(opens: Opens, site: Site) -> None:
    visit = opens(site, "")
    page = visit.open("/search?q=rounding")
    page.wait_for_url("**/sign-in?next=*")
    visit.check("sign-in")
    page.get_by_label("Key, token").fill("memk_nobody")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("this key or token is unknown")
    visit.expect_complaint("401")
    page.get_by_label("Key, token").fill(site.made.keys["reader"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.url}/search?q=rounding")
    expect(page.locator(".who")).to_have_text("local · reader-1 · reader")


@pytest.mark.parametrize("role", ["reader", "agent", "member", "reviewer", "admin"])
def test_each_role_sees_what_it_may(opens: Opens, site: Site, role: str) -> None:
    page = opens(site, site.made.keys[role]).open("/")
    expect(page.get_by_role("heading", name="Now", exact=True)).to_be_visible()
    money = page.get_by_role("link", name="Cost and quality")
    expect(money).to_have_count(0 if role in ("reader", "agent") else 1)
    waits = page.locator("#waiting")
    expect(waits).to_have_count(0 if role in ("reader", "member") else 1)


def test_signing_out_ends_it_for_every_tab(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    kept = visit.open("/").context.cookies()
    visit.page.get_by_role("button", name="Sign out").click()
    visit.page.wait_for_url("**/sign-in")
    assert visit.page.context.cookies() == []
    visit.page.context.add_cookies(kept)  # as somebody who copied it would
    visit.open("/")
    visit.page.wait_for_url("**/sign-in?next=*")


def test_a_missing_page_is_reported(visit: Visit) -> None:
    page = visit.open("/nothing-of-the-kind")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    visit.expect_complaint("404")
    visit.check("no-page")
    page = visit.open("/tasks/1/nothing-of-the-kind")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    visit.expect_complaint("404")
