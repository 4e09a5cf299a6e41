"""Measure what JSON-RPC adds to a call, in process and over pipes."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from measuring.report import Report, parser, quantile
from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import owner
from memoranda.json_data import JsonValue

CALLS: Mapping[str, dict[str, JsonValue]] = {
    "proposals.count": {},
    "memories.show": {"id": "@"},
    "search": {"query": "which lamp is green", "workspace": "shop"},
    "context": {"workspace": "shop"},
    "memory.get_critical_memories": {"workspace": "shop"},
    "memory.retrieve": {"query": "which lamp is green", "workspace": "shop"},
    "memory.get_context": {"workspace": "shop"},
    "observe": {"content": "a step of the work", "task": "one", "workspace": "shop"},
}
"""From the cheapest operations to those that wait for the disk."""
FLOORS: Mapping[str, tuple[str, dict[str, JsonValue]]] = {
    "memory.get_critical_memories": ("memories.list", {"critical": True, "workspace": "shop"}),
    "memory.retrieve": ("search", {**CALLS["search"], "limit": 5}),
    "memory.get_context": ("context", {"workspace": "shop"}),
}
"""Operations behind methods of other names, as their baseline."""
Ask = Callable[[str, dict[str, JsonValue]], object]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the same calls in three ways, in turn."""
    made = parser(__doc__)
    made.add_argument("--memories", type=int, default=500)
    made.add_argument("--runs", type=int, default=200)
    options = made.parse_args(arguments)
    report = Report("rpc", vars(options))
    with tempfile.TemporaryDirectory(prefix="rpc-") as folder:
        settings = load_settings({"data_dir": Path(folder) / "data", "embedder": "none"})
        service = Service(settings)
        process = None
        try:
            id = _fill(service, options.memories)
            process = _process(settings.data_dir)
            _compare(report, options, service, process, id)
        finally:
            if process is not None:
                process.communicate()
            service.close()
    return report.finish(as_json=options.json)


def _compare(
    report: Report,
    options: argparse.Namespace,
    service: Service,
    process: subprocess.Popen[bytes],
    id: str,
) -> None:
    endpoint, who = JsonRpcEndpoint(service), owner()

    def directly(name: str, arguments: dict[str, JsonValue]) -> object:
        return service.call(who, *FLOORS.get(name, (name, arguments)))

    def in_process(name: str, arguments: dict[str, JsonValue]) -> object:
        return json.loads(endpoint.answer(who, _message(name, arguments)) or b"")["result"]

    def over_pipes(name: str, arguments: dict[str, JsonValue]) -> object:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(_message(name, arguments) + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())["result"]

    ways: dict[str, Ask] = {"service": directly, "endpoint": in_process, "stdio": over_pipes}
    for name, arguments in CALLS.items():
        filled = {key: id if one == "@" else one for key, one in arguments.items()}
        times = _in_turn(ways, name, filled, options.runs)
        floor = quantile(times["service"], 0.5)
        for way, taken in times.items():
            half, most = quantile(taken, 0.5), quantile(taken, 0.95)
            note = f"p95 {most:.2f} ms; {half / floor:.2f} x the floor, {half - floor:+.2f} ms"
            report.add(name, way, half, "ms", note)


def _in_turn(
    ways: Mapping[str, Ask], name: str, arguments: dict[str, JsonValue], runs: int
) -> dict[str, list[float]]:
    """Return milliseconds of each way, taken in turn for equal load."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for run in range(runs + 5):
        for way, ask in ways.items():
            began = time.perf_counter()
            ask(name, arguments)
            if run >= 5:
                times[way].append((time.perf_counter() - began) * 1_000)
    return times


def _message(name: str, arguments: dict[str, JsonValue]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": name, "params": arguments, "id": 1}).encode()


def _fill(service: Service, memories: int) -> str:
    who, found = owner(), ""
    for number in range(memories):
        statement = f"Lamp {number} of the shop is {'green' if number % 7 else 'blue'}."
        made: Any = service.call(who, "remember", {"statement": statement, "workspace": "shop"})
        found = str(made["id"])
    service.memory(who).capture.drain()
    return found


def _process(data_dir: Path) -> subprocess.Popen[bytes]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    command = [sys.executable, "-m", "memoranda", "rpc", "--data-dir", str(data_dir)]
    own = plain | {"MEMORANDA_EMBEDDER": "none"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own)


if __name__ == "__main__":
    sys.exit(main())
