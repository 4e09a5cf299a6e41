"""The route POST /rpc.

The caller is already authenticated; the route reads ``request.state.principal``.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.jsonrpc.requests import MAX_BODY
from memoranda.api.jsonrpc.trace_ids import of_headers
from memoranda.api.service import Service

PATH = "/rpc"


def router(service: Service) -> APIRouter:
    """Return the route of JSON-RPC over HTTP.

    Every response has the status 200, even if it reports an error; requests that expect no response
    get 204.
    """
    endpoint, result = JsonRpcEndpoint(service), APIRouter()

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

    result.add_api_route(PATH, rpc, methods=["POST"], include_in_schema=False)
    return result


async def _body(request: Request) -> bytes:
    """Return the body, or enough of it to prove that it is too long."""
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > MAX_BODY:
            break
    return bytes(parts)
