"""`memory.*` methods that compress stages and tasks, and their metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from memoranda.api.jsonrpc.memory.method_group import MethodGroup
from memoranda.api.jsonrpc.memory.records import (
    CompressionMetrics,
    compression_metrics,
    filled,
    of,
    ratio,
)
from memoranda.costs.model import DOLLAR


@dataclass(frozen=True, slots=True)
class StageCompressed:
    """Summary of a stage and its metrics."""

    stage_summary: str
    metrics: CompressionMetrics


@dataclass(frozen=True, slots=True)
class TaskCompressed:
    """Progress summary of a task."""

    task_progress_summary: str = field(metadata=of("text"))
    input_tokens: int = field(metadata=of("source_tokens"))
    output_tokens: int = field(metadata=of("tokens"))
    compression_ratio: float
    model_used: str = field(metadata=of("method"))
    cost_usd: float


@dataclass(frozen=True, slots=True)
class CompressionReport:
    """Metrics of the last compressions, newest first."""

    metrics: tuple[CompressionMetrics, ...]


class CompressionMethods(MethodGroup):
    """Methods for compression of stages and tasks.

    compress_stage, compress_task, get_compression_metrics, adjust_compression.
    """

    USES: ClassVar = {
        "compress_stage": ("stages.compress",),
        "compress_task": ("tasks.brief",),
        "get_compression_metrics": ("compression.report",),
        "adjust_compression": ("stages.compress",),
    }

    def compress_stage(self, task_id: str, *, stage_id: int | None = None) -> StageCompressed:
        """Rebuild the summary of a stage at the automatically adapted ratio.

        Args:
            stage_id: the stage number; by default the current stage of the task.
        """
        return self._compressed(task_id, stage_id, None)

    def compress_task(
        self, task_id: str, *, token_budget: int | None = None, query: str | None = None
    ) -> TaskCompressed:
        """Compress a task into a progress summary.

        Missing summaries of stages are created first.

        Args:
            token_budget: maximum tokens of the summary, 1,000 by default.
        """
        found = self._call("tasks.brief", task=task_id, tokens=token_budget, query=query)
        cost = found["cost"] / DOLLAR
        return filled(TaskCompressed, found, compression_ratio=ratio(found), cost_usd=cost)

    def get_compression_metrics(
        self, *, task_id: str | None = None, workspace: str | None = None, limit: int = 50
    ) -> CompressionReport:
        """Return metrics of the last compressions.

        These are the ratio, the critical facts that were kept, the coherence and the cost.
        """
        arguments = {"task": task_id, "workspace": workspace, "limit": limit}
        found = self._call("compression.report", **arguments)
        return CompressionReport(tuple(map(compression_metrics, found)))

    def adjust_compression(
        self, task_id: str, compression_ratio: float, *, stage_id: int | None = None
    ) -> StageCompressed:
        """Set the compression ratio of a stage, and rebuild its summary.

        Other stages adapt automatically as before; the setting ``compression_ratio`` applies to all
        of them.

        Args:
            compression_ratio: tokens of the source per token of the summary, 2 to 20.
            stage_id: the stage number; by default the current stage of the task.
        """
        return self._compressed(task_id, stage_id, compression_ratio)

    def _compressed(self, task: str, number: int | None, ratio: float | None) -> StageCompressed:
        found = self._call("stages.compress", task=task, number=number, ratio=ratio)
        return StageCompressed(found["text"], compression_metrics(found))
