"""Search over observations and memories within a scope.

The steps are candidates, ranking, and an optional reranker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoranda.clock import Clock
from memoranda.exceptions import InvalidInput, RerankerUnavailable
from memoranda.jobs.model import JobKind
from memoranda.page import checked_limit
from memoranda.search import cursor as paging, table as entries
from memoranda.search.candidates import QueryEmbedding
from memoranda.search.cursor import Position
from memoranda.search.model import Hit, SearchMode, SearchResult
from memoranda.search.passage_splitter import SHORT
from memoranda.search.query import ParsedQuery, QueryEmbedder, parse_query
from memoranda.search.query_executor import AtHand, QueryExecutor, SearchAnswer, SearchQuery
from memoranda.search.score_factors import DEFAULT, ScoringConfig
from memoranda.store.database import Database, Transaction
from memoranda.text import clip

if TYPE_CHECKING:
    from memoranda.models.remote_reranker import RemoteReranker
    from memoranda.ports import Embedder

RERANKED = 30
"""Number of best hits that a reranker reads."""
READ = 4_000
"""Maximum number of characters of each hit that are passed to a reranker."""
MIN_SCORE = 0.005
"""Minimum score of a hit unless the query specifies one: lower scores are displayed as 0.00."""
INDEXED_BY = (JobKind.INDEX_TASK, JobKind.INDEX_MEMORIES)
"""Jobs that prepare new records for semantic search."""
PENDING = "some records cannot be searched by meaning yet; repeat the search in a few seconds"
"""Note for a semantic search while records have no vectors."""
UNLIKELY = "nothing is likely enough to answer; --min-score 0 (min_score=0) lists the nearest hits"
"""Note for a search in which all hits are below the minimum score."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Found:
    """Results of one transaction for a query."""

    answer: SearchAnswer
    blocks: tuple[Hit, ...]
    pending: bool
    """Whether some of the team's records have no vectors yet."""


class Search:
    """Search over the records of a scope.

    Untrusted text is only searched for, never interpreted as instructions.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        embedder: Embedder | None = None,
        reranker: RemoteReranker | None = None,
        recipe: ScoringConfig = DEFAULT,
        at_hand: AtHand | None = None,
    ) -> None:
        """Create the service.

        ``at_hand`` returns the open errors of the current task.
        """
        self._database = database
        self._clock = clock
        self._embedder = embedder
        self._meanings = QueryEmbedder(embedder) if embedder else None
        self._reranker = reranker
        self._recipe = recipe
        self._at_hand = at_hand

    def search(self, query: SearchQuery) -> SearchResult:
        """Return the hits, best first.

        The result is empty for an empty query or an unknown scope.

        Raises:
            InvalidInput: the limit or the minimum score is out of range, or the cursor is not that
                of a search.
        """
        checked_limit(query.limit)
        if not 0 <= (query.min_score or 0.0) <= 1:
            raise InvalidInput(f"min_score must be between 0 and 1, not {query.min_score:g}")
        position = paging.read(query.cursor, self._clock.now())
        parsed = parse_query(query.query)
        dated = replace(query, where=query.where.at(position.at))

        def work(tx: Transaction) -> _Found:
            pending = not parsed.empty and self._is_pending(tx, query.scope.team)
            found_blocks = _blocks(tx, dated, parsed, position)
            return _Found(self._executor(dated, parsed, position).answer(tx), found_blocks, pending)

        found = self._database.read(work)
        answer = found.answer
        if self._reranker and answer.texts:
            answer = _reranked(self._reranker, parsed.text, answer)
        result = self._result(dated, _joined(dated, answer, found.blocks), position)
        if found.pending and not answer.by_words:
            result = replace(result, note="; ".join(filter(None, (result.note, PENDING))))
        return result

    def _is_pending(self, tx: Transaction, team: str) -> bool:
        """Return whether some records cannot be searched by vector yet."""
        if self._embedder is None:
            return False
        return entries.unsearched(tx, team, self._embedder.name, INDEXED_BY)

    def _executor(
        self, query: SearchQuery, parsed: ParsedQuery, position: Position
    ) -> QueryExecutor:
        """Start computing the query's vector; return the query's executor."""
        reranks = self._reranker is not None and query.mode is not SearchMode.VECTORS
        return QueryExecutor(
            query,
            parsed,
            position,
            self._awaited(query, parsed),
            self._recipe,
            at_least=RERANKED if reranks else 0,
            at_hand=self._at_hand,
        )

    def close(self) -> None:
        """Wait for pending work. Idempotent."""
        if self._meanings:
            self._meanings.close()
        if self._reranker:
            self._reranker.close()

    def _awaited(
        self, query: SearchQuery, parsed: ParsedQuery
    ) -> Callable[[], QueryEmbedding] | None:
        if query.mode is SearchMode.WORDS or parsed.empty:
            return None
        if self._meanings is None:
            if query.mode is SearchMode.VECTORS:
                raise InvalidInput("no embedder is configured; use the search mode words")
            return None
        if query.mode is SearchMode.HYBRID and not self._meanings.reads(parsed.text):
            return None
        return self._meanings.awaited(parsed.text)

    def _result(self, query: SearchQuery, answer: SearchAnswer, position: Position) -> SearchResult:
        best = answer.hits[: query.limit]
        hits = _likely(best, answer, query.min_score)
        more = (answer.more or len(answer.hits) > len(hits)) and len(hits) == len(best)
        by_words = answer.by_words and query.mode is SearchMode.HYBRID
        unlikely = UNLIKELY if best and not hits else ""
        return SearchResult(
            hits=hits,
            mode=SearchMode.WORDS if by_words else query.mode,
            degraded=bool(answer.note),
            note="; ".join(filter(None, (answer.note, unlikely))),
            cursor=position.after(hit.id for hit in hits) if more else None,
            validation=answer.checks.of(hits),
            nearest=() if hits or position.seen else best,
        )


def _blocks(
    tx: Transaction, query: SearchQuery, parsed: ParsedQuery, position: Position
) -> tuple[Hit, ...]:
    """Return the matching blocks.

    The result is empty if the query excludes blocks or this is not the first page.
    """
    if not query.blocks or query.mode is SearchMode.VECTORS or not query.where.blocks:
        return ()
    from memoranda.search.block_hits import find_blocks

    hits = find_blocks(tx, query.scope, query.where, parsed)
    return tuple(hit for hit in hits if not position.passed(hit.id))


def _joined(query: SearchQuery, answer: SearchAnswer, found: tuple[Hit, ...]) -> SearchAnswer:
    """Merge the hits of blocks into the answer.

    Without a minimum score, only block hits that are likely to answer the query are included.
    """
    from memoranda.search.block_hits import is_likely, with_blocks

    if query.min_score is None:
        found = tuple(filter(is_likely, found))
    if not found:
        return answer
    if query.min_score is None and not answer.answered:
        return replace(answer, hits=found, more=False, answered=True)
    return replace(answer, hits=with_blocks(answer.hits, found, query.mode), answered=True)


def _likely(
    hits: tuple[Hit, ...], answer: SearchAnswer, min_score: float | None
) -> tuple[Hit, ...]:
    """Return hits above the minimum score; none if none probably answers."""
    if min_score is None and not answer.answered:
        return ()
    least = MIN_SCORE if min_score is None else min_score
    return tuple(hit for hit in hits if hit.score >= least)


def _reranked(reranker: RemoteReranker, query: str, answer: SearchAnswer) -> SearchAnswer:
    """Sort the hits in the reranker's order.

    If the reranker fails, the order is kept and a note is added.
    """
    try:
        scores = reranker.scores(query, [_read(hit, answer) for hit in answer.hits])
    except RerankerUnavailable as error:
        logger.warning("searching without the reranker", extra={"reason": str(error)})
        note = "; ".join(filter(None, (answer.note, f"not reranked: {error}")))
        return replace(answer, note=note)
    ranked = sorted(zip(scores, answer.hits, strict=True), key=lambda pair: -pair[0])
    chances = sorted((hit.score for hit in answer.hits), reverse=True)
    hits = (
        _moved(hit, score, chance) for (score, hit), chance in zip(ranked, chances, strict=True)
    )
    return replace(answer, hits=tuple(hits))


def _moved(hit: Hit, rerank: float, score: float) -> Hit:
    """Return a hit at the reranker's rank, with the score of that rank."""
    parts = {**hit.parts, "rerank": round(score - hit.score, 4)}
    return replace(hit, why={"rerank": round(rerank, 4), **hit.why}, score=score, parts=parts)


def _read(hit: Hit, answer: SearchAnswer) -> str:
    """Return a hit's text for the reranker.

    The text is the excerpt, or the entire text if that is short.
    """
    text = answer.texts.get(hit.id, hit.title)
    return hit.excerpt.text if hit.excerpt and len(text) > SHORT else clip(text, READ)
