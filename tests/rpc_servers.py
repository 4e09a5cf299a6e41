"""A small server that answers JSON-RPC over HTTP for a service, for tests of what calls one."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError, Unauthenticated
from memoranda.identity.principal import Principal, owner

TOKEN = "owner-of-this-machine"
FIGURES = ("needed", "limit", "used", "retry_after")


@dataclass
class Answer:
    """What is sent back, when a test says it instead of the service."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    """End the connection without an answer."""


Script = Callable[[int, dict[str, Any]], Answer | None]


class RpcServer:
    """Answers callers by their tokens. ``script`` may answer in the place of the service."""

    def __init__(
        self,
        service: Service | None,
        principals: Callable[[str], Principal | None] = lambda _: owner(),
        script: Script | None = None,
        port: int = 0,
    ) -> None:
        self.asked: list[dict[str, Any]] = []
        """The messages that came."""
        self.headers: list[Mapping[str, str]] = []
        """And the headers of each."""
        self._service, self._principals, self._script = service, principals, script
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nobody any longer."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, token: str, message: dict[str, Any]) -> Answer:
        if self._script and (scripted := self._script(len(self.asked), message)):
            return scripted
        principal = self._principals(token)
        if principal is None:
            return _problem(Unauthenticated())
        assert self._service is not None
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = self._service.call(principal, message["method"], message["params"])
        except MemorandaError as error:
            figures = {name: value for name in FIGURES if (value := getattr(error, name, None))}
            data = {"code": error.code, "detail": figures}
            reply["error"] = {"code": error.rpc_code, "message": str(error), "data": data}
        return Answer(body=json.dumps(reply).encode())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                message = json.loads(body)
                server.asked.append(message)
                server.headers.append(dict(self.headers))
                answer = server._answer(token, message)
                if answer.cut:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def _problem(error: MemorandaError) -> Answer:
    body = {"status": error.http_status, "code": error.code, "detail": str(error)}
    return Answer(error.http_status, json.dumps(body).encode())


@contextmanager
def serving(server: RpcServer) -> Iterator[RpcServer]:
    """Run a server for a while."""
    server.start()
    try:
        yield server
    finally:
        server.stop()


def main() -> None:
    """Serve a data directory to its owner until killed; the first line told is the address."""
    data_dir = Path(sys.argv[1])
    service = Service(load_settings({"data_dir": data_dir}))
    (data_dir / "token").write_text(TOKEN)
    server = RpcServer(service, lambda token: owner() if token == TOKEN else None)
    server.start()
    sys.stdout.write(json.dumps({"url": server.url}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
