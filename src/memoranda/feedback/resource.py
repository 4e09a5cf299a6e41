"""Use cases: feedback, answers to suggestions, commands to the memory."""

from __future__ import annotations

from memoranda.exceptions import Forbidden
from memoranda.feedback.model import (
    CommandKind,
    CommandResult,
    Feedback,
    FeedbackSource,
    FeedbackState,
    FeedbackStory,
    FeedbackType,
    SuggestionStatus,
)
from memoranda.feedback.table import FeedbackFilter
from memoranda.measurement import count_one, measured
from memoranda.page import Page
from memoranda.resource import Resource, member
from memoranda.text import normalise

NONE = "none"
"""Type name of a text that is no feedback."""


class FeedbackResource(Resource):
    """Feedback of people on the work, and commands to the memory."""

    @measured("feedback", count_one)
    def feedback_add(
        self,
        text: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        type: FeedbackType | str | None = None,
        about: str = "",
        source: FeedbackSource | str = FeedbackSource.API,
    ) -> FeedbackStory:
        """Store feedback and apply its effects.

        What is not clear, and what an agent reports, waits for a person.

        Args:
            type: correction, rejection, approval, instruction or pattern; None: to be detected.
            about: what it answers, such as the suggestion that is rejected.
            source: ``review`` for what was said in the review of a change.

        Raises:
            InvalidInput: the text is empty or too long, or the type or source is none.
            NotFound: there is no such task or workspace.
        """
        from memoranda.feedback.records import NewFeedback

        kind = member(FeedbackType, type) if type is not None else None
        said = NewFeedback(text, kind, about, member(FeedbackSource, source))
        said = self._rooms.feedback.checked(said)
        scope = self._within(workspace, task, new=task is None)
        return self._followed(self._rooms.feedback.add(scope, said))

    def feedback(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        state: FeedbackState | str | None = None,
        type: FeedbackType | str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Feedback]:
        """Return feedback, newest first.

        An agent sees what is about its own work or anybody's.
        """
        scope = self._within(workspace, task)
        where = FeedbackFilter(
            scope.workspace,
            scope.task,
            scope.agent,
            member(FeedbackState, state) if state is not None else None,
            member(FeedbackType, type) if type is not None else None,
        )
        return self._rooms.feedback.list(where, scope.team, cursor=cursor, limit=limit)

    def feedback_show(self, id: str) -> FeedbackStory:
        """Return feedback with all its effects, by its id or a prefix of it."""
        return self._rooms.feedback.show(self._scope, normalise(id))

    @measured("feedback", count_one)
    def feedback_correct(self, id: str, type: FeedbackType | str) -> FeedbackStory:
        """Correct the type of feedback; ``none`` if it is no feedback.

        Earlier effects are undone unless somebody has built on them, and the new effects are
        applied.

        Raises:
            Forbidden: an agent requested it.
            InvalidInput: there is no such type.
            NotFound: there is no such feedback.
        """
        kind = None if type == NONE else member(FeedbackType, type)
        return self._followed(self._rooms.feedback.correct(self._scope, normalise(id), kind))

    @measured("feedback", count_one)
    def feedback_process(self, id: str | None = None) -> int:
        """Process pending feedback; return how much was processed.

        With an id, confirm that its type was detected correctly.

        Raises:
            Forbidden: an agent requested it.
            InvalidInput: its type is unknown; `feedback_correct` sets it.
            NotFound: there is no such feedback.
        """
        if self._scope.agent is not None:
            raise Forbidden("a person says what follows from feedback; an agent may report some")
        rooms = self._rooms
        if id is None:
            done = rooms.feedback_processing.catch_up(self._scope.team)
        else:
            settled = rooms.feedback.confirm(self._scope, normalise(id))
            done = int(rooms.feedback_processing.process(settled.team, settled.id))
        rooms.background.wake()
        return done

    def suggestions(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[SuggestionStatus]:
        """Return suggestions that were rejected or accepted, newest first."""
        scope = self._within(workspace, None)
        return self._rooms.feedback.suggestions(scope, cursor=cursor, limit=limit)

    @measured("say", count_one)
    def say(self, text: str, *, workspace: str | None = None) -> CommandResult:
        """Carry out a spoken command to the memory.

        "Remember that …", "Forget about …", "What do you know about me?", "Add this rule: …",
        "Optimize your memory". Forgetting archives the one memory that has all the words; of
        several the choice is returned as a question.

        Raises:
            InvalidInput: it is no command, it names nothing, or the memory is protected.
            NotFound: nothing is known of what is to be forgotten.
        """
        given = self._rooms.spoken.understood(text)
        makes = given.kind in (CommandKind.REMEMBER, CommandKind.RULE)
        scope = self._within(workspace, None, new=makes)
        spoken = self._rooms.spoken.say(scope, given)
        self._rooms.enqueue_rendering(scope.workspace)
        self._rooms.background.wake()
        return spoken

    def _followed(self, kept: Feedback) -> FeedbackStory:
        """Apply the effects at once; if interrupted, the job applies them."""
        self._rooms.feedback_processing.process(kept.team, kept.id)
        self._rooms.background.wake()
        return self._rooms.feedback.show(self._scope, kept.id)
