"""Operations for feedback: add, list, correct and process."""

from __future__ import annotations

from memoranda.feedback.model import (
    Feedback,
    FeedbackSource,
    FeedbackState,
    FeedbackStory,
    FeedbackType,
    SuggestionStatus,
)
from memoranda.feedback.table import FeedbackFilter
from memoranda.instrumentation import count_one, measured
from memoranda.operation_declaration import ADMINS, REVIEWERS, read, write
from memoranda.page import Page
from memoranda.resource import Resource, member
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise

NONE = "none"
"""Type name of a text that is not feedback."""


class FeedbackResource(Resource):
    """``memory.feedback``: what people say about the work."""

    @write("feedback.add")
    @measured("feedback", count_one)
    def add(
        self,
        text: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        type: FeedbackType | str | None = None,
        about: str = "",
        source: FeedbackSource | str = FeedbackSource.API,
    ) -> FeedbackStory:
        """Store feedback and apply its effects.

        Unclear feedback, and what an agent reports, is pending until a person confirms it.

        Args:
            text: at most 4,000 characters.
            type: correction, rejection, approval, instruction or pattern; None: to be detected.
            about: text that the feedback answers, such as the suggestion that is rejected.
            source: ``review`` for a comment in a code review.

        Raises:
            InvalidInput: the text is empty or too long, or the type or source is unknown.
            NotFound: there is no such task or workspace.
        """
        from memoranda.feedback.feedback_service import NewFeedback

        kind = member(FeedbackType, type) if type is not None else None
        new = NewFeedback(text, kind, about, member(FeedbackSource, source))
        new = self._services.feedback.checked(new)
        scope = self._within(workspace, task, new=task is None)
        return self._followed(self._services.feedback.add(scope, new))

    @read("feedback.list")
    def list(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        state: FeedbackState | str | None = None,
        type: FeedbackType | str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Feedback]:
        """List feedback, newest first.

        An agent sees feedback on its own work, and feedback on no particular agent.

        Args:
            state: only feedback in this state.
            type: only feedback of this type.
        """
        scope = self._within(workspace, task)
        where = FeedbackFilter(
            scope.workspace,
            scope.task,
            scope.agent,
            member(FeedbackState, state) if state is not None else None,
            member(FeedbackType, type) if type is not None else None,
        )
        return self._services.feedback.list(where, scope.team, cursor=cursor, limit=limit)

    @read("feedback.show")
    def show(self, id: str) -> FeedbackStory:
        """Show feedback, its detected type, and its effects.

        The feedback is identified by its id or an id prefix.
        """
        return self._services.feedback.show(self._scope, normalise(id))

    @write("feedback.correct", roles=REVIEWERS)
    @measured("feedback", count_one)
    def correct(self, id: str, type: FeedbackType | str) -> FeedbackStory:
        """Correct the type of feedback.

        Pass ``none`` if the text is not feedback. Earlier effects are undone, unless later changes
        depend on them, and the new effects are applied.

        Raises:
            Forbidden: an agent requested the correction.
            InvalidInput: there is no such type.
            NotFound: there is no such feedback.
        """
        kind = None if type == NONE else member(FeedbackType, type)
        return self._followed(self._services.feedback.correct(self._scope, normalise(id), kind))

    @write("feedback.process", roles=ADMINS)
    @measured("feedback", count_one)
    def process(self, id: str | None = None) -> int:
        """Process pending feedback.

        Return the number of processed feedback items. With an id, confirm that the type of this
        feedback was detected correctly.

        Raises:
            Forbidden: an agent requested the confirmation.
            InvalidInput: the type of the feedback is unknown; `correct` sets it.
            NotFound: there is no such feedback.
        """
        services = self._services
        if id is None:
            done = services.feedback_processing.catch_up(self._scope.team)
        else:
            settled = services.feedback.confirm(self._scope, normalise(id))
            done = int(services.feedback_processing.process(settled.team, settled.id))
        services.background.wake()
        return done

    @read("feedback.suggestions")
    def suggestions(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[SuggestionStatus]:
        """List rejected and accepted suggestions, newest first."""
        scope = self._within(workspace, None)
        return self._services.feedback.suggestions(scope, cursor=cursor, limit=limit)

    def _followed(self, stored: Feedback) -> FeedbackStory:
        """Apply the effects now; if interrupted, a job applies them."""
        self._services.feedback_processing.process(stored.team, stored.id)
        self._services.background.wake()
        return self._services.feedback.show(self._scope, stored.id)
