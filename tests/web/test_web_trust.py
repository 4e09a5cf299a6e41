"""Cost and quality, privacy, health: what a person is told, and what they may do about it."""

from __future__ import annotations

import re

import pytest
from browsers import Opens, Visit
from made_store import Site
from playwright.sync_api import expect

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.costs import table as model_calls
from memoranda.costs.model import CallState, ModelCall
from memoranda.model_request import TokenUsage

pytestmark = pytest.mark.e2e
KEY = "AKIA" + "Q3EGWVSNU7TTMZ5D"


def test_privacy_previews_redaction_and_stores_nothing(visit: Visit, site: Site) -> None:
    page = visit.open("/privacy")
    expect(page.get_by_role("heading", name="Redactions")).to_be_visible()
    page.get_by_label(re.compile("^Text")).fill(f"the key is {KEY} <private>and this</private>")
    page.get_by_role("button", name="Test").click()
    kept = page.locator("#kept")
    expect(kept.locator(".prose")).to_have_text(re.compile(r"^the key is \[redacted:aws:\w+\]\s*$"))
    expect(kept.locator(".chip")).to_have_text(["1 private", "1 aws"])
    visit.check("privacy")
    page.get_by_label("Source file").fill("shop/.env")
    page.get_by_role("button", name="Test").click()
    expect(page.locator("#kept")).to_contain_text("Nothing would be stored")
    settings = load_settings({"data_dir": site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        assert not memory.search(KEY).hits
        assert all("privacy" not in one.operation for one in memory.journal.list().items)


@pytest.mark.parametrize("script", [True, False])
def test_forgetting_shows_what_it_reaches_before_it_is_done(
    opens: Opens, own_site: Site, script: bool
) -> None:
    visit = opens(own_site, script=script)
    page = visit.open("/privacy")
    page.get_by_label("Ids").fill(own_site.made.ids["error"])
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("This cannot be undone")).to_be_visible()
    expect(page.get_by_text("1 observation", exact=False).first).to_be_visible()
    if script:
        visit.check("privacy-forget")
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", name="Privacy", exact=True)).to_be_visible()
    page.get_by_label("Ids").fill(own_site.made.ids["error"])
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Forget permanently").click()
    expect(page.get_by_role("status")).to_contain_text("Forgotten: 1 observation")
    page.get_by_label("Ids").fill(own_site.made.ids["error"])
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("nothing", exact=True)).to_be_visible()


def test_cost_shows_what_models_cost_and_a_limit_can_be_set(opens: Opens, own_site: Site) -> None:
    settings = load_settings({"data_dir": own_site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        now = memory._services.clock.now()
        month = memory.costs.budget().month
        usage = TokenUsage(input_tokens=1_200, output_tokens=300)
        for number, operation in enumerate(("compress", "compress", "refine")):
            call = ModelCall(
                memory.settings.team, f"call-{number}", operation, "stand-in", "small", "main",
                None, usage, True, 2_500_000, "given", CallState.SETTLED, month, now,
            )  # fmt: skip
            memory._services.database.write(lambda tx, call=call: model_calls.insert(tx, call))
        team = memory.settings.team
        memory._services.database.write(
            lambda tx: model_calls.refuse(tx, team, month, 2, 2_000_000_000)
        )
    visit = opens(own_site)
    page = visit.open("/cost")
    costs = page.get_by_role("region", name="Costs by operation")
    expect(costs.locator("tbody tr").first).to_contain_text("compress")
    expect(costs.locator("tbody tr").first).to_contain_text("$5.00")
    expect(page.get_by_text("$7.50 of $1,000.00")).to_be_visible()
    refused = "2 calls not made this month: each could cost up to $2,000.00, $992.50 left"
    expect(page.get_by_text(refused)).to_be_visible()
    expect(page.locator("svg.columns")).to_have_count(2)
    expect(page.get_by_text("a search just now")).to_be_visible()
    page.get_by_label("Limit in dollars a month").fill("10")
    page.get_by_role("button", name="Set the limit").click()
    expect(page.get_by_role("status")).to_contain_text("$10.00; it was $1,000.00")
    visit.check("cost")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("$7.50 of $1,000.00")).to_be_visible()
    page.get_by_label("Limit in dollars a month").fill("much")
    page.get_by_role("button", name="Set the limit").click()
    expect(page.get_by_text("dollars", exact=False).first).to_be_visible()
    visit.expect_complaint("422")


def test_cost_by_something_else_and_of_another_month(visit: Visit) -> None:
    page = visit.open("/cost?by=model&month=2020-01")
    expect(page.get_by_text("No model calls")).to_be_visible()
    visit.check("cost-nothing")


def test_health_lists_checks_with_remedies_and_slow_ones_on_request(visit: Visit) -> None:
    page = visit.open("/health")
    checks = page.get_by_role("list", name="Checks")
    expect(checks.get_by_role("heading", name="database")).to_be_visible()
    expect(checks.get_by_role("heading", name="journal")).to_have_count(0)
    visit.check("health-quick")
    page.get_by_role("link", name="Check everything").click()
    expect(checks.get_by_role("heading", name="journal")).to_be_visible()
    expect(checks.get_by_role("heading", name="totals")).to_be_visible()
    element = checks.locator("li").filter(has_text="quarantine")
    expect(element).to_contain_text("How to fix it")
    expect(element.locator("code")).to_be_visible()
    visit.check("health")


@pytest.mark.parametrize(
    ("role", "path", "status"),
    [
        ("reader", "/cost", 403),
        ("reader", "/health", 403),
        ("member", "/health", 403),
        ("member", "/cost", 200),
        ("member", "/privacy", 200),
        ("agent", "/cost", 403),
    ],
)
def test_an_unauthorised_caller_is_informed(
    opens: Opens, site: Site, role: str, path: str, status: int
) -> None:
    visit = opens(site, site.made.keys[role])
    answer = visit.page.goto(site.url + path)
    assert answer is not None and answer.status == status
    if status == 403:
        visit.expect_complaint("403")
    else:
        expect(visit.page.get_by_role("button", name="Set the limit")).to_have_count(0)
