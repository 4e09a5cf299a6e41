"""Middleware that applies a request's ``Time-Zone`` header to its dates."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from memoranda.api.server.requests import Guard, values
from memoranda.time_zone_names import HEADER, zone_of
from memoranda.time_zones import client_zone

_HEADER = HEADER.lower().encode()


class TimeZoneGuard(Guard):
    """Reads and shows dates in the zone of ``Time-Zone``, else the server's."""

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the header, then pass the request on."""
        named = values(scope, _HEADER)
        if not named:
            await self._app(scope, receive, send)
            return
        with client_zone(zone_of(",".join(named))):
            await self._app(scope, receive, send)
