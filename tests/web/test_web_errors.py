"""Errors as a person sees them: what recurs, one of them, what ended it, who had to look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import failing
import pytest
from browsers import Opens, Visit
from made_store import Made, Site
from playwright.sync_api import Page, expect

from memoranda.errors.error_log import ErrorFilter

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def failing_site(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of a memory in which much went wrong."""
    copy = made.copied(tmp_path_factory.mktemp("failing") / "data")
    with failing.opened(copy.folder) as memory:
        failing.fail(memory)
    served = Site(copy)
    yield served
    served.close()


@pytest.fixture
def tab(opens: Opens, failing_site: Site) -> Visit:
    """A tab of the owner there."""
    return opens(failing_site)


@pytest.fixture
def bare_site(tmp_path: Path) -> Iterator[Site]:
    """A server of a memory that holds nothing."""
    served = Site(Made(tmp_path / "data"))
    yield served
    served.close()


def test_recurring_errors_are_shown_with_their_evidence(tab: Visit, failing_site: Site) -> None:
    page = tab.open("/errors")
    with failing.opened(failing_site.made.folder) as memory:
        patterns = memory.errors.patterns()
    assert {one.kind for one in patterns} == {"frequency", "sequence", "context"}
    expect(page.locator("li.pattern")).to_have_count(len(patterns))
    often = page.locator("li.pattern", has_text="No module named 'wick'").first
    expect(often).to_contain_text("What helps:")
    expect(page.locator("li.pattern", has_text="is followed by")).to_contain_text("PermissionError")
    example = often.locator("a.id").first
    address = example.get_attribute("href") or ""
    assert re.match(r"/observations/\d+%23\d+$", address)
    expect(page.locator("#by-day svg rect")).to_have_count(30)
    page.get_by_text("Show as a table").click()
    days = page.locator("#by-day tbody tr")
    counted = sum(int(one) for one in days.locator("td.number").all_inner_texts())
    with failing.opened(failing_site.made.folder) as memory:
        assert counted == len(memory.errors.list(limit=1_000).items)
    tab.check("errors")


def test_now_shows_which_errors_recurred(tab: Visit, failing_site: Site) -> None:
    back = tab.open("/").locator("#back")
    expect(back).to_contain_text("errors recurred in another task")
    tab.check("now-came-back")
    back.get_by_role("link", name="No module named").click()
    expect(tab.page.get_by_role("heading", level=1)).to_contain_text("No module named")
    expect(tab.page.get_by_role("heading", name="Resolution")).to_be_visible()


def test_without_recurring_errors_nothing_is_shown(visit: Visit) -> None:
    page = visit.open("/")
    expect(page.locator("#latest")).to_be_visible()
    expect(page.locator("#back")).to_have_count(0)


def listed(page: Page) -> list[str]:
    """Return the ids of all errors of a list, page by page."""
    seen: list[str] = []
    while True:
        links = page.locator("#found li a.words").all()
        seen += [(one.get_attribute("href") or "").rpartition("/")[2] for one in links]
        more = page.get_by_role("link", name="Load more")
        if not more.count():
            return seen
        more.click()
        expect(page.get_by_role("link", name="First page")).to_be_visible()
        page.wait_for_load_state()  # the filters submit themselves once the page's script runs


def test_errors_are_filtered_and_paged(tab: Visit, failing_site: Site) -> None:
    with failing.opened(failing_site.made.folder) as memory:
        every = [one.observation or one.id for one in memory.errors.list(limit=1_000)]
        ended = memory.errors.list(ErrorFilter(resolved=True), limit=1_000)
        over = [one.observation or one.id for one in ended]
    page = tab.open("/errors/all")
    tab.check("errors-all")
    seen = listed(page)
    assert len(every) > 25
    assert seen == every
    page.goto(failing_site.url + "/errors/all")
    page.locator("select[name=state]").select_option("resolved")
    page.wait_for_url("**state=resolved**")
    assert sorted(listed(page)) == sorted(over)
    page.locator("select[name=type]").select_option("hallucination")
    expect(page.get_by_text("No matching errors")).to_be_visible()
    assert "type=hallucination" in page.url
    page.goto(failing_site.url + "/errors/all?severity=2")
    expect(page.locator("main")).to_contain_text("must be between 0 and 1")
    tab.expect_complaint("422")


def test_one_error_leads_to_what_ended_it(tab: Visit, failing_site: Site) -> None:
    with failing.opened(failing_site.made.folder) as memory:
        found = memory.errors.list(ErrorFilter(resolved=True), limit=1_000).items
        one = next(error for error in found if error.changed_by)
    page = tab.open(f"/errors/{one.observation}")
    expect(page.locator("main")).to_contain_text(one.signature)
    fix = page.get_by_role("link", name="the step that succeeded")
    expect(fix).to_have_attribute("href", f"/observations/{one.resolved_by}")
    change = page.get_by_role("link", name="step 1")
    expect(change).to_have_attribute("href", f"/observations/{one.changed_by[0]}")
    expect(page.get_by_role("link", name=f"observation {one.id}")).to_have_attribute(
        "href", f"/observations/{one.observation}"
    )
    tab.check("errors-one")


def test_words_that_mean_harm_are_words(tab: Visit) -> None:
    page = tab.open("/errors/all?type=hallucination")
    link = page.locator("#found a.words")
    expect(link).to_contain_text("<script>alert(1)</script>")
    link.click()
    expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
    tab.check("errors-hostile")
    page = tab.open("/errors/all?type=context_degradation")
    expect(page.locator("#found")).to_contain_text("\u6570\u636e\u5e93")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_an_error_is_written_down_and_ended(opens: Opens, own_site: Site, script: bool) -> None:
    visit = opens(own_site, own_site.made.keys["member"], script=script)
    page = visit.open("/errors/new")
    page.get_by_label("Description").fill("made up a --lit flag")
    page.locator("[name=place]").fill("parcel")
    page.get_by_label("Severity").fill("0.9")
    page.get_by_label("Activity").fill("lighting the lamp")
    if script:
        visit.check("errors-new")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")
    expect(page.locator("h1")).to_have_text("made up a --lit flag")
    expect(page.locator("main")).to_contain_text("0.90 of 1")
    expect(page.locator("main")).to_contain_text("Recorded as")
    page.get_by_label("Resolution").fill("read the manual")
    page.get_by_role("button", name="Mark resolved").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as resolved")
    expect(page.locator("main")).to_contain_text("read the manual")
    with failing.opened(own_site.made.folder) as memory:
        (error,) = memory.errors.list(ErrorFilter(type="hallucination")).items  # type: ignore[arg-type]
    assert (error.recovery, error.severity) == ("read the manual", 0.9)


def test_missing_fields_are_reported_and_no_input_is_lost(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/errors/new")
    page.get_by_label("Description").fill("made up a flag")
    page.locator("[name=place]").fill("parcel")
    page.get_by_label("Severity").fill("very")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("must be between 0 and 1")
    expect(page.get_by_label("description")).to_have_value("made up a flag")
    visit.expect_complaint("422")


def test_a_reader_reads(opens: Opens, failing_site: Site) -> None:
    visit = opens(failing_site, failing_site.made.keys["reader"])
    page = visit.open("/errors")
    expect(page.get_by_role("link", name="Record an error")).to_have_count(0)
    expect(page.get_by_role("button", name="Describe these with a language model")).to_have_count(0)
    page = visit.open("/errors/2%2331")
    expect(page.get_by_role("button", name="Mark resolved")).to_have_count(0)
    page = visit.open("/errors/interventions")
    expect(page.get_by_role("button", name="It helped")).to_have_count(0)


def test_a_supervisor_records_the_outcome(opens: Opens, failing_site: Site, tmp_path: Path) -> None:
    served = Site(failing_site.made.copied(tmp_path / "data"))
    visit = opens(served)
    page = visit.open("/errors/interventions")
    row = page.locator("#found li", has_text="The same error recurred").first
    expect(row).to_contain_text("open")
    named = row.get_by_role("link", name="#").first
    expect(named).to_have_attribute("href", re.compile("/errors/[0-9]+%23"))
    visit.check("errors-interventions")
    summary = row.locator("summary")
    if not row.get_by_label("Action taken").is_visible():
        summary.click()
    row.get_by_label("Action taken").fill("showed it the drawer")
    row.get_by_role("button", name="It helped").click()
    expect(page.get_by_role("status")).to_contain_text("it helped")
    row = page.locator("#found li", has_text="showed it the drawer")
    expect(row).to_contain_text("helped")
    row.get_by_text("Correct the outcome").click()
    row.get_by_role("button", name="It hurt").click()
    expect(page.get_by_role("status")).to_contain_text("it hurt")
    visit.check("errors-interventions-told")
    served.close()


def test_tools_are_listed_by_reliability(tab: Visit, failing_site: Site) -> None:
    page = tab.open("/errors/tools")
    with failing.opened(failing_site.made.folder) as memory:
        names = [one.tool for one in memory.tools.reliability(limit=200)]
    found = [one.split("\n")[0].split(" unreliable")[0] for one in
             page.locator("table.tools tbody th").all_inner_texts()]  # fmt: skip
    quiet = page.locator(
        "#quiet span"
    ).all_inner_texts()  # in one line: nothing can be said of them
    assert [one for one in names if one not in quiet] == found
    assert "pwd" in quiet
    assert len(found) + len(quiet) == len(names)
    bars = page.locator("table.tools .bar .fill")
    kinds = {bars.nth(at).get_attribute("class") for at in range(bars.count())}
    assert kinds == {"fill bad"}  # a share of failures is never drawn as something good
    for row in page.locator("table.tools tbody tr").all():
        few = int(row.locator("[data-of=calls]").inner_text().replace(",", "")) < 5
        assert ("of few calls" in row.inner_text()) is few
    tab.check("errors-tools")


def test_a_missing_model_is_reported(tab: Visit) -> None:
    page = tab.open("/errors")
    page.get_by_role("button", name="Describe these with a language model").click()
    expect(page.locator("li.pattern").first).to_contain_text("Measured values only")
    tab.check("errors-refined")


def test_where_nothing_failed_the_next_step_is_taught(opens: Opens, bare_site: Site) -> None:
    visit = opens(bare_site)
    for path, command in (
        ("/errors", "memoranda errors record"),
        ("/errors/all", "memoranda errors record"),
        ("/errors/interventions", "memoranda supervisor context"),
        ("/errors/tools", "memoranda install claude-code"),
    ):
        page = visit.open(path)
        expect(page.locator(".empty code")).to_contain_text(command)
    visit.open("/errors")
    visit.check("errors-empty")
