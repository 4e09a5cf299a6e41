"""Authentication and rate limits, based only on the head of a request."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from anyio import CapacityLimiter, to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoranda.api.server.base_guard import PRINCIPAL, STANDS, Guard, values
from memoranda.api.server.limits import ServerOptions
from memoranda.api.server.page_guards import SESSION, WebPaths, from_own_page, session, wants_html
from memoranda.exceptions import NotFound, RateLimited, Unauthenticated
from memoranda.identity.principal import Principal
from memoranda.ports import Authenticator

MAX_BUCKETS = 10_000
"""Maximum number of token buckets.

The least recently used bucket is dropped, which makes it full again.
"""


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class TokenBuckets:
    """Token buckets by key, initially full and refilled at a steady rate.

    For use in a single thread, such as that of an event loop.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
        most: int = MAX_BUCKETS,
    ) -> None:
        """Create the buckets.

        ``rate`` is the number of tokens per second, ``burst`` the capacity of a bucket.
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, key: Hashable) -> float:
        """Take one token; return 0, or the seconds until one is available."""
        bucket = self._filled(key)
        if bucket.level < 1.0:
            return (1.0 - bucket.level) / self._rate
        bucket.level -= 1.0
        return 0.0

    def pause(self, key: Hashable) -> float:
        """Return what `take` would return, without taking a token."""
        level = self._filled(key).level if key in self._buckets else self._burst
        return max(0.0, 1.0 - level) / self._rate

    def __len__(self) -> int:
        return len(self._buckets)

    def _filled(self, key: Hashable) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.pop(key, None) or _Bucket(self._burst, now)
        bucket.level = min(self._burst, bucket.level + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[key] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket


MAX_TOKENS = 8_192
"""Maximum number of characters of a key or token."""
FAILURES_A_SECOND = 1 / 6
STALE_A_SECOND = 1.0
"""Allowed rate of expired sessions per second.

Every page that was left open overnight sends a request with an expired session.
"""
UNKNOWN = 401
SCHEMES = frozenset({"bearer", "token"})
"""Schemes of the Authorization header; mem0 clients use the second."""
KNOWN = 1_000
"""Number of recently valid keys and tokens to remember, only as digests."""
AT_ONCE = 8
"""Number of threads that look up keys and tokens, separate from those for requests."""
SUSPECT_AT_ONCE = 1
"""Number of threads that look up keys from addresses that have sent too many wrong keys."""


class Authentication(Guard):
    """Middleware that stores the caller as the principal of the request.

    An address that has sent too many wrong keys gets status 429 for each further wrong key. A valid
    key is always accepted, so a faulty program or an attacker does not lock out others at the same
    address or behind the same proxy. Keys are too long to be guessed at any rate.
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
        self._limiters: tuple[CapacityLimiter, CapacityLimiter] | None = None

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Authenticate a key or token, or a browser session of the web interface."""
        state, address = scope.setdefault("state", {}), _address(scope)
        pages = self._pages
        if pages is not None and pages.cover(scope):
            state[SESSION], state[PRINCIPAL] = await self._visitor(pages, scope)
            if pages.signs_in(scope):
                await self._sign_in(address, scope, receive, send)
                return
        elif pages is not None and _listens(pages, scope):
            text, state[PRINCIPAL] = await self._visitor(pages, scope)
            if state[PRINCIPAL] is None:
                raise Unauthenticated("the session has expired; sign in again")
            state[STANDS] = partial(pages.sessions.principal, text)
        else:
            if pages is not None and await self._is_missing_page(pages, scope):
                raise NotFound("there is no page under this path")
            text = credential(scope)
            lookup = self._authenticator.principal
            state[PRINCIPAL] = await self._principal(text, address, self._failures, lookup)
            state[STANDS] = partial(lookup, text)
        await self._app(scope, receive, send)

    async def _is_missing_page(self, pages: WebPaths, scope: Scope) -> bool:
        """Return whether a signed-in person requests a page that does not exist.

        This prevents unauthenticated callers and programs from learning which pages exist.
        """
        if not wants_html(scope) or carries_credential(scope):
            return False
        _, who = await self._visitor(pages, scope)
        return who is not None

    async def _visitor(self, pages: WebPaths, scope: Scope) -> tuple[str, Principal | None]:
        """Return the browser session and its principal.

        The web interface itself asks unauthenticated callers to sign in.
        """
        text = session(scope)
        if text is None or not 0 < len(text) <= MAX_TOKENS:
            return "", None
        lookup = pages.sessions.principal
        try:
            return text, await self._principal(text, _address(scope), self._stale, lookup)
        except Unauthenticated:
            return "", None

    async def _sign_in(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Count invalid keys, tokens and links in the sign-in form as failures."""
        pause = 0.0

        async def counted(message: Message) -> None:
            nonlocal pause
            if message["type"] == "http.response.start" and message["status"] == UNKNOWN:
                pause = self._failures.take(address)
            if not pause:
                await send(message)

        await self._app(scope, receive, counted)
        if pause:
            raise _too_many(pause)

    async def _principal(
        self, text: str, address: str, failures: TokenBuckets, lookup: Callable[[str], Principal]
    ) -> Principal:
        digest = sha256(text.encode()).digest()
        # created here, because the limiters belong to the running event loop
        if self._limiters is None:
            self._limiters = CapacityLimiter(AT_ONCE), CapacityLimiter(SUSPECT_AT_ONCE)
        known = digest in self._known
        suspect = bool(failures.pause(address)) and not known
        try:
            principal = await to_thread.run_sync(lookup, text, limiter=self._limiters[suspect])
        except Unauthenticated:
            self._known.pop(digest, None)
            pause = failures.take(address)
            if pause and not known:
                raise _too_many(pause) from None
            raise  # the holder of a revoked key is informed that it was revoked
        self._remember(digest)
        return principal

    def _remember(self, digest: bytes) -> None:
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)


def _too_many(pause: float) -> RateLimited:
    return RateLimited("too many invalid keys or tokens from this address", retry_after=pause)


def credential(scope: Scope) -> str:
    """Return the key or token of a request.

    Raises:
        Unauthenticated: there is no key or token, or more than one, or its form is invalid.
    """
    found = {value.strip() for value in values(scope, b"x-api-key")}
    for value in values(scope, b"authorization"):
        scheme, _, rest = value.strip().partition(" ")
        found.add(rest.strip() if scheme.lower() in SCHEMES else "")
    if len(found) != 1:
        raise Unauthenticated("send one key or token: Authorization: Bearer, or X-API-Key")
    (text,) = found
    if not text or len(text) > MAX_TOKENS or not text.isascii() or not text.isprintable():
        raise Unauthenticated("this is not a key or token")
    return text


def _listens(pages: WebPaths, scope: Scope) -> bool:
    """Return whether a page of this server requests the event stream.

    Such a request is authenticated by the session of the person who is signed in.
    """
    is_stream = scope["path"] == pages.events and scope["method"] == "GET"
    return is_stream and not carries_credential(scope) and from_own_page(scope)


def carries_credential(scope: Scope) -> bool:
    """Return whether a request has a credential."""
    return bool(values(scope, b"authorization") or values(scope, b"x-api-key"))


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


class RateLimit(Guard):
    """Middleware that limits the rate of requests of each caller."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        super().__init__(app)
        self._buckets = TokenBuckets(options.rate, options.burst)

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request against its caller."""
        who: Principal | None = scope["state"][PRINCIPAL]
        pause = self._buckets.take((who.team, who.subject) if who else ("", _address(scope)))
        if pause:
            raise RateLimited("too many requests by this caller", retry_after=pause)
        await self._app(scope, receive, send)
