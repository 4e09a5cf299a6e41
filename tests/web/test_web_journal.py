"""The journal as a person sees it: who did what, and whether anybody changed that record."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from browsers import Opens, Visit
from made_store import Made, Site
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.web.pages.journal import details, place

pytestmark = pytest.mark.e2e


def opened(folder: Path) -> Memoranda:
    """Open a memory as its owner."""
    return Memoranda.open(settings=load_settings({"data_dir": folder, "embedder": "none"}, {}))


def test_entries_stand_newest_first_page_by_page(visit: Visit, site: Site) -> None:
    page = visit.open("/journal")
    visit.check("journal")
    seen: list[int] = []
    for _ in range(100):
        numbers = page.locator("#entries .entry > .id").all_inner_texts()
        seen += [int(one.removeprefix("#").replace(",", "")) for one in numbers]
        more = page.get_by_role("link", name="Load more")
        if not more.count():
            break
        more.click()
        expect(page.locator("#entries .entry > .id").first).not_to_have_text(numbers[0])
    assert len(seen) > 25
    assert seen == list(range(seen[0], 0, -1))


def test_entries_are_found_by_operation_and_subject(visit: Visit, site: Site) -> None:
    page = visit.open("/journal")
    page.get_by_label("operation").fill("remember")
    page.get_by_role("button", name="Show").last.click()
    with opened(site.made.folder) as memory:
        known = [one.subject for one in memory.journal.list(operation="remember", limit=25)]
    links = page.locator("#entries .under > a.id")
    expect(links.first).to_have_attribute("href", f"/learnings/{known[0]}")
    expect(links).to_have_count(len(known))
    page.get_by_role("link", name="all entries about it").last.click()
    expect(page.get_by_label("subject")).to_have_value(known[-1])
    expect(page.locator("#entries .operation").last).to_have_text("remember")
    page.get_by_role("link", name="All entries", exact=True).click()
    expect(page.locator("#entries li")).to_have_count(25)
    page.goto(f"{site.url}/journal?operation=%3Cscript%3Ealert(1)%3C/script%3E")
    expect(page.get_by_text("No matching entries")).to_be_visible()
    visit.check("journal-nothing")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_an_intact_chain_is_reported(opens: Opens, own_site: Site, script: bool) -> None:
    visit = opens(own_site, own_site.made.keys["admin"], script=script)
    page = visit.open("/journal")
    page.get_by_role("button", name="Verify integrity").click()
    expect(page.get_by_role("status")).to_contain_text("Intact:")
    with opened(own_site.made.folder) as memory:
        expect(page.get_by_role("status")).to_contain_text(memory.journal.verify().head)
    if script:
        visit.check("journal-intact")


def test_an_entry_that_somebody_changed_is_shown(opens: Opens, own_site: Site) -> None:
    (file,) = own_site.made.folder.glob("*.db")
    with sqlite3.connect(file) as store:
        (trigger,) = store.execute(
            "select count(*) from sqlite_master where type = 'trigger' and tbl_name = 'journal'"
        ).fetchone()
        names = store.execute(
            "select name from sqlite_master where type = 'trigger' and tbl_name = 'journal'"
        ).fetchall()
        for (name,) in names if trigger else ():
            store.execute(f'drop trigger "{name}"')
        store.execute("update journal set actor = 'nobody' where sequence = 40")
    store.close()
    visit = opens(own_site)
    page = visit.open("/journal")
    page.get_by_role("button", name="Verify integrity").click()
    expect(page.get_by_role("status")).to_contain_text("Not intact: at entry 40")
    expect(page.locator("li.broken")).to_contain_text("#40")
    expect(page.locator("li.broken")).to_contain_text("nobody")
    visit.check("journal-broken")


def test_an_unauthorised_reader_gets_an_explanation(opens: Opens, site: Site) -> None:
    visit = opens(site, site.made.keys["reader"])
    expect(visit.open("/").get_by_role("link", name="Journal")).to_have_count(0)
    page = visit.open("/journal")
    expect(page.locator("main")).to_contain_text("Ask a user with the required role")
    visit.expect_complaint("403")
    visit = opens(site, site.made.keys["reviewer"])
    page = visit.open("/journal")
    expect(page.locator("#entries li").first).to_be_visible()
    expect(page.get_by_role("button", name="Verify integrity")).to_have_count(0)


def test_an_empty_journal_teaches_the_next_step(opens: Opens, tmp_path: Path) -> None:
    served = Site(Made(tmp_path / "data"))
    visit = opens(served)
    page = visit.open("/journal?operation=observe")
    expect(page.locator(".empty code")).to_contain_text("memoranda journal list")
    served.close()


@pytest.mark.parametrize(
    ("operation", "subject", "path"),
    [
        ("observe", "01a2", "/tasks/01a2"),
        ("memory change", "01a2", "/learnings/01a2"),
        ("remember", "01a2", "/learnings/01a2"),
        ("proposal approved", "01a2", "/pending/01a2"),
        ("propose", "01a2", "/pending/01a2"),
        ("block rethink", "01a2", "/blocks/01a2"),
        ("error end", "01a2", "/errors/01a2"),
        ("intervention outcome", "01a2", "/errors/interventions"),
        ("quarantine hold", "a/b?c", "/observations/a%2Fb%3Fc"),
        ("context given", "01a2", "/context?workspace=01a2"),
        ("forget", "01a2", ""),
        ("token create", "01a2", ""),
        ("mirror on", "", ""),
    ],
)
def test_subjects_lead_to_their_pages(operation: str, subject: str, path: str) -> None:
    assert place(operation, subject) == path


def test_details_are_readable() -> None:
    expected = {"count": 12_000, "critical": False, "sections": {"task-brief": ["2#1", "2#2"]},
            "long": "x" * 300, "none": None}  # fmt: skip
    assert details(expected) == [
        ("count", "12,000"), ("critical", "no"), ("sections", "task brief 2"),
        ("long", "x" * 200 + "\u2026"), ("none", "null"),
    ]  # fmt: skip
