"""Score factors other than similarity (RCL-1).

They are the record's age, ratings, stage and criticality, and whether the record fixes the current
errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoranda.clock import MICROSECONDS
from memoranda.memories.model import Category, Memory
from memoranda.observations.model import Observation, ObservationType
from memoranda.search.model import FACTORS, UNKNOWN, Fusion, Ratings, TaskContext

if TYPE_CHECKING:
    pass

DAY = 24 * 3_600 * MICROSECONDS
HALF_LIFE = 30 * DAY
"""Age at which the recency factor is halved."""
POINT = 3.0
"""Amount of evidence that equals one point of similarity."""
TAGGED = 0.01
"""Minimum score, in mode exact, of a record with a tag that occurs in the query."""
OFTEN = 10
"""Number of ratings above which further ones have little effect."""

_PLANS = {"decision": 1.0, "pattern": 1.0, "learned_rule": 0.8, "learning": 0.6, "insight": 0.6}
_ACTIONS = {"tool_call": 0.8, "fix": 1.0, "project_pattern": 1.0, "pattern": 0.8}
_LESSONS = {"error": 1.0, "fix": 1.0, "learning": 1.0, "anti_pattern": 1.0, "troubleshooting": 1.0}
_CHECKS = {"fix": 0.6, "learned_rule": 0.8, "project_pattern": 0.6, "decision": 0.4}
STAGES: Mapping[str, Mapping[str, float]] = {
    "planning": _PLANS,
    "execution": _ACTIONS,
    "reflection": _LESSONS,
    "verification": _CHECKS,
}
"""Relevance of each kind of record in each stage, 0 to 1 (RCL-3)."""
ABOUT = 0.9
"""Maximum stage score of a record that is based on its text."""
MENDING = frozenset(
    {ObservationType.FIX, Category.ANTI_PATTERN, Category.TROUBLESHOOTING, Category.LEARNED_RULE}
)
NAMED, ALIKE = 0.8, 0.4
"""Scores of a record that contains a name from the errors, and of one that is tagged with their
kind.
"""


@dataclass(frozen=True, slots=True)
class ScoringConfig:
    """Parameters of scoring."""

    weights: Mapping[str, float] = field(default_factory=lambda: FACTORS)
    fusion: Fusion = Fusion.CALIBRATED
    critical: float = 2.0
    """Value of the criticality factor of a critical memory."""


DEFAULT = ScoringConfig()


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """Circumstances of a query."""

    now: int
    """Time in microseconds since the epoch."""
    work: TaskContext = UNKNOWN
    recipe: ScoringConfig = DEFAULT


def factors(
    record: Observation | Memory, situation: ScoringContext, rated: Ratings | None = None
) -> dict[str, float]:
    """Return every factor except similarity.

    Each factor is from 0 to 1, except frequency, which is from -1 to 1.
    """
    kind = record.type if isinstance(record, Observation) else record.category
    return {
        "recency": 0.5 ** (max(0, situation.now - record.created_at) / HALF_LIFE),
        "frequency": frequency(rated or Ratings()),
        "stage": _stage_fit(record, kind, situation.work.stage),
        "criticality": float(isinstance(record, Memory) and record.critical),
        "error_correction": _error_fit(record, kind, situation.work),
    }


def added(found: Mapping[str, float], recipe: ScoringConfig, relevance: float) -> dict[str, float]:
    """Return each factor's contribution in units of evidence.

    Criticality orders records that are about equally relevant. It has most effect if the evidence
    leaves open whether a record answers the query, and hardly any if the record clearly does not.

    Args:
        relevance: probability that the record answers the query, based on evidence alone.
    """
    weights = recipe.weights
    critical = recipe.critical * relevance * (1 - relevance) * found["criticality"]
    counted = dict(found) | {"criticality": critical}
    whole = weights["similarity"] or 1.0
    return {name: POINT * weights[name] * value / whole for name, value in counted.items()}


def _stage_fit(record: Observation | Memory, kind: str, stage: str | None) -> float:
    """Return how well a record fits the current stage, 0 to 1.

    The value is 1 for a record from this stage; otherwise it depends on the record's kind and text.
    """
    if not stage:
        return 0.0
    if isinstance(record, Observation):
        staged, text = record.stage == stage, record.summary
    else:
        staged, text = stage in record.tags, record.content
    if staged:
        return 1.0
    from memoranda.stages.text_scores import scores as stage_scores

    scores = stage_scores(text)
    about = getattr(scores, stage, 0.0) / scores.total if scores.total else 0.0
    return max(STAGES.get(stage, {}).get(kind, 0.0), ABOUT * about)


def _error_fit(record: Observation | Memory, kind: str, work: TaskContext) -> float:
    """Return how well a record helps to fix the current errors, 0 to 1.

    The value is 1 if the record resolved such an error, or both contains a name from the errors and
    has their kind as a tag; it is lower if only one of these applies.
    """
    trouble = work.trouble
    if trouble and record.id in trouble.fix_ids:
        return 1.0
    if kind not in MENDING:
        return 0.0
    if not set(work.errors).isdisjoint(record.tags):
        return 1.0
    if trouble is None:
        return 0.0
    text = record.summary if isinstance(record, Observation) else record.content
    lowered = text.lower()
    about = any(name in lowered for name in trouble.names)
    alike = not trouble.kinds.isdisjoint(record.tags)
    return min(1.0, NAMED * about + ALIKE * alike)


def frequency(ratings: Ratings) -> float:
    """Return the balance of a record's ratings, -1 to 1; 0 without any."""
    net = math.log1p(ratings.useful) - math.log1p(ratings.useless)
    return max(-1.0, min(1.0, net / math.log1p(OFTEN)))
