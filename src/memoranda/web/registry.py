"""Which pages there are: every module in ``pages`` says so itself, as ``PAGE`` and ``ROUTES``."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from urllib.parse import quote

from memoranda.identity.principal import Role
from memoranda.operations import EVERYONE
from memoranda.web import pages as place
from memoranda.web.answers import Answer, Redirect
from memoranda.web.page_request import PageRequest


class MenuGroup(StrEnum):
    """Under which heading a page stands in the menu, in this order."""

    FIRST = ""
    KNOWLEDGE = "Knowledge"
    TOLD = "What the agent is told"
    TRUST = "Trust"


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page as the menu has it."""

    path: str
    title: str
    group: MenuGroup
    place: int
    """Where it stands in its group, from the top."""
    roles: frozenset[Role] = EVERYONE
    """Who is shown it: those who may ask for what it cannot be without."""
    key: str = ""
    """The key that opens it."""
    badge: str = ""
    """An operation whose number stands beside it, where that is not 0."""
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    """Files of its own in ``static``, beside those that every page has."""


@dataclass(frozen=True, slots=True)
class WebRoute:
    """What answers at a path: reading by GET, changing by POST."""

    method: str
    path: str
    answer: Callable[[PageRequest], Answer]
    page: MenuPage | None = None
    """The page in whose part of the menu it belongs."""
    leads_on: bool = False
    """Whether it shows nothing itself, and only leads to the page above."""


def reads(path: str, answer: Callable[[PageRequest], Answer]) -> WebRoute:
    """Return a route that shows something."""
    return WebRoute("GET", path, answer)


def acts(path: str, answer: Callable[[PageRequest], Answer]) -> WebRoute:
    """Return a route that does what a form asks for."""
    return WebRoute("POST", path, answer)


@cache
def pages() -> tuple[MenuPage, ...]:
    """Return the pages as the menu lists them."""
    groups = list(MenuGroup)
    found = {route.page for route in routes() if route.page is not None}
    return tuple(sorted(found, key=lambda one: (groups.index(one.group), one.place)))


@cache
def routes() -> tuple[WebRoute, ...]:
    """Return every route, those without a name in their path first, so that none is hidden."""
    found = [route for name in _modules() for route in _of_module(name)]
    found = [*found, *_leading_on(found)]
    return tuple(sorted(found, key=lambda one: (one.path.count("{"), one.path, one.method)))


def segments(paths: Sequence[str]) -> frozenset[str]:
    """Return with what paths begin."""
    return frozenset(path[1:].partition("/")[0] for path in paths)


def _leading_on(found: Sequence[WebRoute]) -> Iterator[WebRoute]:
    """Yield what answers where only forms go, when a browser loads such an address again: the way
    to the page above it."""
    read = {one.path for one in found if one.method == "GET"}
    for one in found:
        if one.method == "POST" and one.path not in read:
            above = one.path
            while above not in read:
                above = above.rpartition("/")[0] or "/"
            yield WebRoute("GET", one.path, _way_to(above), one.page, leads_on=True)


def _way_to(path: str) -> Callable[[PageRequest], Answer]:
    def moved(asked: PageRequest) -> Answer:
        named = re.sub(r"\{(\w+)\}", lambda name: quote(asked.named[name[1]], safe=""), path)
        return Redirect(asked.link(named))

    return moved


def _modules() -> list[str]:
    return [one.name for one in pkgutil.iter_modules(place.__path__)]


def _of_module(name: str) -> list[WebRoute]:
    module = import_module(f"{place.__name__}.{name}")
    page: MenuPage = module.PAGE
    given: Sequence[WebRoute] = module.ROUTES
    return [WebRoute(one.method, one.path, one.answer, page) for one in given]
