"""Search over observations and memories within a scope."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoranda.clock import Clock
from memoranda.errors import EmbedderUnavailable, InvalidInput
from memoranda.ports import Embedder
from memoranda.recall import paging
from memoranda.recall.candidates import (
    FROM_LARGE,
    FROM_SMALL,
    LARGE,
    WEIGHED,
    Candidates,
    Meaning,
    promising,
)
from memoranda.recall.filters import EVERYTHING, SearchFilter
from memoranda.recall.hits import hit, hits
from memoranda.recall.paging import Position
from memoranda.recall.query import ParsedQuery, parse_query
from memoranda.recall.scoring import UNKNOWN, Situation, Work
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import entries, journal, ratings
from memoranda.store.tables.entries import INSTRUCTION
from memoranda.values.page import checked_limit
from memoranda.values.recall import Hit, SearchMode, SearchResult
from memoranda.values.scope import Scope

if TYPE_CHECKING:
    from concurrent.futures import Future

    from memoranda.ports import Vectors

REMEMBERED = 256
"""Questions whose vector is kept, so that asking again costs no model."""
NOTHING: tuple[Hit, ...] = ()

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with everything that shapes its answer."""

    query: str
    scope: Scope
    where: SearchFilter = EVERYTHING
    mode: SearchMode = SearchMode.HYBRID
    limit: int = 20
    cursor: str | None = None
    work: Work = UNKNOWN
    explain: bool = False


class Search:
    """Finds what a scope holds. Text from outside is only ever looked for, never obeyed."""

    def __init__(self, database: Database, clock: Clock, embedder: Embedder | None = None) -> None:
        self._database = database
        self._clock = clock
        self._embedder = embedder
        self._meanings = Meanings(embedder) if embedder else None

    def search(self, asked: Asked) -> SearchResult:
        """Return the best hits, best first; an empty query or unknown scope gives none.

        Raises:
            InvalidInput: the limit is out of range, or the cursor is none of a search.
        """
        return self.versioned(asked)[0]

    def versioned(self, asked: Asked) -> tuple[SearchResult, str]:
        """Return what `search` does, and the version of the data that it was found in."""
        checked_limit(asked.limit)
        parsed = parse_query(asked.query)
        position = paging.read(asked.cursor, self._clock.now())
        question = _Question(asked, parsed, position, self._awaited(asked, parsed))

        def work(tx: Transaction) -> tuple[SearchResult, str]:
            return question.answered(tx), self.version(tx, asked.scope.team)

        return self._database.read(work)

    def version(self, tx: Transaction, team: str) -> str:
        """Name the state of all that a search can find; empty while vectors are being made."""
        model = self._embedder.name if self._embedder else None
        if model and entries.any_waiting(tx, team, model):
            return ""
        return f"{journal.version(tx, team)} {model}"

    def close(self) -> None:
        """Wait for what is under way. Idempotent."""
        if self._meanings:
            self._meanings.close()

    def _awaited(self, asked: Asked, parsed: ParsedQuery) -> Callable[[], Meaning] | None:
        if asked.mode is SearchMode.WORDS or parsed.empty:
            return None
        if self._meanings is None:
            if asked.mode is SearchMode.VECTORS:
                raise InvalidInput("no embedder is configured; search in mode words")
            return None
        return self._meanings.awaited(parsed.text)


class Meanings:
    """Vectors of questions, made beside whatever else a search does."""

    def __init__(self, embedder: Embedder) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._embedder = embedder
        self._threads = ThreadPoolExecutor(2, "memoranda-embedding")
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def awaited(self, text: str) -> Callable[[], Meaning]:
        """Begin to embed a text; calling what is returned waits for it.

        What is returned raises EmbedderUnavailable if there is no vector to be had.
        """
        known = self._known.get(text)
        name = self._embedder.name
        if known is not None:
            return lambda: Meaning(name, known)
        future: Future[Vectors] = self._threads.submit(self._embed, text)
        return lambda: Meaning(self._embedder.name, future.result())

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown()

    def _embed(self, text: str) -> Vectors:
        vector: Vectors = self._embedder.embed([text], query=True)[0]
        self._known[text] = vector
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return vector


class _Question:
    """One question, answered in one transaction."""

    def __init__(
        self,
        asked: Asked,
        parsed: ParsedQuery,
        position: Position,
        meaning: Callable[[], Meaning] | None,
    ) -> None:
        self._asked = asked
        self._parsed = parsed
        self._position = position
        self._awaited = meaning
        self._note = ""

    def answered(self, tx: Transaction) -> SearchResult:
        if self._parsed.empty:
            return SearchResult(NOTHING, self._asked.mode, degraded=False)
        by_meaning_alone = self._asked.mode is SearchMode.VECTORS
        found, more = self._nearest(tx) if by_meaning_alone else self._best(tx)
        mode = SearchMode.WORDS if self._awaited is None or self._note else self._asked.mode
        cursor = self._position.after(hit.id for hit in found) if more else None
        return SearchResult(found, mode, bool(self._note), self._note, cursor)

    def _best(self, tx: Transaction) -> tuple[tuple[Hit, ...], bool]:
        """Hits by everything that speaks for them, and whether there are more."""
        from memoranda.recall.evidence import UNRELATED  # loads numpy
        from memoranda.recall.weighing import Weighing, records_of

        asked = self._asked
        wanted = asked.limit + len(self._position.seen)
        situation = Situation(self._position.at, asked.work)
        weighing = Weighing(tx, asked.scope, self._parsed, situation)
        looking = self._candidates(tx, weighing.vocabulary.total)
        looked_for = weighing.vocabulary.looked_for(weighing.terms)
        named = looking.by_names(self._parsed.identifiers)
        ways = [named, looking.by_words(looked_for)]
        standing = looking.standing(INSTRUCTION)
        meaning = self._meaning()
        if meaning:
            ways.append(looking.by_meaning(meaning, UNRELATED))
        large = weighing.vocabulary.total > LARGE
        most = max(WEIGHED, wanted) if large else sum(map(len, ways))
        ids = promising(ways, standing, most)
        order = weighing.weigh(ids, named, meaning, looking.passing)
        if order is None:
            return NOTHING, False
        best = [id for id in order.promising(wanted) if not self._position.passed(id)]
        rated = ratings.of_sources(tx, asked.scope.team, best)
        records = records_of(tx, asked.scope, best)
        ranked = order.ranked(records, rated, asked.limit)
        found = hits(tx, asked.scope, ranked, explain=asked.explain)
        return found, len(records) > len(ranked)

    def _nearest(self, tx: Transaction) -> tuple[tuple[Hit, ...], bool]:
        """Hits by meaning alone."""
        from memoranda.recall.weighing import records_of

        asked = self._asked
        meaning = self._meaning()
        if meaning is None:
            raise EmbedderUnavailable(f"{self._note}; search in mode words")
        near = self._candidates(tx, 0).by_meaning(meaning)
        near = {id: cosine for id, cosine in near.items() if not self._position.passed(id)}
        records = records_of(tx, asked.scope, list(near))
        listed = [id for id in near if id in records]
        shown = [hit(records[id], round(near[id], 4), {"cosine": near[id]}) for id in listed]
        return tuple(shown[: asked.limit]), len(shown) > asked.limit

    def _candidates(self, tx: Transaction, total: int) -> Candidates:
        wanted = FROM_LARGE if total > LARGE else FROM_SMALL
        wanted = max(wanted, self._asked.limit + len(self._position.seen))
        return Candidates(tx, self._asked.scope, self._asked.where, wanted, total)

    def _meaning(self) -> Meaning | None:
        if self._awaited is None:
            return None
        try:
            return self._awaited()
        except EmbedderUnavailable as error:
            logger.warning("searching by words alone", extra={"reason": str(error)})
            self._note = f"searched by words alone: {error}"
            return None
