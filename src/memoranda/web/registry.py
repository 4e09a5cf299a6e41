"""Registry of pages, which every module in ``pages`` declares.

A module declares its page and routes as ``PAGE`` and ``ROUTES``.
"""

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
from memoranda.operation_declaration import EVERYONE
from memoranda.web import pages as place
from memoranda.web.answers import Answer, Redirect
from memoranda.web.page_request import PageRequest


class MenuGroup(StrEnum):
    """Headings of the menu, in order."""

    FIRST = ""
    KNOWLEDGE = "Knowledge"
    CONTEXT = "Agent context"
    TRUST = "Trust"


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page in the menu."""

    path: str
    title: str
    group: MenuGroup
    place: int
    """Position of the page in its group, from the top."""
    roles: frozenset[Role] = EVERYONE
    """Roles that can see the page: those that may call the operations that it needs."""
    key: str = ""
    """Keyboard shortcut that opens the page."""
    badge: str = ""
    """Operation whose count is shown next to the menu entry unless the count is 0."""
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    """The page's own files in ``static``, in addition to the files of every page."""


@dataclass(frozen=True, slots=True)
class WebRoute:
    """Handler of a path: GET reads, POST changes."""

    method: str
    path: str
    answer: Callable[[PageRequest], Answer]
    page: MenuPage | None = None
    """Page under which the menu shows this route."""
    leads_on: bool = False
    """Whether the route only redirects to its parent page."""


def reads(path: str, answer: Callable[[PageRequest], Answer]) -> WebRoute:
    """Return a route that shows a page."""
    return WebRoute("GET", path, answer)


def acts(path: str, answer: Callable[[PageRequest], Answer]) -> WebRoute:
    """Return a route that handles a form."""
    return WebRoute("POST", path, answer)


@cache
def pages() -> tuple[MenuPage, ...]:
    """Return the pages in menu order."""
    groups = list(MenuGroup)
    menu_pages = {route.page for route in routes() if route.page is not None}
    return tuple(sorted(menu_pages, key=lambda page: (groups.index(page.group), page.place)))


@cache
def routes() -> tuple[WebRoute, ...]:
    """Return every route, those without path parameters first.

    Otherwise a path parameter could match a fixed path.
    """
    web_routes = [route for name in _modules() for route in _of_module(name)]
    web_routes = [*web_routes, *_leading_on(web_routes)]
    return tuple(
        sorted(
            web_routes,
            key=lambda web_route: (web_route.path.count("{"), web_route.path, web_route.method),
        )
    )


def segments(paths: Sequence[str]) -> frozenset[str]:
    """Return the first segments of paths."""
    return frozenset(path[1:].partition("/")[0] for path in paths)


def _leading_on(found: Sequence[WebRoute]) -> Iterator[WebRoute]:
    """Yield GET routes for paths that only handle forms.

    When a browser reloads such a URL, the route redirects to the parent page.
    """
    read = {web_route.path for web_route in found if web_route.method == "GET"}
    for route in found:
        if route.method == "POST" and route.path not in read:
            above = route.path
            while above not in read:
                above = above.rpartition("/")[0] or "/"
            yield WebRoute("GET", route.path, _redirect_to(above), route.page, leads_on=True)


def _redirect_to(path: str) -> Callable[[PageRequest], Answer]:
    def moved(request: PageRequest) -> Answer:
        named = re.sub(r"\{(\w+)\}", lambda name: quote(request.named[name[1]], safe=""), path)
        return Redirect(request.link(named))

    return moved


def _modules() -> list[str]:
    return [item.name for item in pkgutil.iter_modules(place.__path__)]


def _of_module(name: str) -> list[WebRoute]:
    module = import_module(f"{place.__name__}.{name}")
    page: MenuPage = module.PAGE
    page_routes: Sequence[WebRoute] = module.ROUTES
    return [WebRoute(route.method, route.path, route.answer, page) for route in page_routes]
