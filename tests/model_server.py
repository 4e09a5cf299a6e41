"""A model server on loopback whose answers are scripts.

It speaks the streaming protocols that coding agents use: Anthropic Messages, OpenAI Responses and
Gemini streamGenerateContent. A script is chosen by the newest prompt that contains its text, and
its turn by the number of model turns since that prompt, so a request that is repeated gets the
same answer. Every request is kept for the test to read.

    with ModelServer([Script("fix the test", (Turn(Call("Bash", {"command": "make test"})),
                                              Turn(Text("Fixed."))))]) as server:
        run_agent(base_url=server.url)
        assert "fix the test" in server.requests[0].text
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from types import TracebackType
from typing import Any

from model_protocols import PROTOCOLS, Body, Call, Entry, Protocol, Stall, Text, Turn

__all__ = ["Call", "ModelServer", "Request", "Script", "Stall", "Text", "Turn"]

HOST_TEXT = re.compile(
    r"<(system-reminder|session_context|hook_context|environment_context|memoranda-context)\b.*?</\1>",
    re.DOTALL,
)
"""What a host puts around a prompt; it may quote earlier prompts."""


@dataclass(frozen=True, slots=True)
class Script:
    """Turns for the prompts that contain a text; the last turn serves all further requests."""

    prompt: str
    turns: Sequence[Turn | Callable[[str], Turn]]
    """A function makes its turn of the whole conversation, as JSON."""
    tools: bool = True
    """Whether it serves requests that offer tools, or those that offer none."""


@dataclass(frozen=True, slots=True)
class Request:
    """What an agent sent."""

    path: str
    body: Body
    prompt: str
    """The text of the script that answers it; empty for none."""
    step: int
    """The number of model turns since that prompt."""
    tools: bool
    time: float
    """Seconds since the epoch."""

    @property
    def text(self) -> str:
        """Everything that was sent, as JSON."""
        return json.dumps(self.body, ensure_ascii=False)


NO_SCRIPT = Turn(Text("There is no script for this prompt."))
JSON_ANSWER = Turn(
    Text(
        '{"title": "A session", "next_speaker": "user", "reasoning": "none",'
        ' "complexity_reasoning": "none", "complexity_score": 50}'
    )
)
"""For a host's own questions, which ask for JSON and offer no tools."""


@dataclass(slots=True)
class ModelServer:
    """Serves its scripts on a free port of this machine until it is closed."""

    scripts: Sequence[Script]
    requests: list[Request] = field(default_factory=list)
    stalled: threading.Event = field(default_factory=threading.Event)
    """Set when a request waits for an answer that never comes."""
    _closed: threading.Event = field(default_factory=threading.Event)
    _http: ThreadingHTTPServer = field(init=False)

    def __enter__(self) -> ModelServer:
        """Start to serve."""
        handler = type("Bound", (_Handler,), {"model": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop, and let go of requests that wait."""
        self._closed.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def answer(self, path: str, body: Body, protocol: Protocol) -> Turn:
        """Keep a request and return the turn that its script gives."""
        tools = bool(body.get("tools"))
        script, step = self._place(list(protocol.conversation(body)), tools=tools)
        prompt = script.prompt if script else ""
        self.requests.append(Request(path, body, prompt, step, tools, time.time()))
        if script is None:
            return NO_SCRIPT if tools else JSON_ANSWER
        turn = script.turns[min(step, len(script.turns) - 1)]
        if not isinstance(turn, Turn):
            return turn(self.requests[-1].text)
        if isinstance(turn, Stall):
            self.stalled.set()
            self._closed.wait()
        return turn

    def _place(self, entries: list[Entry], *, tools: bool) -> tuple[Script | None, int]:
        step = 0
        for model, group in groupby(reversed(entries), lambda entry: entry.model):
            if model:
                step += 1
                continue
            for entry in group:
                text = HOST_TEXT.sub("", entry.text)
                for script in self.scripts:
                    if script.tools == tools and script.prompt in text:
                        return script, step
        return None, 0


class _Handler(BaseHTTPRequestHandler):
    model: ModelServer

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Answer what hosts look at before they begin."""
        self._json({"data": [], "models": [], "object": "list"})

    def do_POST(self) -> None:
        """Stream the scripted turn, or answer a question beside it."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        path, body = self.path.partition("?")[0], json.loads(data or b"{}")
        for protocol in PROTOCOLS:
            if protocol.path.search(path):
                return self._stream(protocol, body, self.model.answer(path, body, protocol))
        tokens = len(data) // 4
        return self._json({"input_tokens": tokens, "totalTokens": tokens})

    def _stream(self, protocol: Protocol, body: Body, turn: Turn) -> None:
        number = f"{len(self.model.requests)}x{time.time_ns() % 10**9}"
        events = protocol.events(turn, number, body)
        if not protocol.named and "stream" not in self.path:
            return self._json(next(events)[1])
        lines = []
        for name, event in events:
            named = {"type": name, **event} if protocol.named else event
            lines.append(f"event: {name}\n" if protocol.named else "")
            lines.append(f"data: {json.dumps(named)}\n\n")
        return self._send("text/event-stream", "".join(lines).encode())

    def _json(self, body: Body) -> None:
        self._send("application/json", json.dumps(body).encode())

    def _send(self, kind: str, data: bytes) -> None:
        try:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the agent was killed
