"""Compare requests per second with the reference MCP memory server.

The reference server is a Node program (``npm install @modelcontextprotocol/server-memory``) for one
caller over standard input. It stores entities in a file of JSON lines, reads all of it at each call
and searches for a substring. Memoranda's server gets the same texts and the same number of
sequential requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from latency import Talk
from load import Running
from measuring.callers import Line, Plan, Request
from measuring.filling import FilledStore, kept
from measuring.report import Report, parser, progress, quantile
from measuring.resident import weighed

REVISION = "2025-06-18"
SECTIONS = "find", "add"


class Peer:
    """The reference server with some entities, over standard input/output."""

    def __init__(self, program: Path, folder: Path, texts: list[str]) -> None:
        """Write the file of entities and start the server."""
        file = folder / "memory.jsonl"
        lines = (json.dumps(_entity(str(n), text) | {"type": "entity"})
                 for n, text in enumerate(texts))  # fmt: skip
        file.write_text("\n".join(lines))
        self.process = subprocess.Popen(
            ["node", str(program)],
            env={"MEMORY_FILE_PATH": str(file), "PATH": "/usr/local/bin:/usr/bin:/bin"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._number = 0
        about = {"name": "bench", "version": "1"}
        self._ask("initialize", protocolVersion=REVISION, capabilities={}, clientInfo=about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def find(self, text: str) -> None:
        """Search for a substring."""
        self._ask("tools/call", name="search_nodes", arguments={"query": text})

    def add(self, text: str) -> None:
        """Add an entity."""
        entities = [_entity(f"new {self._number}", text)]
        self._ask("tools/call", name="create_entities", arguments={"entities": entities})

    def _ask(self, method: str, **params: Any) -> None:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self._number, answer
        assert "error" not in answer, answer
        assert not answer["result"].get("isError"), answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


class Ours:
    """Memoranda's server, over HTTP."""

    def __init__(self, server: Running, stored: FilledStore) -> None:
        self._loop = asyncio.new_event_loop()
        plan = Plan(server.port, server.token, 1, 0.0, 0.0, [], [], stored.workspaces, 0)
        self._line, self._workspace = Line(plan), stored.workspaces[0]

    def find(self, text: str) -> None:
        """Search by words and by meaning."""
        self._ask("/search", 200, query=text, limit=10)

    def add(self, text: str) -> None:
        """Add a memory."""
        self._ask("/memories", 201, statement=text, workspace=self._workspace)

    def _ask(self, path: str, wanted: int, **body: Any) -> None:
        status = self._loop.run_until_complete(self._line.ask(Request("POST", path, body)))
        assert status == wanted, status


def _entity(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "entityType": "memory", "observations": [text]}


def main(arguments: list[str] | None = None) -> int:
    """Measure both; there are no claims about the other program."""
    options = _options(arguments)
    report = Report("peer_server", vars(options))
    with tempfile.TemporaryDirectory(prefix="peer-server-") as made:
        folder = Path(made)
        with _ours(options, folder) as (server, stored):
            _measure(report, "Memoranda", Ours(server, stored), options)
            _weigh(report, "Memoranda", server.process.pid)
        talk = Talk(options.seed)
        texts = [talk.record()[0] for _ in range(options.records)]
        peer = Peer(options.program, folder, texts)
        try:
            _measure(report, "reference server of MCP", peer, options)
            _weigh(report, "reference server of MCP", peer.process.pid)
        finally:
            peer.process.kill()
            peer.process.wait()
    return report.finish(as_json=options.json)


@contextmanager
def _ours(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Running, FilledStore]]:
    stored = kept(options.folder or folder / "store", options.records, options.seed)
    shutil.copytree(options.folder or folder / "store", folder / "data")
    server = Running(folder / "data", 1, {})
    try:
        yield server, stored
    finally:
        server.process.kill()
        server.process.wait()


def _measure(report: Report, name: str, subject: Peer | Ours, options: argparse.Namespace) -> None:
    section = f"{name}, {options.records:,} records, one caller"
    talk, dice = Talk(options.seed + 1), random.Random(options.seed)
    messages = [f"{talk.record()[0]} {n}" for n in range(options.requests + 5)]
    words = [max(dice.sample(text.split(), 5), key=len) for text in messages]
    for kind, values in zip(SECTIONS, (words, messages), strict=True):
        ask: Callable[[str], None] = getattr(subject, kind)
        for text in values[:5]:
            ask(text)
        times = []
        for text in values[5:]:
            progress(f"{name}: {kind} {len(times)}")
            began = time.perf_counter()
            ask(text)
            times.append(time.perf_counter() - began)
        shown = f"p50 {quantile(times, 0.5) * 1e3:.0f} ms, p95 {quantile(times, 0.95) * 1e3:.0f} ms"
        report.add(section, kind, len(times) / sum(times), "a second", shown)


def _weigh(report: Report, name: str, pid: int) -> None:
    report.add(f"{name}, afterwards", "resident", weighed(pid).resident / 1e6, "MB")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("program", type=Path, help="dist/index.js of the peer")
    made.add_argument("--records", type=int, default=100_000)
    made.add_argument("--requests", type=int, default=100, help="of each kind")
    made.add_argument("--folder", type=Path, help="our store, as `load --folder` keeps it")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
