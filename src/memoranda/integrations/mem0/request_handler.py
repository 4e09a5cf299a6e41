"""Handler of mem0 requests: parses, runs in a thread, responds in JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memoranda.api.service import Service
from memoranda.exceptions import InvalidInput
from memoranda.integrations.mem0.operations import Mem0Memories
from memoranda.json_data import JsonValue, dump_json, parse_exact_json

PREFIX = "/mem0"
Work = Callable[[Mem0Memories, Request, bytes], JsonValue]


def serving(service: Service, routes: Sequence[tuple[str, str, Work]]) -> list[Route]:
    """Return routes that run functions at methods and paths."""
    result = []
    for method, path, work in routes:
        route = Route(PREFIX + path, _answer(service, work))
        route.methods = {method}  # without HEAD, which mem0 does not have either
        result.append(route)
    return result


def _answer(service: Service, work: Work) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        body = await request.body()
        memories = Mem0Memories(service, request.state.principal)
        result = await run_in_threadpool(work, memories, request, body)
        return Response(dump_json(result), media_type="application/json")

    return answer


def body_of(body: bytes) -> dict[str, Any]:
    """Parse a body as an object; an empty body is an empty object.

    Raises:
        InvalidInput: the body is not an object.
    """
    result = parse_exact_json(body) if body.strip() else {}
    if not isinstance(result, dict):
        raise InvalidInput("the body must be a JSON object")
    return result


def number_of(value: object, default: int, most: int) -> int:
    """Return a number between 1 and ``most``.

    Raises:
        InvalidInput: the value is not such a number.
    """
    if value is None:
        return default
    digits = str(value)
    if not (digits.isascii() and digits.isdecimal() and 1 <= int(digits[:9]) <= most):
        raise InvalidInput(f"a number from 1 to {most:,}, not {digits[:40]!r}")
    return int(digits)
