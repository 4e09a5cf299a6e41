"""Candidate retrieval: by terms, by vectors, and standing instructions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING

from memoranda.quarantine import table as quarantine
from memoranda.scope import Scope
from memoranda.search import filter_table as filtering, table as entries
from memoranda.search.filter_table import all_matching, matching
from memoranda.search.filters import SearchFilter
from memoranda.search.model import RECORDS, HitKind
from memoranda.stages import table as stages
from memoranda.store.database import TextQuery, Transaction, VectorQuery

if TYPE_CHECKING:
    from memoranda.ports import Vectors

MIN_FOUND, FOUND_FOR_EACH = 40, 1.5
"""Minimum number of candidates per method, and number of candidates per requested result."""
MIN_WEIGHED, WEIGHED_FOR_EACH = 20, 4
"""Minimum number of candidates ranked with adjacent turns, and number of such candidates per
requested result.

They are the best candidates of all methods. For 10 results, ranking 60 candidates finds as much as
ranking 400; for 50 results, 220 are enough.
"""
DEEPER = 4
"""Factor by which the number of passages is increased while they belong to too few records."""
REACH = (1, 3, 10, 100)
"""Search depth factors, tried in turn while filters leave too few results."""
SPARE = 1.25
"""Factor applied to the number of results to search for.

The surplus avoids a second search if a filter excludes a few results.
"""
WALKED = 3_000
"""Maximum number of records that full-text search scans for a query's words.

Full-text search scans every record that contains one of the words. Recall is the same for limits
from 2,500 to 10,000.
"""
EVERYWHERE, NEARLY = 50_000, 0.25
"""Number and fraction of records above which a word is uninformative.

A word that occurs in a quarter of the records has a tenth of the weight of a word that occurs in
only a few.
"""
MAX_WORDS = 8
RECIPROCAL = 60
STANDING = 16
"""Maximum number of standing instructions that are always candidates."""
OF_DAY = 40
"""Maximum number of records per method for a day mentioned in the query."""
STAGE = 100
"""Maximum number of candidate observations from the stages named in a query."""


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """Vector of a query, with the name of the model that computed it."""

    model: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class RetrievedCandidates:
    """Results of each search method, with scores comparable within a method."""

    names: Mapping[str, float]
    words: Mapping[str, float]
    meaning: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, HitKind] = field(default_factory=dict)
    """Kinds of the records found by text search."""

    def promising(self, always: Sequence[str], most: int) -> list[str]:
        """Return the top candidates of all methods, best first.

        The ids in ``always`` are included.
        """
        best: dict[str, float] = {}
        for found in (self.names, self.words, self.meaning):
            top = max(found.values(), default=0.0) or 1.0
            for id, score in found.items():
                best[id] = best.get(id, 0.0) + score / top
        ranked = sorted(best, key=lambda id: (-best[id], id))[:most]
        return list(dict.fromkeys([*ranked, *always]))

    def reciprocal(self) -> dict[str, float]:
        """Return the sum of reciprocal ranks, scaled so that the best is 1.

        Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet" (SIGIR 2009).
        """
        total: dict[str, float] = {}
        for found in (self.names, self.words, self.meaning):
            ranked = sorted(found, key=lambda id: (-found[id], id))
            for rank, id in enumerate(ranked, 1):
                total[id] = total.get(id, 0.0) + 1 / (RECIPROCAL + rank)
        best = max(total.values(), default=1.0)
        return {id: value / best for id, value in total.items()}

    def tier(self, id: str, tagged: Container[str]) -> int:
        """Return the tier of a candidate.

        0: the record has the requested tag; 1: it contains a word of the query; 2: it is only
        similar in meaning.
        """
        if id in tagged:
            return 0
        return 1 if id in self.names or id in self.words else 2


class Vocabulary:
    """Document frequency of words over both full-text tables."""

    def __init__(self, tx: Transaction, team: str, words: Sequence[str]) -> None:
        tables = [tx.text(kind.value).frequencies(team, words) for kind in RECORDS]
        self.total = sum(table.total for table in tables)
        self.of = {word: sum(table.of[word] for table in tables) for word in words}

    def present_words(self, words: Sequence[str]) -> list[str]:
        """Return words that occur in any record, rarest first, up to `EVERYWHERE`."""
        return self._rarest(words, len(words), EVERYWHERE)

    def searched_words(self, words: Sequence[str], *, alone: bool) -> list[str]:
        """Return the words for full-text search, rarest first.

        The rarest word is always included, unless vectors are searched as well and the word occurs
        in very many records: such a word would not discriminate, and searching for it would take
        about a second.
        """
        present = self._rarest(words, MAX_WORDS, WALKED)
        everywhere = min(EVERYWHERE, max(WALKED, NEARLY * self.total))
        if present and not alone and self.of[present[0]] > everywhere:
            return []
        return present

    def _rarest(self, words: Sequence[str], most: int, walked: int) -> list[str]:
        """Return the rarest words, at least one, in ``walked`` records together."""
        present = sorted((word for word in words if self.of[word]), key=self.of.__getitem__)
        totals = list(accumulate(self.of[word] for word in present))
        return present[: min(most, max(1, bisect_right(totals, walked)))]


class CandidateRetriever:
    """Candidate search within a scope and a filter, in one transaction."""

    def __init__(
        self, tx: Transaction, scope: Scope, where: SearchFilter, wanted: int, total: int, size: int
    ) -> None:
        """Create the search.

        ``wanted`` is the number of results needed, ``total`` the number of records in the whole
        store, ``size`` the number of observations in scope.
        """
        self._total = total
        self._size = size
        self._share = self._size / total if total else 0.0
        self._tx = tx
        self._scope = scope
        self._where = where
        self._wanted = MIN_FOUND + int(FOUND_FOR_EACH * wanted)
        self.weighed = MIN_WEIGHED + WEIGHED_FOR_EACH * wanted
        """Number of candidates to rank."""
        self._kinds = [
            kind
            for kind, wanted in (
                (HitKind.OBSERVATION, where.observations),
                (HitKind.MEMORY, where.memories),
            )
            if wanted
        ]
        self._whole = where.plain and where.observations
        """Whether all observations in scope match, so that none need be checked."""
        self._allowed = {} if self._whole else self._let_through()
        self._passed: dict[str, bool] = {}
        """Cached filter results by record."""
        self.kinds: dict[str, HitKind] = {}
        """Kinds of the records found by text search."""

    def _let_through(self) -> Mapping[HitKind, list[str] | None]:
        return {
            kind: all_matching(self._tx, self._scope, self._where, kind) for kind in self._kinds
        }

    def by_words(self, words: Sequence[str]) -> dict[str, float]:
        """Return records with any of the words, scored from 0 to 1 per table."""
        return self._by_text(words, ()) if words else {}

    def by_names(self, identifiers: Sequence[str]) -> dict[str, float]:
        """Return records that contain the given names, paths or codes, scored.

        The score is from 0 to 1 per table.
        """
        return self._by_text((), identifiers) if identifiers else {}

    def _by_text(self, words: Sequence[str], identifiers: Sequence[str]) -> dict[str, float]:
        result: dict[str, float] = {}
        for kind in self._kinds:
            scores = self._enough(partial(self._text, kind, words, identifiers), kind)
            best = max(scores.values(), default=0.0)
            self.kinds |= dict.fromkeys(scores, kind)
            result |= {id: score / best if best else 1.0 for id, score in scores.items()}
        return result

    def by_meaning(self, meaning: QueryEmbedding, minimum: float | None = None) -> dict[str, float]:
        """Return the records with the nearest passages and their best cosines.

        Only cosines above ``minimum`` are returned; with None, as many records as are needed.
        """
        lists = list(self._allowed.values())
        complete = bool(lists) and all(found is not None for found in lists)
        among = [id for found in lists for id in found or ()] if complete else None
        if among == [] or not self._kinds:
            return {}
        if minimum is None:
            return self._enough(partial(self._nearest_records, meaning, among))
        found = self._enough(lambda limit: self._nearest(meaning, among, limit)[0])
        return {id: cosine for id, cosine in found.items() if cosine > minimum}

    def by_tags(self, tags: Sequence[str]) -> list[str]:
        """Return records with one of the tags, newest first."""
        where = replace(self._where, tags=tags, any_tag=True)
        found: list[str] = []
        for kind in self._kinds if tags else ():
            tagged = all_matching(self._tx, self._scope, where, kind) or ()
            found += tagged[: self._wanted]
        passing = self.passing(found)
        return [id for id in found if id in passing]

    def standing(self, kind: int) -> list[str]:
        """Return people's standing instructions or preferences, unfiltered."""
        scope = self._scope
        return entries.lasting_records(self._tx, scope.team, scope.workspace, kind, STANDING)

    def of_days(self, times: tuple[int, int], words: Sequence[str]) -> list[str]:
        """Return unfiltered records of a period, those with the words first.

        ``times``: the start and the end of the period, in microseconds since the epoch.
        """
        first, last = times
        since = max(first, self._where.since or first)
        until = min(last, self._where.until or last)
        where = replace(self._where, since=since, until=until)
        inside = CandidateRetriever(self._tx, self._scope, where, OF_DAY, self._total, self._size)
        found = list(inside.by_words(words))[:OF_DAY]
        for listed in inside._allowed.values():
            found += (listed or ())[:OF_DAY]
        return list(dict.fromkeys(found))

    def of_stages(self, names: Sequence[str]) -> list[str]:
        """Return unfiltered observations of the given stages, newest first."""
        task = self._scope.task
        if not names or task is None:
            return []
        return stages.labelled(self._tx, self._scope.team, task, names, limit=STAGE)

    def _enough(
        self, look: Callable[[int], Mapping[str, float]], kind: HitKind | None = None
    ) -> dict[str, float]:
        """Search deeper until enough results pass the filter; return best first."""
        passed: dict[str, float] = {}
        for factor in self._factors(kind):
            reach = int(SPARE * self._wanted * factor)
            found = look(reach)
            allowed = self.passing(list(found), kind)
            passed = {id: score for id, score in found.items() if id in allowed}
            if len(passed) >= self._wanted or len(found) < reach:
                break
        return dict(list(passed.items())[: self._wanted])

    def _factors(self, kind: HitKind | None) -> Sequence[int]:
        """Return the search depths to try, in order.

        Depths that are unlikely to find enough results are skipped, since every attempt costs a
        full search.
        """
        allowed = self._allowed.get(HitKind.OBSERVATION)
        if kind is not HitKind.OBSERVATION or allowed is None:
            return REACH
        if not allowed:
            return ()
        return [item for item in REACH if item * len(allowed) >= self._size] or REACH[-1:]

    def _text(
        self, kind: HitKind, words: Sequence[str], identifiers: Sequence[str], limit: int
    ) -> dict[str, float]:
        scope = self._scope
        query = TextQuery(
            team=scope.team,
            words=words,
            identifiers=identifiers,
            workspace=scope.workspace,
            task=scope.task,
            limit=limit,
            share=0.0 if scope.task else self._share,
        )
        return {hit.id: hit.score for hit in self._tx.text(kind.value).search(query)}

    def _nearest_records(
        self, meaning: QueryEmbedding, among: Sequence[str] | None, wanted: int
    ) -> dict[str, float]:
        """Return ``wanted`` records, regardless of their number of passages."""
        limit = wanted
        while True:
            found, more = self._nearest(meaning, among, limit)
            if len(found) >= wanted or not more:
                return found
            limit *= DEEPER

    def _nearest(
        self, meaning: QueryEmbedding, among: Sequence[str] | None, limit: int
    ) -> tuple[dict[str, float], bool]:
        """Return the records of the nearest passages, and whether there are more."""
        scope = self._scope
        query = VectorQuery(
            team=scope.team,
            model=meaning.model,
            vector=meaning.vector,
            workspace=scope.workspace,
            task=scope.task,
            among=among,
            limit=limit,
        )
        found = self._tx.vectors().nearest(query)
        result: dict[str, float] = {}
        for hit in found:
            result.setdefault(hit.source, hit.score)
        return result, len(found) >= limit

    def passing(self, ids: Sequence[str], kind: HitKind | None = None) -> set[str]:
        """Return which of the given records pass the filter.

        If ``kind`` is passed, all records are of that kind. Each record is looked up in the store
        only once.
        """
        unknown = [id for id in ids if id not in self._passed]
        if unknown:
            passed = self._look(unknown, kind)
            self._passed |= {id: id in passed for id in unknown}
        return {id for id in ids if self._passed[id]}

    def _look(self, ids: Sequence[str], kind: HitKind | None) -> set[str]:
        if self._whole:
            return self._with_memories(ids, kind)
        passing: set[str] = set()
        for hit_kind in self._kinds:
            allowed = self._allowed.get(hit_kind)
            if allowed is not None:
                passing |= set(ids) & set(allowed)
            else:
                passing |= matching(self._tx, self._scope, self._where, hit_kind, ids)
        return passing

    @cached_property
    def _excludes_quarantined(self) -> bool:
        return not self._where.quarantined and quarantine.any_quarantined(
            self._tx, self._scope.team
        )

    def _quarantined(self, ids: Sequence[str]) -> set[str]:
        if not self._excludes_quarantined:
            return set()
        return quarantine.quarantined_among(self._tx, self._scope.team, ids)

    def _with_memories(self, ids: Sequence[str], kind: HitKind | None) -> set[str]:
        """Return observations that are not quarantined, and matching memories.

        The observations must be in scope.
        """
        stated: Mapping[str, bool] = {}
        if kind is not HitKind.OBSERVATION:
            stated = filtering.memories_among(self._tx, self._scope, self._where, ids)
        others = set() if kind is HitKind.MEMORY else set(ids) - stated.keys()
        passing = others - self._quarantined(sorted(others)) if others else set()
        if HitKind.MEMORY in self._kinds:
            passing |= {id for id, matches in stated.items() if matches}
        return passing
