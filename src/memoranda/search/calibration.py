"""Calibration of scores: the chance that a hit answers its query.

The order of the hits is that of the ranking. The chance of the best one is estimated from how well
the best candidates match the query at all; from there it falls with the distance in evidence. All
numbers were fitted by `benchmarks/fit_scores.py`; the floor was
chosen with `benchmarks/off_topic.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memoranda.search.calibration_weights import COSINE, FITS, FLOOR, WORDS
from memoranda.search.pool import CandidatePool
from memoranda.search.rarity import rare_matches

if TYPE_CHECKING:
    from memoranda.search.pool import Floats, Places

BEST = 10
"""Number of candidates that the signals of a query are read from."""
DIGITS = 4
BY_WORDS = "_words"
"""Ending of the name of the numbers for records without vectors."""
KEYWORDS = 2
"""Maximum words of a query that is no sentence, of which one is enough if it is rare."""
KEYWORD_RARITY = 1.5
"""Rarity of a word in general language from which one is enough; four in five words have it."""
COMPLETE = 0.999
"""Coverage from which on a record contains every term."""
RARE = 10.0
"""Sum of inverse document frequencies that is much."""


@dataclass(frozen=True, slots=True)
class QueryStatistics:
    """What is known of a query from the whole scope."""

    seen: float
    """Share of its terms that occur at all."""
    records: int
    """Approximate number of records in the scope."""
    literal: Callable[[], bool] = bool
    """Returns whether full text found the whole query: all terms in one record, or a name."""
    words: Sequence[str] = ()
    """Words of the terms, in their order."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Log odds that candidates answer, by their evidence."""

    answered: float
    """Log odds that one of the best candidates answers."""
    base: float
    """Log odds that the very best one does."""
    best: float
    """Its evidence."""
    slope: float
    matches: Callable[[], bool]
    """Returns whether the best candidates match well enough for one of them to answer."""
    complete: Callable[[], bool]
    """Returns whether a record contains every term of the query, or a name, path or code of it."""

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
            among: indices of the candidates that may be returned; at least one.
        """
        kind = kind_of(pool, found)
        fit = FITS[kind]
        best = np.array(among)[np.argsort(-scored[list(among)], kind="stable")]
        features = signals(pool, found, best[:BEST], terms)
        answered = fit.offset + sum(fit.odds[name] * value for name, value in features.items())
        base = fit.first_offset + fit.first_slope * answered
        covered = features["covered"] >= COMPLETE
        complete = (lambda: True) if covered else terms.literal
        dated = bool((found["date"][best[:BEST]] > 0).any())
        matches = partial(_matches, kind, answered, pool, best[:BEST], terms.words, dated)
        return cls(answered, base, float(scored[best[0]]), fit.distance, matches, complete)

    def is_likely(self) -> bool:
        """Return whether it is likely enough that the query is answered at all.

        What contains all terms is found in any language, whatever the model knows.
        """
        return self.matches() or self.complete()

    def odds(self, evidence: float) -> float:
        """Return the log odds of a candidate with some evidence."""
        return self.base + self.slope * (evidence - self.best)


def _matches(
    kind: str,
    answered: float,
    pool: CandidatePool,
    best: Places,
    words: Sequence[str],
    dated: bool,
) -> bool:
    """Return whether the best candidates match well enough.

    A frequent word in common with a record says little, however rare it is in the store, and texts
    of one domain are near in meaning. What one passage has of the query's rare words counts beside
    the chance. Without vectors, a day that is named or one rare word of two keywords is what
    somebody looks for.
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


def kind_of(pool: CandidatePool, found: Mapping[str, Floats]) -> str:
    """Return the name of the fitted numbers for such records.

    There are others for records without vectors, and while these are still being created.
    """
    records = "work" if pool.of_work else "talk"
    return records if np.any(found["meaning"]) else records + BY_WORDS


def signals(
    pool: CandidatePool, found: Mapping[str, Floats], best: Places, terms: QueryStatistics
) -> dict[str, float]:
    """Return how well the best candidates match, by the kind of evidence."""
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
    """Convert log odds to a chance from 0 to 1."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def chance_of_cosine(cosine: float) -> float:
    """Return the chance that a passage answers whose cosine alone is known."""
    return round(chance(COSINE.slope * cosine + COSINE.offset), DIGITS)


def likely_cosine(cosine: float) -> bool:
    """Return whether a hit with this cosine is near enough to answer."""
    return cosine >= COSINE.floor


def split(base: float, added: Iterable[tuple[str, float]], shown: float) -> dict[str, float]:
    """Return the parts of a score, which add up to it.

    Args:
        base: log odds by the evidence alone.
        added: what each factor adds to them.
        shown: the score itself; what it lacks or has in excess is the part of the order.
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
