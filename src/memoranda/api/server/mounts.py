"""The interfaces that a server mounts behind its guards."""

from __future__ import annotations

from importlib.util import find_spec

from memoranda.api.jsonrpc import http as rpc
from memoranda.api.rest import router as rest
from memoranda.api.server.app import Interfaces
from memoranda.api.server.lazy_app import LazyApp, RunnableApp
from memoranda.api.server.page_guards import WebPaths
from memoranda.api.service import Service
from memoranda.integrations.mem0 import (
    hosted_routes as mem0,
    open_source_routes as mem0_open_source,
)

MCP = "/mcp"


def doors(service: Service) -> Interfaces:
    """Return all interfaces of a service that are behind the guards.

    The Model Context Protocol and the web interface are included if their packages are installed.
    """
    routes = [
        *rest.http_routes(service),
        rpc.http_route(service),
        *mem0.http_routes(service),
        *mem0_open_source.http_routes(service),
    ]
    pages = None
    if find_spec("jinja2") is not None:
        from memoranda.web import dispatcher as web

        routes += web.http_routes(service)
        pages = pages_of(service)
    if find_spec("mcp") is None:
        return Interfaces(routes, streams=rest.STREAMS, pages=pages)
    door = LazyApp(lambda: _mcp(service))
    return Interfaces(routes, {MCP: door}, rest.STREAMS, [door.running], pages)


def pages_of(service: Service) -> WebPaths:
    """Return what guards need to know about the web interface."""
    from memoranda.web import dispatcher as door, error_pages as trouble

    events = f"{rest.PREFIX}/events"
    return WebPaths(
        door.paths(), door.SIGN_IN, events, service.home.sessions, trouble.plain_error_page
    )


def _mcp(service: Service) -> RunnableApp:
    from memoranda.api.mcp import application  # a third of a server's load time

    return application.McpApplication(service)
