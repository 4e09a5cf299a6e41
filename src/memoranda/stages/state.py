"""State of stage detection between two steps; small and without text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from memoranda.exceptions import CorruptData
from memoranda.json_data import JsonValue
from memoranda.stages.action import Action
from memoranda.stages.model import StageName
from memoranda.stages.step import StepOutcome
from memoranda.stages.text_scores import SILENCE, StageScores

_Name = TypeVar("_Name", Action, StageName)


@dataclass(frozen=True, slots=True)
class StepContext:
    """Context of a step: the previous call and the message after it."""

    action: Action | None = None
    outcome: StepOutcome = StepOutcome.UNKNOWN
    edited: bool = False
    """Whether anything was changed earlier in the task."""
    said: StageScores = SILENCE
    """Scores for the text of the previous message."""
    marker: StageName | None = None
    """Stage marked in the previous message."""


@dataclass(frozen=True, slots=True)
class StageState:
    """State of stage tracking for a task."""

    stage: StageName | None = None
    settled: bool = False
    """Whether the current stage was explicitly stated, so that text alone does not end it."""
    first: int | None = None
    """Sequence number of the first step."""
    before: StepContext = field(default_factory=StepContext)
    speaking_since: int | None = None
    """Sequence number of the message that may still be followed by a call."""
    looking_since: int | None = None
    """Sequence number of a planning step that has not opened a stage yet."""
    evident_at: int | None = None
    """Time of the last clear evidence, in microseconds since the epoch."""
    quiet: int = 0
    """Number of steps since the last clear evidence."""
    leaning: StageScores = SILENCE
    """Total text scores of those steps."""
    suggested: StageName | None = None
    """Stage that was detected but has not begun, because the mode only suggests it."""

    def as_json(self) -> dict[str, JsonValue]:
        """Return the state as a JSON object, which `from_json` parses."""
        before = self.before
        return {
            "stage": self.stage,
            "settled": self.settled,
            "first": self.first,
            "action": before.action,
            "outcome": before.outcome,
            "edited": before.edited,
            "said": list(before.said.parts),
            "marker": before.marker,
            "speaking_since": self.speaking_since,
            "looking_since": self.looking_since,
            "evident_at": self.evident_at,
            "quiet": self.quiet,
            "leaning": list(self.leaning.parts),
            "suggested": self.suggested,
        }

    @classmethod
    def from_json(cls, value: JsonValue) -> StageState:
        """Parse a state written by `as_json`.

        Raises:
            CorruptData: the JSON is not a valid state; the state can be rebuilt from the steps of
                the task.
        """
        try:
            return _state(value if isinstance(value, dict) else {})
        except (KeyError, ValueError, TypeError) as error:
            raise CorruptData(f"not the state of a task's stages: {error!r}") from error


def _state(row: dict[str, JsonValue]) -> StageState:
    before = StepContext(
        action=_named(Action, row["action"]),
        outcome=StepOutcome(str(row["outcome"])),
        edited=row["edited"] is True,
        said=_scores(row["said"]),
        marker=_named(StageName, row["marker"]),
    )
    quiet = _number(row["quiet"])
    return StageState(
        stage=_named(StageName, row["stage"]),
        settled=row["settled"] is True,
        first=_number(row["first"]),
        before=before,
        speaking_since=_number(row["speaking_since"]),
        looking_since=_number(row["looking_since"]),
        evident_at=_number(row["evident_at"]),
        quiet=quiet or 0,
        leaning=_scores(row["leaning"]),
        suggested=_named(StageName, row.get("suggested")),
    )


def _named(kind: Callable[[str], _Name], value: JsonValue) -> _Name | None:
    return None if value is None else kind(str(value))


def _number(value: JsonValue) -> int | None:
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{value!r} is not an integer")


def _scores(value: JsonValue) -> StageScores:
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError(f"{value!r} are not four numbers")
    return StageScores(*(_real(part) for part in value))


def _real(value: JsonValue) -> float:
    if isinstance(value, int | float):
        return float(value)
    raise ValueError(f"{value!r} is not a number")
