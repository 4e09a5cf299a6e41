"""Feedback records: added, listed, confirmed and corrected.

Feedback of people and agents is stored verbatim; only a person can correct its type.
"""

from __future__ import annotations

from collections.abc import Callable, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, InvalidInput, NotFound, empty_text
from memoranda.feedback import suggestion_table as suggestions, table as feedback
from memoranda.feedback.model import (
    OPEN,
    Feedback,
    FeedbackSource,
    FeedbackState,
    FeedbackStory,
    FeedbackType,
    ParsedFeedback,
    SuggestionStatus,
)
from memoranda.feedback.table import FeedbackFilter
from memoranda.id_prefix import full_id
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.ports import Sanitiser
from memoranda.scope import PERSON, Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import is_blank, normalise
from memoranda.workspaces.recognition import with_workspace

MAX_LENGTH = 4_000
"""Maximum number of characters of feedback, and of its subject."""
BY_PERSON = "stated by a person"
"""Reason for a type that was stated rather than detected."""
BY_AGENT = "stated by an agent"
HEARSAY = 0.5
"""Confidence of feedback that an agent reports."""


@dataclass(frozen=True, slots=True)
class NewFeedback:
    """Feedback submitted by a person or an agent."""

    text: str
    type: FeedbackType | None = None
    """Type; None if it is to be detected."""
    about: str = ""
    """Text that the feedback answers, such as a suggestion."""
    source: FeedbackSource = FeedbackSource.API


class FeedbackRecords:
    """Feedback of a team, by scope.

    Each change is one transaction, which also writes the job for its effects.
    """

    def __init__(
        self,
        database: Database,
        read: Callable[[str, str | None], ParsedFeedback],
        sanitiser: Sanitiser,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        """Create the service; ``read`` classifies a text with what it answers."""
        self._database = database
        self._read = read
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids

    def checked(self, new: NewFeedback) -> NewFeedback:
        """Return validated feedback without secrets.

        Raises:
            InvalidInput: the text is empty or too long, or its source is the chat.
        """
        if new.source is FeedbackSource.CHAT:
            raise InvalidInput(
                "chat feedback is captured automatically; use the source `review` or `api`"
            )
        about = new.about.strip() and self._cleaned(new.about, "the subject of feedback")
        return replace(new, text=self._cleaned(new.text, "feedback"), about=about)

    def add(self, scope: Scope, new: NewFeedback) -> Feedback:
        """Store validated feedback.

        A person's feedback is processed if its type is clear; an agent's is pending until a person
        confirms it.
        """
        made = self._new_feedback(scope, new)

        def work(tx: Transaction) -> Feedback:
            there = with_workspace(tx, scope, self._clock.now())
            placed = replace(made, workspace=there.workspace)
            feedback.put(tx, placed)
            self._journal(tx, placed, "feedback")
            self.enqueue(tx, placed)
            return placed

        return self._database.write(work)

    def list(
        self, where: FeedbackFilter, team: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[Feedback]:
        """Return feedback, newest first."""
        checked_limit(limit)
        before = place_of(cursor, first=feedback.NEWEST)
        feedbacks = self._database.read(
            lambda tx: feedback.listed(tx, team, where, before=before, limit=limit + 1)
        )
        return page_of(feedbacks, limit, lambda one: one.id)

    def show(self, scope: Scope, id: str) -> FeedbackStory:
        """Return feedback with its effects, by its id or an id prefix.

        Raises:
            NotFound: there is no such feedback in the scope.
            InvalidInput: several ids have this prefix.
        """

        def work(tx: Transaction) -> FeedbackStory:
            found = self._found(tx, scope, id)
            return FeedbackStory(found, feedback.effects(tx, scope.team, found.id))

        return self._database.read(work)

    def correct(self, scope: Scope, id: str, type: FeedbackType | None) -> Feedback:
        """Set the type of feedback as a person; None for no feedback.

        Earlier effects are undone unless they were changed since, and the feedback is processed
        again.

        Raises:
            NotFound: there is no such feedback.
        """
        return self._decided(
            scope, id, lambda read: replace(read, type=type, reason=BY_PERSON, confidence=1.0)
        )

    def confirm(self, scope: Scope, id: str) -> Feedback:
        """Confirm the type of pending feedback as a person.

        Feedback in another state is unchanged.

        Raises:
            NotFound: there is no such feedback.
            InvalidInput: the type of the feedback is still unknown.
        """

        def confirmed(read: Feedback) -> Feedback:
            if read.state in OPEN and read.type is None:
                raise InvalidInput(
                    f"its type is unknown; set it: `memoranda feedback correct {read.id} TYPE`"
                )
            return read

        return self._decided(scope, id, confirmed, only=OPEN)

    def suggestions(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50
    ) -> Page[SuggestionStatus]:
        """Return accepted and rejected suggestions, newest first."""
        checked_limit(limit)
        before = place_of(cursor, first=suggestions.NEWEST)
        team, workspace = scope.team, scope.workspace
        suggestion_status = self._database.read(
            lambda tx: suggestions.listed(tx, team, workspace, before=before, limit=limit + 1)
        )
        return page_of(suggestion_status, limit, lambda status: status.id)

    def enqueue(self, tx: Transaction, made: Feedback) -> None:
        """Enqueue feedback for processing, if it is due."""
        if made.state is FeedbackState.WAITING:
            now, kind = self._clock.now(), JobKind.PROCESS_FEEDBACK
            id = self._ids.new()
            job = Job.waiting(made.team, id, kind, made.id, now)
            jobs.enqueue(tx, job, now)

    def _decided(
        self,
        scope: Scope,
        id: str,
        change: Callable[[Feedback], Feedback],
        only: AbstractSet[FeedbackState] = frozenset(FeedbackState),
    ) -> Feedback:
        """Write a person's decision on feedback, and process it again."""

        def work(tx: Transaction) -> Feedback:
            read = self._found(tx, scope, id)
            changed = change(read)
            if read.state not in only:
                return read
            now = replace(
                changed, state=FeedbackState.WAITING, confirmed=True, revision=read.revision + 1
            )
            if not feedback.settle(tx, read, now):
                raise Conflict("this feedback was changed by another caller; read it again")
            self._journal(tx, now, "feedback settled")
            self.enqueue(tx, now)
            return now

        return self._database.write(work)

    def _new_feedback(self, scope: Scope, new: NewFeedback) -> Feedback:
        reading = self._read(new.text, new.about or None) if new.type is None else None
        if reading is None:
            sure = ParsedFeedback(new.type, 1.0, 1.0, BY_PERSON, sure=True)
            reading = (
                sure if scope.agent is None else replace(sure, confidence=HEARSAY, reason=BY_AGENT)
            )
        acts = scope.agent is None and reading.sure
        return Feedback(
            team=scope.team,
            id=self._ids.new(),
            workspace=scope.workspace,
            task=scope.task,
            agent=scope.agent,
            type=reading.type,
            confidence=reading.confidence,
            reason=reading.reason,
            source=new.source,
            text=new.text,
            about=new.about,
            observation=None,
            author=scope.actor,
            state=FeedbackState.WAITING if acts else FeedbackState.ASKING,
            confirmed=acts,
            revision=1,
            processed_at=None,
            created_at=self._clock.now(),
        )

    def _cleaned(self, text: str, what: str) -> str:
        if is_blank(text):
            raise empty_text(what)
        if len(text) > MAX_LENGTH:
            raise InvalidInput(f"{what} may have at most {MAX_LENGTH:,} characters")
        return self._sanitiser.clean(normalise(text)).strip()

    def _found(self, tx: Transaction, scope: Scope, id: str) -> Feedback:
        beginning = partial(feedback.by_prefix, agent=scope.agent)
        whole = full_id(tx, scope.team, id, beginning, "feedback")
        result = feedback.by_id(tx, scope.team, whole, scope.agent) if whole else None
        if result is None:
            raise NotFound(f"no feedback {id!r}; `memoranda feedback list` lists feedback")
        return result

    def _journal(self, tx: Transaction, made: Feedback, operation: str) -> None:
        detail = {
            "type": made.type.value if made.type else "none",
            "source": made.source.value,
            "state": made.state.value,
            "revision": made.revision,
        }
        author = made.author if operation == "feedback" else PERSON
        note = journal.NewJournalEntry(self._clock.now(), author, operation, made.id, detail)
        journal.append(tx, made.team, note)
