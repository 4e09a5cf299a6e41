"""Servers to knock at: one in this process with a door of its own, and real ones beside it."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import forked_processes
import memoranda
from memoranda.api.server.access_log import RequestObserver
from memoranda.api.server.app import Interfaces, create_app
from memoranda.api.server.connection import Connection
from memoranda.api.server.limits import HEAD_BYTES, ServerOptions, local_hosts, local_origins
from memoranda.api.service import Service
from memoranda.exceptions import Unauthenticated
from memoranda.identity.principal import Principal, Role
from memoranda.json_data import parse_json

SOURCES = str(Path(memoranda.__file__).parents[1])
ADA = Principal("local", "ada", Role.MEMBER)
EVE = Principal("barn", "eve", Role.ADMIN)
KEYS = {"key-of-ada": ADA, "key-of-eve": EVE}
RPC = "/rpc"


class Keys:
    """Knows callers by a dictionary, and counts how often it was asked."""

    def __init__(self, known: Mapping[str, Principal] = KEYS) -> None:
        self.known = known
        self.asked = 0

    def principal(self, credential: str) -> Principal:
        """Return whom a key stands for."""
        self.asked += 1
        if credential not in self.known:
            raise Unauthenticated("this key or token is unknown")
        return self.known[credential]


def rpc_doors(service: Service) -> Interfaces:
    """Return doors with one that carries operations out by name, as JSON-RPC does."""

    async def call(request: Request) -> Response:
        value: Any = parse_json(await request.body())
        who = request.state.principal
        result = await run_in_threadpool(service.call, who, value["method"], value["params"])
        return JSONResponse({"jsonrpc": "2.0", "id": value["id"], "result": result})

    return Interfaces(routes=(Route(RPC, call, methods=["POST"]),))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said, as it came over the line."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of the error that it tells."""
        assert self.headers["content-type"] == "application/problem+json"
        result = self.json
        assert result["status"] == self.status
        assert result["request_id"] == self.headers.get("x-request-id", result["request_id"])
        return str(result["code"])


def head(method: str, path: str, **headers: str) -> bytes:
    """Return the head of a request; underscores in names of headers are hyphens."""
    lines = [f"{method} {path} HTTP/1.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def read_response(connection: socket.socket, seconds: float = 20.0) -> bytes:
    """Return everything that comes until the line is cut."""
    connection.settimeout(seconds)
    data = b""
    while True:
        try:
            piece = connection.recv(65_536)
        except ConnectionResetError:
            return data
        if not piece:
            return data
        data += piece


def answer_of(data: bytes, seconds: float = 0.0) -> Answer:
    """Read an answer that ends where the line was cut."""
    start, _, body = data.partition(b"\r\n\r\n")
    first, *lines = start.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Answer(int(first.split()[1]), headers, body, seconds)


def raw(port: int, *pieces: bytes, pause: float = 0.0) -> Answer:
    """Send bytes as they are; return what was answered when the line was cut."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        try:
            for number, piece in enumerate(pieces):
                if number:
                    time.sleep(pause)
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has said what it had to say
        return answer_of(read_response(connection), time.monotonic() - began)


def request_of(method: str, name: str, **params: Any) -> bytes:
    """Return the body of a call of an operation."""
    assert method == "call"
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": name, "params": params}).encode()


class InProcess:
    """A real server on a thread of this process, at a free port."""

    def __init__(
        self,
        service: Service,
        doors: Interfaces | None = None,
        head_seconds: float = 10.0,
        watching: RequestObserver | None = None,
        **limits: Any,
    ) -> None:
        """Start; ``limits`` replace those of its options."""
        self.keys = Keys()
        made = socket.socket()
        made.bind(("127.0.0.1", 0))
        self.port: int = made.getsockname()[1]
        self.options = ServerOptions(local_hosts(self.port), local_origins(self.port), **limits)
        self.service = service
        opened = doors or rpc_doors(service)
        app = create_app(service, self.keys, self.options, opened, watching)
        protocol = type("Impatient", (Connection,), {"head_seconds": head_seconds})
        config = uvicorn.Config(
            app, http=protocol, ws="none", lifespan="on", log_config=None, log_level="error",
            proxy_headers=False, server_header=False, access_log=False, timeout_keep_alive=30,
            h11_max_incomplete_event_size=HEAD_BYTES, timeout_graceful_shutdown=5,
        )  # fmt: skip
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.server.run, args=([made],), daemon=True)
        self._thread.start()
        while not self.server.started:
            assert self._thread.is_alive()
            time.sleep(0.005)

    @property
    def host(self) -> str:
        """What the Host header has to be."""
        return f"127.0.0.1:{self.port}"

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        key: str = "key-of-ada",
        **more: str,
    ) -> Answer:
        """Send a whole request as a well-behaved caller does."""
        headers = {"Host": self.host, "Connection": "close"}
        headers |= {"X_API_Key": key} if key else {}
        if body is not None:
            headers |= {"Content_Type": "application/json", "Content_Length": str(len(body))}
        return raw(self.port, head(method, path, **(headers | more)) + (body or b""))

    def call(self, name: str, key: str = "key-of-ada", **params: Any) -> Answer:
        """Carry an operation out."""
        return self.send("POST", RPC, request_of("call", name, **params), key)

    def close(self) -> None:
        """Stop as at SIGTERM."""
        self.server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()


def ticking(seconds: float = 30.0) -> Response:
    """Return a stream of events that goes on for long."""

    def events() -> Any:
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            yield b"data: tick\n\n"
            time.sleep(0.02)

    return StreamingResponse(events(), media_type="text/event-stream")


class Served:
    """A real server in processes of its own."""

    def __init__(
        self, data_dir: Path, port: int = 0, workers: int = 1, log: Path | None = None
    ) -> None:
        """Start, and wait until it is ready; ``log`` gets a line for each call."""
        words = ["--data-dir", str(data_dir), "--port", str(port), "--workers", str(workers)]
        words += ["--log-file", str(log)] if log else []
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        ours = {"PYTHONPATH": SOURCES, "MEMORANDA_EMBEDDER": "none"}
        began = time.monotonic()
        self.process = forked_processes.serve([*words, "--format", "json"], plain | ours)
        line = self.process.stdout.readline()
        assert line, f"exit {self.process.wait()}"
        self.seconds = time.monotonic() - began
        response = json.loads(line)
        self.port = int(response["url"].rpartition(":")[2])
        self.token = Path(response["token_file"]).read_text("ascii").strip()

    def call(self, name: str, **params: Any) -> Any:
        """Carry an operation out; return its result."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        try:
            connection.request("POST", RPC, request_of("call", name, **params), headers)
            answer = connection.getresponse()
            body = json.loads(answer.read())
        finally:
            connection.close()
        assert answer.status == 200, body
        return body["result"]

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Stop it; return its exit code."""
        self.process.send_signal(how)
        return self._ended()

    def kill(self) -> None:
        """Kill -9 all of it."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self._ended()

    def kill_parent(self) -> None:
        """Kill -9 the process that keeps watch over the others, or serves alone."""
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        code = self.process.wait(30)
        self.process.close()
        return code
