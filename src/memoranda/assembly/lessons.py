"""What learns from tasks that ended, put together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.compression import DistilRooms
from memoranda.assembly.memories import LearnRooms

if TYPE_CHECKING:
    from memoranda.errors.model_patterns import Refining
    from memoranda.tasks.completion import TaskEnds
    from memoranda.tools.reliability import ToolReliability


class LessonRooms(LearnRooms, DistilRooms):
    """What tasks leave behind, worded by a model where one is set."""

    @cached_property
    def tool_reliability(self) -> ToolReliability:
        """Which tools fail."""
        from memoranda.tools.reliability import ToolReliability

        return ToolReliability(self.database)

    @cached_property
    def task_ends(self) -> TaskEnds:
        """What tasks leave behind."""
        from memoranda.compression.grounding import unborne
        from memoranda.lessons.proposals import LessonBook
        from memoranda.tasks.completion import TaskEnds, Writers

        book = LessonBook(self.proposals, self.counter, self.sanitiser, self.clock, self.ids)
        writers = Writers(book, self._memory_changes, self.tool_reliability)
        models = self.rewriters.asked_by
        return TaskEnds(self.database, writers, models, unborne, self.clock, self.ids)

    @cached_property
    def refining(self) -> Refining:
        """Patterns of errors in other words."""
        from memoranda.compression.grounding import unborne
        from memoranda.errors.model_patterns import Refining

        models = self.rewriters.asked_by
        return Refining(self.database, self.sanitiser, models, unborne)
