"""Services to try doors on, on each engine, and who may come in."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memoranda.config import load_settings
from memoranda.operations import Operation
from memoranda.service import Service
from memoranda.testing.service_callers import PRINCIPALS
from memoranda.values.json import JsonValue
from memoranda.values.principal import Principal
from rpc_servers import RpcServer, serving

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
    service = Service(load_settings(given, {}))
    try:
        yield service
    finally:
        service.close()
        if stores:
            stores.empty()


@contextmanager
def over_http(service: Service) -> Iterator[str]:
    """Serve JSON-RPC over HTTP by its own route, where there is one; give the address."""
    if find_spec("memoranda.jsonrpc.http") is None:
        with serving(RpcServer(service, TOKENS.get)) as stand_in:
            yield stand_in.url
        return
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(_application(service), log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _application(service: Service) -> Any:
    from fastapi import FastAPI, Request, Response

    application = FastAPI()
    application.include_router(import_module("memoranda.jsonrpc.http").router(service))

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
