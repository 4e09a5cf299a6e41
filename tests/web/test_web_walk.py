"""The first walk through the web page of a person who has just run the example: what was learned,
one thing put right, one thing approved, and what the next session is told because of it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from browsers import SCREENS, Opens, Visit
from made_store import Made, Site
from playwright.sync_api import Locator, expect

from forked_processes import shell_commands

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
PAGES = {
    "now": ("/", "#latest li[data-row]", "recurred in another task"),
    "search": ("/search?q=half+up+rounding", "li.hit", "round"),
    "tasks": ("/tasks", ".tasks li", "completed"),
    "task": ("/tasks/1?at=120", "li.pin", "tariffs"),
    "checkpoints": ("/tasks/1/checkpoints", "tbody tr", "planning"),
    "outcome": ("/tasks/1/outcome", "main li", "python -m pytest"),
    "profile": ("/profile?workspace=parcel", "li.entry", "one imperative line"),
    "learnings": ("/learnings", "li.memory", "How it was done"),
    "pending": ("/pending", "article", "Keep the public API"),
    "blocks": ("/blocks?task=1", "main [data-row]", "learned"),
    "errors": ("/errors", "li.pattern", "curl: (7)"),
    "context": ("/context", "pre.context-text", "never a price of zero"),
    "journal": ("/journal", "div.entry", "all entries about it"),
    "privacy": ("/privacy", "tbody tr", "jwt"),
    "cost": ("/cost", "tbody tr", "stage 1"),
    "health": ("/health", "li.check", "SQLite"),
}
"""Of each page what it must show, and words that are in it."""

PICTURES = {
    "now": "/?workspace=parcel",
    "task": "/tasks/1?at=60&workspace=parcel",
    "context": "/context?workspace=parcel",
}
"""What the documentation shows; `scripts/pictures` takes these over."""
PICTURE = {"width": 1080, "height": 700}
MOST_BYTES = 150_000


@dataclass
class Person:
    """Somebody who counts what it takes."""

    visit: Visit
    clicks: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def click(self, what: Locator) -> None:
        """Press something."""
        self.clicks.append(" ".join(what.inner_text().split())[:60])
        what.click()

    def go(self, name: str) -> None:
        """Choose a page in the menu."""
        self.click(self.visit.page.locator(".menu").get_by_role("link", name=name))

    def look(self, name: str) -> None:
        """Keep what is seen."""
        self.visit.picture(f"walk-{name}", whole=False)

    def told(self) -> str:
        """Say what it took."""
        seconds = time.monotonic() - self.began
        lines = [f"{number}. {one}" for number, one in enumerate(self.clicks, 1)]
        return "\n".join([f"{len(lines)} clicks, {seconds:.0f} seconds of a machine", *lines])


@pytest.fixture(scope="module")
def example_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of the memory that `scripts/run` makes."""
    folder = tmp_path_factory.mktemp("example") / "data"
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    values = plain | {"MEMORANDA_DATA_DIR": str(folder), "MEMORANDA_EMBEDDER": "none"}
    values["MEMORANDA"] = str(shell_commands() / "memoranda")
    subprocess.run([ROOT / "scripts" / "example"], env=values, check=True, timeout=600)
    served = Site(Made(folder))
    yield served
    served.close()


def test_each_page_has_something_true_to_show(opens: Opens, example_site: Site) -> None:
    visit = opens(example_site)
    for name, (path, shown, words) in PAGES.items():
        page = visit.open(path)
        expect(page.locator(shown), name).not_to_have_count(0)
        expect(page.locator("main"), name).to_contain_text(words)
        visit.picture(f"example-{name}")
    page = visit.open(f"{PAGES['search'][0]}&workspace=parcel")
    left = page.locator(".note", has_text="Not matched, but critical")
    left.get_by_role("link").first.click()
    expect(visit.page.get_by_role("heading", level=1)).to_contain_text("misses a band")


def test_the_pictures_of_the_documentation_are_small(opens: Opens, example_site: Site) -> None:
    visit = opens(example_site)
    visit.page.set_viewport_size(PICTURE)
    for name, path in PICTURES.items():
        visit.open(path).locator("html.scripted").wait_for()
        expect(visit.page.locator("#back[hx-get]")).to_have_count(0)
        picture = visit.shot(f"picture-{name}", whole=False)
        assert picture.stat().st_size <= MOST_BYTES
        assert (ROOT / "docs" / "pictures" / f"{name}.png").stat().st_size <= MOST_BYTES


def test_the_walk_of_a_newcomer(opens: Opens, example_site: Site) -> None:
    visit = opens(example_site, "")
    page = visit.open(example_site.link.removeprefix(example_site.url))
    person = Person(visit)
    person.click(page.get_by_role("button", name="Sign in"))
    expect(page.get_by_role("heading", name="Pending approval")).to_be_visible()
    expect(page.locator("#back")).to_contain_text("recurred in another task")
    person.look("now")

    wish = page.locator("#waiting article", has_text="B905")
    person.click(wish.get_by_role("button", name="Approve"))
    expect(page.get_by_role("status").first).to_contain_text("Approved")
    person.look("approved")

    person.go("Memories")
    person.look("learnings")
    learned = page.locator("li.memory", has_text="misses a band")
    person.click(learned.get_by_role("link").first)
    person.click(page.get_by_role("link", name="Edit"))
    text = page.get_by_label(re.compile("^Text"))
    text.fill(f"{text.input_value()}; name the band in it")
    person.look("editing")
    person.click(page.get_by_role("button", name="Save"))
    expect(page.get_by_role("status").first).to_be_visible()
    person.look("edited")

    person.go("Context preview")
    context = page.get_by_label("Exact text")
    expect(context).to_contain_text("name the band in it")
    expect(context).to_contain_text("B905")
    person.look("context")
    SCREENS.mkdir(parents=True, exist_ok=True)
    (SCREENS / "walk.txt").write_text(person.told() + "\n", "utf-8")
    assert len(person.clicks) <= 8, person.told()
    assert re.match(r"\d clicks", person.told())
