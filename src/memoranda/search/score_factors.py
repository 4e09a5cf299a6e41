"""Score factors other than similarity (RCL-1).

They are the record's age, its use, the stage, whether it is critical, and whether it fixes the
current errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoranda.clock import MICROSECONDS
from memoranda.memories.model import Category, Memory
from memoranda.observations.model import Observation, ObservationType
from memoranda.search.model import FACTORS, Fusion, Ratings
from memoranda.stages import text_scores as stage_words
from memoranda.tasks.reference import TaskReference

if TYPE_CHECKING:
    from memoranda.errors.model import ErrorContext

DAY = 24 * 3_600 * MICROSECONDS
HALF_LIFE = 30 * DAY
"""Age at which recency has halved."""
POINT = 3.0
"""Amount of evidence that equals one whole point of similarity."""
OFTEN = 10
"""Number of ratings above which more of them change little."""

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
"""How much each kind of record helps in each stage (RCL-3)."""
ABOUT = 0.9
"""How well a record fits a stage that all its words are about."""
MENDING = frozenset(
    {ObservationType.FIX, Category.ANTI_PATTERN, Category.TROUBLESHOOTING, Category.LEARNED_RULE}
)
NAMED, ALIKE = 0.8, 0.4
"""Scores of a record that names what errors name, or is of their kind."""


@dataclass(frozen=True, slots=True)
class TaskContext:
    """State of the work when a query is made."""

    stage: str | None = None
    """Planning, execution, reflection or verification.

    Records that help in it rank higher.
    """
    errors: tuple[str, ...] = ()
    """Tags of the current errors; records that fix such errors rank higher."""
    task: TaskReference | None = None
    """The current task, where the query is not about one.

    Its errors count as well.
    """
    trouble: ErrorContext | None = None
    """What is known of the current errors; None: as recorded."""


UNKNOWN = TaskContext()


@dataclass(frozen=True, slots=True)
class ScoringConfig:
    """Parameters of scoring."""

    weights: Mapping[str, float] = field(default_factory=lambda: FACTORS)
    fusion: Fusion = Fusion.CALIBRATED
    critical: float = 2.0
    """Factor of the criticality of a critical memory."""


USUAL = ScoringConfig()


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """Circumstances of a query."""

    now: int
    """Microseconds since the epoch."""
    work: TaskContext = UNKNOWN
    recipe: ScoringConfig = USUAL


def factors(
    record: Observation | Memory, situation: ScoringContext, rated: Ratings | None = None
) -> dict[str, float]:
    """Return every factor but similarity.

    Each from 0 to 1; frequency from -1 to 1.
    """
    kind = record.type if isinstance(record, Observation) else record.category
    return {
        "recency": 0.5 ** (max(0, situation.now - record.created_at) / HALF_LIFE),
        "frequency": frequency(rated or Ratings()),
        "stage": _stage_fit(record, kind, situation.work.stage),
        "criticality": float(isinstance(record, Memory) and record.critical),
        "error_correction": _error_fit(record, kind, situation.work),
    }


def added(found: Mapping[str, float], recipe: ScoringConfig) -> dict[str, float]:
    """Return what each factor adds to the evidence, in its units.

    A critical record counts double its weight, unless the recipe says otherwise.
    """
    weights = recipe.weights
    counted = dict(found) | {"criticality": recipe.critical * found["criticality"]}
    whole = weights["similarity"] or 1.0
    return {name: POINT * weights[name] * value / whole for name, value in counted.items()}


def _stage_fit(record: Observation | Memory, kind: str, stage: str | None) -> float:
    """Return how well a record fits the stage of the work.

    1 for what was done in such a stage; else by its kind, and by what its own words are about.
    """
    if not stage:
        return 0.0
    if isinstance(record, Observation):
        staged, text = record.stage == stage, record.summary
    else:
        staged, text = stage in record.tags, record.content
    if staged:
        return 1.0
    scores = stage_words.scores(text)
    about = getattr(scores, stage, 0.0) / scores.total if scores.total else 0.0
    return max(STAGES.get(stage, {}).get(kind, 0.0), ABOUT * about)


def _error_fit(record: Observation | Memory, kind: str, work: TaskContext) -> float:
    """Return how well a record helps to fix the current errors.

    1 if it resolved such errors, or names what they name and is of their kind; less if only one of
    these applies.
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
    """Return the value of a record's ratings.

    0 without any, towards 1 or -1 the more of them agree.
    """
    net = math.log1p(ratings.useful) - math.log1p(ratings.useless)
    return max(-1.0, min(1.0, net / math.log1p(OFTEN)))
