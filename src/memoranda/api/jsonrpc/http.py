"""The route POST /rpc.

The caller is already authenticated; the route reads ``request.state.principal``.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.jsonrpc.requests import MAX_BODY
from memoranda.api.jsonrpc.trace_ids import of_headers
from memoranda.api.service import Service

PATH = "/rpc"


def http_route(service: Service) -> Route:
    """Return the route of JSON-RPC over HTTP.

    Every response has the status 200, even if it reports an error; requests that expect no response
    get 204.
    """
    endpoint = JsonRpcEndpoint(service)

    async def rpc(request: Request) -> Response:
        try:
            body = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)  # the caller has disconnected
        trace = of_headers(request.headers)
        answer = await run_in_threadpool(endpoint.answer, request.state.principal, body, trace)
        if answer is None:
            return Response(status_code=204)
        return Response(answer, media_type="application/json")

    return Route(PATH, rpc, methods=["POST"])


async def _body(request: Request) -> bytes:
    """Return the body, or enough of it to prove that it is too long."""
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > MAX_BODY:
            break
    return bytes(parts)
