"""What every page has around what it shows: the menu, the workspaces, who is signed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memoranda.identity.principal import Principal
from memoranda.web import forms
from memoranda.web.answers import Done
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, pages

MOST_WORKSPACES = 200
"""How many the list to choose from has; the address takes any."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A line of the menu."""

    page: MenuPage
    address: str
    here: bool
    badge: int


@dataclass(frozen=True, slots=True)
class Site:
    """What templates know beside the values of their page."""

    now: int
    principal: Principal | None = None
    """Nobody: only what strangers may see."""
    path: str = "/"
    token: str = ""
    """What every form carries."""
    menu: Sequence[tuple[MenuGroup, Sequence[MenuEntry]]] = ()
    workspaces: Sequence[str] = ()
    workspace: str = ""
    """The one that was chosen; empty: none was."""
    told: Done | None = None
    page: MenuPage | None = None
    asked: PageRequest | None = field(default=None, repr=False)

    def link(self, path: str, **query: str | int | Sequence[str] | None) -> str:
        """Return an address of the web page in the workspace that was chosen."""
        return path if self.asked is None else self.asked.link(path, **query)

    def further(self, cursor: str) -> str:
        """Return the address of what follows in the list that is shown."""
        assert self.asked is not None
        kept = {name: list(values) for name, values in self.asked.query.items()}
        return self.asked.link(self.path, **{**kept, "cursor": cursor})

    def may(self, operation: str) -> bool:
        """Say whether whoever is signed in may ask for an operation."""
        return self.asked is not None and self.asked.may(operation)


def site_of(asked: PageRequest, session: str, page: MenuPage | None, told: Done | None) -> Site:
    """Return what is around a page for whoever asked."""
    found = asked.call("workspace.list", limit=MOST_WORKSPACES)
    return Site(
        now=asked.now,
        principal=asked.principal,
        path=asked.path,
        token=forms.token(session),
        menu=_menu(asked, page),
        workspaces=[one["name"] for one in found["items"] if one["name"] != ALL],
        workspace=asked.text("workspace"),
        told=told,
        page=page,
        asked=asked,
    )


def _menu(asked: PageRequest, here: MenuPage | None) -> list[tuple[MenuGroup, list[MenuEntry]]]:
    shown = [one for one in pages() if asked.principal.role in one.roles]
    entries = [
        MenuEntry(one, asked.link(one.path), one == here, _badge(asked, one)) for one in shown
    ]
    return [
        (group, found)
        for group in MenuGroup
        if (found := [entry for entry in entries if entry.page.group is group])
    ]


def _badge(asked: PageRequest, page: MenuPage) -> int:
    if not page.badge or not asked.may(page.badge):
        return 0
    return int(asked.call(page.badge, workspace=asked.workspace))
