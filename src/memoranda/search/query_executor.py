"""Executes a query in one transaction, from candidates to hits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.errors.model import ErrorContext
from memoranda.exceptions import EmbedderUnavailable
from memoranda.memories import table as memories
from memoranda.scope import NEW_FOLDER, Scope
from memoranda.search import query_dates, rating_table as ratings
from memoranda.search.candidates import CandidateRetriever, QueryEmbedding, RetrievedCandidates
from memoranda.search.conflicts import EXAMINED, contradictions, is_statement
from memoranda.search.cursor import Position
from memoranda.search.filters import EVERYTHING, SearchFilter
from memoranda.search.hits import hits, refs_of, texts_of
from memoranda.search.model import (
    UNKNOWN,
    Contradiction,
    Hit,
    HitKind,
    Ratings,
    SearchMode,
    TaskContext,
)
from memoranda.search.query import ParsedQuery
from memoranda.search.query_echoes import ValidationChecks, without_echoes
from memoranda.search.score_factors import ScoringConfig, ScoringContext
from memoranda.search.table import INSTRUCTION
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.search.ranker import Ranked, Ranker

logger = logging.getLogger(__name__)

AtHand = Callable[[Transaction, Scope, str | None], ErrorContext]
"""Returns the current errors of a scope, and of a task outside that scope."""
UNTROUBLED = ErrorContext()
TITLE_TOKENS = 15
"""Maximum number of tokens of a text that its title contains completely."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query with all parameters for its execution."""

    query: str
    scope: Scope
    where: SearchFilter = EVERYTHING
    mode: SearchMode = SearchMode.HYBRID
    limit: int = 20
    cursor: str | None = None
    work: TaskContext = UNKNOWN
    explain: bool = False
    sentences: bool = False
    """Whether the hit of a short text includes the matching sentence if the title lacks it."""
    min_score: float | None = 0.0
    """Minimum score of a hit; with None, hits are returned only if one is likely to answer the
    query.
    """
    blocks: bool = False
    """Whether the caller's blocks are searched in addition to records."""
    nearest: bool = False
    """Whether the candidates are followed by all other records, nearest in meaning first."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits, best first, with additional information."""

    hits: tuple[Hit, ...] = ()
    more: bool = False
    """Whether there are more hits on later pages."""
    by_words: bool = False
    """Whether vector search was skipped."""
    note: str = ""
    """Reason why vector search was skipped; empty if it was not."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts of the hits by id, if requested."""
    checks: ValidationChecks = field(default_factory=ValidationChecks)
    answered: bool = True
    """Whether a hit is likely enough to answer."""


class QueryExecutor:
    """Executes one query.

    External text is only searched for, never interpreted as instructions.
    """

    def __init__(
        self,
        query: SearchQuery,
        parsed: ParsedQuery,
        position: Position,
        meaning: Callable[[], QueryEmbedding] | None,
        recipe: ScoringConfig,
        at_least: int = 0,
        at_hand: AtHand | None = None,
    ) -> None:
        """Create the executor.

        ``meaning`` waits for the query's vector; None without an embedder. With ``at_least``, at
        least that many hits are returned, together with their texts. ``at_hand`` returns the
        current errors if the query does not name them.
        """
        self._query = query
        self._parsed = parsed
        self._position = position
        self._awaited = meaning
        self._recipe = recipe
        self._count = max(query.limit, at_least)
        self._with_texts = bool(at_least)
        self._note = ""
        self._at_hand = at_hand

    def answer(self, tx: Transaction) -> SearchAnswer:
        """Return the hits of one page.

        Raises:
            EmbedderUnavailable: the search uses vectors alone, and the embedder failed.
        """
        if self._parsed.empty:
            return SearchAnswer()
        if self._query.mode is SearchMode.VECTORS:
            return self._nearest(tx)
        return self._best(tx)

    def _best(self, tx: Transaction) -> SearchAnswer:
        """Search using all evidence."""
        from memoranda.search.ranker import Ranker, records_of

        query = self._query
        work = self._task_context(tx)
        situation = ScoringContext(self._position.at, work, self._recipe)
        weighing = Ranker(tx, query.scope, self._parsed, situation)
        looking = self._candidates(tx, weighing.vocabulary.total, weighing.extent.observations)
        ways = self._retrieved(looking, weighing)
        tagged = self._tagged(looking)
        others = [*looking.standing(INSTRUCTION), *looking.of_stages(self._stages)]
        for span in query_dates.named_days(self._parsed.text, self._position.at):
            others += looking.of_days(query_dates.times(span), weighing.terms)
        if work.trouble:
            others += sorted(work.trouble.fix_ids)
        passing = looking.passing(others)
        always = [*tagged, *(id for id in others if id in passing)]
        order = weighing.rank(
            ways.promising(always, looking.weighed), ways, self._embedding, looking.passing
        )
        if order is None:
            return self._continued(tx, self._answer(tx, [], {}, looking), looking, weighing)
        if query.mode is SearchMode.EXACT:
            order.sort_by(lambda id: ways.tier(id, tagged))
        # includes earlier pages, since the scores depend on them
        best = order.promising(self._examined)
        rated = ratings.of_sources(tx, query.scope.team, best)
        found = records_of(tx, query.scope, best)
        records = without_echoes(found, query.query, query.where)
        passed = self._position.passed
        rankeds = [item for item in order.ranked(records, rated, self._examined)
                  if not passed(item.record.id)]  # fmt: skip
        ranked = rankeds[: self._count]
        left = sum(not passed(id) for id in records)
        certain = query.min_score is not None or self._position.seen
        answered = bool(certain or set(tagged) & records.keys()) or order.is_likely()
        more = left > len(ranked)
        best_hits = self._answer(tx, ranked, rated, looking, more=more, answered=answered)
        return self._continued(tx, best_hits, looking, weighing)

    def _continued(
        self, tx: Transaction, answer: SearchAnswer, retriever: CandidateRetriever, ranker: Ranker
    ) -> SearchAnswer:
        """If requested, append the nearest other records after all candidates."""
        query = self._query
        if answer.more or not query.nearest:
            return answer
        from memoranda.search.nearest_hits import nearest_hits

        near: dict[str, float | None] = {}
        if self._embedding:
            near |= retriever.by_meaning(self._embedding)
        words = retriever.by_words(ranker.vocabulary.present_words(ranker.terms))
        near |= dict.fromkeys(id for id in words if id not in near)
        shown = {hit.id for hit in answer.hits}
        others = [
            hit
            for hit in nearest_hits(
                tx, query.scope, near, query.query, query.where, candidates=False
            )
            if hit.id not in shown and not self._position.passed(hit.id)
        ]
        page = others[: self._count - len(answer.hits)]
        return replace(answer, hits=(*answer.hits, *page), more=len(others) > len(page))

    def _task_context(self, tx: Transaction) -> TaskContext:
        """Return the state of the task, with current errors from the records."""
        work = self._query.work
        if work.trouble or work.errors or self._at_hand is None:
            return work
        trouble = self._at_hand(tx, self._query.scope, work.task)
        return work if trouble == UNTROUBLED else replace(work, trouble=trouble)

    def _answer(
        self,
        tx: Transaction,
        ranked: Sequence[Ranked],
        rated: Mapping[str, Ratings],
        retriever: CandidateRetriever,
        more: bool = False,
        answered: bool = True,
    ) -> SearchAnswer:
        texts = self._texts(tx, ranked)
        refs = refs_of(tx, self._query.scope.team, [item.record for item in ranked])
        pairs = self._contradictions(tx, ranked, texts, refs) if answered else ()
        found = hits(ranked, texts, refs, self._terms, explain=self._query.explain)
        if pairs:
            from memoranda.search.replaced_hits import newest_first

            by_ref = {
                refs[item.record.id]: (item.record.origin, texts.get(item.record.id, ""))
                for item in ranked
            }
            found = newest_first(found, pairs, by_ref)
        return SearchAnswer(
            hits=found,
            more=more,
            by_words=self._embedding is None,
            note=self._note,
            texts=texts if self._with_texts else {},
            checks=replace(self._checks(tx, rated, retriever), contradictions=pairs),
            answered=answered,
        )

    def _retrieved(self, retriever: CandidateRetriever, ranker: Ranker) -> RetrievedCandidates:
        from memoranda.search.candidate_features import UNRELATED  # loads numpy

        looked_for, alone = ranker.vocabulary.searched_words, self._awaited is None
        named = retriever.by_names(self._parsed.identifiers)
        words = retriever.by_words(looked_for(ranker.terms, alone=alone))
        meaning = self._embedding
        near = retriever.by_meaning(meaning, UNRELATED) if meaning else {}
        if not (near or words or alone):  # the same as when records have no vectors yet
            words = retriever.by_words(looked_for(ranker.terms, alone=True))
        return RetrievedCandidates(named, words, near, retriever.kinds)

    def _tagged(self, retriever: CandidateRetriever) -> list[str]:
        """Return records tagged with a word of the query, or with the whole query.

        The result is empty unless exact matches are ranked first.
        """
        if self._query.mode is not SearchMode.EXACT:
            return []
        text = self._parsed.text.strip()
        return retriever.by_tags(list(dict.fromkeys([text, *text.split()])))

    def _texts(self, tx: Transaction, ranked: Sequence[Ranked]) -> dict[str, str]:
        read = ranked if self._with_texts else ranked[:EXAMINED]
        also = {one.record.id for one in read if self._with_texts or is_statement(one.record)}
        if self._query.sentences:
            also |= {item.record.id for item in ranked if item.record.tokens > TITLE_TOKENS}
        return texts_of(tx, self._query.scope, ranked, also)

    @property
    def _terms(self) -> Sequence[str] | None:
        return self._parsed.words if self._query.sentences else None

    def _checks(
        self, tx: Transaction, rated: Mapping[str, Ratings], retriever: CandidateRetriever
    ) -> ValidationChecks:
        scope = self._query.scope
        place = scope.workspace or NEW_FOLDER  # exclude records of other workspaces
        critical = memories.critical_ids(tx, scope.team, place, scope.agent)
        passing = retriever.passing(critical, HitKind.MEMORY)
        missing = [id for id in critical if id in passing and not self._position.passed(id)]
        return ValidationChecks(critical=len(passing), missing=tuple(missing), rated=rated)

    def _contradictions(
        self,
        tx: Transaction,
        ranked: Sequence[Ranked],
        texts: Mapping[str, str],
        refs: Mapping[str, str],
    ) -> tuple[Contradiction, ...]:
        model = self._embedding.model if self._embedding else None
        records = [item.record for item in ranked]
        return contradictions(tx, self._query.scope.team, model, records, texts, refs)

    def _nearest(self, tx: Transaction) -> SearchAnswer:
        """Search by vectors alone."""
        from memoranda.search.calibration import likely_cosine
        from memoranda.search.nearest_hits import nearest_hits

        query = self._query
        if self._embedding is None:
            raise EmbedderUnavailable(f"{self._note}; use the search mode words")
        near = self._candidates(tx, 0, 0).by_meaning(self._embedding)
        near = {id: cosine for id, cosine in near.items() if not self._position.passed(id)}
        shown = nearest_hits(tx, query.scope, near, query.query, query.where, candidates=True)
        best = max((near[hit.id] for hit in shown), default=-1.0)
        likely = likely_cosine(best) or bool(self._position.seen)
        more = len(shown) > query.limit
        return SearchAnswer(tuple(shown[: query.limit]), more, answered=likely)

    @property
    def _stages(self) -> Sequence[str]:
        """Return the stages in the filter, or else the current stage."""
        work, where = self._query.work, self._query.where
        return where.stages or ([work.stage] if work.stage else [])

    @property
    def _examined(self) -> int:
        """Return how many of the best to examine, including earlier pages."""
        return self._count + len(self._position.seen)

    def _candidates(self, tx: Transaction, total: int, size: int) -> CandidateRetriever:
        query = self._query
        return CandidateRetriever(tx, query.scope, query.where, self._examined, total, size)

    @cached_property
    def _embedding(self) -> QueryEmbedding | None:
        if self._awaited is None:
            return None
        try:
            return self._awaited()
        except EmbedderUnavailable as error:
            logger.warning("text search only: %s", error)
            self._note = f"text search only: {error}"
            return None
