"""Learnings as a person keeps them: what holds, what held, why, and which of two."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsers import Visit
from made_store import Made, Site
from playwright.sync_api import expect

from conftest import Opens
from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e
HERE = "?workspace=parcel"


@pytest.fixture(scope="module")
def known(crowded_made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of a memory that knows much, for stories that read."""
    served = Site(crowded_made.copied(tmp_path_factory.mktemp("known") / "data"))
    yield served
    served.close()


def at(site: Site, name: str) -> str:
    """Return the path of a memory."""
    return f"/learnings/{site.made.ids[name]}"


def test_memories_are_listed_filtered_and_paged(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open(f"/learnings{HERE}")
    expect(page.locator("#found [data-row]")).to_have_count(25)
    expect(page.locator("main")).to_contain_text("Some memories contradict each other.")
    visit.check("learnings")
    page.get_by_role("link", name="Load more").click()
    expect(page.get_by_role("link", name="First page")).to_be_visible()
    visit.open(f"/learnings{HERE}")
    page.get_by_label("category").select_option("pattern")
    expect(page.locator("#found [data-row]")).to_have_count(1)
    expect(page.locator("#found")).to_contain_text("Pin what is fast-moving")
    expect(page.locator("#found")).to_contain_text("the whole team")
    page.get_by_label("category").select_option("")
    expect(page.locator("#found [data-row]")).to_have_count(25)
    page.get_by_label("critical only").check()
    expect(page.locator("#found [data-row]")).to_have_count(1)
    expect(page.locator("#found")).to_contain_text("edit the generator instead")
    expect(page.locator("#found .mark.critical")).to_be_visible()
    page.get_by_label("status").select_option("archived")
    expect(page.locator("#found")).to_contain_text("No matching memories")


def test_memories_valid_at_a_date(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open(f"/learnings{HERE}&category=insight")
    expect(page.locator("#found")).to_contain_text("listens on port 9090")
    expect(page.locator("#found")).not_to_contain_text("listens on port 8080")
    page.get_by_label("valid at", exact=False).first.fill("2024-06-01T12:00")
    page.get_by_label("valid at", exact=False).first.blur()
    expect(page.locator("#found")).to_contain_text("listens on port 8080")
    expect(page.locator("#found")).not_to_contain_text("listens on port 9090")
    visit.check("learnings-as-of")
    slider = page.get_by_role("slider", name="Valid at")
    slider.press("End")
    expect(page.locator("#found")).to_contain_text("listens on port 9090")
    slider.press("Home")
    expect(page.locator("#found")).not_to_contain_text("listens on port 9090")
    visit.picture("learnings-slider")


def test_memories_valid_at_a_date_without_scripts(known: Site, opens: Opens) -> None:
    page = opens(known, script=False).open(f"/learnings{HERE}&category=insight")
    expect(page.get_by_role("slider")).to_have_count(0)
    page.get_by_label("valid at (UTC)").fill("2024-06-01T12:00")
    page.get_by_role("main").get_by_role("button", name="Show").click()
    expect(page.locator("#found")).to_contain_text("listens on port 8080")
    expect(page.locator("#found")).to_contain_text("1 Jun 2024, 12:00 UTC")
    page.get_by_role("link", name="1 Mar 2025, 00:00 UTC").click()
    expect(page.locator("#found")).not_to_contain_text("listens on port 8080")
    expect(page.locator("#found")).to_contain_text("listens on port 9090")


def test_a_time_that_is_none_is_refused(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open("/learnings?as_of=soon")
    expect(page.locator("main")).to_contain_text("2026-01-31T12:00")
    visit.expect_complaint("422")


def test_a_memory_shows_its_reason_and_start(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open(at(known, "port") + HERE)
    expect(page.get_by_role("heading", name="Why")).to_be_visible()
    link = page.get_by_role("link", name="gateway.toml says port = 8080")
    expect(link).to_have_attribute(
        "href", f"/observations/{known.made.ids['evidence']}?workspace=parcel"
    )
    expect(page.get_by_label("Details")).to_contain_text("1 Jan 2024")
    expect(page.locator("main")).to_contain_text("is in no context now")
    visit.check("learning")


def test_a_memory_is_changed_and_brought_back(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(at(crowded, "new port") + HERE)
    page.get_by_role("button", name="Mark as critical").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as critical.")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label(re.compile("^Text")).fill("The gateway listens on port 9191")
    page.get_by_label("Tags").fill("gateway, ports")
    page.get_by_label("Why").fill("moved again")
    visit.check("learning-edit")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="The gateway listens on port 9191")).to_be_visible()
    expect(page.locator("main")).to_contain_text("moved again")
    expect(page.locator("main")).to_contain_text("tags: gateway → gateway, ports")
    visit.check("learning-changed")
    page.get_by_role("link", name="Restore version 2").click()
    visit.check("learning-restore")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("heading", name="The gateway listens on port 9090")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="The gateway listens on port 9191")).to_be_visible()
    page.get_by_role("link", name="Archive").click()
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("link", name="Restore it").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("link", name="Archive")).to_be_visible()


def test_a_form_that_is_out_of_date_changes_nothing(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(at(crowded, "port") + "/edit")
    other = opens(crowded).open(at(crowded, "port"))
    other.get_by_role("button", name="Mark as protected").click()
    page.get_by_label(re.compile("^Text")).fill("The gateway listens on port 1")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("changed since this form was opened")
    expect(page.locator("main")).to_contain_text("The gateway listens on port 1")
    visit.expect_complaint("409")


def test_a_memory_is_promoted_and_demoted(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(at(crowded, "deploy"))
    page.get_by_role("link", name="Promote").click()
    page.get_by_label("Why").fill("every project deploys")
    visit.check("learning-promote")
    page.get_by_role("button", name="Promote").click()
    expect(page.get_by_role("status")).to_contain_text("The memory now applies to the whole team.")
    page.get_by_role("link", name="Demote").click()
    page.locator("select[name=place]").select_option("parcel")
    page.get_by_role("button", name="Demote").click()
    expect(page.get_by_role("status")).to_contain_text("The memory now applies to parcel only.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Demote")).to_be_visible()


def test_of_two_contradicting_memories_the_newer_is_valid(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/learnings/conflicts{HERE}")
    expect(page.locator("section.clash")).to_have_count(1)
    visit.check("learning-conflicts")
    page.get_by_role("link", name="Keep the newer").click()
    expect(page.get_by_role("heading", name="Replaced")).to_be_visible()
    visit.check("learning-supersede")
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator("main")).to_contain_text("No contradictions")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("section.clash")).to_have_count(1)
    page.get_by_role("link", name="Keep the older").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("main")).to_contain_text("No contradictions")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("section.clash")).to_have_count(1)


def test_something_is_remembered(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded)
    page = visit.open(f"/learnings{HERE}")
    page.get_by_role("link", name="Add a memory").click()
    visit.check("learning-new")
    page.get_by_label(re.compile("^Text")).fill("Quotes are valid for 30 days")
    page.get_by_label("Tags").fill("quotes, terms")
    page.get_by_label("Category").select_option("decision")
    page.get_by_label("Valid from").fill("2026-01-01T00:00")
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("heading", name="Quotes are valid for 30 days")).to_be_visible()
    expect(page.get_by_label("Details")).to_contain_text("1 Jan 2026")
    visit.open(f"/learnings/new{HERE}")
    page.get_by_label(re.compile("^Text")).fill("quotes are valid for 30 days.")
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("status")).to_contain_text("Already stored")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_place_by_place(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open("/learnings/places")
    expect(page.locator("[data-row]")).to_have_count(2)
    visit.check("learning-places")
    page.get_by_role("link", name="The whole team", exact=True).click()
    expect(page.locator("[data-row]")).to_have_count(1)
    visit.check("learning-team")
    visit.open("/learnings/places/parcel")
    expect(page.locator("ol.rows [data-row]")).to_have_count(25)
    page.get_by_role("link", name=re.compile("^insight")).click()
    expect(page.locator("main")).to_contain_text("listens on port 9090")
    visit.check("learning-place")


def test_hostile_text_is_text_and_stays_inside(known: Site, opens: Opens) -> None:
    visit = opens(known)
    page = visit.open(at(known, "hostile"))
    expect(page.locator(".prose")).to_contain_text("<script>alert(1)</script>")
    visit.check("learning-hostile")


def test_without_scripts_two_are_settled(crowded: Site, opens: Opens) -> None:
    page = opens(crowded, script=False).open(f"/learnings/conflicts{HERE}")
    page.get_by_role("link", name="Keep the newer").click()
    page.get_by_label("Why").fill("contract 4.2")
    page.get_by_role("button", name="Replace it").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("section.clash")).to_have_count(1)


def test_a_reader_reads_learnings(known: Site, opens: Opens) -> None:
    visit = opens(known, known.made.keys["reader"])
    page = visit.open(at(known, "deploy"))
    expect(page.locator("main button, main a.button")).to_have_count(0)
    visit.open(f"/learnings/conflicts{HERE}")
    expect(page.locator("main a.button")).to_have_count(0)
    visit.open(at(known, "deploy") + "/archive")
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    visit.expect_complaint("403")


def test_a_member_may_change_but_has_no_way_back_of_a_reviewer(crowded: Site, opens: Opens) -> None:
    visit = opens(crowded, crowded.made.keys["member"])
    page = visit.open(at(crowded, "deploy"))
    page.get_by_role("button", name="Mark as protected").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as protected.")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_nothing_learned_yet_teaches(opens: Opens, site: Site) -> None:
    visit = opens(site)
    page = visit.open("/learnings/places/global")
    expect(page.locator("main code")).to_contain_text("memoranda global add-learning")
    visit.check("learnings-empty")


def test_no_such_memory(visit: Visit) -> None:
    page = visit.open("/learnings/ffffffff")
    expect(page.locator("main")).to_contain_text("No memory")
    visit.expect_complaint("404")


def test_a_pending_memory_leads_to_its_proposal(opens: Opens, site: Site) -> None:
    visit = opens(site)
    title = "Quotes are valid for 30 days"
    with Memoranda.open(
        settings=load_settings({"data_dir": site.made.folder, "embedder": "none"}, {})
    ) as memory:
        (pending,) = [one for one in memory.memories.list(status="pending") if one.title == title]
    page = visit.open(f"/learnings/{pending.id}")
    expect(page.get_by_text("nobody yet")).to_be_visible()
    page.get_by_role("link", name="Approve or reject").click()
    expect(page.locator("main")).to_contain_text(title)
    expect(page.get_by_role("button", name="Approve").first).to_be_visible()
