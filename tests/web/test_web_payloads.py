"""Hostile texts in every field that a page shows: all of them are text, on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import hostile_store
import hostile_walk
import pytest
from browsers import Opens
from hostile_look import Looking
from hostile_store import FIELDS, YARD, Hostile
from made_store import Made, Site
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e
EVERY = 128
"""Of how many payloads one is looked at where each has a page of its own; `scripts/bench payloads`
looks at all."""
SHARE = 8
"""Of how many kinds of things one has a payload, in turn; each field has an eighth of them."""
MARKUP = re.compile("<[a-zA-Z]")
INERT = ("<frameset", "<![CDATA[")
"""What a browser drops within a page, or takes for a comment, whoever lets it through."""


@pytest.fixture(scope="module")
def hostile() -> Iterator[Hostile]:
    """A memory in which every text is hostile."""
    memory = Path("/dev/shm")  # a third of the time where nothing waits for a disk
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
        folder = Path(place) / "data"
        yield hostile_store.make(folder, hostile_store.payloads(), SHARE)


@pytest.fixture(scope="module")
def hostile_site(hostile: Hostile) -> Iterator[Site]:
    """A server of it."""
    served = Site(Made(hostile.folder, {}, {}))
    yield served
    served.close()


@pytest.fixture
def looking(opens: Opens, hostile_site: Site, hostile: Hostile) -> Looking:
    """A tab of the owner in which every page is looked at."""
    return Looking(opens(hostile_site), hostile)


def test_the_list_is_long_and_its_texts_are_distinguishable() -> None:
    found = hostile_store.payloads()
    assert len(found) == len(set(found)) >= 150
    assert all("@" in one for one in found), "each has a place for its mark"
    one = Hostile(found)
    assert "q003mcz" in one.text("mc", 3)
    assert one.named("q003mcz") == one.text("mc", 3)


def test_what_is_let_live_is_noticed(looking: Looking) -> None:
    """The walks below prove nothing unless a text that is taken for markup is seen by them."""
    looking.open("/privacy")
    texts = [one for one in looking.hostile.texts if MARKUP.search(one)]
    unseen = [one for one in texts if not looking.noticed(one)]
    assert [one for one in unseen if not one.startswith(INERT)] == []
    looking.visit.struck("Content Security Policy")
    looking.visit.struck("policy: ")
    looking.finish()


def test_lists_take_hostile_texts_for_text(looking: Looking) -> None:
    hostile_walk.lists(looking)
    looking.finish()
    count = len(looking.hostile.texts) // SHARE
    for code in ("mt", "pc", "bw", "ed", "tg", "od"):
        shown = {mark for mark, _ in looking.cells if mark[4:6] == code}
        assert len(shown) > count * 0.7, f"{FIELDS[code]}: {len(shown)} of {count} were seen"


def test_pages_of_things_take_them_for_text(looking: Looking) -> None:
    for path in hostile_walk.details(looking.hostile, EVERY):
        looking.open(path)
    looking.finish()
    shown = {mark[4:6] for mark, _ in looking.cells}
    assert not {"oc", "oi", "mc", "mt", "mg", "bl", "bv", "bd", "ed", "ex", "pe"} - shown


def test_addresses_and_forms_take_them_for_text(looking: Looking) -> None:
    count = len(looking.hostile.texts)
    hostile_walk.asked(looking, count, together=True)
    hostile_walk.formed(looking, count)
    looking.finish()


def test_one_time_messages_are_text(looking: Looking) -> None:
    block = looking.hostile.ids["block"][-1]
    memory = looking.hostile.ids["memory"][-1]
    looking.open(f"/blocks/{block}/away")
    looking.post(f"/blocks/{block}/away", [])
    expect(looking.visit.page.get_by_role("status").first).to_contain_text("is deleted")
    looking.post(f"/blocks/{block}/back", [])
    looking.post(f"/learnings/{memory}/archive", [("reason", looking.hostile.text("ma", 0))])
    looking.open(f"/learnings/{memory}")
    looking.open("/pending")
    marks = looking.visit.page.locator("[name=on-page]").evaluate_all(
        "(all) => all.map((one) => ['choose', one.value])"
    )
    looking.post("/pending/chosen", marks[:8])
    looking.open("/pending")
    looking.post("/pending/chosen/reject", [*marks[:8], ("note", looking.hostile.text("pn", 1))])
    expect(looking.visit.page.get_by_role("heading", name="8 rejected, 0 skipped")).to_be_visible()
    looking.finish()


def test_drafts_kept_during_sign_in_are_text(
    opens: Opens, hostile_site: Site, hostile: Hostile
) -> None:
    looking = Looking(opens(hostile_site, ""), hostile)
    for number in range(0, len(hostile.texts), EVERY):
        text = hostile.text("mc", number)
        looking.visit.page.goto(f"{hostile_site.url}/sign-in")
        looking.post("/sign-in", [("credential", text), ("next", text), ("kept", text)])
        looking.post("/learnings/new", [("content", text), (text, text)])
        looking.visit.page.get_by_label("Key, token").fill(hostile_site.token)
        looking.visit.page.get_by_role("button", name="Sign in").click()
        expect(looking.visit.page.get_by_role("heading", name="Signed in again")).to_be_visible()
        looking.look()
        looking.visit.page.context.clear_cookies()
    looking.finish()
    assert len(looking.cells) >= len(hostile.texts) // EVERY


def test_parts_that_come_later_are_text(looking: Looking, hostile: Hostile) -> None:
    """What is fetched for a part of the page: by what somebody types, opens, or what happens."""
    page = looking.open("/search")
    page.locator("#q").fill("owned")
    expect(page.locator("li.hit")).not_to_have_count(0)
    looking.look()
    page.locator("li.hit a.title").first.click()
    expect(page.locator("#panel")).to_be_visible()
    looking.look()
    page = looking.open("/")
    settings = load_settings({"data_dir": hostile.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace=YARD) as memory:
        for number in range(0, len(hostile.texts), 5):
            text, tool = (hostile.text(code, number) for code in ("oc", "ot"))
            memory.observe(text, task="later", tool=tool)
    count = len(range(0, len(hostile.texts), 5))
    expect(page.locator("#latest")).to_contain_text(f"{count} observations")
    looking.look()
    looking.finish()
