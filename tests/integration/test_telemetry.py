"""Telemetry counts every operation and contains no text of memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from acting import opened
from happenings import message_event, ran
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, Tracer, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from contract.clock import FixedClock
from language_servers import LanguageServer
from memoranda import Memoranda, NewBlock
from memoranda.config import Settings, load_settings
from memoranda.costs.ledger import Ledger
from memoranda.costs.metered_model import MeteredModel
from memoranda.costs.model import DOLLAR, Purpose
from memoranda.exceptions import BudgetExhausted, InvalidInput, MemorandaError, NotFound
from memoranda.identity.principal import owner
from memoranda.ids import IdSource
from memoranda.memories.removal import RemovalSelection
from memoranda.model_request import ModelRequest
from memoranda.models.http_client import RetryPolicy
from memoranda.models.language.openai import OpenAIModel
from memoranda.models.language.prices import TokenRates
from memoranda.models.language.provider import ModelAccess
from memoranda.store.database import Transaction
from memoranda.telemetry import prometheus
from memoranda.telemetry.prometheus import LABELS, PrometheusExporter
from memoranda.telemetry.spans import ExportedSpans
from memoranda.upkeep.doctor import CheckStatus

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

CANARY = "zyzzyva"
"""A word that no program uses."""
WORDS = "the parser reads every line of the price list and keeps the rest for later " * 8
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def exported() -> InMemorySpanExporter:
    """Return the exporter that collects spans; a process sets it only once."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@pytest.fixture
def memory(engine: Settings, exported: InMemorySpanExporter) -> Iterator[Memoranda]:
    """Return a memory with telemetry and without background work."""
    telling = replace(engine, embedder="none", telemetry="prometheus,opentelemetry")
    with opened(telling, FixedClock(step=1)) as memory:
        memory._services.background.stop()
        exported.clear()
        yield memory


class Counted:
    """Counts from its creation to the first that is read."""

    def __init__(self, memory: Memoranda) -> None:
        self._memory = memory
        self._before = counts(memory.metrics())

    def since(self, name: str, operation: str, outcome: str = "ok") -> float:
        backend = self._memory._services.engine.dialect
        key = (name, operation, backend, outcome)
        return self._after[key] - self._before[key]

    def calls(self, operation: str, outcome: str = "ok") -> float:
        return self.since("memoranda_operation_seconds_count", operation, outcome)

    @cached_property
    def _after(self) -> Counter[tuple[str, ...]]:
        return counts(self._memory.metrics())


def counts(text: str) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if "le" not in sample.labels:
                labels = (sample.labels[label] for label in LABELS)
                found[sample.name, *labels] = sample.value  # type: ignore[assignment]
    return found


class TestCounts:
    def test_they_are_those_of_the_calls_made(self, memory: Memoranda) -> None:
        memory.capture.take(
            [message_event("a", "prices are net"), ran("b", "pytest -q", "12 passed")]
        )
        memory.capture.drain()
        counted = Counted(memory)
        memory.capture.take(
            [message_event("a", "prices are net"), message_event("c", "prices in euros")]
        )
        memory.observe("prices are rounded")
        for text in ("prices are in euros", "prices are sent at noon"):
            memory.remember(text)
        found = [memory.search("prices"), memory.search("prices"), memory.search("nothing at all")]
        picked = memory.observations.relevant("prices")
        brief = memory.context()
        with pytest.raises(InvalidInput):
            memory.search("prices", limit=0)
        assert counted.calls("capture") == 2
        assert counted.since("memoranda_records_total", "capture") == 2
        assert counted.calls("remember") == 2
        assert counted.calls("search") == 3
        assert counted.calls("search", "invalid") == 1
        hits = sum(len(one.hits) for one in found)
        assert counted.since("memoranda_records_total", "search") == hits > 0
        assert counted.calls("relevant") == 1
        assert counted.since("memoranda_records_total", "relevant") == len(picked.summaries) > 0
        items = sum(len(section.items) for section in brief.sections)
        assert counted.since("memoranda_records_total", "context") == items > 0

    def test_what_is_forgotten_is_counted_a_rehearsal_is_not(self, memory: Memoranda) -> None:
        kept = [memory.remember(f"price number {n} is net").id for n in range(3)]
        counted = Counted(memory)
        memory.forget(RemovalSelection(ids=kept[:2]), dry_run=True)
        memory.forget(RemovalSelection(ids=kept[:2]), confirm=True)
        assert counted.calls("forget") == 2
        assert counted.since("memoranda_records_total", "forget") == 2

    def test_blocks_are_counted_by_what_is_done_to_them(self, memory: Memoranda) -> None:
        counted = Counted(memory)
        memory.blocks.create(NewBlock("prices", value="net"))
        memory.blocks.replace("prices", "net", "gross")
        memory.blocks.rethink("prices", "rounded")
        with pytest.raises(InvalidInput):
            memory.blocks.replace("prices", "not there", "x")
        memory.blocks.delete("prices")
        assert counted.calls("create_block") == 1
        assert counted.calls("edit_block") == 2
        assert counted.calls("edit_block", "invalid") == 1
        assert counted.calls("delete_block") == 1

    @pytest.mark.engines("sqlite", "postgres")
    def test_every_write_is_counted_with_its_end(self, memory: Memoranda) -> None:
        database, counted = memory._services.database, Counted(memory)

        def fails(tx: Transaction) -> None:
            raise NotFound("nobody")

        for _ in range(3):
            assert database.write(lambda tx: 7) == 7
        assert database.of(memory.settings.team).write(lambda tx: 8) == 8
        with pytest.raises(NotFound):
            database.write(fails)
        assert database.read(lambda tx: 9) == 9
        assert counted.calls("write") == 4
        assert counted.calls("write", "not_found") == 1

    def test_jobs_are_counted_by_kind(self, memory: Memoranda) -> None:
        counted = Counted(memory)
        memory.capture.take(
            [message_event("a", "prices are net"), ran("b", "pytest -q", "12 passed")]
        )
        memory.remember("prices are in euros")
        memory.capture.drain()
        rows = memory._services.database.read(
            lambda tx: tx.fetch("select kind, state, count(*) from job group by kind, state", {})
        )
        assert {state for _, state, _ in rows} == {"done"}
        assert {kind for kind, _, _ in rows} >= {"render_context", "index_task", "distil", "embed"}
        assert {k: n for k, _, n in rows} == {k: counted.calls(f"job_{k}") for k, _, _ in rows}

    def test_a_job_that_fails_is_counted_as_that(
        self, memory: Memoranda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(task: str) -> None:
            raise NotFound("no such task")

        memory.capture.take([message_event("a", "prices are net")])
        monkeypatch.setattr(memory._services.indexing, "index_task", fails)
        counted = Counted(memory)
        memory.capture.drain()
        assert counted.calls("job_index_task", "not_found") == 1
        assert counted.calls("job_index_task") == 0

    def test_a_compression_reports_its_tokens_and_retention(self, memory: Memoranda) -> None:
        memory.capture.take(
            [ran(f"k{n}", f"cat shop/part{n}.py", f"{n} {WORDS}") for n in range(8)]
        )
        (task,) = [one.id for one in memory.tasks.list()]
        memory.capture.drain()
        counted = Counted(memory)
        made = memory.stages.compress(task)
        assert made.tokens > 0
        for figure, amount in (("source", made.source_tokens), ("result", made.tokens)):
            name = f"memoranda_compression_{figure}_tokens_total"
            assert counted.since(name, "compress_stage") == amount
        name = "memoranda_compression_retention_ratio"
        assert counted.since(f"{name}_count", "compress_stage") == 1
        assert counted.since(f"{name}_sum", "compress_stage") == pytest.approx(made.retention)
        assert counted.calls("compress_task") == 1

    def test_calls_of_models_agree_with_the_bill(self, memory: Memoranda) -> None:
        services, exporter = memory._services, PrometheusExporter()
        ledger = Ledger(services.database, FixedClock(), IdSource(FixedClock()), 5_000, 0.75)
        question = ModelRequest("name", "Name the word.", "the text", SCHEMA, 100)
        memory.capture.take([message_event("a", "prices are net")])
        (task,) = [one.id for one in memory.tasks.list()]
        price, purpose = TokenRates("given", 1, 10), Purpose(memory.settings.team, task=task)
        with LanguageServer() as server:
            access = ModelAccess("openai", "m", server.url, "k", RetryPolicy())
            with closing(OpenAIModel(access)) as model_client:
                telemetry = ExportedSpans([exporter], "sqlite")
                metered = MeteredModel(model_client, price, ledger, purpose, telemetry)
                for text in ("one", "two", "one"):
                    metered.answer(replace(question, text=text))
                with pytest.raises(BudgetExhausted):
                    metered.answer(replace(question, text="long " * 5_000))
            read, written = server.charged
        found = counts(exporter.text())
        labels = ("ask_model", "openai", "ok")
        assert found["memoranda_operation_seconds_count", *labels] == 2
        assert found["memoranda_model_input_tokens_total", *labels] == read
        assert found["memoranda_model_output_tokens_total", *labels] == written
        spent = ledger.status(memory.settings.team).spent
        assert found["memoranda_model_cost_dollars_total", *labels] * DOLLAR == pytest.approx(spent)
        refused = ("memoranda_operation_seconds_count", "ask_model", "openai", "budget_exhausted")
        assert found[refused] == 1


def span_text(span: ReadableSpan) -> str:
    """Return all text in a span."""
    return span.to_json() + repr((span.events, span.links, span.status.description))


def attempts(memory: Memoranda) -> list[Callable[[], object]]:
    """Make calls whose error messages contain the caller's words."""
    return [
        lambda: memory.search(CANARY, workspace=f"{CANARY} nowhere"),
        lambda: memory.observations.relevant(CANARY, task=f"{CANARY} never"),
        lambda: memory.context(query=CANARY, workspace=f"{CANARY} nowhere"),
        lambda: memory.blocks.replace(CANARY, f"{CANARY} nothing", CANARY),
        lambda: memory.blocks.delete(f"{CANARY}2"),
    ]


class TestNoWordOfAMemory:
    def test_is_in_a_label_or_an_attribute(
        self, engine: Settings, exported: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        team = engine.team
        telling = replace(engine, embedder="none", telemetry="opentelemetry,prometheus")
        with Memoranda.open(settings=telling, workspace=CANARY, agent=CANARY) as memory:
            memory._services.background.stop()
            exported.clear()
            seen = memory.observe(f"{CANARY} is net", task=f"{CANARY} task")
            ran_there = ran(CANARY, f"cat {CANARY}.py", CANARY, cwd=f"/home/{CANARY}")
            (task,) = memory.capture.take([ran_there]).tasks
            kept = memory.remember(f"{CANARY} is gross")
            block = memory.blocks.create(NewBlock(CANARY, value=CANARY))
            memory.blocks.rethink(CANARY, f"{CANARY} {CANARY}")
            assert memory.search(CANARY).hits
            assert memory.observations.relevant(CANARY).summaries
            assert CANARY in memory.context(query=CANARY).text
            for attempt in attempts(memory):
                with pytest.raises(MemorandaError, match=CANARY):
                    attempt()

            def fails(job: str) -> None:
                raise NotFound(CANARY)

            monkeypatch.setattr(memory._services.indexing, "index_task", fails)
            memory.capture.drain()
            memory.stages.compress(task)
            ids = [seen.id, seen.task, task, seen.workspace, kept.id, block.id]
            person = Memoranda.seen_by(memory._services, owner(team))
            person.forget(RemovalSelection(ids=[seen.id]), confirm=True)
            text, spans = memory.metrics(), exported.get_finished_spans()
        shown = text + "".join(map(span_text, spans))
        assert len(spans) > 20
        assert [hidden for hidden in (CANARY, team, *ids) if hidden in shown] == []
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                assert set(sample.labels) - {"le"} == set(LABELS)

    def test_attributes_are_the_known_ones(
        self, memory: Memoranda, exported: InMemorySpanExporter
    ) -> None:
        memory.remember("prices are net")
        memory.search("prices")
        memory.capture.drain()
        known = {"memoranda.operation", "memoranda.backend", "gen_ai.operation.name"}
        known |= {"gen_ai.memory.record.count", "error.type"}
        spans = exported.get_finished_spans()
        assert {name for span in spans for name in span.attributes or {}} <= known
        made = {(span.attributes or {})["memoranda.operation"]: span for span in spans}
        assert made["search"].name == "search_memory"
        assert (made["search"].attributes or {})["gen_ai.memory.record.count"] == 1
        inner = [span for span in spans if span.name == "write" and span.parent]
        assert made["remember"].context.span_id in {span.parent.span_id for span in inner}  # type: ignore[union-attr]


class TestAnOpenMemory:
    def test_an_exporter_that_raises_breaks_nothing(
        self, memory: Memoranda, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*values: object) -> None:
            raise OSError("nobody listens")

        monkeypatch.setattr(PrometheusExporter, "end", fails)
        monkeypatch.setattr(Tracer, "start_span", fails)
        kept = memory.remember("prices are net")
        memory.observe("prices are in euros")
        memory.capture.drain()
        assert kept.id in [hit.id for hit in memory.search("prices").hits]

    @pytest.mark.engines("sqlite", "postgres")
    def test_the_store_is_looked_after_as_ever(self, memory: Memoranda, tmp_path: Path) -> None:
        memory.remember("prices are net")
        assert {one.verdict for one in memory.store.doctor()} <= {
            CheckStatus.OK,
            CheckStatus.WARNING,
        }
        if memory._services.engine.dialect == "sqlite":
            memory.store.backup(tmp_path / "copy.db")
            memory.remember("prices are gross")
            memory.store.restore(tmp_path / "copy.db")
            assert len(memory.memories.list().items) == 1

    def test_figures_are_those_of_the_process(self, data_dir: Path) -> None:
        settings = load_settings({"data_dir": data_dir, "telemetry": "prometheus"}, {})
        with Memoranda.open(settings=settings) as one, Memoranda.open(settings=settings) as other:
            one.search("prices")
            assert one.metrics() == other.metrics() == prometheus.PROCESS.text()

    @pytest.mark.parametrize("chosen", ["none", "opentelemetry"])
    def test_without_prometheus_there_are_no_figures(self, data_dir: Path, chosen: str) -> None:
        settings = load_settings({"data_dir": data_dir, "telemetry": chosen}, {})
        with (
            Memoranda.open(settings=settings) as memory,
            pytest.raises(NotFound, match="telemetry = prometheus"),
        ):
            memory.metrics()
