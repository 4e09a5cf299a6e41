"""Blocks as people read and write them, also two at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from browsers import Visit
from made_store import HOSTILE, Site
from playwright.sync_api import Page, expect

from conftest import Opens
from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import load_settings

pytestmark = pytest.mark.e2e
PLAN = "goal: quotes\n\nfirst: the parser\nthen: the zones\n\nlast: the report"


@contextmanager
def memory_of(site: Site, agent: str | None = None) -> Iterator[Memoranda]:
    """The same memory from another process, as an agent or as the person at the machine."""
    settings = load_settings({"data_dir": site.made.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace="parcel", agent=agent) as memory:
        yield memory


@pytest.fixture
def plan(own_site: Site) -> str:
    """The id of a block with a plan in it."""
    with memory_of(own_site) as memory:
        made = memory.blocks.create(NewBlock("plan", PLAN, limit=300), workspace="parcel")
        return made.id


def value(site: Site, id: str) -> str:
    with memory_of(site) as memory:
        return memory.blocks.show(id).value


def versions(site: Site, id: str) -> list[str]:
    with memory_of(site) as memory:
        return [one.value for one in memory.blocks.history(id)]


def write(page: Page, text: str, button: str = "Save") -> None:
    page.locator("textarea[name=value]").fill(text)
    page.get_by_role("button", name=button, exact=True).click()


@pytest.mark.parametrize("script", [True, False])
def test_two_browsers_edit_one_block_and_nothing_is_lost(
    opens: Opens, own_site: Site, plan: str, *, script: bool
) -> None:
    first, second = (opens(own_site, script=script) for _ in range(2))
    pages = [one.open(f"/blocks/{plan}/edit") for one in (first, second)]
    write(pages[0], PLAN.replace("the parser", "the parser, with tests"))
    expect(pages[0].get_by_role("status").first).to_contain_text("Saved as version 2")
    if script:
        expect(pages[1].locator("#newer")).to_contain_text("The block has changed in the meantime")
    write(pages[1], PLAN.replace("the report", "the report, as PDF"))
    expect(pages[1].get_by_role("alert")).to_contain_text("version 2 was saved in the meantime")
    second.expect_complaint("412")
    theirs, mine = (pages[1].locator(".diff").nth(at) for at in (0, 1))
    expect(theirs.locator(".new")).to_contain_text("first: the parser, with tests")
    expect(mine.locator(".new")).to_contain_text("last: the report, as PDF")
    both = PLAN.replace("parser", "parser, with tests").replace("report", "report, as PDF")
    expect(pages[1].locator("textarea[name=value]")).to_have_value(both)
    expect(pages[1].locator("textarea[name=mine]")).to_have_value(
        PLAN.replace("the report", "the report, as PDF")
    )
    if script:
        second.check("block-clash")
    pages[1].get_by_role("button", name="Save this text").click()
    expect(pages[1].get_by_role("status").first).to_contain_text("Saved as version 3")
    assert value(own_site, plan) == both
    assert len(versions(own_site, plan)) == 3


def test_the_same_line_has_both_until_somebody_chooses(
    opens: Opens, own_site: Site, plan: str
) -> None:
    visit = opens(own_site)
    page = visit.open(f"/blocks/{plan}/edit")
    with memory_of(own_site, "bob") as agent:
        agent.blocks.replace(plan, "the parser", "the lexer", reason="it comes before")
    write(page, PLAN.replace("the parser", "the grammar"))
    expect(page.get_by_role("alert")).to_contain_text("saved in the meantime by bob")
    visit.expect_complaint("412")
    expect(page.get_by_role("alert")).to_contain_text("it comes before")
    expect(page.get_by_text("same passage at line 3")).to_be_visible()
    expect(page.locator("textarea[name=value]")).to_have_value(
        PLAN.replace("first: the parser", "first: the lexer\nfirst: the grammar")
    )
    with memory_of(own_site, "bob") as agent:
        agent.blocks.replace(plan, "the zones", "the bands")
    page.get_by_role("button", name="Overwrite theirs with yours").click()
    expect(page.get_by_role("alert")).to_contain_text("version 3 was saved in the meantime")
    visit.expect_complaint("412")
    page.get_by_role("button", name="Overwrite theirs with yours").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 4")
    assert value(own_site, plan) == PLAN.replace("the parser", "the grammar")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 3 is restored")
    assert "the lexer" in value(own_site, plan)


def test_theirs_is_taken_with_ours_still_beside_it(opens: Opens, own_site: Site, plan: str) -> None:
    visit = opens(own_site, script=False)
    page = visit.open(f"/blocks/{plan}/edit")
    with memory_of(own_site, "bob") as agent:
        agent.blocks.rethink(plan, "quite another plan")
    write(page, "a long text that took an hour")
    expect(page.get_by_role("alert")).to_contain_text("version 2 was saved in the meantime")
    visit.expect_complaint("412")
    page.get_by_role("button", name="Continue with theirs").click()
    expect(page.locator("textarea[name=value]")).to_have_value("quite another plan")
    expect(page.get_by_label("Your unsaved text")).to_have_value("a long text that took an hour")
    write(page, "quite another plan\na long text that took an hour")
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 3")


@pytest.mark.parametrize("script", [True, False])
def test_what_was_typed_survives_that_the_session_ends(
    opens: Opens, own_site: Site, plan: str, *, script: bool
) -> None:
    visit = opens(own_site, script=script)
    page = visit.open(f"/blocks/{plan}/edit")
    visit.page.context.clear_cookies()
    typed = f"{PLAN}\ntyped while the session ended: <b> & \u00fc \u4f60\u597d"
    write(page, typed)
    expect(page.get_by_role("alert")).to_contain_text("Your input is kept")
    visit.expect_complaint("401")
    page.get_by_label("Key, token").fill(own_site.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("textarea[name=value]")).to_have_value(typed)
    assert value(own_site, plan) == PLAN
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 2")
    assert value(own_site, plan) == typed
    visit.struck("401")  # parts of the page may have been asked for meanwhile, too


def test_what_was_typed_survives_the_session_and_somebody_else(
    opens: Opens, own_site: Site, plan: str
) -> None:
    visit = opens(own_site, script=False)
    page = visit.open(f"/blocks/{plan}/edit")
    page.context.clear_cookies()
    write(page, f"{PLAN}\nmine")
    expect(page.get_by_role("alert")).to_contain_text("Your input is kept")
    visit.expect_complaint("401")
    with memory_of(own_site, "bob") as agent:
        agent.blocks.insert(plan, "theirs", line=0)
    page.get_by_label("Key, token").fill(own_site.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Send").click()
    expect(page.locator("textarea[name=value]")).to_have_value(f"theirs\n{PLAN}\nmine")
    visit.expect_complaint("412")


def test_what_was_typed_survives_that_the_block_is_put_away(
    opens: Opens, own_site: Site, plan: str
) -> None:
    visit = opens(own_site)
    page = visit.open(f"/blocks/{plan}/edit")
    with memory_of(own_site) as memory:
        memory.blocks.delete(plan)
    write(page, "typed meanwhile")
    expect(page.get_by_text("deleted while you were writing")).to_be_visible()
    visit.expect_complaint("409")
    expect(page.locator("textarea[name=value]")).to_have_value("typed meanwhile")
    visit.check("block-put-away")
    page.get_by_role("button", name="Restore it and save this").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 2")
    assert value(own_site, plan) == "typed meanwhile"


def test_what_is_too_long_stays_in_the_form(opens: Opens, own_site: Site, plan: str) -> None:
    visit = opens(own_site)
    page = visit.open(f"/blocks/{plan}/edit")
    page.locator("textarea[name=value]").fill("x" * 301)
    expect(page.locator("#count")).to_have_text("301 typed, 1 too many.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("its limit is 300")
    visit.expect_complaint("422")
    expect(page.locator("textarea[name=value]")).to_have_value("x" * 301)
    write(page, "x" * 300)
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 2")
    expect(page.get_by_text("300 of 300 characters")).to_be_visible()


def test_a_block_and_those_who_share_it(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/blocks/new")
    page.get_by_label("Label").fill("board")
    page.get_by_label("Value").fill("to do: parser")
    page.locator("select[name=place]").select_option("parcel")
    page.locator("select[name=kind]").select_option("shared")
    page.get_by_label("Limit").fill("many")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert")).to_contain_text("limit must be an integer")
    visit.expect_complaint("422")
    expect(page.get_by_label("Value")).to_have_value("to do: parser")
    page.get_by_label("Limit").fill("500")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("not attached to any agent")).to_be_visible()
    holders = page.locator(".holders li")
    for agent, role in (("bob", "builds"), ("critic", "reviews")):
        page.get_by_label("Agent").fill(agent)
        page.get_by_label("Role").fill(role)
        page.get_by_role("button", name="Attach").click()
        expect(holders.filter(has_text=f"{agent} · {role}")).to_be_visible()
    visit.check("block")
    page.get_by_role("button", name="Detach critic").click()
    expect(holders.filter(has_text="critic")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(holders.filter(has_text="critic · reviews")).to_be_visible()
    page = visit.open("/blocks")
    expect(page.locator("article", has_text="board")).to_contain_text("critic: reviews")
    visit.check("blocks")
    page.get_by_role("link", name="Blocks by agent").click()
    expect(page.get_by_role("listitem").filter(has_text="critic")).to_contain_text("board")
    visit.check("blocks-held")


def test_history_settings_and_putting_away(opens: Opens, own_site: Site, plan: str) -> None:
    with memory_of(own_site, "bob") as agent:
        for number in range(12):
            agent.blocks.rethink(plan, f"{PLAN}\nstep {number}", reason=f"after {number}")
    visit = opens(own_site)
    page = visit.open(f"/blocks/{plan}/history")
    expect(page.locator("article")).to_have_count(10)
    expect(page.locator("article").first).to_contain_text("rewritten by bob")
    expect(page.locator("article").nth(9).locator(".gone")).to_contain_text("step 1")
    visit.check("block-history")
    page.get_by_role("link", name="Load more").click()
    page.get_by_role("link", name="Version 1", exact=True).click()
    expect(page.locator(".gone")).to_contain_text("step 11")
    visit.check("block-version")
    with memory_of(own_site, "bob") as agent:
        agent.blocks.rethink(plan, "newer")
    page.get_by_role("button", name="Restore version 1").click()
    expect(
        page.get_by_role("heading", name="The block has changed in the meantime")
    ).to_be_visible()
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 1 is restored as version 15")
    assert value(own_site, plan) == PLAN
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Limit").fill("10")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("alert")).to_contain_text("shorten the text first")
    visit.expect_complaint("422")
    page.get_by_label("Limit").fill("400")
    page.get_by_label("Label").fill("the plan")
    page.get_by_label("read-only for agents").check()
    visit.check("block-settings")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("heading", name="the plan")).to_be_visible()
    expect(page.get_by_text("read-only for agents")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="plan", exact=True)).to_be_visible()
    page.get_by_role("link", name="Delete").click()
    visit.check("block-away-asked")
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("link", name="plan", exact=True)).to_have_count(0)
    page = visit.open("/blocks?away=yes")
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_role("status").first).to_contain_text("is restored")


def test_blocks_as_a_prompt_has_them(visit: Visit) -> None:
    page = visit.open("/blocks?task=1")
    expect(page.get_by_role("link", name="persona")).to_be_visible()
    page.get_by_role("link", name="Prompt preview").click()
    expect(page.locator(".prose")).to_contain_text("generated by scripts")
    visit.check("blocks-prompt")
    page.locator("select[name=form]").select_option("markdown")
    page.get_by_role("button", name="Show", exact=True).last.click()
    page.wait_for_url("**form=markdown*")


def test_a_reader_reads(opens: Opens, own_site: Site, plan: str) -> None:
    visit = opens(own_site, own_site.made.keys["reader"])
    page = visit.open(f"/blocks/{plan}")
    expect(page.locator(".prose")).to_contain_text("goal: quotes")
    expect(page.locator("main button")).to_have_count(0)
    page = visit.open(f"/blocks/{plan}/edit")
    expect(page.get_by_text("You can read this block")).to_be_visible()
    page = visit.open("/blocks")
    expect(page.locator("main article button")).to_have_count(0)
    visit.check("blocks-reader")


def test_hostile_text_is_text_and_lists_go_on(opens: Opens, own_site: Site) -> None:
    hostile = f'{HOSTILE}\n"><img src=x onerror=alert(1)>\n\u0645\u0631\u062d\u0628\u0627 \u4f60'
    with memory_of(own_site) as memory:
        made = memory.blocks.create(
            NewBlock('a"><i>b', f"{hostile}\n{'w' * 10_000}", description=hostile, limit=30_000),
            workspace="parcel",
        )
        for number in range(25):
            memory.blocks.create(NewBlock(f"block {number:02}"), workspace="parcel")
    visit = opens(own_site)
    page = visit.open("/blocks")
    expect(page.locator("article")).to_have_count(25)
    visit.check("blocks-hostile")
    page.get_by_role("link", name="Load more").click()
    expect(page.locator("article")).not_to_have_count(0)
    for path in ("", "/edit", "/history", "/settings", "/away"):
        page = visit.open(f"/blocks/{made.id}{path}")
        visit.narrow()
        assert visit.sideways() <= 0, path
        assert visit.faults() == [], path
        visit.wide()
    page = visit.open(f"/blocks/{made.id}")
    expect(page.locator(".prose")).to_contain_text("<script>alert(1)</script>")
    visit.check("block-hostile")


def test_there_is_nothing_yet(opens: Opens, own_site: Site) -> None:
    visit = opens(own_site)
    page = visit.open("/blocks?away=yes")
    expect(page.get_by_role("heading", name="No deleted blocks")).to_be_visible()
    page = visit.open("/blocks/nothing-of-the-kind")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    visit.expect_complaint("404")
