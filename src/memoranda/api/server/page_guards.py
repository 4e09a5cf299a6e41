"""Guards for the web interface: paths, session cookie and origin checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.api.server.base_guard import Guard, values
from memoranda.exceptions import Forbidden, MemorandaError
from memoranda.identity.key_format import cookie_name

if TYPE_CHECKING:
    from memoranda.identity.sessions import StoredSessions

FORM = "application/x-www-form-urlencoded"
STRANGER_BYTES = 200_000
"""Maximum size of a form from an unauthenticated caller.

This is the sign-in form, which includes what was typed before.
"""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
SESSION = "session"
"""Attribute of a request's state with the browser session."""
HTML = "text/html"

PageErrorResponder = Callable[[MemorandaError, str, int | None, Mapping[str, str] | None], Response]
"""Creates the response that reports an error.

Arguments: the error, the id of the request, a status that replaces the error's own, and further
headers.
"""


@dataclass(frozen=True, slots=True)
class WebPaths:
    """Properties of the web interface that the guards need."""

    segments: frozenset[str]
    """First segments of the interface's paths; an empty one is the start page."""
    sign_in: str
    """Path that accepts keys, tokens and links."""
    events: str
    """Path outside the web interface that also accepts the browser's session."""
    sessions: StoredSessions
    respond: PageErrorResponder

    def cover(self, scope: Scope) -> bool:
        """Return whether a request is for the web interface."""
        path: str = scope["path"]
        return path[:1] == "/" and path[1:].partition("/")[0] in self.segments

    def signs_in(self, scope: Scope) -> bool:
        """Return whether a request sends a key, token or link to sign in."""
        return scope["path"] == self.sign_in and scope["method"] not in SAFE


def session(scope: Scope) -> str | None:
    """Return the browser's session; None if there is not exactly one."""
    (host,) = values(scope, b"host")
    name, found = cookie_name(host), set()
    for header in values(scope, b"cookie"):
        try:
            cookie = SimpleCookie(header).get(name)
        except CookieError:
            return None
        found |= {cookie.value} if cookie is not None else set()
    return found.pop() if len(found) == 1 else None


def from_own_page(scope: Scope) -> bool:
    """Return whether the browser reports a page of this server as the source."""
    (host,) = values(scope, b"host")
    sites, origins = values(scope, b"sec-fetch-site"), values(scope, b"origin")
    if any(site != "same-origin" for site in sites):
        return False
    if any(origin.partition("://")[2].lower() != host.lower() for origin in origins):
        return False
    return bool(sites or origins)


def wants_html(scope: Scope) -> bool:
    """Return whether a person with a browser will see the response."""
    return any(HTML in value for value in values(scope, b"accept"))


class SameOriginGuard(Guard):
    """Accepts changes in the web interface only from its own forms.

    The cookie alone is not sufficient.
    """

    def __init__(self, app: ASGIApp, pages: WebPaths | None) -> None:
        super().__init__(app)
        self._pages = pages

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the source of a change."""
        changes = scope["method"] not in SAFE
        if changes and self._pages and self._pages.cover(scope) and not from_own_page(scope):
            raise Forbidden("the web page accepts changes only from its own forms")
        await self._app(scope, receive, send)
