"""Calibration of scores: the probability that a hit answers its query.

Hits keep the order of the ranking. The probability of the best hit is estimated from how well the
best candidates match the query; for the other hits it decreases with the difference in evidence.
All numbers were fitted by `benchmarks/fit_scores.py`; the floor was chosen with
`benchmarks/off_topic.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memoranda.search.calibration_weights import COSINE, FITS, FLOOR, WORDS, WORK
from memoranda.search.candidate_arrays import CandidatePool
from memoranda.search.general_word_rarity import rare_matches

if TYPE_CHECKING:
    from memoranda.search.candidate_arrays import Floats, Places

BEST = 10
"""Number of best candidates from which a query's signals are computed."""
DIGITS = 4
BY_WORDS = "_words"
"""Suffix of the name of a fit for records without vectors."""
NEAREST = 3
"""Number of highest cosines whose mean indicates how near the store's content is to a query."""
KEYWORDS = 2
"""Maximum number of words in a keyword query, for which a single rare word is sufficient."""
KEYWORD_RARITY = 1.5
"""Minimum rarity in general language of that single word; four in five words reach this value."""
COMPLETE = 0.999
"""Minimum coverage at which a record counts as containing every term."""
RARE = 10.0
"""Typical high sum of inverse document frequencies, used to scale such sums."""


@dataclass(frozen=True, slots=True)
class QueryStatistics:
    """Statistics of a query over the whole scope."""

    seen: float
    """Fraction of the query's terms that occur in at least one record."""
    records: int
    """Approximate number of records in the scope."""
    literal: Callable[[], bool] = bool
    """Returns whether full-text search matched the query exactly: one record contains all terms, or
    a name was found.
    """
    words: Sequence[str] = ()
    """Words of the query's terms, in the order of the terms."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Log odds that candidates answer a query, as a function of evidence."""

    answered: float
    """Log odds that one of the best candidates answers the query."""
    base: float
    """Log odds that the best candidate answers the query."""
    best: float
    """Evidence of the best candidate."""
    slope: float
    matches: Callable[[], bool]
    """Returns whether the best candidates match well enough for an answer."""
    complete: Callable[[], bool]
    """Returns whether a record contains every query term, or one of the query's names, paths or
    codes.
    """

    @classmethod
    def of(
        cls,
        pool: CandidatePool,
        found: Mapping[str, Floats],
        scored: Floats,
        among: Sequence[int],
        terms: QueryStatistics,
    ) -> Calibration:
        """Return the calibration of a query from its candidates.

        Args:
            among: indices of the candidates that may be returned; at least one index is required.
        """
        kind = kind_of(pool, found)
        fit = FITS[kind]
        best = np.array(among)[np.argsort(-scored[list(among)], kind="stable")]
        features = signals(pool, found, best[:BEST], terms)
        answered = fit.offset + sum(fit.odds[name] * value for name, value in features.items())
        base = fit.first_offset + fit.first_slope * answered
        covered = features["covered"] >= COMPLETE
        complete = (lambda: True) if covered else terms.literal
        if kind == "work":
            matches = partial(_work_matches, pool, found, best[:BEST], terms)
        else:
            dated = _is_dated(found, best[:BEST])
            matches = partial(_matches, kind, answered, pool, best[:BEST], terms.words, dated)
        return cls(answered, base, float(scored[best[0]]), fit.distance, matches, complete)

    def is_likely(self) -> bool:
        """Return whether the query probably has an answer among the candidates.

        A record that contains all terms is treated as an answer, whatever the language.
        """
        return self.matches() or self.complete()

    def odds(self, evidence: float) -> float:
        """Return the log odds of a candidate with the given evidence."""
        return self.base + self.slope * (evidence - self.best)


def _matches(
    kind: str, answered: float, pool: CandidatePool, best: Places, words: Sequence[str], dated: bool
) -> bool:
    """Return whether the best candidates match well enough.

    A frequent word shared with a record is weak evidence even if the word is rare in the store, and
    texts of one domain have similar vectors. Therefore the share of the query's rare words in one
    passage is added to the log odds. Without vectors, a matching date is sufficient, and so is one
    rare word in a query of at most two words.
    """
    rarity, share = rare_matches(pool, best, words)
    if kind.endswith(BY_WORDS):
        keyword = len(words) <= KEYWORDS and rarity >= KEYWORD_RARITY
        if dated or keyword:
            return True
        reached = WORDS.answered * answered + WORDS.rarity * rarity + WORDS.share * share
        if reached < WORDS.floors[kind]:
            return False
    enough = answered >= FLOOR.meaning.get(kind, math.inf)
    return enough or answered + FLOOR.share * share >= FLOOR.least[kind]


def _work_matches(
    pool: CandidatePool, found: Mapping[str, Floats], best: Places, terms: QueryStatistics
) -> bool:
    """Return whether work records with vectors match or have a queried day."""
    values = work_signals(pool, found, best, terms)
    return (
        _is_dated(found, best)
        or sum(WORK.odds[name] * value for name, value in values.items()) >= WORK.floor
    )


def _is_dated(found: Mapping[str, Floats], best: Places) -> bool:
    """Return whether a candidate is from a day mentioned in the query."""
    return bool((found["date"][best] > 0).any())


def work_signals(
    pool: CandidatePool, found: Mapping[str, Floats], best: Places, terms: QueryStatistics
) -> dict[str, float]:
    """Return signals, by name, of whether work records with vectors answer.

    Several near passages are evidence, as are words of the query that are rare in general language
    and occur in one passage; each further word of the query makes a chance match more likely.

    Args:
        best: indices of the best candidates.
    """
    rare, _ = rare_matches(pool, best, terms.words)
    return {
        "near": float(np.sort(found["meaning"])[-NEAREST:].mean()),
        "rare": rare,
        "seen": terms.seen,
        "words": float(len(terms.words)),
    }


def kind_of(pool: CandidatePool, found: Mapping[str, Floats]) -> str:
    """Return the name of the fit for these records.

    Records without vectors, or whose vectors are still being created, have separate fits.
    """
    records = "work" if pool.of_work else "talk"
    return records if np.any(found["meaning"]) else records + BY_WORDS


def signals(
    pool: CandidatePool, found: Mapping[str, Floats], best: Places, terms: QueryStatistics
) -> dict[str, float]:
    """Return the signals of how well the best candidates match, by name."""
    has_own = pool.own[pool.chosen][best] > 0
    weight = float(pool.idf.sum()) or 1.0
    meaning, covered = found["meaning"][best], found["covered_window"][best]
    return {
        "meaning": float(meaning.max()),
        "covered": float(found["covered"][best].max()),
        "covered_window": float(covered.max()),
        "both": float((np.maximum(0, meaning) * covered).max()),
        "known": float((pool.idf * has_own.any(axis=0)).sum()) / weight,
        "seen": terms.seen,
        "matched": math.log1p(float(has_own.sum(axis=1).max())),
        "rarity": float((pool.idf * has_own).sum(axis=1).max()) / RARE,
        "names": float(found["names"][best].max() > 0),
        "date": float(found["date"][best].max()),
        "size": math.log1p(terms.records),
    }


def chance(odds: float) -> float:
    """Convert log odds to a probability from 0 to 1."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def chance_of_cosine(cosine: float) -> float:
    """Return the probability that a passage answers, given its cosine."""
    return round(chance(COSINE.slope * cosine + COSINE.offset), DIGITS)


def likely_cosine(cosine: float) -> bool:
    """Return whether a hit with this cosine is similar enough to answer."""
    return cosine >= COSINE.floor


def split(base: float, added: Iterable[tuple[str, float]], shown: float) -> dict[str, float]:
    """Return the contribution of each factor to a score.

    Args:
        base: log odds from the evidence alone.
        added: log odds that each factor adds.
        shown: the displayed score; its difference from the sum is returned as ``order``.
    """
    reached = round(chance(base), DIGITS)
    parts = {"similarity": reached}
    for name, value in added:
        base += value
        after = round(chance(base), DIGITS)
        parts[name] = round(after - reached, DIGITS)
        reached = after
    parts["order"] = round(shown - reached, DIGITS)
    return {name: value for name, value in parts.items() if value or name == "similarity"}
