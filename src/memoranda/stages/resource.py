"""Methods that list, show, set, complete and compress stages of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import read, write
from memoranda.page import Page
from memoranda.resource import Resource, member
from memoranda.tasks.reference import TaskReference

if TYPE_CHECKING:
    from memoranda.compression.model import Compression
    from memoranda.stages.model import Stage, StageName, StageView


MIN_RATIO, GREATEST_RATIO = 2, 20
"""Range of the number of source tokens per token of a summary."""


class StagesResource(Resource):
    """``memory.stages``: stages of tasks, each with its summary.

    These methods delete no data: the source of a summary is kept, and each line states its source.
    """

    @read("stages.list", alias=("stage.list",))
    def list(
        self, task: TaskReference, *, cursor: str | None = None, limit: int = 50
    ) -> Page[Stage]:
        """List the stages of a task in order.

        The kinds of stages are planning, execution, reflection and verification.
        """
        scope = self._within(None, task)
        id = str(scope.task)
        self._services.chores.follow(scope, id)
        return self._services.staging.list(scope, id, cursor=cursor, limit=limit)

    @read("stages.show", alias=("stage.show",))
    def show(self, task: TaskReference, number: int | None = None) -> StageView:
        """Show a stage with its summary; by default, the current stage.

        Raises:
            NotFound: there is no such stage.
        """
        from memoranda.stages.model import StageView

        scope = self._within(None, task)
        id = str(scope.task)
        self._services.chores.follow(scope, id)
        stage = self._services.staging.stage(scope, id, number)
        if stage.ended is not None and self._services.settings.stage_auto_compression:
            # the process that ended the stage had no time for the summary
            self._services.compressions.catch_up(scope, id)
        summary = self._services.compressions.of(scope, id, stage.number)
        suggested = self._services.staging.suggestion(scope, id) if number is None else None
        return StageView(stage, summary, suggested)

    @write("stages.complete", alias=("stage.complete",))
    def complete(self, task: TaskReference, reason: str = "") -> Stage:
        """End the current stage of a task, and summarise it.

        The summary exists when this method returns. A stage that has already ended remains
        unchanged.

        Raises:
            NotFound: the task has no stage yet.
            Conflict: the stage has no observations yet.
        """
        scope = self._within(None, task)
        self._services.chores.follow(scope, str(scope.task))
        done, ended = self._services.staging.complete(scope, str(scope.task), reason)
        self._services.chores.leave(scope, done.task, ended)
        self._wait_for_handlers()
        self._services.enqueue_distilling(done.task)
        return done

    @write("stages.set", alias=("stage.set",))
    def set(
        self,
        task: TaskReference,
        name: StageName | str,
        reason: str = "",
        *,
        supervisor: bool = False,
    ) -> Stage:
        """Set the stage that begins with the next observation of a task.

        The previous stage ends, and its summary exists when this method returns.

        Args:
            supervisor: whether a supervisor of the agent, rather than a person, sets the stage.
        """
        from memoranda.stages.model import StageName, StageSource

        scope = self._within(None, task)
        source = StageSource.SUPERVISOR if supervisor else StageSource.HAND
        chosen = member(StageName, name)
        self._services.chores.follow(scope, str(scope.task))
        begun, ended = self._services.staging.begin(scope, str(scope.task), chosen, source, reason)
        self._services.chores.leave(scope, begun.task, ended)
        self._wait_for_handlers()
        self._services.enqueue_distilling(begun.task)
        return begun

    @write("stages.compress", alias=("stage.compress",))
    def compress(
        self, task: TaskReference, number: int | None = None, *, ratio: float | None = None
    ) -> Compression:
        """Rebuild the summary of a stage.

        ``ratio`` (2 to 20) sets the length of the summary; by default, the length is adaptive.

        Raises:
            NotFound: there is no such stage, or it has no content.
            InvalidInput: ``ratio`` is out of range.
        """
        if ratio is not None and not MIN_RATIO <= ratio <= GREATEST_RATIO:
            limits = f"{MIN_RATIO} and {GREATEST_RATIO}"
            raise InvalidInput(f"a ratio must be between {limits}, not {ratio:g}")
        scope = self._within(None, task)
        id = str(scope.task)
        self._services.chores.follow(scope, id)
        stage = self._services.staging.stage(scope, id, number)
        return self._services.compressions.rebuild(scope, stage, ratio)
