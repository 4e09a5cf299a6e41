"""What a first visit costs: bytes over the line with nothing kept yet, and little after that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from browsers import SCREENS, STREAM, visit
from made_store import Site
from playwright.sync_api import Browser, BrowserContext, Cookie

from memoranda.web.registry import pages

pytestmark = pytest.mark.e2e
MOST = 300_000
"""Bytes of a page with all that belongs to it."""
AGAIN = 1_000
"""Bytes beside the page itself that a second one may cost."""
FURTHER = (
    "/tasks/1", "/tasks/1/resume", "/tasks/1/outcome", "/tasks/1/checkpoints",
    "/observations/1%2342?part=1", "/search?q=rounding", "/search?q=rounding&open=1%2342&layer=3",
    "/learnings/conflicts", "/learnings/places", "/blocks/prompt", "/blocks/new", "/errors/all",
    "/errors/tools", "/pending/rules", "/profile/optimize", "/profile/agent-file", "/sign-in",
)  # fmt: skip


@dataclass
class Line:
    """What went over the line for a page, by address."""

    context: BrowserContext
    sizes: dict[str, int] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    """What the browser had kept."""

    def load(self, address: str) -> int:
        """Open a page in a new tab; return the bytes of everything that came."""
        tab = self.context.new_page()
        watch, requests = self.context.new_cdp_session(tab), dict[str, str]()
        self.sizes.clear()
        self.kept.clear()

        def began(event: dict[str, Any]) -> None:
            requests[event["requestId"]] = event["request"]["url"]

        def ended(event: dict[str, Any]) -> None:
            self.sizes[requests[event["requestId"]]] = int(event["encodedDataLength"])

        watch.on("Network.requestWillBeSent", began)
        watch.on("Network.loadingFinished", ended)

        def had(event: dict[str, Any]) -> None:
            if not requests[event["requestId"]].startswith(
                "data:"
            ):  # a picture of the browser itself
                self.kept.add(requests[event["requestId"]])

        watch.on("Network.requestServedFromCache", had)
        watch.send("Network.enable")
        tab.goto(address, wait_until="load")
        entries: Sequence[str] = tab.evaluate(
            "() => performance.getEntriesByType('resource').map((one) => one.name)"
        )
        wanted = {one for one in entries if not one.endswith(STREAM)} | {address}
        for _ in range(100):  # what is told of the line may come a little after the page
            if wanted <= self.sizes.keys() | self.kept:
                break
            tab.wait_for_timeout(50)
        assert wanted <= self.sizes.keys() | self.kept, wanted - self.sizes.keys()
        tab.close()
        return sum(self.sizes.values())


@pytest.fixture(scope="module")
def cookies(chromium: Browser, site: Site) -> Iterator[list[Cookie]]:
    """What a browser shows whose person signed in."""
    context = chromium.new_context()
    visit(context, site.url).sign_in(site.token)
    yield context.cookies()
    context.close()


@pytest.fixture
def line(chromium: Browser, cookies: list[Cookie]) -> Iterator[Line]:
    """A browser that has kept nothing."""
    made = chromium.new_context()
    made.add_cookies(cookies)  # type: ignore[arg-type]
    yield Line(made)
    made.close()


@pytest.mark.parametrize("path", [*(one.path for one in pages()), *FURTHER])
def test_a_first_visit_costs_little(line: Line, site: Site, path: str) -> None:
    bytes = line.load(site.url + path)
    assert not line.kept
    assert any("/static/" in one for one in line.sizes)
    assert bytes <= MOST, line.sizes
    SCREENS.parent.mkdir(parents=True, exist_ok=True)
    with (SCREENS.parent / "first-load.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"path": path, "bytes": bytes, "files": len(line.sizes)}) + "\n")


def test_a_second_page_costs_hardly_more_than_its_own_text(line: Line, site: Site) -> None:
    line.load(f"{site.url}/tasks")
    line.load(f"{site.url}/tasks")
    others = {url: size for url, size in line.sizes.items() if not url.endswith("/tasks")}
    assert sum(others.values()) <= AGAIN, others
