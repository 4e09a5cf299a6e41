"""Frame of every page: the menu, the workspaces, and the signed-in user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memoranda.identity.principal import Principal
from memoranda.web import forms
from memoranda.web.answers import Done
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, pages

MAX_WORKSPACES = 200
"""Maximum number of workspaces in the selection; URLs accept any."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A line of the menu."""

    page: MenuPage
    address: str
    here: bool
    badge: int


@dataclass(frozen=True, slots=True)
class Site:
    """Values for all templates, besides those of their page."""

    now: int
    principal: Principal | None = None
    """Signed-in caller; None for an unauthenticated one."""
    path: str = "/"
    token: str = ""
    """CSRF token in every form."""
    menu: Sequence[tuple[MenuGroup, Sequence[MenuEntry]]] = ()
    workspaces: Sequence[str] = ()
    workspace: str = ""
    """The selected workspace; empty if there is none."""
    notice: Done | None = None
    page: MenuPage | None = None
    request: PageRequest | None = field(default=None, repr=False)

    def link(self, path: str, **query: str | int | Sequence[str] | None) -> str:
        """Return a URL of the web interface in the selected workspace."""
        return path if self.request is None else self.request.link(path, **query)

    def further(self, cursor: str) -> str:
        """Return the URL of the next page of the current list."""
        assert self.request is not None
        parameters = {name: list(values) for name, values in self.request.query.items()}
        return self.request.link(self.path, **{**parameters, "cursor": cursor})

    def may(self, operation: str) -> bool:
        """Return whether the signed-in caller may call an operation."""
        return self.request is not None and self.request.may(operation)


def site_of(request: PageRequest, session: str, page: MenuPage | None, done: Done | None) -> Site:
    """Return the frame of a page for the caller."""
    found = request.call("workspaces.list", limit=MAX_WORKSPACES)
    return Site(
        now=request.now,
        principal=request.principal,
        path=request.path,
        token=forms.token(session),
        menu=_menu(request, page),
        workspaces=[item["name"] for item in found["items"] if item["name"] != ALL],
        workspace=request.text("workspace"),
        notice=done,
        page=page,
        request=request,
    )


def _menu(request: PageRequest, here: MenuPage | None) -> list[tuple[MenuGroup, list[MenuEntry]]]:
    menu_pages = [menu_page for menu_page in pages() if request.principal.role in menu_page.roles]
    entries = [
        MenuEntry(page, request.link(page.path), page == here, _badge(request, page))
        for page in menu_pages
    ]
    return [
        (group, menu_entries)
        for group in MenuGroup
        if (menu_entries := [entry for entry in entries if entry.page.group is group])
    ]


def _badge(request: PageRequest, page: MenuPage) -> int:
    if not page.badge or not request.may(page.badge):
        return 0
    return int(request.call(page.badge, workspace=request.workspace))
