"""Endpoint of a route, which calls the operation for a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from memoranda.api.rest import idempotency as repeats, preconditions as conditions
from memoranda.api.rest.arguments import request_arguments
from memoranda.api.rest.problem_details import problem
from memoranda.api.rest.routes import RestRoute
from memoranda.api.service import Service
from memoranda.exceptions import (
    InvalidInput,
    MemorandaError,
    Overloaded,
    StorageBusy,
    StorageFull,
    UserError,
)
from memoranda.identity.principal import Principal
from memoranda.instrumentation import recording_calls
from memoranda.json_data import JsonValue, dump_json
from memoranda.operations import operation

DOOR = "rest"
"""Name of this interface in the call statistics."""
JSON = "application/json"
DID_NOTHING = (UserError, Overloaded, StorageBusy, StorageFull)
"""Identifier of the current state of the resource."""


class OperationEndpoint:
    """Endpoint that runs one route's operation for authorised callers."""

    def __init__(self, service: Service, route: RestRoute) -> None:
        self._service = service
        self._route = route

    async def answer(self, request: Request) -> Response:
        """Return the response to a request.

        Errors that the caller can correct are responses too.
        """
        body = await request.body()
        return await answered(request, lambda: self._answer(request, body))

    def _answer(self, request: Request, body: bytes) -> Response:
        with recording_calls(self._service.calls, DOOR, self._route.operation.name):
            return self._carry_out(request, body)

    def _carry_out(self, request: Request, body: bytes) -> Response:
        principal: Principal = request.state.principal
        operation(self._route.operation.name, principal.role)  # before the request is parsed
        query = request.query_params.multi_items()
        named = request_arguments(self._route, request.path_params, query, body)
        key = request.headers.get(repeats.HEADER)
        if key is None or not self._route.repeatable:
            result = self._call(request, principal, named)
            return self._response(request, result)
        content = dump_json([self._route.method, request.url.path, named]).encode()
        return self._once(request, principal, named, repeats.IdempotentRequest(
            self._service, principal, key, content
        ))  # fmt: skip

    def _once(
        self,
        request: Request,
        principal: Principal,
        named: dict[str, JsonValue],
        repeat: repeats.IdempotentRequest,
    ) -> Response:
        if before := repeat.begin():
            headers = {"Idempotency-Replayed": "true"}
            return Response(before.body, before.status, headers, JSON)
        try:
            result = self._call(request, principal, named)
        except DID_NOTHING:
            repeat.release()
            raise
        secret = self._route.operation.secret
        repeat.finish(self._route.status, dump_json(result), secret=secret)
        return self._response(request, result)

    def _call(
        self, request: Request, principal: Principal, named: dict[str, JsonValue]
    ) -> JsonValue:
        if (state := request.headers.get("If-Match")) is not None:
            if not self._route.changes:
                raise InvalidInput("If-Match is for changes; to read, send If-None-Match")
            named = conditions.with_precondition(
                self._service, principal, self._route, named, state
            )
        return self._service.call(principal, self._route.operation.name, named)

    def _response(self, request: Request, result: JsonValue) -> Response:
        headers = {}
        if self._route.mark and self._route.method == "GET":
            tag = conditions.tag_of(self._route.mark, result)
            headers["ETag"] = f'"{tag}"'
            etags = request.headers.get("If-None-Match")
            if etags is not None and {tag, "*"} & set(conditions.tags(etags)):
                return Response(status_code=304, headers=headers)
        if following := _following(request, self._route, result):
            headers["Link"] = following
        return Response(dump_json(result), self._route.status, headers, JSON)


async def answered(request: Request, work: Callable[[], Response]) -> Response:
    """Run synchronous work in a thread; return caller errors as problems.

    Caller errors are those that the caller can correct. Server errors are propagated, to be
    reported and logged by the outer layers.
    """
    try:
        return await run_in_threadpool(work)
    except MemorandaError as error:
        if error.http_status >= 500:
            raise
        return problem(error, request_id(request), headers=_headers(error))


def request_id(request: Request) -> str:
    """Return the id that the guards assigned to a request."""
    return str(getattr(request.state, "request_id", ""))


def _headers(error: MemorandaError) -> Mapping[str, str]:
    wait = error.retry_after if isinstance(error, repeats.RequestInProgress) else None
    return {"Retry-After": str(wait)} if wait else {}


def _following(request: Request, route: RestRoute, result: JsonValue) -> str:
    """Return the URL of the next page of a list.

    Empty if there is no next page, or the next page has no URL.
    """
    if not (route.method == "GET" and isinstance(result, dict) and result.get("cursor")):
        return ""
    query = [pair for pair in request.query_params.multi_items() if pair[0] != "cursor"]
    query.append(("cursor", str(result["cursor"])))
    return f'<{request.url.path}?{urlencode(query)}>; rel="next"'
