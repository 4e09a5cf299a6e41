"""Errors: recorded failures, their notes, and patterns among them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.observations.model import Observation


class ErrorType(StrEnum):
    """Type of mistake of an error.

    The first and the fourth only a person or a model can recognise; the others follow from what a
    tool printed.
    """

    HALLUCINATION = "hallucination"
    """The agent relied on something that does not exist."""
    MISSING_INFO = "missing_info"
    """Something required was missing: a file, a module, a setting."""
    INCORRECT_ACTION = "incorrect_action"
    """The step itself was wrong: an unknown command, invalid code."""
    CONTEXT_DEGRADATION = "context_degradation"
    """The agent lost track of known facts."""
    TOOL = "tool"
    """The tool or a dependency of it failed: network, time, memory."""
    TEST = "test"
    BUILD = "build"
    """Compiling, type checking, linting or packaging failed."""
    PERMISSION = "permission"
    """A system or a person did not allow it."""


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """Stored failure."""

    team: str
    id: str
    task: str
    workspace: str
    stage: str | None
    agent: str
    type: ErrorType
    kind: str
    """Kind of failure as captured, such as import_error; else error."""
    description: str
    """Message of the error, on one line."""
    context: str
    """Action during which it occurred."""
    recovery: str
    """What resolved it; empty while open."""
    severity: float
    """Severity, 0 (minor) to 1 (blocks all work)."""
    signature: str
    """Text that is equal for errors of the same cause."""
    observation: str | None
    """Id of its full observation.

    None of an error that an earlier version recorded by hand.
    """
    resolved_by: str | None
    """Id of the observation that resolved it."""
    created_at: int
    changed_by: tuple[str, ...] = ()
    """Ids of the observations with the required changes, oldest first.

    None where trying again was enough, as far as the record shows.
    """
    open: bool = False
    """Whether it is unresolved.

    Of one check that failed again and again, the newest failure alone is open.
    """


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery from an error: the later changes, and the step that succeeded."""

    error: Observation
    fix: Observation
    changes: tuple[Observation, ...]
    """Changes, oldest first.

    None where trying again was enough, as far as the record shows.
    """
    near: bool
    """Whether the changes name what the error names."""

    @property
    def stated(self) -> bool:
        """Whether somebody recorded what ended it, instead of a step that succeeded."""
        return self.fix.tool is None


class PatternKind(StrEnum):
    """How errors recur."""

    FREQUENCY = "frequency"
    """The same cause repeatedly."""
    SEQUENCE = "sequence"
    """One cause soon after another."""
    CONTEXT = "context"
    """One cause mostly with a certain tool, stage, language …."""


class Trend(StrEnum):
    """Trend of a pattern's frequency."""

    RISING = "rising"
    STEADY = "steady"
    """No change, or too little data."""
    FALLING = "falling"


@dataclass(frozen=True, slots=True)
class ErrorDay:
    """Day that had errors."""

    day: str
    """Date, such as 2026-11-23, in UTC."""
    errors: int
    open: int
    """Number of errors still open."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """Recurring property of errors, with its evidence."""

    kind: PatternKind
    signature: str
    """Cause; of a sequence the first one."""
    then: str
    """Following cause of a sequence; otherwise empty."""
    context: str
    """Name of a context, such as tool; otherwise empty."""
    value: str
    """Value of a context, such as Bash; otherwise empty."""
    count: int
    """Number of occurrences.

    For a frequency errors; for a sequence runs of the first cause, in which trying again counts
    once; for a context tasks.
    """
    of: int
    """Total that the occurrences are part of.

    For a frequency all errors; for a sequence all runs of the first cause; for a context all values
    of that name in the tasks of the cause.
    """
    tasks: int
    """Number of tasks with it."""
    p: float
    """Probability of as many or more by chance alone, 0 to 1."""
    significant: bool
    """Whether it is significant, corrected for all that was tested.

    Sequences and contexts always are; a frequency that is not is only a count.
    """
    examples: tuple[str, ...]
    """Short names of errors with it, newest first.

    Of a sequence its first errors.
    """
    prevention: str
    """Earlier resolution, as recorded; empty if there is none."""
    ended: str
    """Short name of the error with that resolution; empty if there is none."""
    trend: Trend
    first_seen: int
    last_seen: int


@dataclass(frozen=True, slots=True)
class RefinedPattern:
    """Measured pattern, with a language model's wording of it."""

    pattern: ErrorPattern
    name: str = ""
    prevention: str = ""
    """Prevention in the model's wording; empty: the measured one applies."""
    evidence: tuple[str, ...] = ()
    """Short names of the evidence for the wording."""
    model: str = ""
    """Model of the wording; empty if only the measured one exists.

    Then ``declined`` gives the reason.
    """
    declined: str = ""
    cost: int = 0
    """Cost of this call in millionths of a dollar."""


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """Reported error, or a note on a captured one."""

    team: str
    id: str
    workspace: str
    task: str | None
    stage: str | None
    agent: str
    """Agent that reported it; empty: a person."""
    type: ErrorType
    description: str
    context: str
    recovery: str
    """What ended it; empty while nothing did."""
    severity: float
    observation: str | None
    """Id of the observation of the error, recorded by hand or captured.

    None of an error that an earlier version recorded.
    """
    position: int
    """Number of observations of the task at that time; 0 of a remark on a captured error."""
    created_at: int
    resolved_by: str | None = None
    """Who reported that it is over."""
    resolved_at: int | None = None

    @property
    def by_hand(self) -> bool:
        """Whether it is the error itself, not a remark on a captured one."""
        return self.observation is None or self.position > 0


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """Error with its full record."""

    record: ErrorRecord
    content: str
    """Full observation; for a manual report, its description."""
    fix: str
    """Full observation that resolved it, or the text that was reported."""
    pattern: ErrorPattern | None
    """Pattern that it is a case of."""


@dataclass(frozen=True, slots=True)
class ErrorContext:
    """Current errors, with what could resolve them."""

    kinds: frozenset[str] = frozenset()
    """Kinds of failures, such as import_error.

    They are the tags of observations and memories.
    """
    names: frozenset[str] = frozenset()
    """Names in the errors: modules, files, codes; in lower case."""
    fix_ids: frozenset[str] = frozenset()
    """Ids of observations and memories that resolved similar errors.

    Similar errors have the same cause or target. Memories based on such an observation are
    included.
    """
