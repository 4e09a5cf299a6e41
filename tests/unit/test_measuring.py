"""Measurements are reported exactly, and never disturb the measured call."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from memoranda.exceptions import NotFound, StorageFull
from memoranda.instrumentation import UNMEASURED, measured, measured_jobs
from memoranda.jobs.model import Job, JobState
from memoranda.ports import Figures, Telemetry
from memoranda.telemetry.opentelemetry import OpenTelemetryExporter
from memoranda.telemetry.prometheus import LABELS, SECONDS, PrometheusExporter
from memoranda.telemetry.spans import ExportedSpans, FinishedSpan

EVERY_FIGURE: dict[str, Any] = dict.fromkeys(Figures.__annotations__, 1)


class Listening:
    """Records the calls of a listener."""

    def __init__(self) -> None:
        self.ended: list[FinishedSpan] = []
        self.open = 0

    def begin(self, operation: str, backend: str) -> str:
        self.open += 1
        return operation

    def end(self, begun: str, ended: FinishedSpan) -> None:
        assert begun == ended.operation
        self.open -= 1
        self.ended.append(ended)


class Broken(Listening):
    """Fails at the beginning or at the end."""

    def __init__(self, *, begins: bool) -> None:
        super().__init__()
        self.begins = begins

    def begin(self, operation: str, backend: str) -> str:
        if not self.begins:
            raise OSError("no room for one more")
        return super().begin(operation, backend)

    def end(self, begun: str, ended: FinishedSpan) -> None:
        assert self.begins
        raise OSError("nobody listens")


class Shelf:
    """An object with a measured method."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    @measured("search", lambda found: {"records": len(found)})
    def find(self, word: str, *, times: int = 1) -> list[str]:
        """Find a word."""
        if times < 0:
            raise NotFound(f"no {word}")
        return [word] * times


def samples(exporter: PrometheusExporter) -> dict[tuple[str, str, str, str], float]:
    """Return the counters by name and labels, without the buckets."""
    return {
        (sample.name, *(sample.labels[label] for label in LABELS)): sample.value
        for family in text_string_to_metric_families(exporter.text())
        for sample in family.samples
        if "le" not in sample.labels
    }


@pytest.fixture
def traced() -> Iterator[tuple[ExportedSpans, InMemorySpanExporter]]:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    yield ExportedSpans([OpenTelemetryExporter(provider)], "sqlite"), kept
    provider.shutdown()


class TestASpan:
    def test_a_span_has_operation_outcome_and_figures(self) -> None:
        heard = Listening()
        telemetry = ExportedSpans([heard], "sqlite")
        with telemetry.span("capture") as span:
            span.add_figures(records=1)
            span.add_figures(records=5)
        with telemetry.span("ask_model", "openai"):
            pass
        first, second = heard.ended
        assert (first.operation, first.backend, first.outcome) == ("capture", "sqlite", "ok")
        assert dict(first.figures) == {"records": 5}
        assert (second.backend, dict(second.figures)) == ("openai", {})
        assert 0 <= first.seconds < 60

    @pytest.mark.parametrize(
        ("error", "code"),
        [(StorageFull("no"), "storage_full"), (ValueError("no"), "error"), (SystemExit(), "error")],
    )
    def test_an_error_propagates_and_leaves_its_code(self, error: BaseException, code: str) -> None:
        heard = Listening()
        with pytest.raises(type(error)) as caught, ExportedSpans([heard], "sqlite").span("write"):
            raise error
        assert caught.value is error
        assert [one.outcome for one in heard.ended] == [code]

    @pytest.mark.parametrize("begins", [True, False])
    def test_an_exporter_that_fails_breaks_nothing_and_is_logged_once(
        self, begins: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        before, after = Listening(), Listening()
        shelf = Shelf(ExportedSpans([before, Broken(begins=begins), after], "sqlite"))
        with caplog.at_level(logging.WARNING):
            assert shelf.find("x", times=2) == ["x", "x"]
            with pytest.raises(NotFound):
                shelf.find("x", times=-1)
        for heard in (before, after):
            assert [one.outcome for one in heard.ended] == ["ok", "not_found"]
            assert heard.open == 0
        (record,) = caplog.records
        assert (record.exporter, record.error) == ("Broken", "OSError")  # type: ignore[attr-defined]


class TestWhatIsMeasured:
    def test_a_method_stays_what_it_is(self) -> None:
        heard = Listening()
        for telemetry in (UNMEASURED, ExportedSpans([heard], "sqlite")):
            assert Shelf(telemetry).find("a", times=3) == ["a", "a", "a"]
            with pytest.raises(NotFound):
                Shelf(telemetry).find("a", times=-1)
        assert [dict(one.figures) for one in heard.ended] == [{"records": 3}, {}]
        assert Shelf.find.__doc__ == "Find a word."

    def test_by_default_a_span_accepts_everything_and_re_raises_errors(self) -> None:
        with pytest.raises(KeyError), UNMEASURED.span("capture") as span:
            span.add_figures(**EVERY_FIGURE)
            raise KeyError

    def test_a_job_is_measured_by_its_kind(self) -> None:
        done: list[str] = []

        def embed(job: Job) -> None:
            done.append(job.id)

        def distil(job: Job) -> None:
            raise StorageFull("no")

        heard = Listening()
        handlers = {"embed": embed, "distil": distil}
        assert measured_jobs(handlers, UNMEASURED) is handlers
        watched = measured_jobs(handlers, ExportedSpans([heard], "sqlite"))
        job = Job("local", "one", "embed", "", JobState.RUNNING, 1, 0, None)
        watched["embed"](job)
        with pytest.raises(StorageFull):
            watched["distil"](job)
        assert done == ["one"]
        reported = [(one.operation, one.outcome) for one in heard.ended]
        assert reported == [("job_embed", "ok"), ("job_distil", "storage_full")]


class TestPrometheus:
    def test_every_figure_adds_up_in_base_units(self) -> None:
        exporter = PrometheusExporter()
        telemetry = ExportedSpans([exporter], "sqlite")
        for _ in range(3):
            with telemetry.span("compress_stage") as span:
                span.add_figures(**EVERY_FIGURE | {"dollars": 0.25, "retention": 0.5})
        found = samples(exporter)
        labels = ("compress_stage", "sqlite", "ok")
        expected = {
            "memoranda_operation_seconds_count": 3,
            "memoranda_records_total": 3,
            "memoranda_compression_source_tokens_total": 3,
            "memoranda_compression_result_tokens_total": 3,
            "memoranda_compression_retention_ratio_count": 3,
            "memoranda_compression_retention_ratio_sum": 1.5,
            "memoranda_model_input_tokens_total": 3,
            "memoranda_model_output_tokens_total": 3,
            "memoranda_model_cost_dollars_total": 0.75,
        }
        assert {name: found[name, *labels] for name in expected} == expected

    def test_it_stays_out_of_the_default_registry(self) -> None:
        PrometheusExporter()
        PrometheusExporter()
        assert not [one for one in REGISTRY.collect() if one.name.startswith("memoranda")]

    def test_buckets_are_narrow_enough_for_quantiles(self) -> None:
        assert (SECONDS[0], SECONDS[-1]) == (0.0001, 100)
        ratios = [b / a for a, b in pairwise(SECONDS)]
        assert 1.1 < min(ratios) <= max(ratios) < 1.13


class TestOpenTelemetry:
    @pytest.mark.parametrize(
        ("operation", "name"),
        [
            ("search", "search_memory"),
            ("remember", "create_memory"),
            ("edit_block", "update_memory"),
            ("forget", "delete_memory"),
        ],
    )
    def test_operations_on_memory_have_the_names_of_the_conventions(
        self, traced: tuple[ExportedSpans, InMemorySpanExporter], operation: str, name: str
    ) -> None:
        telemetry, kept = traced
        with telemetry.span(operation) as span:
            span.add_figures(records=4)
        (made,) = kept.get_finished_spans()
        assert (made.name, made.kind) == (name, SpanKind.INTERNAL)
        assert dict(made.attributes or {}) == {
            "gen_ai.operation.name": name,
            "gen_ai.memory.record.count": 4,
            "memoranda.operation": operation,
            "memoranda.backend": "sqlite",
        }
        assert made.status.status_code is StatusCode.UNSET

    def test_a_model_call_is_a_call_to_its_provider(
        self, traced: tuple[ExportedSpans, InMemorySpanExporter]
    ) -> None:
        telemetry, kept = traced
        with telemetry.span("ask_model", "openai") as span:
            span.add_figures(input_tokens=10, output_tokens=2, dollars=0.5)
        (made,) = kept.get_finished_spans()
        assert (made.name, made.kind) == ("chat", SpanKind.CLIENT)
        assert dict(made.attributes or {}) == {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 2,
            "memoranda.operation": "ask_model",
            "memoranda.backend": "openai",
            "memoranda.dollars": 0.5,
        }

    def test_an_error_is_measured_by_its_code_only(
        self, traced: tuple[ExportedSpans, InMemorySpanExporter]
    ) -> None:
        telemetry, kept = traced
        with pytest.raises(NotFound), telemetry.span("relevant"):
            raise NotFound("no workspace canary")
        (made,) = kept.get_finished_spans()
        assert made.attributes is not None
        assert made.attributes["error.type"] == "not_found"
        assert (made.status.status_code, made.status.description) == (StatusCode.ERROR, None)
        assert made.events == ()

    def test_what_happens_within_an_operation_is_its_child(
        self, traced: tuple[ExportedSpans, InMemorySpanExporter]
    ) -> None:
        telemetry, kept = traced
        with telemetry.span("remember"):
            with pytest.raises(ValueError, match="no"), telemetry.span("write"):
                raise ValueError("no")
            with telemetry.span("capture"):
                pass
        with telemetry.span("context"):
            pass
        made = {span.attributes["memoranda.operation"]: span for span in kept.get_finished_spans()}  # type: ignore[index]
        for name in ("write", "capture"):
            assert made[name].parent.span_id == made["remember"].context.span_id
        assert made["remember"].parent is None
        assert made["context"].parent is None
