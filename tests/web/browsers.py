"""A browser that is watched: what it asks of others, refuses or complains of is written down."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    sync_playwright,
)

AXE = (Path(__file__).parent / "vendored" / "axe.min.js").read_text("utf-8")
SCREENS = Path(__file__).parents[2] / "build" / "screens"
PICTURES = "TESTS_WITHOUT_PICTURES" not in os.environ
"""Whether each page that is checked leaves pictures: nobody looks at those of a whole run."""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)  # fmt: skip
"""No other host is reached, by its name or its address.

To intercept each request instead costs a third of a page's processor time, and the cache.
"""
BUSY = "status of 429"
"""What is said of a stream that a caller has too many of; a page asks for it again later."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
GRAVE = ("serious", "critical")
CONTRAST = ("color-contrast", "link-in-text-block")
"""Rules of axe about colours."""
STREAM = "/api/v1/events"
LOOPBACK = ("127.0.0.1", "localhost")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 320, "height": 720}
RAGGED = """() => [...document.querySelectorAll("table:has(thead)")].flatMap((table) => {
  const width = (row) => [...row.cells].reduce((sum, one) => sum + one.colSpan, 0);
  const head = width(table.tHead.rows[0]);
  const rows = [...table.rows].filter((row) => row.cells.length && width(row) !== head);
  const before = table.previousSibling?.nodeType === Node.TEXT_NODE && table.previousSibling.data;
  return [...rows.map((row) => row.innerText), (before || "").trim()].filter((one) => one);
})"""
_AXE_RUN = """({rules, without, grave}) => {
  const left = axe._audit.rules.filter(
    (one) => !grave.includes(one.impact) || without.includes(one.id));
  const options = rules.length
    ? {runOnly: rules}
    : {rules: Object.fromEntries(left.map((one) => [one.id, {enabled: false}]))};
  return axe.run(document, {resultTypes: ["violations"], preload: false, ...options});
}"""
"""Rules that find nothing grave are left out. Nothing is preloaded: that is for rules about sounds
and films."""
_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));"""


def program() -> str | None:
    """Return where a Chromium of this machine is."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def browser(path: str) -> Iterator[Browser]:
    """Start one."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield started
        finally:
            started.close()


@dataclass
class Visit:
    """A tab of a person at the web page."""

    page: Page
    url: str
    elsewhere: list[str] = field(default_factory=list)
    """Addresses of other hosts that were asked for."""
    complaints: list[str] = field(default_factory=list)
    """What the console said was wrong, violations of the policy included."""

    def open(self, path: str) -> Page:
        """Go to a path of the server; return the tab."""
        self.page.goto(self.url + path)
        return self.page

    def sign_in(self, credential: str) -> None:
        """Sign in with a key or a token, without a page: that is a story of its own."""
        answer = self.page.context.request.post(
            f"{self.url}/sign-in",
            form={"credential": credential},
            headers={"Origin": self.url},
            max_redirects=0,
        )
        assert answer.status == 303, answer.status

    def expect_complaint(self, part: str) -> None:
        """Strike out a complaint that has to be there, such as of an answer 404 to a page."""
        found = [one for one in self.complaints if part in one]
        assert found, self.complaints
        self.complaints.remove(found[0])

    def struck(self, part: str) -> list[str]:
        """Strike out every complaint that says something; return them."""
        found = [one for one in self.complaints if part in one]
        self.complaints[:] = [one for one in self.complaints if part not in one]
        return found

    def shot(self, name: str, *, whole: bool = True) -> Path:
        """Keep a picture of the page as an artefact of the run."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        path = SCREENS / f"{name}.png"
        self.page.screenshot(path=path, full_page=whole)
        return path

    def dark(self) -> None:
        """Look at it by night."""
        self.page.emulate_media(color_scheme="dark")

    def light(self) -> None:
        """Look at it by day."""
        self.page.emulate_media(color_scheme="light")

    def narrow(self) -> None:
        """Look at it on a small telephone."""
        self.page.set_viewport_size(NARROW)

    def wide(self) -> None:
        """Look at it on a desk."""
        self.page.set_viewport_size(WIDE)

    def faults(self, *rules: str, without: Sequence[str] = ()) -> list[str]:
        """Return what axe finds serious or critical by some of its rules, or by all of them
        ``without`` some, in the light that is on."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE)
        values = {"rules": list(rules), "without": list(without), "grave": list(GRAVE)}
        found: dict[str, Any] = self.page.evaluate(_AXE_RUN, values)
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found["violations"]
            if one["impact"] in GRAVE
            for node in one["nodes"]
        ]

    def ragged(self) -> list[str]:
        """Return the rows of tables that have not as many cells as their heads, and what stands
        outside of every row."""
        found: list[str] = self.page.evaluate(RAGGED)
        return found

    def sideways(self) -> int:
        """Return how many pixels the page is wider than its window."""
        return int(
            self.page.evaluate(
                "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )

    def check(self, name: str) -> None:
        """Hold a page to what every page has to keep; leave pictures of it, by day, by night (when
        nothing but its colours is another) and on a telephone (whose colours are those by day)."""
        self.page.wait_for_load_state()  # the words of a page come before its style
        self.wide()
        assert (found := self.ragged()) == [], found
        for light, turn, rules in (("dark", self.dark, CONTRAST), ("light", self.light, ())):
            turn()
            assert (found := self.faults(*rules)) == [], found
            self.picture(f"{name}-{light}")
        self.narrow()
        assert self.sideways() <= 0
        assert (found := self.faults(without=CONTRAST)) == [], found
        self.picture(f"{name}-narrow")
        self.wide()

    def picture(self, name: str, *, whole: bool = True) -> None:
        """Keep a picture of the page, unless nobody looks at it."""
        if PICTURES:
            self.shot(name, whole=whole)

    def close(self) -> None:
        """Leave, and see that nothing happened that must not."""
        self.page.context.close()
        assert self.elsewhere == [], self.elsewhere
        assert self.complaints == [], self.complaints


Opens = Callable[..., Visit]
"""What the fixture `opens` is."""


def visit(context: BrowserContext, url: str) -> Visit:
    """Open a tab that is watched."""
    made = Visit(context.new_page(), url)
    context.add_init_script(_VIOLATIONS)
    context.on("request", lambda request: _note_elsewhere(made, request.url))
    made.page.on("console", lambda message: _note(made, message))
    made.page.on("pageerror", lambda error: made.complaints.append(f"error: {error}"))
    made.page.set_default_timeout(30_000)
    return made


def _note_elsewhere(made: Visit, url: str) -> None:
    address = urlsplit(url)
    if address.scheme not in ("data", "blob") and f"{address.hostname}" not in LOOPBACK:
        made.elsewhere.append(url)


def _note(made: Visit, message: ConsoleMessage) -> None:
    there = str(message.location.get("url", ""))
    if there.endswith(STREAM) and BUSY in message.text:
        return
    if message.type in ("error", "warning"):
        made.complaints.append(f"{message.type}: {message.text} {there}")
