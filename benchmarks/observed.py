"""Check a server's metrics: counts equal calls, and no content leaks."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from knocking import MARKS, calls_in, fetch, knock_on, marks_in, samples, without_model
from measuring.report import Report, parser, progress
from memoranda.api.server.access_log import ObservedRequest, RequestObserver
from memoranda.api.server.log_lines import JsonLine
from memoranda.instrumentation import FinishedCall
from memoranda.telemetry.server_metrics import ServerMetrics
from serving import Served

ROUNDS, WATCHED = 10, 1_000


def main(arguments: list[str] | None = None) -> int:
    """Call servers of several sizes; return 1 when a claim does not hold."""
    made = parser(__doc__)
    made.add_argument("--calls", type=int, default=2_000, help="requests to each server")
    made.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="processes of each")
    options = made.parse_args(arguments)
    report = Report("observed", vars(options))
    for workers in options.workers:
        progress(f"{workers} workers")
        with tempfile.TemporaryDirectory(prefix="observed-") as folder:
            _observe(report, Path(folder), workers, options.calls, options.seed)
    _cost(report)
    return report.finish(as_json=options.json)


def _observe(report: Report, folder: Path, workers: int, count: int, seed: int) -> None:
    log = folder / "log"
    without_model(folder / "data")
    server = Served(folder / "data", workers=workers, log=log)
    try:
        expected, odd = knock_on(server.port, server.token, count, seed)
        status, result = fetch(server.port, "/metrics", server.token)
    finally:
        server.stop()
    found = calls_in(result)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    logged = Counter(
        (one["door"], one["operation"], one["outcome"]) for one in lines if one["event"] == "call"
    )
    section = f"{workers} processes, {count:,} requests"
    failed = sum(number for (_, _, outcome), number in expected.items() if outcome != "ok")
    report.add(section, "calls", expected.total(), "", f"{failed:,} that fail")
    report.add(section, "kinds of calls", len(expected), "", "door, operation and outcome")
    report.add(section, "answers unlike those expected", len(odd))
    unlike = (found - expected) + (expected - found)
    report.add(section, "counted otherwise", unlike.total())
    refused = samples(result, "memoranda_refused_requests_total").total()
    report.add(section, "refused by guards", refused)
    report.add(section, "processes in the log", len({one["process"] for one in lines}))
    report.add(section, "figures", len(result.splitlines()), "lines")
    report.add(section, "log", len(lines), "lines")
    named = f"{workers} processes: "
    report.claim(f"{named}every answer as expected", status == 200 and not odd)
    report.claim(f"{named}counts equal the calls made", found == expected)
    report.claim(f"{named}lines of the log equal the calls made", logged == expected)
    hits = marks_in(result) + marks_in(log.read_text("utf-8"))
    report.claim(f"{named}none of {len(MARKS)} marks in figures or log", not hits)


def _cost(report: Report) -> None:
    """Measure the processor time to observe one request with one call."""
    log = logging.getLogger("memoranda.api.server.access_log")
    log.propagate = False
    with tempfile.TemporaryDirectory(prefix="observed-") as folder:
        handler = logging.FileHandler(Path(folder) / "log")
        handler.setFormatter(JsonLine())
        log.addHandler(handler)
        ways = {
            "nobody watches": (RequestObserver(), logging.WARNING),
            "figures": (RequestObserver(ServerMetrics()), logging.WARNING),
            "figures and a line of the log": (RequestObserver(ServerMetrics()), logging.INFO),
        }
        costs = dict.fromkeys(ways, float("inf"))
        for _ in range(ROUNDS):
            for name, (watching, level) in ways.items():
                log.setLevel(level)
                costs[name] = min(costs[name], _watched(watching))
        log.removeHandler(handler)
        handler.close()
    for name, seconds in costs.items():
        report.add("a request with one call", name, seconds * 1e6, "µs CPU")
    report.claim("watching costs less than 200 µs", costs["figures and a line of the log"] < 2e-4)


def _watched(watching: RequestObserver) -> float:
    """Return processor seconds per observed request without other work."""
    call = FinishedCall("rest", "search", "ok", 0.01)
    began = time.process_time()
    for _ in range(WATCHED):
        request = ObservedRequest("rest", time.perf_counter(), {"request_id": "r-1"}, status=200)
        watching.request_began(request)
        watching.ended(call)
        request.calls = 1
        watching.request_ended(request)
    return (time.process_time() - began) / WATCHED


if __name__ == "__main__":
    sys.exit(main())
