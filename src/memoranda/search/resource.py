"""Use cases: search, ratings, context, and the layers of disclosure."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from memoranda.capture import live_table as live_outputs
from memoranda.exceptions import InvalidInput, StorageError
from memoranda.jobs.model import JobKind
from memoranda.measurement import measured
from memoranda.mirror import table as mirrors
from memoranda.observations import table as observations
from memoranda.observations.backlinks import backlinks_of
from memoranda.observations.link_model import Backlinks
from memoranda.observations.model import FullObservation, IndexEntry, Observation
from memoranda.observations.table import ANY, ObservationFilter
from memoranda.page import Page
from memoranda.ports import Figures
from memoranda.resource import Resource, member
from memoranda.search.filters import EVERYTHING, SearchFilter
from memoranda.search.index import IndexReport, Progress
from memoranda.search.model import (
    ContextBrief,
    Ratings,
    RelevantObservations,
    SearchMode,
    SearchResult,
)
from memoranda.search.query_answer import SearchQuery
from memoranda.search.score_factors import UNKNOWN, TaskContext
from memoranda.text import normalise


def _found(result: SearchResult) -> Figures:
    return {"records": len(result.hits)}


def _picked(result: RelevantObservations) -> Figures:
    return {"records": len(result.summaries)}


def _told(brief: ContextBrief) -> Figures:
    return {"records": sum(len(section.items) for section in brief.sections)}


class SearchResource(Resource):
    """Search and retrieval of observations, memories and contexts."""

    @measured("search", _found)
    def search(
        self,
        query: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        where: SearchFilter = EVERYTHING,
        mode: SearchMode | str = SearchMode.HYBRID,
        limit: int = 20,
        cursor: str | None = None,
        work: TaskContext = UNKNOWN,
        explain: bool = False,
    ) -> SearchResult:
        """Find observations and memories; an empty query finds nothing.

        Args:
            cursor: that of the page before; no hit is repeated or skipped.
            work: the stage of the work and the current errors; what helps with them ranks higher.
            explain: return for each hit the contribution of every signal.

        Raises:
            InvalidInput: the limit is out of range, or the cursor is not one of a search.
            EmbedderUnavailable: in mode vectors, the model cannot be used.
        """
        self._catch_up_with_text()
        return self._rooms.search.search(
            SearchQuery(
                query,
                self._within(workspace, task),
                where,
                member(SearchMode, mode),
                limit,
                cursor,
                work,
                explain,
                sentences=True,
            )
        )

    def _catch_up_with_text(self) -> None:
        rooms = self._rooms
        others = frozenset(JobKind) - {JobKind.INDEX_TEXT}
        if rooms.text_index.catch_up(lambda: rooms.worker.run(2, without=others)):
            rooms.background.wake()

    def rate(self, id: str, *, useful: bool, task: str | None = None) -> Ratings:
        """Rate whether a record that was found was useful; later searches use it.

        Args:
            task: in which it was; a memory that served several successful tasks is critical.

        Raises:
            NotFound: the scope sees nothing with this id.
        """
        scope = self._within(None, task) if task else self._scope
        rated = self._rooms.rating.rate(scope, id, self._actor, useful=useful)
        if scope.task:
            self._rooms.enqueue_distilling(scope.task)
        return rated

    def reembed(self, *, progress: Progress | None = None) -> IndexReport:
        """Complete the search index: missing entries and vectors.

        Creates entries of all records, and a vector of the current model for each of their
        passages. What is up to date costs nothing.

        Raises:
            EmbedderUnavailable: the model cannot be used; what was done stays done.
        """
        indexing = self._rooms.indexing
        indexing.index_all()
        indexing.embed(progress=progress)
        return indexing.report()

    def rebuild_index(self, *, progress: Progress | None = None) -> IndexReport:
        """Recreate all data that is derived from records.

        That is: the mirror's files, where it is on, totals, full text, entries, the blocks of
        vectors, and what memories contain. Vectors of texts that still exist are kept.
        """
        self._rebuild_mirror()
        self._database.write(lambda tx: observations.recount(tx, self._scope.team))
        self._rooms.text_index.rebuild()
        self._rooms.indexing.rebuild()
        self._rooms.encodings.rebuild()
        self._rooms.enqueue(JobKind.ENCODE_MEMORIES, "")
        return self.reembed(progress=progress)

    def _rebuild_mirror(self) -> None:
        team = self._scope.team
        if self._database.read(lambda tx: mirrors.of(tx, team)):
            self._rooms.mirroring.rebuild(self._scope)

    @measured("context", _told)
    def context(
        self,
        *,
        budget: int | None = None,
        query: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        in_view: int = 0,
        allow_overflow: bool = False,
        at_start: bool = False,
    ) -> ContextBrief:
        """Return what the next step should know, within a budget of tokens.

        Nothing of the newest ``in_view`` observations is included, if the reader still has them.

        Args:
            at_start: the context at the start of a session; without a budget, no more than hosts
                accept from a hook (9,500 characters). It has no task and no query yet.

        Raises:
            BudgetTooSmall: the critical facts alone need more; it says how many tokens.
            InvalidInput: a number is out of range, or ``at_start`` is combined with anything but a
                workspace and a budget.
        """
        room = self._rooms.settings.context_budget if budget is None else budget
        if at_start:
            if task or query or in_view or allow_overflow:
                raise InvalidInput("a session that starts has only a workspace and a budget")
            within = self._within(workspace, None)
            if budget is None:
                return self._rooms.contexts.at_start(within, budget=room)
            return self._rooms.contexts.at_start(within, budget=room, longest=None)
        return self._rooms.contexts.build(
            self._within(workspace, task),
            budget=room,
            query=query,
            in_view=in_view,
            allow_overflow=allow_overflow,
        )

    @measured("relevant", _picked)
    def relevant(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        workspace: str | None = None,
        task: str | None = None,
    ) -> RelevantObservations:
        """Select summaries for a query within a token budget, the best in full."""
        scope = self._within(workspace, task)
        return self._rooms.disclosure.relevant(query, scope, max_tokens)

    def index(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        where: ObservationFilter = ANY,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[IndexEntry]:
        """List observations, one line each, with the token cost of the content.

        This is the first layer.
        """
        scope = self._within(workspace, task)
        return self._rooms.disclosure.index(scope, where, cursor=cursor, limit=limit)

    def observations(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        where: ObservationFilter = ANY,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Observation]:
        """List observations with summaries, tags and files.

        This is the second layer. In a task they are in order, otherwise newest first.
        """
        scope = self._within(workspace, task)
        return self._rooms.disclosure.summaries(scope, where, cursor=cursor, limit=limit)

    def observation(self, id: str, *, full: bool = False) -> FullObservation:
        """Return an observation with its whole content.

        This is the third layer. Its short name (3#42) is accepted, and so is the name that live
        mode gives.

        Args:
            full: an agent that saw only the short form requests the whole; that is counted.

        Raises:
            NotFound: there is none in scope.
        """
        found = self._rooms.disclosure.full(self._scope, id)
        if full:
            seen = found.observation
            with suppress(StorageError):  # whoever may only read gets it as well
                self._database.write(lambda tx: live_outputs.expand(tx, seen.team, seen.id))
        return found

    def timeline(self, id: str, *, before: int = 5, after: int = 5) -> list[IndexEntry]:
        """Return what happened around an observation, including itself."""
        return self._rooms.disclosure.timeline(self._scope, id, before=before, after=after)

    def ties(self, ids: Sequence[str]) -> tuple[Backlinks, ...]:
        """Return what depends on some observations.

        That is: memories that are based on them, and what ended them.

        Args:
            ids: whole ids; those that the scope does not see are omitted.

        Raises:
            InvalidInput: there are more than 200.
        """
        chosen = [normalise(id) for id in ids]
        return self._database.read(lambda tx: backlinks_of(tx, self._scope, chosen))
