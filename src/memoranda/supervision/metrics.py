"""Metrics of a task, computed from the task's record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memoranda.compression import table as compressions
from memoranda.errors import note_table as error_notes
from memoranda.errors.model import ErrorType
from memoranda.errors.records import ARROW, failure_parts
from memoranda.errors.signature import signature
from memoranda.exceptions import InvalidInput
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.observations.table import ObservationFilter
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

WINDOW = 50
"""Number of newest observations from which figures are computed."""
NOTES = 20
RATES = frozenset({"error_rate", "repeated_actions", "coherence"})
"""Figures from 0 to 1; the others have no upper bound."""
KNOWN = (
    "error_rate",
    "repeated_errors",
    "stalled_steps",
    "tokens_per_step",
    "repeated_actions",
    "coherence",
)
_STEPS = frozenset({ObservationType.TOOL_CALL, ObservationType.ERROR, ObservationType.FIX})
_AHEAD = frozenset({ObservationType.FIX, ObservationType.DECISION, ObservationType.LEARNING})
_LOST = frozenset({ErrorType.CONTEXT_DEGRADATION, ErrorType.HALLUCINATION})
_ALL = ObservationFilter(with_repeats=True)


def checked_metrics(values: Mapping[str, object]) -> dict[str, float]:
    """Validate and return figures that the caller passed.

    Raises:
        InvalidInput: a figure is unknown, not a number or out of range.
    """
    if unknown := sorted(values.keys() - set(KNOWN)):
        raise InvalidInput(f"no such metric: {', '.join(unknown)}; there are {', '.join(KNOWN)}")
    return {name: _number(name, value) for name, value in values.items()}


def measured(tx: Transaction, team: str, task: str) -> dict[str, float]:
    """Return the figures of a task from its newest 50 observations."""
    found = tasks.by_id(tx, team, task)
    end = found.observations if found else 0
    span = (max(0, end - WINDOW), observations.END)
    seen = observations.in_task(tx, team, task, where=_ALL, span=span, limit=WINDOW)
    steps = [observation for observation in seen if observation.type in _STEPS]
    errors = [step for step in steps if step.type is ObservationType.ERROR]
    return {
        "error_rate": _rate(len(errors), len(steps)),
        "repeated_errors": float(_largest_group(errors)),
        "stalled_steps": float(_stalled(seen)),
        "tokens_per_step": round(sum(item.tokens for item in steps) / max(1, len(steps)), 1),
        "repeated_actions": _rate(_repeated(steps), len(steps)),
        "coherence": _coherence(tx, team, task),
    }


def error_rate(tx: Transaction, team: str, task: str, after: int) -> float | None:
    """Return the share of failed steps after a sequence; None without steps."""
    span = (after, observations.END)
    seen = observations.in_task(tx, team, task, where=_ALL, span=span, limit=WINDOW)
    steps = [observation for observation in seen if observation.type in _STEPS]
    failed = sum(step.type is ObservationType.ERROR for step in steps)
    return failed / len(steps) if steps else None


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(f"{name} must be a number")
    most = 1.0 if name in RATES else 1e9
    if not (math.isfinite(value) and 0 <= value <= most):
        raise InvalidInput(f"{name} must be between 0 and {most:g}")
    return float(value)


def _rate(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _largest_group(errors: Sequence[Observation]) -> int:
    """Return the number of errors with the most frequent cause."""
    causes: dict[str, int] = {}
    for kind, _, line in map(failure_parts, errors):
        name = signature(kind, line)
        causes[name] = causes.get(name, 0) + 1
    return max(causes.values(), default=0)


def _stalled(seen: Sequence[Observation]) -> int:
    """Return the number of steps since a task's last progress or input."""
    count = 0
    for observation in reversed(seen):
        if _ahead(observation):
            break
        count += observation.type in _STEPS
    return count


def _ahead(one: Observation) -> bool:
    if one.type is ObservationType.MESSAGE:
        return one.origin is Origin.HUMAN
    done = one.type is ObservationType.TOOL_CALL and not {"edit", "test"}.isdisjoint(one.tags)
    return done or one.type in _AHEAD


def _repeated(steps: Sequence[Observation]) -> int:
    """Return the number of steps repeated without a change in between."""
    count, done = 0, set[tuple[str | None, str]]()
    for step in steps:
        if step.type is ObservationType.TOOL_CALL and "edit" in step.tags:
            done.clear()
            continue
        action = step.tool, step.summary.partition("\n")[0].partition(ARROW)[0]
        count += action in done
        done.add(action)
    return count


def _coherence(tx: Transaction, team: str, task: str) -> float:
    """Return how consistent the summaries of a task are, 0 to 1.

    The value is 1 if the task's summaries keep every fact and contradict nothing, and is halved for
    every reported loss of context.
    """
    agreement = min(1.0, compressions.agreement(tx, team, task))
    notes = error_notes.still_open(tx, team, task, limit=NOTES)
    lost = sum(note.type in _LOST for note in notes)
    return round(agreement * 0.5**lost, 4)
