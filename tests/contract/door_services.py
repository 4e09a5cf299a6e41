"""Services on each engine for tests of doors, and their callers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memoranda.api.mcp.application import McpApplication
from memoranda.api.server.mounts import MCP, doors
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue
from memoranda.operations import Operation
from serving import InProcess

_NUMBERS = itertools.count(1)


@contextmanager
def service_on(engine: str, request: Any, folder: Path) -> Iterator[Service]:
    """Yield an empty service on an engine."""
    arguments: dict[str, Any] = {"data_dir": folder / "data", "embedder": "none"}
    stores = request.getfixturevalue("postgres_stores") if engine == "postgres" else None
    if stores:
        arguments["database_url"] = stores.url
    service = Service(load_settings(arguments, {}))
    try:
        yield service
    finally:
        service.close()
        if stores:
            stores.empty()


@dataclass
class Teams:
    """New teams for one test, which no other test sees."""

    number: int = field(default_factory=lambda: next(_NUMBERS))

    def __call__(self, principal: Principal) -> Principal:
        """Return a caller of the contract in a team of this test."""
        return replace(principal, team=f"{principal.team}-{self.number}")


@contextmanager
def served(service: Service) -> Iterator[InProcess]:
    """Serve every door with every tool, behind the guards, on a free port."""
    door = McpApplication(service)
    whole = replace(doors(service), mounts={MCP: door}, running=[door.running])
    server = InProcess(service, whole, rate=1e6, burst=1e6)
    server.keys.known = {}
    try:
        yield server
    finally:
        server.close()


def token(server: InProcess, principal: Principal) -> str:
    """Return a caller's token for the server."""
    text = f"token-of-{principal.team}-{principal.subject}"
    server.keys.known = {**server.keys.known, text: principal}
    return text


class ServiceTransport:
    """Calls a service in this process by operation name and JSON."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service, self._principal = service, principal

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Call an operation; arguments and results pass through JSON."""
        sent = json.loads(json.dumps(arguments))
        result: JsonValue = json.loads(
            json.dumps(self._service.call(self._principal, operation.name, sent), allow_nan=False)
        )
        return result

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
