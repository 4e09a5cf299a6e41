"""Calls at every door of a server, of which it is known what they are counted as.

Each carries marks: words and keys that must turn up in no figure and in no line of a log.
"""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

WORD, KEY, NAME = "quokkaspoon", "sk-proj-Hq7Zr2Xw9Lk4Vn8Tb3Ym6Pd1Sf5Gj0Ac", "wombatfork"
MARKS = (WORD, KEY, NAME)
Counted = tuple[str, str, str]
"""Door, operation and outcome."""
REST = "/api/v1"
JSON = "application/json"
EACH = 40
"""Calls on one connection; several connections reach several processes."""


@dataclass(frozen=True, slots=True)
class Knock:
    """One request, and the calls that it is."""

    method: str
    path: str
    body: str | None
    counted: tuple[Counted, ...]
    status: int
    kind: str = JSON


def rpc(method: str, params: object, outcome: str = "ok", known: bool = True) -> Knock:
    """Return a call by JSON-RPC."""
    body = json.dumps({"jsonrpc": "2.0", "id": NAME, "method": method, "params": params})
    return Knock("POST", "/rpc", body, (("rpc", method if known else "unknown", outcome),), 200)


def mcp(method: str, params: object, *counted: Counted) -> Knock:
    """Return a message of the Model Context Protocol, without a session before it."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return Knock("POST", "/mcp", body, counted, 200)


def tool(name: str, arguments: object, outcome: str = "ok", known: bool = True) -> Knock:
    """Return a call of a tool."""
    counted = ("mcp", name if known else "unknown", outcome)
    return mcp("tools/call", {"name": name, "arguments": arguments}, counted)


def rest(method: str, path: str, body: str | None, status: int, *counted: Counted) -> Knock:
    """Return a request to the REST routes."""
    return Knock(method, f"{REST}{path}", body, counted, status)


STATED = {"statement": f"The {WORD} opens with {KEY}.", "workspace": NAME}
BATCH = [
    {"jsonrpc": "2.0", "id": 1, "method": "search", "params": {"query": WORD}},
    {"jsonrpc": "2.0", "id": 2, "method": "memories.show", "params": {"id": WORD}},
]
KNOCKS: Sequence[Knock] = (
    rest("GET", "/tasks", None, 200, ("rest", "tasks.list", "ok")),
    rest("GET", f"/tasks?{WORD}=1", None, 422, ("rest", "tasks.list", "invalid")),
    rest("GET", f"/tasks/{WORD}", None, 404, ("rest", "tasks.show", "not_found")),
    rest("GET", f"/search?query={WORD}+{KEY}", None, 200, ("rest", "search", "ok")),
    rest("POST", "/memories", json.dumps(STATED), 201, ("rest", "remember", "ok")),
    rest("POST", "/memories", f'{{"{WORD}":"{KEY}"}}', 422, ("rest", "remember", "invalid")),
    rest("POST", "/memories", f'{{"statement": {KEY}', 422, ("rest", "remember", "invalid")),
    rest("GET", f"/{WORD}/{NAME}", None, 404),
    Knock("POST", f"{REST}/memories", WORD, (), 415, "text/plain"),
    rpc("search", {"query": f"{WORD} {KEY}"}),
    rpc("remember", STATED),
    rpc("memory.get_critical_memories", {}),
    rpc("search", {"query": [WORD, KEY]}, "invalid"),
    rpc("memories.show", {"id": WORD}, "not_found"),
    rpc(f"{WORD}.{KEY}", {}, "method_not_found", known=False),
    Knock("POST", "/rpc", f'{{"{WORD}', (("rpc", "unknown", "parse_error"),), 200),
    Knock("POST", "/rpc", json.dumps(BATCH),
          (("rpc", "search", "ok"), ("rpc", "memories.show", "not_found")), 200),
    tool("search", {"query": f"{WORD} {KEY}"}),
    tool("remember", {"content": STATED["statement"]}),
    tool("search", {WORD: KEY}, "invalid"),
    tool("get", {"ref": WORD}, "not_found"),
    tool(WORD, {KEY: NAME}, "not_found", known=False),
    mcp("resources/read", {"uri": f"memoranda://{WORD}"}, ("mcp", "resources/read", "not_found")),
    mcp("tools/list", {}),
)  # fmt: skip


def outcomes(body: bytes) -> list[str]:
    """Return how the calls of a request ended, as their answers tell."""
    response = json.loads(body)
    return sorted(_outcome(one) for one in (response if isinstance(response, list) else [response]))


def _outcome(response: dict[str, Any]) -> str:
    """Read an answer: problem details, JSON-RPC, or that of a tool, which may be an error."""
    if "status" in response and "code" in response:
        return str(response["code"])
    if "error" in response:
        return str((response["error"].get("data") or {"code": "not_found"})["code"])
    result = response.get("result")
    failed = isinstance(result, dict) and result.get("isError")
    return str(result["_meta"]["memoranda/code"]) if failed else "ok"


class Knocker(threading.Thread):
    """Makes calls one after the other; keeps what they have to be counted as."""

    def __init__(self, port: int, token: str, knocks: Sequence[Knock]) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._token = token
        self._knocks = knocks
        self.counted: Counter[Counted] = Counter()
        self.odd: list[tuple[Knock, int, bytes]] = []
        """Requests that were answered otherwise than they should be."""

    def run(self) -> None:
        """Make them."""
        for start in range(0, len(self._knocks), EACH):
            connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
            try:
                for knock in self._knocks[start : start + EACH]:
                    self._make(connection, knock)
            finally:
                connection.close()

    def _make(self, connection: HTTPConnection, knock: Knock) -> None:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json, text/event-stream",
            "X-Request-Id": f"{{{WORD}}}",  # no form that an id has
            "X-Agent-Id": NAME,
            "X-Trace-Id": WORD,
        }
        if knock.body is not None:
            headers["Content-Type"] = knock.kind
        connection.request(knock.method, knock.path, knock.body, headers)
        answer = connection.getresponse()
        body = answer.read()
        expected = sorted(outcome for _, _, outcome in knock.counted)
        if answer.status != knock.status or (expected and outcomes(body) != expected):
            self.odd.append((knock, answer.status, body))
        self.counted.update(knock.counted)


def knock_on(
    port: int, token: str, count: int, seed: int = 1, threads: int = 4
) -> tuple[Counter[Counted], list[tuple[Knock, int, bytes]]]:
    """Make calls of every kind at once; return what they are to be counted as, and odd answers."""
    chance = random.Random(f"knocks-{seed}")
    drawn = [*KNOCKS, *chance.choices(KNOCKS, k=max(0, count - len(KNOCKS)))]
    chance.shuffle(drawn)
    knockers = [Knocker(port, token, drawn[one::threads]) for one in range(threads)]
    for knocker in knockers:
        knocker.start()
    for knocker in knockers:
        knocker.join()
    expected: Counter[Counted] = Counter()
    for knocker in knockers:
        expected.update(knocker.counted)
    return expected, [one for knocker in knockers for one in knocker.odd]


def without_model(data_dir: Path) -> None:
    """Have a server find by words alone, so that it need not load a model."""
    data_dir.mkdir(parents=True)
    (data_dir / "config.toml").write_text('embedder = "none"\n')


def fetch(port: int, path: str, token: str) -> tuple[int, str]:
    """Ask for something; return status and body."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def samples(text: str, name: str, *labels: str) -> Counter[tuple[str, ...]]:
    """Return the samples of a metric, by some of its labels."""
    found: Counter[tuple[str, ...]] = Counter()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name:
                found[tuple(sample.labels[label] for label in labels)] += int(sample.value)
    return found


def calls_in(text: str) -> Counter[tuple[str, ...]]:
    """Return the calls that figures tell of, by door, operation and outcome."""
    return samples(text, "memoranda_calls_total", "door", "operation", "outcome")


def marks_in(text: str) -> list[str]:
    """Return the marks that a text has and should not."""
    return [mark for mark in MARKS if mark in text]
