"""Who asks: known before anything of a request but its head is read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import sha256

from anyio import CapacityLimiter, to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.server.options import ServerOptions
from memoranda.api.server.pages import SESSION, WebPaths, from_own_page, session, wants_html
from memoranda.api.server.rates import TokenBuckets
from memoranda.api.server.requests import PRINCIPAL, STANDS, Guard, values
from memoranda.exceptions import NotFound, RateLimited, Unauthenticated
from memoranda.identity.principal import Principal
from memoranda.ports import Authenticator

LONGEST = 8_192
"""Characters of a key or token that are looked at."""
FAILURES_A_SECOND = 1 / 6
STALE_A_SECOND = 1.0
"""Sessions that are over, as every open page of somebody who left for the night shows one."""
UNKNOWN = 401
SCHEMES = frozenset({"bearer", "token"})
"""How a key or token may be announced; the second is what clients of mem0 say."""
KNOWN = 1_000
"""Keys and tokens that were right lately, of which only a digest is kept."""
AT_ONCE = 8
"""Threads that look keys and tokens up, apart from those that carry requests out."""


class Authentication(Guard):
    """Leaves whoever asks as the principal in the state of the request.

    An address that showed too many wrong keys is only heard with one that was right before, so
    that a program that went astray does not shut out its neighbours.
    """

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator,
        options: ServerOptions,
        pages: WebPaths | None = None,
    ) -> None:
        super().__init__(app)
        self._authenticator = authenticator
        self._pages = pages
        self._failures = TokenBuckets(FAILURES_A_SECOND, options.failures)
        self._stale = TokenBuckets(STALE_A_SECOND, options.failures)
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._limiter: CapacityLimiter | None = None

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Turn a key or token into a principal; at the web page, what a browser shows."""
        state, address = scope.setdefault("state", {}), _address(scope)
        pages = self._pages
        if pages is not None and pages.cover(scope):
            state[SESSION], state[PRINCIPAL] = await self._visitor(pages, scope)
            if pages.signs_in(scope):
                send = self._watched(address, send)
        elif pages is not None and _listens(pages, scope):
            given, state[PRINCIPAL] = await self._visitor(pages, scope)
            if state[PRINCIPAL] is None:
                raise Unauthenticated("sign in again; the session is over")
            state[STANDS] = partial(pages.sessions.principal, given)
        else:
            if pages is not None and await self._is_lost(pages, scope):
                raise NotFound("there is no page under this path")
            given = credential(scope)
            known = self._authenticator.principal
            state[PRINCIPAL] = await self._principal(given, address, self._failures, known)
            state[STANDS] = partial(known, given)
        await self._app(scope, receive, send)

    async def _is_lost(self, pages: WebPaths, scope: Scope) -> bool:
        """Say whether somebody who signed in asks for a page where there is none. Strangers are not
        told what is where, and neither are programs."""
        if not wants_html(scope) or carries_credential(scope):
            return False
        _, who = await self._visitor(pages, scope)
        return who is not None

    async def _visitor(self, pages: WebPaths, scope: Scope) -> tuple[str, Principal | None]:
        """Return what a browser shows, and who that is; a stranger is asked to sign in, by the web
        page itself."""
        given = session(scope)
        if given is None or not 0 < len(given) <= LONGEST:
            return "", None
        known = pages.sessions.principal
        try:
            return given, await self._principal(given, _address(scope), self._stale, known)
        except Unauthenticated:
            return "", None

    def _watched(self, address: str, send: Send) -> Send:
        """Count the wrong keys, tokens and links of a form like those of any request."""
        pause = self._failures.pause(address)
        if pause:
            raise RateLimited("too many wrong keys or tokens came from there", retry_after=pause)

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == UNKNOWN:
                self._failures.take(address)
            await send(message)

        return counted

    async def _principal(
        self, given: str, address: str, failures: TokenBuckets, known: Callable[[str], Principal]
    ) -> Principal:
        digest = sha256(given.encode()).digest()
        pause = failures.pause(address)
        if pause and digest not in self._known:
            raise RateLimited("too many wrong keys or tokens came from there", retry_after=pause)
        if self._limiter is None:  # belongs to the event loop that it is made in
            self._limiter = CapacityLimiter(AT_ONCE)
        try:
            found = await to_thread.run_sync(known, given, limiter=self._limiter)
        except Unauthenticated:
            self._known.pop(digest, None)
            failures.take(address)
            raise
        self._remember(digest)
        return found

    def _remember(self, digest: bytes) -> None:
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)


def credential(scope: Scope) -> str:
    """Return the key or token of a request.

    Raises:
        Unauthenticated: there is none, or more than one, or it is not of a form that one has.
    """
    found = {value.strip() for value in values(scope, b"x-api-key")}
    for value in values(scope, b"authorization"):
        scheme, _, rest = value.strip().partition(" ")
        found.add(rest.strip() if scheme.lower() in SCHEMES else "")
    if len(found) != 1:
        raise Unauthenticated("send one key or token: Authorization: Bearer, or X-API-Key")
    (given,) = found
    if not given or len(given) > LONGEST or not given.isascii() or not given.isprintable():
        raise Unauthenticated("this is no key or token")
    return given


def _listens(pages: WebPaths, scope: Scope) -> bool:
    """Say whether a page of this server asks for events, as whoever signed in to it."""
    asked = scope["path"] == pages.events and scope["method"] == "GET"
    return asked and not carries_credential(scope) and from_own_page(scope)


def carries_credential(scope: Scope) -> bool:
    """Say whether a request tries to say who asks."""
    return bool(values(scope, b"authorization") or values(scope, b"x-api-key"))


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


class RateLimit(Guard):
    """Gives every caller its share of requests, and no more."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        super().__init__(app)
        self._buckets = TokenBuckets(options.rate, options.burst)

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request against its caller."""
        who: Principal | None = scope["state"][PRINCIPAL]
        pause = self._buckets.take((who.team, who.subject) if who else ("", _address(scope)))
        if pause:
            raise RateLimited("more requests than one caller may make", retry_after=pause)
        await self._app(scope, receive, send)
