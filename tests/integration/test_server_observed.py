"""Server metrics, logs and traces: every call counted, no content."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import pytest
import yaml
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from prometheus_client.parser import text_string_to_metric_families

from knocking import (
    KEY,
    KNOCKS,
    REST,
    STATED,
    WORD,
    calls_in,
    fetch,
    knock_on,
    marks_in,
    rpc,
    samples,
    without_model,
)
from memoranda.api.server.access_log import RequestObserver
from memoranda.api.server.log_lines import JsonLine
from memoranda.api.server.metrics import waiting
from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
from memoranda.config import Settings, load_settings
from memoranda.exceptions import StorageUnusable
from memoranda.identity.principal import Principal, Role, owner
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.telemetry.opentelemetry import OpenTelemetryExporter, RequestSpans
from memoranda.telemetry.prometheus import LABELS
from memoranda.telemetry.server_metrics import ServerMetrics
from memoranda.telemetry.spans import ExportedSpans
from serving import InProcess, Served

pytestmark = pytest.mark.integration

ADMIN = "key-of-ada"
CALLERS = {
    ADMIN: Principal("local", "ada", Role.ADMIN),
    "key-of-reader": Principal("local", "eye", Role.READER),
    "key-of-elsewhere": Principal("barn", "eve", Role.ADMIN),
}
SPANS = InMemorySpanExporter()
PROVIDER = TracerProvider()
PROVIDER.add_span_processor(SimpleSpanProcessor(SPANS))


class Lines(logging.Handler):
    """Collects the log as a server writes it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLine())
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Store a line."""
        self.written.append(self.format(record))

    def log_entries(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of an event."""
        return [one for one in map(json.loads, self.written) if one["event"] == event]


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, logger = Lines(), logging.getLogger("memoranda")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.fixture
def server(tmp_path: Path, lines: Lines) -> Iterator[InProcess]:
    """Return a server in this process with all observers."""
    watching = RequestObserver(ServerMetrics(), RequestSpans(PROVIDER))
    arguments = {"data_dir": tmp_path / "data", "embedder": "none"}
    settings = load_settings({**arguments, "slow_operation_milliseconds": 60_000}, {})
    service = Service(settings, calls=watching)
    service.home.telemetry = ExportedSpans([OpenTelemetryExporter(PROVIDER)], "sqlite")
    SPANS.clear()
    made = InProcess(service, doors(service), watching=watching)
    made.keys.known = CALLERS
    yield made
    made.close()
    service.close()


def figures(server: InProcess) -> str:
    status, result = fetch(server.port, "/metrics", ADMIN)
    assert status == 200
    return result


def test_a_server_of_two_processes_counts_every_call_and_repeats_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    without_model(tmp_path / "data")
    served = Served(tmp_path / "data", workers=2, log=log)
    try:
        expected, odd = knock_on(served.port, served.token, 60)
        _, result = fetch(served.port, "/metrics", served.token)
        assert any((tmp_path / "data").glob("metrics/*/*.db"))
    finally:
        assert served.stop() == 0
    assert not odd
    assert calls_in(result) == expected
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    logged = [one for one in lines if one["event"] == "call"]
    assert Counter((one["door"], one["operation"], one["outcome"]) for one in logged) == expected
    assert all(len(one["request_id"]) == 36 for one in logged)
    assert not marks_in(result) + marks_in(log.read_text())
    assert not [*(tmp_path / "data").glob("metrics/*")]


COUNTING = """
import os, sys
os.environ["PROMETHEUS_MULTIPROC_DIR"] = sys.argv[1]
from memoranda.telemetry.server_metrics import ServerMetrics
from memoranda.instrumentation import FinishedCall
figures = ServerMetrics()
figures.began()
figures.called(FinishedCall("rest", "search", "ok", 0.01))
sys.stdout.write(figures.text({"teams": 1}))
"""


def test_what_a_process_counted_outlives_it_but_not_what_it_had_under_way(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        command = [sys.executable, "-c", COUNTING, str(tmp_path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert calls_in(output) == {("rest", "search", "ok"): number}
        assert samples(output, "memoranda_requests_in_flight") == {(): 1}


class TestFigures:
    """GET /metrics."""

    def test_they_are_for_the_admins_of_the_servers_own_team(self, server: InProcess) -> None:
        assert server.send("GET", "/metrics", key="").status == 401
        for key in ("key-of-reader", "key-of-elsewhere"):
            assert server.send("GET", "/metrics", key=key).code == "forbidden"
        response = server.send("GET", "/metrics", key=ADMIN)
        assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"

    def test_guards_are_counted_by_status_and_make_no_calls(self, server: InProcess) -> None:
        server.send("GET", f"{REST}/tasks", key="wrong")
        server.send("POST", "/rpc", b"{}", ADMIN, Content_Type="text/plain")
        server.send("GET", f"{REST}/tasks", key=ADMIN, Host="elsewhere")
        server.send("POST", "/rpc", b"{}", ADMIN, Content_Length="999999999")
        values = figures(server)
        assert samples(values, "memoranda_refused_requests_total", "status") == Counter(
            {("401",): 1, ("415",): 1, ("421",): 1, ("413",): 1}
        )
        assert not calls_in(values)

    def test_a_call_refused_by_an_interface_is_a_call_and_not_a_guards_refusal(
        self, server: InProcess
    ) -> None:
        body = json.dumps(STATED).encode()
        answer = server.send("POST", f"{REST}/memories", body, "key-of-reader")
        assert answer.code == "forbidden"
        values = figures(server)
        assert not samples(values, "memoranda_refused_requests_total", "status")
        assert [outcome for _, _, outcome in calls_in(values)] == ["forbidden"]

    def test_lines_and_archives_are_calls_of_their_operations(self, server: InProcess) -> None:
        lines = b'{"content":"one"}\n{"nope":1}\n'
        kind = {"Content_Type": "application/x-ndjson"}
        server.send("POST", f"{REST}/observations:bulk", lines, ADMIN, **kind)
        server.send("POST", f"{REST}/memories:bulk", b"{}", "key-of-reader", **kind)
        server.send("GET", f"{REST}/export?nope=1", key=ADMIN)
        archive = {"Content_Type": "application/zip"}
        server.send("POST", f"{REST}/import", b"no archive", ADMIN, **archive)
        server.send("POST", f"{REST}/import", b"no archive", "key-of-reader", **archive)
        assert calls_in(figures(server)) == Counter(
            {
                ("rest", "observe", "ok"): 1,
                ("rest", "observe", "invalid"): 1,
                ("rest", "remember", "forbidden"): 1,
                ("rest", "archive.export", "invalid"): 1,
                ("rest", "archive.import-archive", "invalid"): 1,
                ("rest", "archive.import-archive", "forbidden"): 1,
            }
        )

    def test_a_stream_of_events_is_no_request_under_way(self, server: InProcess) -> None:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("GET", f"{REST}/events", headers={"X-API-Key": ADMIN})
        assert connection.getresponse().status == 200
        values = figures(server)
        assert samples(values, "memoranda_event_streams") == {(): 1}
        assert samples(values, "memoranda_requests_in_flight") == {(): 1}
        connection.close()
        _eventually(lambda: not +samples(figures(server), "memoranda_event_streams"))

    def test_pending_work_is_reported_for_all_teams(
        self, server: InProcess, tmp_path: Path
    ) -> None:
        spool = tmp_path / "data" / "teams" / "barn" / "spool"
        spool.mkdir(parents=True)
        (spool / "a.jsonl").write_bytes(b"12345")
        values = figures(server)
        assert samples(values, "memoranda_spool_bytes") == {(): 5}
        assert samples(values, "memoranda_teams") == {(): 2}
        assert samples(values, "memoranda_store_bytes")[()] > 100_000


def test_pending_work_is_reported_for_either_kind_of_store(engine: Settings) -> None:
    service = Service(replace(engine, embedder="none"))
    try:
        service.call(owner(), "remember", {"statement": "Lamps are green.", "workspace": "w"})
        found = waiting(service)
    finally:
        service.close()
    assert found["jobs_failed"] == 0
    assert found["store_bytes"] > 100_000
    assert (found["teams"], found["spool_files"]) == (1, 0)


def test_a_store_that_is_down_hides_nothing_that_was_counted(
    server: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> NoReturn:
        raise StorageUnusable("no server at db.example")

    server.send("GET", f"{REST}/tasks", key=ADMIN)
    monkeypatch.setattr(SqliteDatabase, "read", down)
    values = figures(server)
    assert samples(values, "memoranda_store_up") == {(): 0}
    assert calls_in(values) == {("rest", "tasks.list", "ok"): 1}


def _eventually(holds: Any) -> None:
    give_up = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < give_up


class TestLog:
    """One line for each call, and for each request without one."""

    def test_a_line_has_the_id_that_the_answer_has(self, server: InProcess, lines: Lines) -> None:
        answer = server.send("GET", f"{REST}/tasks/{WORD}", key=ADMIN, X_Request_Id="r-17")
        assert answer.headers["x-request-id"] == answer.json["request_id"] == "r-17"
        (line,) = lines.log_entries("call")
        assert (line["request_id"], line["outcome"]) == ("r-17", "not_found")
        assert (line["level"], line["process"]) == ("info", os.getpid())
        assert not lines.log_entries("request")

    def test_what_is_no_call_is_a_request(self, server: InProcess, lines: Lines) -> None:
        made = server.send("GET", f"/{WORD}", key=ADMIN).headers["x-request-id"]
        server.send("GET", "/healthz", key="")
        found = [(one["door"], one["status"]) for one in lines.log_entries("request")]
        assert found == [("none", 404), ("health", 200)]
        assert lines.log_entries("request")[0]["request_id"] == made

    def test_an_id_that_is_none_is_not_repeated(self, server: InProcess, lines: Lines) -> None:
        for values in (f"{WORD} {KEY}", KEY * 3, "{" + WORD + "}"):
            server.send("GET", f"{REST}/tasks", key=ADMIN, X_Request_Id=values)
        assert not marks_in("".join(lines.written))
        assert len({one["request_id"] for one in lines.log_entries("call")}) == 3

    def test_every_kind_of_call_leaves_no_word_behind(
        self, server: InProcess, lines: Lines
    ) -> None:
        expected, odd = knock_on(server.port, ADMIN, len(KNOCKS), threads=1)
        assert not odd
        assert calls_in(figures(server)) == expected
        assert len(lines.log_entries("call")) == sum(expected.values())
        assert not marks_in("".join(lines.written))

    def test_an_internal_error_is_logged_by_kind_and_place(
        self, server: InProcess, lines: Lines, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise ValueError(f"{WORD} {KEY}")

        monkeypatch.setattr(Service, "memory", fail)
        assert server.send("GET", f"{REST}/tasks", key=ADMIN).status == 500
        call = rpc("search", {"query": WORD})
        assert call.body is not None
        server.send("POST", call.path, call.body.encode(), ADMIN)
        result = "".join(lines.written)
        assert not marks_in(result)
        assert [one["outcome"] for one in lines.log_entries("call")] == ["internal", "internal"]
        (line,) = lines.log_entries("request _ failed")
        assert line["error"] == "ValueError"
        assert line["frames"][-1].endswith(" fail")


class TestTraces:
    """W3C Trace Context."""

    TRACE = "0af7651916cd43dd8448eb211c80319c"

    def spans(self) -> dict[str, ReadableSpan]:
        return {one.name: one for one in SPANS.get_finished_spans()}

    def test_a_trace_continues_from_the_caller_to_the_store(self, server: InProcess) -> None:
        parent = f"00-{self.TRACE}-b7ad6b7169203331-01"
        server.send("GET", f"{REST}/search?query={WORD}", key=ADMIN, traceparent=parent)
        _eventually(lambda: "GET rest" in self.spans())
        request, search = self.spans()["GET rest"], self.spans()["search_memory"]
        assert request.parent is not None
        assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"
        assert request.kind is SpanKind.SERVER
        assert search.parent == request.context
        assert f"{search.context.trace_id:032x}" == self.TRACE
        assert not marks_in(request.to_json() + search.to_json())

    def test_the_journal_has_the_id_of_the_trace(self, server: InProcess) -> None:
        parent = f"00-{self.TRACE}-b7ad6b7169203331-01"
        body, after = b'{"statement": "The lamp is blue."}', b'{"statement": "It rains."}'
        server.send("POST", f"{REST}/memories", body, key=ADMIN, traceparent=parent)
        server.send("POST", f"{REST}/memories", after, key=ADMIN)
        _eventually(lambda: "POST rest" in self.spans())
        span = [one for one in SPANS.get_finished_spans() if one.name == "POST rest"][-1]
        reply = server.send("GET", f"{REST}/journal?operation=remember", key=ADMIN)
        newest, before = json.loads(reply.body)["items"][:2]
        assert before["trace_id"] == self.TRACE
        assert newest["trace_id"] == f"{span.context.trace_id:032x}" != self.TRACE

    @pytest.mark.parametrize("value", ["", "nonsense", f"00-{'0' * 32}-b7ad6b7169203331-01"])
    def test_without_one_a_trace_begins(self, server: InProcess, value: str) -> None:
        more = {"traceparent": value} if value else {}
        server.send("BREW", f"{REST}/tasks", key=ADMIN, **more)
        _eventually(lambda: "_OTHER rest" in self.spans())
        span = self.spans()["_OTHER rest"]
        assert span.parent is None
        assert span.attributes is not None
        assert span.attributes["http.request.method"] == "_OTHER"


class TestAlerts:
    """Alerts for those who run a server."""

    def test_a_slow_operation_is_an_event_a_line_and_a_figure(
        self, server: InProcess, lines: Lines, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        heard: list[dict[str, str]] = []
        connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("GET", f"{REST}/events", headers={"X-API-Key": ADMIN})
        events = connection.getresponse()

        def listen() -> None:
            while line := events.readline().decode():
                if line.startswith("event: alert"):
                    heard.append(json.loads(events.readline().decode().removeprefix("data: ")))
                    return

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        monkeypatch.setattr(server.service._slowness, "_most", 1e-6)
        server.send("GET", f"{REST}/search?query={WORD}", key=ADMIN)
        server.send("GET", f"{REST}/search?query={WORD}", key=ADMIN)
        listener.join(20)
        connection.close()
        assert [(one["operation"], one["subject"]) for one in heard] == [("slow alert", "search")]
        assert [one["operation"] for one in lines.log_entries("slow operation")] == ["search"] * 2
        slow = samples(figures(server), "memoranda_slow_operations_total", "operation")
        assert slow == {("search",): 2}
        found = server.send("GET", f"{REST}/journal?operation=slow+alert", key=ADMIN).json["items"]
        assert [one["subject"] for one in found] == ["search"]


class TestDeploy:
    """The files in deploy/ use existing metrics."""

    FOLDER = Path(__file__).parents[2] / "deploy"
    SUFFIXES: ClassVar = {
        "counter": ("_total",),
        "gauge": ("",),
        "histogram": ("_bucket", "_count", "_sum"),
    }

    def expressions(self) -> dict[str, str]:
        """Return every PromQL query in deploy/."""
        board = json.loads((self.FOLDER / "grafana-dashboard.json").read_text())
        found = {one["title"]: " ".join(t["expr"] for t in one["targets"])
                 for one in board["panels"]}  # fmt: skip
        for group in yaml.safe_load((self.FOLDER / "memoranda-alerts.yaml").read_text())["groups"]:
            found |= {rule["alert"]: rule["expr"] for rule in group["rules"]}
        return found

    def test_every_metric_and_label_is_in_the_answer_of_a_server(self, server: InProcess) -> None:
        knock_on(server.port, ADMIN, len(KNOCKS), threads=1)
        server.service.calls.slow("search", 3.0)
        server.send("GET", f"{REST}/tasks", key="wrong")
        known: dict[str, set[str]] = {}
        for family in text_string_to_metric_families(figures(server)):
            labels = {label for one in family.samples for label in one.labels}
            for suffix in self.SUFFIXES[family.type]:
                known[family.name + suffix] = labels or set(LABELS)
        asked_for = self.expressions()
        assert len(asked_for) > 20
        for title, expression in asked_for.items():
            names = set(re.findall(r"\bmemoranda_\w+", expression))
            assert names <= known.keys(), title
            assert names or "up{" in expression, title
            for name, selector in re.findall(r"(memoranda_\w+)\{([^}]*)\}", expression):
                assert set(re.findall(r"(\w+)\s*[=!]~?", selector)) <= known[name], title
            for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
                result = set().union(*(known[name] for name in names)) | {"le"}
                assert {one.strip() for one in grouped.split(",")} <= result, title

    @pytest.mark.parametrize("name", ["compose.yaml", "prometheus.yaml", "memoranda-alerts.yaml"])
    def test_a_check_that_could_not_run_is_reported(self, name: str) -> None:
        text = (self.FOLDER / name).read_text()
        assert "untested" in text.partition("\n\n")[0]
        assert yaml.safe_load(text)
