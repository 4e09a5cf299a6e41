"""Simulate many callers of one server with pauses between requests.

Runs as a separate program: reads a plan as JSON from standard input and writes the results to
standard output. It uses plain sockets under asyncio, so that the client costs a small part of what
the server does.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote, urlencode

API = "/api/v1"
LONGEST_PAUSE = 25.0
"""Seconds; a server closes connections that are idle for more than 30."""
PATIENCE = 60.0
"""Seconds after which an answer counts as missing."""
BROKEN = 0
"""Status of a request without an answer."""
SHARES = {
    "search": 40,
    "context": 15,
    "memory list": 15,
    "memory show": 15,
    "block show": 5,
    "remember": 5,
    "observe": 3,
    "block edit": 2,
}
WRITES = frozenset({"remember", "observe", "block edit"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What the callers are to do."""

    port: int
    token: str
    callers: int
    seconds: float
    think: float
    """Mean seconds between an answer and the next request; 0: no pause."""
    texts: list[str]
    ids: list[str]
    workspaces: list[str]
    seed: int
    once: bool = False
    """One request from each caller, all at the same moment."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request and its answer."""

    operation: str
    at: float
    """Seconds after the start."""
    seconds: float
    status: int


@dataclass(frozen=True, slots=True)
class Request:
    """One request before it is sent."""

    method: str
    path: str
    body: dict[str, Any] | None = None


class Line:
    """A persistent connection, reopened when it is closed."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: Request) -> int:
        """Send a request; return the status when the whole answer is read."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._answered(request)
        except (OSError, EOFError, TimeoutError):
            self.close()
            return BROKEN

    def close(self) -> None:
        """Close the connection."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def open(self) -> None:
        """Connect unless connected."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._plan.port)

    async def _answered(self, request: Request) -> int:
        await self.open()
        assert self._streams is not None
        reader, writer = self._streams
        writer.write(self._written(request))
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next((line[15:] for line in lines if line.startswith("content-length:")), "0")
        await reader.readexactly(int(length))
        if "connection: close" in lines:
            self.close()
        return int(lines[0].split()[1])

    def _written(self, request: Request) -> bytes:
        body = b"" if request.body is None else json.dumps(request.body).encode()
        lines = [
            f"{request.method} {API}{request.path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._plan.port}",
            f"Authorization: Bearer {self._plan.token}",
        ]
        if request.body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Caller:
    """One caller, which sends requests with pauses in between."""

    def __init__(self, plan: Plan, number: int, seen: list[Seen]) -> None:
        self._plan = plan
        self._number = number
        self._seen = seen
        self._dice = random.Random(f"{plan.seed}-{number}")
        self._line = Line(plan)
        self._workspace = plan.workspaces[number % len(plan.workspaces)]
        self._said = 0

    async def connect(self) -> None:
        """Connect, and create this caller's block if it does not exist."""
        value = {"label": self._label, "value": "Nothing is known yet."}
        body = {"block": value, "workspace": self._workspace}
        status = await self._line.ask(Request("POST", "/blocks", body))
        if status not in (201, 409):
            raise SystemExit(f"no block could be made: {status}")

    async def run(self, began: float) -> None:
        """Send requests until the time is up, or one only."""
        plan = self._plan
        names, weights = list(SHARES), list(SHARES.values())
        if plan.think:
            await asyncio.sleep(self._dice.uniform(0, min(plan.think, plan.seconds)))
        while time.perf_counter() - began < plan.seconds:
            (name,) = self._dice.choices(names, weights)
            sent = time.perf_counter()
            status = await self._line.ask(self._request(name))
            took = time.perf_counter() - sent
            self._seen.append(Seen(name, sent - began, took, status))
            if plan.once:
                break
            if plan.think:
                pause = min(self._dice.expovariate(1 / plan.think), LONGEST_PAUSE)
                left = plan.seconds - (time.perf_counter() - began)
                await asyncio.sleep(max(0.0, min(pause, left)))
        self._line.close()

    @property
    def _label(self) -> str:
        return f"notes-{self._number % 100}"

    def _request(self, name: str) -> Request:
        where = {"workspace": self._workspace}
        self._said += 1
        fresh = f"{self._question()} ({self._plan.seed}-{self._number}-{self._said})"
        if name == "search":
            scope = where if self._dice.random() < 0.5 else {}
            return _get("/search", query=self._question(), limit="10", **scope)
        if name == "context":
            return _get("/context", query=self._question(), budget="1500", **where)
        if name == "memory list":
            return _get("/memories", limit="20", **where)
        if name == "memory show":
            return _get(f"/memories/{self._dice.choice(self._plan.ids)}")
        if name == "block show":
            return _get(f"/blocks/{quote(self._label)}", **where)
        if name == "remember":
            return Request("POST", "/memories", {"statement": fresh, **where})
        if name == "observe":
            body = {"content": fresh, "task": f"task-{self._number}", **where}
            return Request("POST", "/observations", body)
        body = {"text": fresh, **where}
        return Request("PUT", f"/blocks/{quote(self._label)}/value", body)

    def _question(self) -> str:
        words = self._dice.choice(self._plan.texts).rstrip(".").split()
        return " ".join(self._dice.sample(words, min(len(words), self._dice.randint(2, 6))))


def _get(path: str, **query: str) -> Request:
    return Request("GET", f"{path}?{urlencode(query)}" if query else path)


async def _carried_out(plan: Plan) -> list[Seen]:
    seen: list[Seen] = []
    callers = [Caller(plan, number, seen) for number in range(plan.callers)]
    for caller in callers[:100]:  # callers beyond this number share blocks
        await caller.connect()
    began = time.perf_counter()
    await asyncio.gather(*(caller.run(began) for caller in callers))
    return seen


def main() -> None:
    """Carry out the plan."""
    plan = Plan(**json.load(sys.stdin))
    seen = asyncio.run(_carried_out(plan))
    json.dump({"seen": [asdict(one) for one in seen], "cpu": time.process_time()}, sys.stdout)


if __name__ == "__main__":
    main()
