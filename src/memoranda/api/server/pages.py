"""What guards know of the web page: which paths are its own, and what a browser sends with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.api.server.requests import Guard, values
from memoranda.exceptions import Forbidden, MemorandaError
from memoranda.ports import Sessions

FORM = "application/x-www-form-urlencoded"
STRANGER_BYTES = 200_000
"""How long a form may be of whom nobody knows yet: one that signs in, with what was typed."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
SESSION = "session"
"""Under which name guards leave what a browser showed in the state of a request."""
HTML = "text/html"

PageErrorResponder = Callable[[MemorandaError, str, int | None, Mapping[str, str] | None], Response]
"""Makes the answer that tells of an error: the error, the id of the request, a status instead of
its own, further headers."""


@dataclass(frozen=True, slots=True)
class WebPaths:
    """A web page behind the guards."""

    segments: frozenset[str]
    """With what its paths begin; empty for the first page of all."""
    sign_in: str
    """The path that takes keys, tokens and links."""
    events: str
    """The one path of another door that takes what a browser shows as well."""
    sessions: Sessions
    told: PageErrorResponder

    def cover(self, scope: Scope) -> bool:
        """Say whether a request is for the web page."""
        path: str = scope["path"]
        return path[:1] == "/" and path[1:].partition("/")[0] in self.segments

    def signs_in(self, scope: Scope) -> bool:
        """Say whether a request shows a key, a token or a link to be let in."""
        return scope["path"] == self.sign_in and scope["method"] not in SAFE


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie: browsers send cookies to every port of a host."""
    (host,) = values(scope, b"host")
    port = host.rpartition(":")[2] if not host.endswith("]") else ""
    return f"memoranda-{port}" if port.isdecimal() else "memoranda"


def session(scope: Scope) -> str | None:
    """Return what a browser shows; None if that is nothing, or not one thing alone."""
    name, found = cookie_name(scope), set()
    for header in values(scope, b"cookie"):
        try:
            held = SimpleCookie(header).get(name)
        except CookieError:
            return None
        found |= {held.value} if held is not None else set()
    return found.pop() if len(found) == 1 else None


def from_own_page(scope: Scope) -> bool:
    """Say whether a browser says that a page of this server itself sent a request."""
    (host,) = values(scope, b"host")
    sites, origins = values(scope, b"sec-fetch-site"), values(scope, b"origin")
    if any(site != "same-origin" for site in sites):
        return False
    if any(origin.partition("://")[2].lower() != host.lower() for origin in origins):
        return False
    return bool(sites or origins)


def wants_html(scope: Scope) -> bool:
    """Say whether a person at a browser will see the answer."""
    return any(HTML in value for value in values(scope, b"accept"))


class SameOriginGuard(Guard):
    """Takes changes at the web page from its own forms alone, whatever cookie comes along."""

    def __init__(self, app: ASGIApp, pages: WebPaths | None) -> None:
        super().__init__(app)
        self._pages = pages

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look where a change comes from."""
        changes = scope["method"] not in SAFE
        if changes and self._pages and self._pages.cover(scope) and not from_own_page(scope):
            raise Forbidden("the web page takes changes from its own forms alone")
        await self._app(scope, receive, send)
