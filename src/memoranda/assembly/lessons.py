"""Constructs the services that derive lessons from finished tasks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.compression import CompressionServices
from memoranda.assembly.memories import MemoryServices

if TYPE_CHECKING:
    from memoranda.errors.pattern_descriptions import PatternRefiner
    from memoranda.lessons.tool_record import ToolReliability
    from memoranda.tasks.completion import TaskEnds


class LessonServices(MemoryServices, CompressionServices):
    """Services for lessons of tasks, written by a model if one is set."""

    @cached_property
    def tool_reliability(self) -> ToolReliability:
        """Service for the failure rates of tools."""
        from memoranda.lessons.tool_record import ToolReliability

        return ToolReliability(self.database)

    @cached_property
    def task_ends(self) -> TaskEnds:
        """Service for the results of tasks."""
        from memoranda.compression.grounding import ungrounded
        from memoranda.lessons.proposals import LessonWriter
        from memoranda.tasks.completion import TaskEnds, TaskEndWriters
        from memoranda.tasks.learned_notes import LearnedNotes

        book = LessonWriter(self.proposals, self.counter, self.sanitiser, self.clock, self.ids)
        notes = LearnedNotes(book, self._memory_changes)
        writers = TaskEndWriters(book, self._memory_changes, self.tool_reliability, notes)
        models = self.rewriters.model_for
        return TaskEnds(self.database, writers, models, ungrounded, self.clock, self.ids)

    @cached_property
    def refining(self) -> PatternRefiner:
        """Service that rewords patterns of errors."""
        from memoranda.compression.grounding import ungrounded
        from memoranda.errors.pattern_descriptions import PatternRefiner

        models = self.rewriters.model_for
        return PatternRefiner(self.database, self.sanitiser, models, ungrounded)
