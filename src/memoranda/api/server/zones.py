"""The zone that dates of a request are in, where it names one."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from memoranda.api.server.requests import Guard, values
from memoranda.time_zone_names import HEADER, zone_of
from memoranda.time_zones import client_zone

_HEADER = HEADER.lower().encode()


class TimeZoneGuard(Guard):
    """Has dates be read and shown in the zone of ``Time-Zone``; without it, in the server's."""

    async def look(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the header, then hand the request on."""
        named = values(scope, _HEADER)
        if not named:
            await self._app(scope, receive, send)
            return
        with client_zone(zone_of(",".join(named))):
            await self._app(scope, receive, send)
