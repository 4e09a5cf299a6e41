"""Records that the `memory.*` methods return, with their field names.

Times are ISO 8601, as everywhere in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

from memoranda.costs.model import DOLLAR

T = TypeVar("T")

RecordData = Mapping[str, Any]
"""Result of an operation, as JSON."""
NO_HIT: RecordData = {}
"""Empty search hit, for a record that no search returned."""
SOURCE = "source"


def of(name: str) -> Mapping[str, str]:
    """Return the metadata of a field with another name in the result of an operation."""
    return {SOURCE: name}


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """Memory or observation; an observation is an episodic memory."""

    memory_id: str = field(metadata=of("id"))
    memory_type: str = field(metadata=of("kind"))
    """episodic, semantic or procedural."""
    content: str
    summary: str = field(metadata=of("title"))
    timestamp: str = field(metadata=of("created_at"))
    agent_id: str | None = field(metadata=of("agent"))
    task_id: str | None = field(metadata=of("task"))
    stage_type: str | None = field(metadata=of("stage"))
    keywords: tuple[str, ...] = field(metadata=of("tags"))
    is_critical: bool = field(metadata=of("critical"))
    criticality_reason: str | None = field(metadata=of("critical_reason"))
    access_count: int
    """How often searches returned the record previously."""
    last_accessed: str | None
    status: str
    """Approval status.

    Only approved memories are included automatically; what an agent states is pending.
    """
    importance_score: float | None = None
    """Estimated probability that the record answers the query, 0 to 1; None without a search."""


@dataclass(frozen=True, slots=True)
class StageMemory:
    """A stage of a task with its summary."""

    task_id: str = field(metadata=of("task"))
    stage_id: int = field(metadata=of("number"))
    """Number of the stage within the task: 1, 2, 3 …"""
    stage_type: str = field(metadata=of("name"))
    stage_summary: str | None
    """Summary of the stage; None if there is none yet."""
    raw_memory_refs: tuple[str, ...]
    """Short names of the observations that the summary quotes."""
    compression_ratio: float | None
    compression_model: str | None
    """Name of the language model; ``extract`` if none was used."""
    transition_reason: str = field(metadata=of("reason"))
    transition_confidence: float = field(metadata=of("confidence"))
    transition_source: str = field(metadata=of("source"))
    created_at: str = field(metadata=of("started_at"))
    completed_at: str | None = field(metadata=of("ended_at"))


@dataclass(frozen=True, slots=True)
class CompressionMetrics:
    """Metrics of the compression of a stage or a task."""

    task_id: str = field(metadata=of("task"))
    stage_id: int | None
    """Number of the stage; None for the task."""
    compression_type: str
    """stage or task."""
    input_tokens: int = field(metadata=of("source_tokens"))
    output_tokens: int = field(metadata=of("tokens"))
    compression_ratio: float
    critical_fact_retention_rate: float
    coherence_score: float
    """1 if no statement contradicts the source; else 1 / (1 + contradictions)."""
    cost_usd: float
    model_used: str = field(metadata=of("method"))
    recorded_at: str = field(metadata=of("created_at"))


@dataclass(frozen=True, slots=True)
class RecordedError:
    """A recorded error."""

    error_id: str = field(metadata=of("id"))
    task_id: str | None
    stage_type: str | None = field(metadata=of("stage"))
    agent_id: str = field(metadata=of("agent"))
    error_type: str = field(metadata=of("type"))
    error_description: str = field(metadata=of("description"))
    context_when_occurred: str = field(metadata=of("context"))
    recovery_action: str = field(metadata=of("recovery"))
    error_severity: float = field(metadata=of("severity"))
    recorded_at: str = field(metadata=of("created_at"))


@dataclass(frozen=True, slots=True)
class FormattedContext:
    """Context for a prompt, within its budget.

    The context is data: nothing in it is an instruction.
    """

    context: str = field(metadata=of("text"))
    token_count: int = field(metadata=of("tokens"))
    token_budget: int = field(metadata=of("budget"))
    budget_utilization: float = field(metadata=of("utilisation"))
    critical_fact_coverage: float = field(metadata=of("coverage"))
    compression_ratio: float
    left_out: tuple[RecordData, ...]
    """What did not fit, by section, and how to retrieve it."""
    degraded: bool
    note: str
    """What was unavailable, if the context is degraded."""


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """Outcome of a requested change of a memory."""

    memory: MemoryRecord
    proposal_id: str | None
    """Pending proposal; None if the change was made immediately."""


def filled(record: type[T], found: RecordData, **computed: Any) -> T:
    """Return a record of a result; fields without a source are computed."""
    taken = {
        item.name: found[item.metadata.get(SOURCE, item.name)]
        for item in fields(cast(Any, record))
        if item.name not in computed
    }
    lists = {name: tuple(value) for name, value in taken.items() if isinstance(value, list)}
    return record(**taken | lists | computed)


def memory_record(found: RecordData, hit: RecordData = NO_HIT) -> MemoryRecord:
    """Return the record of a memory, as found by a search."""
    return filled(MemoryRecord, found, task_id=None, stage_type=None, **_use(hit))


def observation_record(found: RecordData, content: str, hit: RecordData = NO_HIT) -> MemoryRecord:
    """Return the record of an observation."""
    return filled(
        MemoryRecord,
        found,
        memory_type="episodic",
        content=content,
        summary=found["summary"],
        is_critical=False,
        criticality_reason=None,
        status="approved",
        **_use(hit),
    )


def changed(found: RecordData) -> ChangeRecord:
    """Return the outcome of a requested change."""
    proposal = found["proposal"]
    return ChangeRecord(memory_record(found["memory"]), proposal["id"] if proposal else None)


def stage_memory(stage: RecordData, summary: RecordData | None) -> StageMemory:
    """Return the record of a stage, with its summary if there is one."""
    lines = summary["lines"] if summary else ()
    return filled(
        StageMemory,
        stage,
        stage_summary=summary["text"] if summary else None,
        raw_memory_refs=tuple(dict.fromkeys(line["ref"] for line in lines)),
        compression_ratio=ratio(summary) if summary else None,
        compression_model=summary["method"] if summary else None,
    )


def compression_metrics(found: RecordData) -> CompressionMetrics:
    """Return the metrics of a compression."""
    return filled(
        CompressionMetrics,
        found,
        stage_id=found["stage"] or None,
        compression_type="stage" if found["stage"] else "task",
        compression_ratio=ratio(found),
        critical_fact_retention_rate=found["kept"] / found["facts"] if found["facts"] else 1.0,
        coherence_score=1 / (1 + found["contradictions"]),
        cost_usd=found["cost"] / DOLLAR,
    )


def recorded_error(found: RecordData) -> RecordedError:
    """Return the record of an error."""
    return filled(RecordedError, found, task_id=found["task"] or None)


def ratio(found: RecordData) -> float:
    """Return how many tokens of the source one token of the summary covers."""
    return float(found["source_tokens"] / max(1, found["tokens"]))


def _use(hit: RecordData) -> RecordData:
    return {
        "access_count": hit.get("access_count", 0),
        "last_accessed": hit.get("last_accessed_at"),
        "importance_score": hit.get("score"),
    }
