"""Constructs the services for compression and for lessons from tasks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.memories import MemoryServices
from memoranda.assembly.store_context import StoreContext

if TYPE_CHECKING:
    from memoranda.compression.briefs import Briefs
    from memoranda.compression.compressor import Compressions
    from memoranda.compression.extract.compressor import ExtractCompressor
    from memoranda.compression.rewriter_factory import Rewriters
    from memoranda.costs.ledger import Ledger
    from memoranda.errors.model_descriptions import PatternRefiner
    from memoranda.lessons.tool_failure_rates import ToolReliability
    from memoranda.stages.recorder import StageMonitor
    from memoranda.tasks.completion import TaskEnds


class CompressionServices(StoreContext):
    """Services for compression, costs of model calls, stages and briefs."""

    @cached_property
    def extract(self) -> ExtractCompressor:
        """Compressor that selects parts of a text, without a model."""
        from memoranda.compression.extract.compressor import ExtractCompressor

        return ExtractCompressor(self.counter)

    @cached_property
    def ledger(self) -> Ledger:
        """Ledger of the costs and budgets of language model calls."""
        from memoranda.costs.ledger import Ledger
        from memoranda.costs.model import DOLLAR, DailyLimits

        settings = self.settings
        limit = round(settings.monthly_budget_dollars * DOLLAR)
        share = settings.budget_alert_share
        daily = DailyLimits(settings.language_calls_a_day, settings.language_tokens_a_day)
        return Ledger(self.database, self.clock, self.ids, limit, share, daily)

    @cached_property
    def rewriters(self) -> Rewriters:
        """Service that rewrites summaries with a model, if one is configured."""
        from memoranda.compression.rewriter_factory import Rewriters

        extract, ledger = self.extract, self.ledger
        return Rewriters(self.settings, extract, ledger, self.counter, self.telemetry)

    @cached_property
    def staging(self) -> StageMonitor:
        """Service that detects the stages of tasks."""
        from memoranda.stages.model import StageMode
        from memoranda.stages.recorder import StageMonitor

        settings = self.settings
        begins = StageMode.AUTOMATIC if settings.stage_auto_transition else StageMode.SUGGESTED
        mode = begins if settings.stage_detection else StageMode.OFF
        return StageMonitor(self.database, self.clock, self.sanitiser, mode)

    @cached_property
    def compressions(self) -> Compressions:
        """Service for summaries of stages and tasks."""
        from memoranda.compression.adaptive_ratio import CompressionAims
        from memoranda.compression.compressor import Compressions

        settings = self.settings
        return Compressions(
            self.database,
            lambda: self.extract,
            lambda scope: self.rewriters.of(scope),
            self.counter,
            self.clock,
            aims=CompressionAims(
                settings.compression_ratio or None,
                settings.task_compression_ratio,
                settings.compression_quality_threshold,
            ),
            telemetry=self.telemetry,
        )

    @cached_property
    def briefs(self) -> Briefs:
        """Service that summarises tasks within a token limit."""
        from memoranda.compression.briefs import Briefs
        from memoranda.context.brief import line_order

        return Briefs(self.database, line_order, self.counter)


class LessonServices(MemoryServices, CompressionServices):
    """Services for lessons from tasks, reworded by a model if one is set."""

    @cached_property
    def tool_reliability(self) -> ToolReliability:
        """Service for the failure rates of tools."""
        from memoranda.lessons.tool_failure_rates import ToolReliability

        return ToolReliability(self.database)

    @cached_property
    def task_ends(self) -> TaskEnds:
        """Service for the results of tasks."""
        from memoranda.compression.grounding import ungrounded
        from memoranda.lessons.proposals import LessonWriter
        from memoranda.tasks.completion import TaskEnds, TaskEndWriters
        from memoranda.tasks.learned_notes import LearnedNotes
        from memoranda.utterances.classifier import UtteranceClassifier

        book = LessonWriter(self.proposals, self.counter, self.sanitiser, self.clock, self.ids)
        notes = LearnedNotes(book, self._memory_changes)
        writers = TaskEndWriters(book, self._memory_changes, self.tool_reliability, notes)
        models, classifier = self.rewriters.model_for, UtteranceClassifier(self.embedder)
        return TaskEnds(
            self.database, writers, models, ungrounded, classifier, self.clock, self.ids
        )

    @cached_property
    def refining(self) -> PatternRefiner:
        """Service that rewords patterns of errors."""
        from memoranda.compression.grounding import ungrounded
        from memoranda.errors.model_descriptions import PatternRefiner

        models = self.rewriters.model_for
        return PatternRefiner(self.database, self.sanitiser, models, ungrounded)
