"""A server on this machine that speaks as a provider does, or as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass
class Answer:
    """What is sent back in place of the usual."""

    status: int
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None
    """What happens before it is sent."""

    def __str__(self) -> str:
        return f"{self.status} {str(self.body)[:40]}"


@dataclass
class Request:
    """What was asked."""

    path: str
    key: str | None
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    """By their names in lower case."""


class _Listening(ThreadingHTTPServer):
    request_queue_size = 128  # who comes with many others is not turned away


class ScriptedServer:
    """Answers with scripted answers first, one a request, then as usual."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Listening(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def usual(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return what a provider answers to a request."""
        raise NotImplementedError

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        key = handler.headers.get("Authorization")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(Request(handler.path, key, body, headers))
        if self.answers:
            answer = self.answers.pop(0)
        else:
            answer = Answer(200, self.usual(handler.path, body))
        answer.before()
        data = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        handler.send_response_only(answer.status)
        for name, value in ({"Content-Length": str(len(data))} | answer.headers).items():
            handler.send_header(name, value)
        with suppress(ConnectionError):  # who asked may have gone
            handler.end_headers()
            handler.wfile.write(data.encode())
