"""Health checks of the server.

Without a key or token, they report only whether the server is up or ready.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

from anyio import CapacityLimiter, to_thread
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memoranda.api.server.authentication import carries_credential
from memoranda.api.server.base_guard import Guard
from memoranda.api.service import Service
from memoranda.exceptions import MemorandaError, StorageBusy
from memoranda.json_data import JsonValue
from memoranda.version import __version__
from memoranda.workspaces import table as workspaces

LIVE = "/healthz"
READY = "/readyz"
OPEN = frozenset({LIVE, READY})
SAME_FOR = 0.5
"""Seconds for which a result is reused, so that frequent checks are cheap."""
ANSWER_SECONDS = 1.5
"""Maximum seconds that a check waits for the store, which may itself wait for a database server."""


class Readiness:
    """Check whether the store responds."""

    def __init__(self, service: Service, clock: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._clock = clock
        self._found: tuple[float, str] | None = None
        self._looking: asyncio.Task[str] | None = None

    async def trouble(self) -> str:
        """Return the error code of a server that is not ready; empty if ready."""
        if self._found is None or self._clock() - self._found[0] > SAME_FOR:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._looked())
            done, _ = await asyncio.wait({self._looking}, timeout=ANSWER_SECONDS)
            found = self._looking.result() if done else StorageBusy.code
            self._found = (self._clock(), found)
        return self._found[1]

    async def _looked(self) -> str:
        return await to_thread.run_sync(self._look, limiter=CapacityLimiter(1))

    def _look(self) -> str:
        services = self._service.home
        try:
            services.database.read(lambda tx: workspaces.listed(tx, services.settings.team, "", 1))
        except MemorandaError as error:
            return error.code
        return ""


class HealthGuard(Guard):
    """Middleware for the two public health checks.

    Requests with a key or token are passed on to the routes, which report details.
    """

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        super().__init__(app)
        self._readiness = readiness

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to callers without credentials."""
        is_probe = scope["path"] in OPEN and scope["method"] in ("GET", "HEAD")
        if not is_probe or carries_credential(scope):
            await self._app(scope, receive, send)
            return
        ready = scope["path"] == LIVE or not await self._readiness.trouble()
        await answer(ready)(scope, receive, send)


def answer(ready: bool, details: dict[str, JsonValue] | None = None) -> Response:
    """Return the health response, with details only for authenticated callers."""
    fields = {"status": "ok" if ready else "not ready", **(details or {})}
    return JSONResponse(fields, 200 if ready else 503, None if ready else {"Retry-After": "1"})


async def described(readiness: Readiness) -> Response:
    """Return the state of this process, for authenticated callers."""
    trouble = await readiness.trouble()
    details: dict[str, JsonValue] = {
        "version": __version__,
        "process": os.getpid(),
        "store": trouble or "ok",
    }
    return answer(not trouble, details)
