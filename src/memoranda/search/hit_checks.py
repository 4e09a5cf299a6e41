"""Validation of hits: coverage, contradictions and precision (RCL-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoranda.search.hits import short
from memoranda.search.model import Contradiction, Hit, Ratings, Validation


@dataclass(frozen=True, slots=True)
class ValidationChecks:
    """Findings about the candidates of a page, whichever of them are shown."""

    critical: int = 0
    """Number of critical memories in scope that match the filter."""
    missing: tuple[str, ...] = ()
    """Those of them that no earlier page has shown."""
    contradictions: tuple[Contradiction, ...] = ()
    rated: Mapping[str, Ratings] = field(default_factory=dict)

    def of(self, shown: Sequence[Hit]) -> Validation:
        """Return the findings for the hits that are shown."""
        ids, refs = {hit.id for hit in shown}, {hit.ref for hit in shown}
        left_out = [id for id in self.missing if id not in ids]
        coverage = 1 - len(left_out) / self.critical if self.critical else 1.0
        return Validation(
            coverage=round(coverage, 4),
            left_out=tuple(map(short, left_out)),
            contradictions=tuple(c for c in self.contradictions if {c.older, c.newer} <= refs),
            precision=_precision([self.rated[id] for id in ids if id in self.rated]),
        )


def _precision(rated: Sequence[Ratings]) -> float | None:
    useful = sum(ratings.useful for ratings in rated)
    rated_total = useful + sum(ratings.useless for ratings in rated)
    return round(useful / rated_total, 4) if rated_total else None
