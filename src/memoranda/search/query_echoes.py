"""Excludes records that only repeat a query.

Such records are calls of Memoranda's own tools, and the question itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoranda.ids import short
from memoranda.language.words import words
from memoranda.memories.model import Memory
from memoranda.observations.content import RECALLED, RECALLED_OUTPUT
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import Contradiction, Hit, Ratings, Validation
from memoranda.text import slash_command


@dataclass(frozen=True, slots=True)
class ValidationChecks:
    """Validation data for a page's candidates, independent of the hits shown."""

    critical: int = 0
    """Number of critical memories in scope that match the filter."""
    missing: tuple[str, ...] = ()
    """Critical memories that no earlier page has shown."""
    contradictions: tuple[Contradiction, ...] = ()
    rated: Mapping[str, Ratings] = field(default_factory=dict)

    def of(self, shown: Sequence[Hit]) -> Validation:
        """Return the validation of the hits that are shown."""
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


def without_echoes(
    records: Mapping[str, Observation | Memory], query: str, where: SearchFilter
) -> dict[str, Observation | Memory]:
    """Return the records, except those that only repeat the query.

    Calls of Memoranda's own tools and commands are excluded unless their tag is requested, and so
    are a person's questions that consist of the query's words. Such a question is kept if nothing
    else is found, since it may be what the caller is looking for.
    """
    with_recalled = RECALLED in where.tags
    query_words = words(query)
    others = {id: one for id, one in records.items() if with_recalled or not _is_own(one)}
    answers = {id: item for id, item in others.items() if not _asks(item, query_words)}
    return answers or others


def _is_own(one: Observation | Memory) -> bool:
    """Return whether a record is a call to Memoranda itself.

    Records stored by an earlier version have no tag and are recognised by their content.
    """
    if not isinstance(one, Observation):
        return False
    named = "memoranda" in (one.tool or "").lower() or RECALLED_OUTPUT in one.summary
    return RECALLED in one.tags or named


def _asks(one: Observation | Memory, query_words: list[str]) -> bool:
    if not isinstance(one, Observation):
        return False
    if one.type is not ObservationType.MESSAGE or one.origin is not Origin.HUMAN:
        return False
    first, _, rest = one.summary.partition("\n")
    name, text = slash_command(rest or first)
    return (bool(name) or text.rstrip().endswith("?")) and words(text) == query_words
