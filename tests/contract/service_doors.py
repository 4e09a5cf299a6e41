"""Services to try doors on, on each engine, and who may come in."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

from memoranda.config import load_settings
from memoranda.operations import Operation
from memoranda.service import Service
from memoranda.testing.service_callers import PRINCIPALS
from memoranda.values.json import JsonValue
from memoranda.values.principal import Principal

TOKENS = {f"token-of-{one.subject}": one for one in PRINCIPALS}


def token(principal: Principal) -> str:
    """What proves that somebody is who they are."""
    return f"token-of-{principal.subject}"


@contextmanager
def service_on(engine: str, request: Any, tmp_path: Path) -> Iterator[Service]:
    """Give an empty service on an engine."""
    given: dict[str, Any] = {"data_dir": tmp_path / "data", "embedder": "none"}
    stores = request.getfixturevalue("postgres_stores") if engine == "postgres" else None
    if stores:
        given["database_url"] = stores.url
    else:
        given["data_dir"].mkdir(mode=0o700)
        copy(request.getfixturevalue("empty_store"), given["data_dir"])
    service = Service(load_settings(given, {}))
    try:
        yield service
    finally:
        service.close()
        if stores:
            stores.empty()


class HttpDoor:
    """JSON-RPC over HTTP by its own route, for one service after another.

    One server serves them all: to start and to stop it takes longer than most tests.
    """

    def __init__(self) -> None:
        """Nobody is let in before there is a service."""
        self._application: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand a request to the service of the moment."""
        await self._application(scope, receive, send)

    @contextmanager
    def opened_to(self, service: Service) -> Iterator[None]:
        """Let callers in to a service."""
        self._application = _application(service)
        try:
            yield
        finally:
            self._application = None


@contextmanager
def served(door: HttpDoor) -> Iterator[str]:
    """Serve a door; give its address."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(door, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _application(service: Service) -> Any:
    from fastapi import FastAPI, Request, Response

    from memoranda.jsonrpc.http import router

    application = FastAPI()
    application.include_router(router(service))

    @application.middleware("http")
    async def known(request: Request, go_on: Any) -> Response:
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        if shown not in TOKENS:
            return Response(status_code=401)
        request.state.principal = TOKENS[shown]
        answer: Response = await go_on(request)
        return answer

    return application


class ServiceTransport:
    """Calls a service in this process by name and JSON, as every door does in the end."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service, self._principal = service, principal

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Carry it out, with JSON that is JSON at both ends."""
        given = json.loads(json.dumps(arguments))
        result: JsonValue = json.loads(
            json.dumps(self._service.call(self._principal, operation.name, given), allow_nan=False)
        )
        return result

    def close(self) -> None:
        """There is nothing to let go of."""
