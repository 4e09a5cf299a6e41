"""Recall: knowledge out."""

from __future__ import annotations

from memoranda.facade.scoped import Scoped
from memoranda.recall.search import EVERYTHING, SearchFilter
from memoranda.store.tables.observations import ANY, ObservationFilter
from memoranda.values.observation import FullObservation, IndexEntry, Observation
from memoranda.values.page import Page
from memoranda.values.recall import ContextBrief, RelevantObservations, SearchResult


class Recalling(Scoped):
    """The ways out."""

    def search(
        self,
        query: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        where: SearchFilter = EVERYTHING,
        limit: int = 20,
    ) -> SearchResult:
        """Find observations and memories; an empty query finds nothing."""
        return self._rooms.search.search(query, self._within(workspace, task), where, limit)

    def context(
        self,
        *,
        budget: int | None = None,
        query: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        allow_overflow: bool = False,
    ) -> ContextBrief:
        """Return what the next step should know, within a budget of tokens.

        Raises:
            BudgetTooSmall: the critical facts alone need more; it says how many tokens.
        """
        return self._rooms.contexts.build(
            self._within(workspace, task),
            budget=self._rooms.settings.context_budget if budget is None else budget,
            query=query,
            allow_overflow=allow_overflow,
        )

    def relevant(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        workspace: str | None = None,
        task: str | None = None,
    ) -> RelevantObservations:
        """Pick summaries for a query within a budget of tokens, the best ones in full."""
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
        """First layer: one line for each observation, with what its content would cost."""
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
        """Second layer: summaries, tags and files; in a task in order, otherwise newest first."""
        scope = self._within(workspace, task)
        return self._rooms.disclosure.summaries(scope, where, cursor=cursor, limit=limit)

    def observation(self, id: str) -> FullObservation:
        """Third layer: an observation with its whole content. Its short name (3#42) will do.

        Raises:
            NotFound: there is none in scope.
        """
        return self._rooms.disclosure.full(self._scope, id)

    def timeline(self, id: str, *, before: int = 5, after: int = 5) -> list[IndexEntry]:
        """Return what happened around an observation, itself included."""
        return self._rooms.disclosure.timeline(self._scope, id, before=before, after=after)
