"""Constructs the services for search and for building contexts from its results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.agent_state import AgentStateServices

if TYPE_CHECKING:
    from memoranda.context.builder import ContextBuilder
    from memoranda.context.candidates import CandidateSources
    from memoranda.context.prepared_files import PreparedContexts
    from memoranda.errors.model import ErrorContext, Recovery
    from memoranda.observations.disclosure import Disclosure
    from memoranda.scope import Scope
    from memoranda.search.index import SearchIndexer
    from memoranda.search.ratings import RatingRecorder
    from memoranda.search.retrieval_counts import RetrievalRecorder
    from memoranda.search.search_service import Search
    from memoranda.search.text_index_rebuild import TextIndexUpdate
    from memoranda.store.database import Transaction
    from memoranda.supervision.strategic_context import StrategicContexts


def _past_fixes(tx: Transaction, scope: Scope, errors: ErrorContext) -> Sequence[Recovery]:
    """Return past recoveries from the errors of a workspace, by relevance."""
    from memoranda.errors.past_fixes import past_fixes

    return past_fixes(tx, scope, errors)


class SearchServices(AgentStateServices):
    """Services for search, its index, and contexts.

    Each service is built, and its modules are loaded, on first use, so that a simple command does
    not load the modules for ranking and rendering.
    """

    @cached_property
    def search(self) -> Search:
        """Search service."""
        from memoranda.models.factory import reranker
        from memoranda.search.model import Fusion
        from memoranda.search.score_factors import ScoringConfig
        from memoranda.search.search_service import Search

        settings = self.settings
        recipe = ScoringConfig(
            settings.recall_weights, Fusion(settings.fusion), settings.criticality_multiplier
        )
        models = self.embedder, reranker(settings)
        return Search(self.database, self.clock, *models, recipe, self._current_errors)

    @cached_property
    def retrievals(self) -> RetrievalRecorder:
        """Service that counts how often records were retrieved."""
        from memoranda.search.retrieval_counts import RetrievalRecorder

        return RetrievalRecorder(self.database, self.clock)

    @cached_property
    def rating(self) -> RatingRecorder:
        """Service that records whether a search hit was useful."""
        from memoranda.search.ratings import RatingRecorder

        return RatingRecorder(self.database, self.clock)

    @cached_property
    def disclosure(self) -> Disclosure:
        """Service that shows observations in layers, from index to full text."""
        from memoranda.observations.disclosure import Disclosure

        return Disclosure(self.database, self.counter, self.search)

    @cached_property
    def contexts(self) -> ContextBuilder:
        """Service that builds contexts."""
        from memoranda.context.builder import ContextBuilder

        return ContextBuilder(self._context_sources, self.counter)

    @cached_property
    def _context_sources(self) -> CandidateSources:
        from memoranda.context.candidates import CandidateSources

        blocks, errors = self.settings.context_blocks, self._current_errors
        return CandidateSources(
            self.database, self.clock, lambda: self.search, errors, _past_fixes, blocks
        )

    def _current_errors(self, tx: Transaction, scope: Scope, task: str | None) -> ErrorContext:
        """Return what is known about the open errors of a scope."""
        from memoranda.errors.past_fixes import error_context

        return error_context(tx, scope, task, lookback=self.settings.error_lookback_stages)

    @cached_property
    def prepared(self) -> PreparedContexts:
        """Service for the contexts that hooks read from files."""
        from memoranda.context.prepared_files import PreparedContexts

        settings = self.settings
        return PreparedContexts(self.contexts, settings.context_dir, settings.context_budget)

    @cached_property
    def strategic(self) -> StrategicContexts:
        """Service for the contexts of supervisors."""
        from memoranda.errors.past_fixes import preventions
        from memoranda.supervision.strategic_context import StrategicContexts

        return StrategicContexts(self._context_sources, self.counter, preventions)

    @cached_property
    def text_index(self) -> TextIndexUpdate:
        """Service that converts a full-text index of an earlier version."""
        from memoranda.search.text_index_rebuild import TextIndexUpdate

        return TextIndexUpdate(self.database, self.settings.team, self.indexing)

    @cached_property
    def indexing(self) -> SearchIndexer:
        """Service that creates index entries and vectors."""
        from memoranda.search.index import SearchIndexer

        return SearchIndexer(self.database, self.settings.team, self.embedder)
