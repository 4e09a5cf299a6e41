"""What learns from tasks that ended, put together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.wiring.distilling import DistilRooms
from memoranda.wiring.learning import LearnRooms

if TYPE_CHECKING:
    from memoranda.learn.refining import Refining
    from memoranda.learn.task_ends import TaskEnds
    from memoranda.learn.tool_reliability import ToolReliability


class LessonRooms(LearnRooms, DistilRooms):
    """What tasks leave behind, worded by a model where one is set."""

    @cached_property
    def tool_reliability(self) -> ToolReliability:
        """Which tools fail."""
        from memoranda.learn.tool_reliability import ToolReliability

        return ToolReliability(self.database)

    @cached_property
    def task_ends(self) -> TaskEnds:
        """What tasks leave behind."""
        from memoranda.distil.bearing import unborne
        from memoranda.learn.lesson_book import LessonBook
        from memoranda.learn.task_ends import TaskEnds, Writers

        book = LessonBook(self.proposals, self.counter, self.sanitiser, self.clock, self.ids)
        writers = Writers(book, self._memory_changes, self.tool_reliability)
        models = self.rewriters.asked_by
        return TaskEnds(self.database, writers, models, unborne, self.clock, self.ids)

    @cached_property
    def refining(self) -> Refining:
        """Patterns of errors in other words."""
        from memoranda.distil.bearing import unborne
        from memoranda.learn.refining import Refining

        models = self.rewriters.asked_by
        return Refining(self.database, self.sanitiser, models, unborne)
