"""Records that the `memory.*` methods return, with their field names.

Times are ISO 8601, as everywhere in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RecordData = Mapping[str, Any]
"""Result of an operation, as JSON."""
NO_HIT: RecordData = {}
"""Empty hit, for a record that did not come from a search."""


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """Memory or observation; an observation is an episodic memory."""

    memory_id: str
    memory_type: str
    """episodic, semantic or procedural."""
    content: str
    summary: str
    timestamp: str
    agent_id: str | None
    task_id: str | None
    stage_type: str | None
    keywords: tuple[str, ...]
    is_critical: bool
    criticality_reason: str | None
    access_count: int
    """How often a search returned it previously."""
    last_accessed: str | None
    status: str
    """Approval status.

    Only approved memories are included automatically; what an agent states is pending.
    """
    importance_score: float | None = None
    """Estimated probability that it answers the query, 0 to 1; None without a search."""


@dataclass(frozen=True, slots=True)
class StageMemory:
    """A stage of a task with its summary."""

    task_id: str
    stage_id: int
    """Its number within the task: 1, 2, 3, …"""
    stage_type: str
    stage_summary: str | None
    """Summary of the stage; None if there is none yet."""
    raw_memory_refs: tuple[str, ...]
    """Short names of the observations that the summary quotes."""
    compression_ratio: float | None
    compression_model: str | None
    """Name of the model; ``extract`` if no language model was used."""
    transition_reason: str
    transition_confidence: float
    transition_source: str
    created_at: str
    completed_at: str | None


@dataclass(frozen=True, slots=True)
class CompressionMetrics:
    """Metrics of the compression of a stage or a task."""

    task_id: str
    stage_id: int | None
    """Number of the stage; None for the task."""
    compression_type: str
    """stage or task."""
    input_tokens: int
    output_tokens: int
    compression_ratio: float
    critical_fact_retention_rate: float
    coherence_score: float
    """1 if nothing contradicts its source; else 1 / (1 + contradictions)."""
    cost_usd: float
    model_used: str
    recorded_at: str


@dataclass(frozen=True, slots=True)
class RecordedError:
    """A recorded error."""

    error_id: str
    task_id: str | None
    stage_type: str | None
    agent_id: str
    error_type: str
    error_description: str
    context_when_occurred: str
    recovery_action: str
    error_severity: float
    recorded_at: str


@dataclass(frozen=True, slots=True)
class FormattedContext:
    """Context for a prompt, within its budget.

    It is data: nothing in it is an instruction.
    """

    context: str
    token_count: int
    token_budget: int
    budget_utilization: float
    critical_fact_coverage: float
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


def memory_record(found: RecordData, hit: RecordData = NO_HIT) -> MemoryRecord:
    """Return the record of a memory with its search score."""
    return MemoryRecord(
        memory_id=found["id"],
        memory_type=found["kind"],
        content=found["content"],
        summary=found["title"],
        timestamp=found["created_at"],
        agent_id=found["agent"],
        task_id=None,
        stage_type=None,
        keywords=tuple(found["tags"]),
        is_critical=found["critical"],
        criticality_reason=found["critical_reason"],
        access_count=hit.get("access_count", 0),
        last_accessed=hit.get("last_accessed_at"),
        status=found["status"],
        importance_score=hit.get("score"),
    )


def observation_record(found: RecordData, content: str, hit: RecordData = NO_HIT) -> MemoryRecord:
    """Return the record of an observation."""
    return MemoryRecord(
        memory_id=found["id"],
        memory_type="episodic",
        content=content,
        summary=found["summary"],
        timestamp=found["created_at"],
        agent_id=found["agent"],
        task_id=found["task"],
        stage_type=found["stage"],
        keywords=tuple(found["tags"]),
        is_critical=False,
        criticality_reason=None,
        access_count=hit.get("access_count", 0),
        last_accessed=hit.get("last_accessed_at"),
        status="approved",
        importance_score=hit.get("score"),
    )


def changed(found: RecordData) -> ChangeRecord:
    """Return the outcome of a requested change."""
    proposal = found["proposal"]
    return ChangeRecord(memory_record(found["memory"]), proposal["id"] if proposal else None)


def stage_memory(stage: RecordData, summary: RecordData | None) -> StageMemory:
    """Return the record of a stage, with its summary if there is one."""
    lines = summary["lines"] if summary else ()
    return StageMemory(
        task_id=stage["task"],
        stage_id=stage["number"],
        stage_type=stage["name"],
        stage_summary=summary["text"] if summary else None,
        raw_memory_refs=tuple(dict.fromkeys(line["ref"] for line in lines)),
        compression_ratio=_ratio(summary) if summary else None,
        compression_model=summary["method"] if summary else None,
        transition_reason=stage["reason"],
        transition_confidence=stage["confidence"],
        transition_source=stage["source"],
        created_at=stage["started_at"],
        completed_at=stage["ended_at"],
    )


def compression_metrics(found: RecordData) -> CompressionMetrics:
    """Return the metrics of a compression."""
    return CompressionMetrics(
        task_id=found["task"],
        stage_id=found["stage"] or None,
        compression_type="stage" if found["stage"] else "task",
        input_tokens=found["source_tokens"],
        output_tokens=found["tokens"],
        compression_ratio=_ratio(found),
        critical_fact_retention_rate=found["kept"] / found["facts"] if found["facts"] else 1.0,
        coherence_score=1 / (1 + found["contradictions"]),
        cost_usd=found["cost"] / 1_000_000,
        model_used=found["method"],
        recorded_at=found["created_at"],
    )


def recorded_error(found: RecordData) -> RecordedError:
    """Return the record of an error."""
    return RecordedError(
        error_id=found["id"],
        task_id=found["task"] or None,
        stage_type=found["stage"],
        agent_id=found["agent"],
        error_type=found["type"],
        error_description=found["description"],
        context_when_occurred=found["context"],
        recovery_action=found["recovery"],
        error_severity=found["severity"],
        recorded_at=found["created_at"],
    )


def formatted_context(found: RecordData) -> FormattedContext:
    """Return the record of a context."""
    return FormattedContext(
        context=found["text"],
        token_count=found["tokens"],
        token_budget=found["budget"],
        budget_utilization=found["utilisation"],
        critical_fact_coverage=found["coverage"],
        compression_ratio=found["compression_ratio"],
        left_out=tuple(found["left_out"]),
        degraded=found["degraded"],
        note=found["note"],
    )


def _ratio(found: RecordData) -> float:
    """Return how many tokens of the source one token of the summary covers."""
    return float(found["source_tokens"] / max(1, found["tokens"]))
