"""Which doors a server has."""

from __future__ import annotations

from importlib.util import find_spec

from memoranda.jsonrpc import http as rpc
from memoranda.rest import router as rest
from memoranda.server.app import Doors
from memoranda.server.deferred import Deferred, Door
from memoranda.service import Service

MCP = "/mcp"


def doors(service: Service) -> Doors:
    """Return everything that is served of a service, behind the guards; the Model Context Protocol
    where its package is installed."""
    routers = [(rest.PREFIX, rest.router(service)), ("", rpc.router(service))]
    if find_spec("mcp") is None:
        return Doors(routers=routers, streams=rest.STREAMS)
    door = Deferred(lambda: _mcp(service))
    return Doors(routers, {MCP: door}, rest.STREAMS, [door.running])


def _mcp(service: Service) -> Door:
    from memoranda.mcp import application  # a third of what a server takes to load

    return application.Door(service)
