"""A server with a made memory and a browser for the stories of the web page, one for each worker.

Stories that change something take `own_site`; those that read share `site`.
"""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import browsers
import crowded_store
import made_store
import pytest
from browsers import Opens, Visit
from made_store import Made, Site
from playwright.sync_api import Browser, expect

expect.set_options(timeout=20_000)  # a slow or busy machine is no defect of the page
NONE = (
    "NO BROWSER: install chromium to tell the stories of the web page (scripts/test does, as root)"
)


def made_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """Return a copy of a memory that one of the workers makes."""
    shared = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    kept = shared / f"{name}.pickle"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            folder = shared / f"{name}-once"
            folder.mkdir()
            kept.write_bytes(pickle.dumps(make(folder / "data")))
    whole: Made = pickle.loads(kept.read_bytes())
    return whole.copied(folders.mktemp(name) / "data")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A memory with something to show on every page."""
    return made_once(tmp_path_factory, "web", made_store.make)


@pytest.fixture(scope="session")
def crowded_made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A memory that knows much, whose profile is above 80 % of its limit."""
    return made_once(tmp_path_factory, "crowded", crowded_store.make)


@pytest.fixture
def crowded(crowded_made: Made, tmp_path: Path) -> Iterator[Site]:
    """A server of a copy of it, for a story that changes something."""
    served = Site(crowded_made.copied(tmp_path / "crowded"))
    yield served
    served.close()


@pytest.fixture(scope="session")
def site(made: Made) -> Iterator[Site]:
    """A server of it that all stories share which only read."""
    served = Site(made)
    yield served
    served.close()


@pytest.fixture
def tabs() -> list[Visit]:
    """The tabs that a story opened."""
    return []


@pytest.fixture
def own_site(made: Made, site: Site, tmp_path: Path, tabs: list[Visit]) -> Iterator[Site]:
    """A server of a copy, for a story that changes something."""
    served = Site(made.copied(tmp_path / "data"))
    yield served
    for one in tabs:  # before the server goes, which they would complain of
        one.page.context.close()
    served.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser of this machine."""
    path = browsers.program()
    if path is None:
        pytest.skip(NONE)
    with browsers.browser(path) as started:
        yield started


@pytest.fixture
def opens(chromium: Browser, tabs: list[Visit]) -> Iterator[Opens]:
    """Open tabs: ``opens(site)`` as the owner, ``opens(site, key)`` as somebody else,
    ``opens(site, "")`` as a stranger, ``script=False`` without JavaScript."""

    def open(site: Site, key: str | None = None, *, script: bool = True) -> Visit:
        context = chromium.new_context(
            viewport=browsers.WIDE, java_script_enabled=script, locale="en-GB", timezone_id="UTC"
        )
        made = browsers.visit(context, site.url)
        tabs.append(made)
        if key != "":
            made.sign_in(key or site.token)
        return made

    yield open
    for one in tabs:
        one.close()


@pytest.fixture
def visit(opens: Opens, site: Site) -> Visit:
    """A tab of the owner, signed in, at the shared server."""
    return opens(site)
