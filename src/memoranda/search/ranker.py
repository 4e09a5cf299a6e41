"""Ranks candidates by their evidence, and explains the order."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from memoranda.language.words import number, stems, words
from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.observations import table as observations
from memoranda.observations.model import Observation
from memoranda.scope import Scope
from memoranda.search import (
    query_dates,
    rank_scores as ranking,
    score_factors as scoring,
    table as entries,
)
from memoranda.search.calibration import DIGITS, Calibration, QueryStatistics, chance, split
from memoranda.search.candidate_arrays import CandidatePool, QueryTerms
from memoranda.search.candidate_features import UNRELATED, EvidenceQuery, coverage, evidence
from memoranda.search.candidates import (
    MAX_WORDS,
    QueryEmbedding,
    RetrievedCandidates,
    Vocabulary,
)
from memoranda.search.model import Fusion, HitKind, Ratings
from memoranda.search.neighbours import with_neighbours
from memoranda.search.passage_splitter import SHORT, TextPassage
from memoranda.search.query import ParsedQuery
from memoranda.search.record_analysis import first_word
from memoranda.search.record_feature_format import read_passages
from memoranda.search.score_factors import ScoringContext
from memoranda.search.table import ScopeExtent
from memoranda.search.text_cues import question_cues
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.search.candidate_arrays import Floats

FEW_SESSIONS, LONG_SESSION = 8, 60
"""Number of tasks, and number of observations per task, that distinguish conversations from long
runs.

A scope with at least this many tasks, or with fewer observations per task, contains conversations
rather than a few long runs.
"""
FACTORED = 30
"""Minimum number of best candidates that are read in full to compute the other factors."""
IDENTIFYING = 20
"""Maximum number of records with a term that is looked up in the rest of long records.

The passages of tool output are only its start; an error code may be at its end.
"""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate with its score."""

    record: Observation | Memory
    score: float
    """Estimated probability that the candidate answers the query, 0 to 1.

    The score is at least as high as that of any later candidate.
    """
    factors: Mapping[str, float]
    parts: Mapping[str, float]
    """Contribution of each factor to the score."""
    passage: TextPassage | None
    """The passage of a long record that best answers the query."""
    evidence: Callable[[], Mapping[str, float]]
    """Function that returns the contribution of each signal."""


class Ranker:
    """Scores the candidates of one query in one transaction."""

    def __init__(
        self, tx: Transaction, scope: Scope, parsed: ParsedQuery, situation: ScoringContext
    ) -> None:
        self._tx = tx
        self._scope = scope
        self._parsed = parsed
        self._situation = situation
        self.vocabulary = Vocabulary(tx, scope.team, parsed.words)

    @cached_property
    def extent(self) -> ScopeExtent:
        """Size of the scope, and the speakers in it."""
        return entries.extent(self._tx, self._scope.team, self._scope.workspace)

    @cached_property
    def _speakers(self) -> frozenset[str]:
        """Return the first names of the speakers in this scope."""
        return frozenset(map(first_word, self.extent.speakers))

    @cached_property
    def terms(self) -> list[str]:
        """Return the search terms without speakers' names.

        A speaker's name identifies the author, not the topic.
        """
        others = [word for word in self._parsed.words if word not in self._speakers]
        return others or list(self._parsed.words)

    def rank(
        self,
        ids: Sequence[str],
        retrieved: RetrievedCandidates,
        meaning: QueryEmbedding | None,
        passing: Callable[[Sequence[str]], Collection[str]],
    ) -> Ranking | None:
        """Rank candidates and adjacent turns; None if there are none.

        ``passing`` returns which of the turns match the filter.
        """
        search_entries, chosen = with_neighbours(self._tx, self._scope, ids)
        if not search_entries:
            return None
        beside = chosen[len(ids) :]
        chosen = [*chosen[: len(ids)], *(passing(beside) if beside else ())]
        by_stem = dict(zip(stems(self.terms), self.terms, strict=True))
        total = self.vocabulary.total
        idf = [_idf(total, self.vocabulary.of[word]) for word in by_stem.values()]
        pool = CandidatePool(
            search_entries, chosen, QueryTerms([number(stem) for stem in by_stem], idf)
        )
        self._add_rest(pool, list(by_stem.values()))
        cosines = self._cosines(pool, meaning)
        found = evidence(pool, cosines, self._question(pool, retrieved.names))
        known = self._statistics(len(chosen), retrieved, tuple(by_stem.values()))
        order = Ranking(pool, cosines, found, self._situation, known)
        if self._situation.recipe.fusion is Fusion.RECIPROCAL:
            order.rescore(retrieved.reciprocal())
        return order

    def _add_rest(self, pool: CandidatePool, terms: Sequence[str]) -> None:
        """Add rare terms after the passages of long records, by the full-text index."""
        long_records: dict[str, list[str]] = {}
        for at in pool.truncated.tolist():
            entry = pool.entries[at]
            long_records.setdefault(entry.kind, []).append(entry.source)
        rarest = sorted(terms if long_records else (), key=self.vocabulary.of.__getitem__)
        rare = [term for term in rarest if 0 < self.vocabulary.of[term] <= IDENTIFYING]
        for term in rare[:MAX_WORDS]:
            for kind, ids in long_records.items():
                found = self._tx.text(kind).containing(self._scope.team, ids, [term])
                pool.add_rest(terms.index(term), found)

    def _statistics(
        self, candidates: int, retrieved: RetrievedCandidates, of_terms: Sequence[str]
    ) -> QueryStatistics:
        in_vocabulary = [bool(self.vocabulary.of[term]) for term in self.terms]
        literal = partial(self._is_complete_match, retrieved)
        seen = sum(in_vocabulary) / max(1, len(in_vocabulary))
        return QueryStatistics(seen, max(self.extent.observations, candidates), literal, of_terms)

    def _is_complete_match(self, retrieved: RetrievedCandidates) -> bool:
        """Return whether a record contains a name or all terms of the query.

        The full-text index is searched, since the entry of a very long record contains only some of
        the record's terms.
        """
        if retrieved.names:
            return True
        by_kind: dict[HitKind, list[str]] = {}
        for id in retrieved.words:
            by_kind.setdefault(retrieved.kinds[id], []).append(id)
        return any(
            self._tx.text(kind.value).containing(self._scope.team, ids, self.terms)
            for kind, ids in by_kind.items()
        )

    def _cosines(self, pool: CandidatePool, meaning: QueryEmbedding | None) -> Floats:
        """Return the cosine of each passage with the query.

        Passages without a vector get the cosine of unrelated texts.
        """
        cosines = np.full(len(pool.owner), UNRELATED, np.float32)
        if meaning is None:
            return cosines
        sources = [entry.source for entry in pool.entries]
        similarities = self._tx.vectors().similarities(
            self._scope.team, meaning.model, meaning.vector, sources
        )
        first = dict(zip(sources, pool.first_part.tolist(), strict=True))
        places = [first[source] + place for source, place in similarities]
        cosines[np.array(places, np.int64)] = list(similarities.values())
        return cosines

    def _question(self, pool: CandidatePool, named: Mapping[str, float]) -> EvidenceQuery:
        text = self._parsed.text
        tasks, observed = self.extent.tasks, self.extent.observations
        query_words = set(words(text))
        spoken = self._speakers & query_words
        everybody = spoken == self._speakers
        return EvidenceQuery(
            cues=question_cues(text),
            speakers=frozenset() if everybody else frozenset(map(number, spoken)),
            names=np.array([named.get(e.source, 0.0) for e in pool.entries], np.float32),
            dates=self._dates(pool),
            many_sessions=tasks >= FEW_SESSIONS or observed < LONG_SESSION * max(1, tasks),
        )

    def _dates(self, pool: CandidatePool) -> Floats:
        """Return the weight of each record's day for a query with a date."""
        text, nothing = self._parsed.text, np.zeros(len(pool.entries), np.float32)
        if not query_dates.names_any(text):
            return nothing
        days = [query_dates.day_of(entry.at) for entry in pool.entries]
        years = {query_dates.year_of(day) for day in set(days)}
        spans = query_dates.spans(text, self._situation.now, years)
        scores = {
            day: max((query_dates.day_weight(s, day) for s in spans), default=0.0)
            for day in set(days)
        }
        return np.array([scores[day] for day in days], np.float32)


@dataclass(frozen=True, slots=True)
class _Odds:
    """Log odds of one candidate, and its score."""

    base: float
    """Log odds from the evidence alone."""
    added: Mapping[str, float]
    score: float


class Ranking:
    """Candidates in score order."""

    def __init__(
        self,
        pool: CandidatePool,
        cosines: Floats,
        found: Mapping[str, Floats],
        situation: ScoringContext,
        statistics: QueryStatistics,
    ) -> None:
        self._pool = pool
        self._cosines = cosines
        self._found = found
        self._situation = situation
        self._scored = ranking.scores(pool, found)
        self._statistics = statistics
        self._calibration: Calibration | None = None
        self.sources = [entry.source for entry in pool.chosen_entries]
        self._tiers = [0] * len(self.sources)
        self._least: Mapping[int, float] = {}

    def rescore(self, fused: Mapping[str, float]) -> None:
        """Replace the evidence by scores from 0 to 1 from another source."""
        scores = [scoring.POINT * fused.get(source, 0.0) for source in self.sources]
        self._scored = np.array(scores, np.float32)

    def sort_by(self, tier: Callable[[str], int]) -> None:
        """Sort candidates by tier, lowest first; those of tier 0 are always hits."""
        self._tiers = list(map(tier, self.sources))
        self._least = {at: scoring.TAGGED for at, item in enumerate(self._tiers) if item == 0}

    def promising(self, wanted: int) -> list[str]:
        """Return the candidates with the best evidence, to be read in full.

        The number is twice the number requested, and at least thirty.
        """
        best = np.argsort(-self._scored, kind="stable").tolist()
        best.sort(key=self._tiers.__getitem__)
        return [self.sources[place] for place in best[: max(FACTORED, 2 * wanted)]]

    def ranked(
        self, records: Mapping[str, Observation | Memory], rated: Mapping[str, Ratings], limit: int
    ) -> list[Ranked]:
        """Return the best records, best first.

        Scores combine the evidence and the other factors.
        """
        situation = self._situation
        factors_by_id = {
            id: scoring.factors(record, situation, rated.get(id)) for id, record in records.items()
        }
        read = [at for at, id in enumerate(self.sources) if id in factors_by_id]
        if not read:
            return []
        calibration = self._calibration = Calibration.of(
            self._pool, self._found, self._scored, read, self._statistics
        )
        added: dict[str, Mapping[str, float]] = {}
        total = np.full(len(self.sources), -np.inf, np.float32)
        for at in read:
            id, evident = self.sources[at], float(self._scored[at])
            relevance = chance(calibration.odds(evident))
            added[id] = scoring.added(factors_by_id[id], situation.recipe, relevance)
            total[at] = evident + sum(added[id].values())
        order = [at for at in ranking.order(self._pool, total).tolist() if total[at] > -np.inf]
        order.sort(key=self._tiers.__getitem__)
        odds = self._odds(calibration, order, added)
        return [
            self._ranked(place, factors_by_id, records, one)
            for place, one in zip(order[:limit], odds, strict=False)
        ]

    def is_likely(self) -> bool:
        """Return whether the evidence suggests that a candidate answers the query.

        This may query the full-text index, so it is called only for searches without a minimum
        score.
        """
        return self._calibration is not None and self._calibration.is_likely()

    def _odds(
        self,
        calibration: Calibration,
        order: Sequence[int],
        added: Mapping[str, Mapping[str, float]],
    ) -> list[_Odds]:
        """Return the scores of candidates in order; they never increase.

        Age lowers a score relative to the newest candidate; the other factors are absolute.
        """
        newest = max((item["recency"] for item in added.values()), default=0.0)
        odds: list[_Odds] = []
        highest = 0.0
        for place in reversed(order):
            factors = dict(added[self.sources[place]])
            factors["recency"] -= newest
            moved = {name: calibration.slope * value for name, value in factors.items()}
            base = calibration.odds(float(self._scored[place]))
            reached = round(chance(base + sum(moved.values())), DIGITS)
            highest = max(highest, reached, self._least.get(place, 0.0))
            odds.append(_Odds(base, moved, highest))
        return odds[::-1]

    def _ranked(
        self,
        place: int,
        factors_by_id: Mapping[str, Mapping[str, float]],
        records: Mapping[str, Observation | Memory],
        odds: _Odds,
    ) -> Ranked:
        source = self.sources[place]
        parts = split(odds.base, odds.added.items(), odds.score)
        return Ranked(
            record=records[source],
            score=odds.score,
            factors={"similarity": parts["similarity"], **factors_by_id[source]},
            parts=parts,
            passage=self._best_passage(int(self._pool.chosen[place])),
            evidence=partial(ranking.contributions, self._pool, self._found, place),
        )

    def _best_passage(self, record: int) -> TextPassage | None:
        """Return the passage nearest to the query in meaning and words."""
        pool = self._pool
        if pool.chars[record] <= SHORT:
            return None
        first = int(pool.first_part[record])
        parts = slice(first, first + int(pool.parts[record]))
        covered = coverage(pool.found[parts] > 0, pool)
        best = int(np.argmax(self._cosines[parts] + covered))
        return read_passages(pool.entries[record].features)[best]


def records_of(
    tx: Transaction, scope: Scope, ids: Sequence[str]
) -> dict[str, Observation | Memory]:
    """Return those of the observations and memories that are visible, by id."""
    result: dict[str, Observation | Memory] = {}
    result.update(observations.by_ids(tx, scope.team, ids))
    result.update(memories.by_ids(tx, scope.team, ids, scope.agent))
    return result


def _idf(total: int, frequency: int) -> float:
    """Return BM25's inverse document frequency of a term, never negative."""
    bounded = min(frequency, total)
    return math.log(1 + (total - bounded + 0.5) / (bounded + 0.5))
