"""Errors: recorded failures, their notes, and patterns among them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from memoranda.observations.model import Observation


class ErrorType(StrEnum):
    """Type of an error.

    Only a person or a model can recognise `HALLUCINATION` and `CONTEXT_DEGRADATION`; the others
    follow from the output of a tool.
    """

    HALLUCINATION = "hallucination"
    """The agent relied on something that does not exist."""
    MISSING_INFO = "missing_info"
    """Something required was missing, such as a file, module or setting."""
    INCORRECT_ACTION = "incorrect_action"
    """The step itself was wrong, such as an unknown command or invalid code."""
    CONTEXT_DEGRADATION = "context_degradation"
    """The agent lost track of known facts."""
    TOOL = "tool"
    """The tool or one of its dependencies failed: network, time or memory."""
    TEST = "test"
    BUILD = "build"
    """Compiling, type checking, linting or packaging failed."""
    PERMISSION = "permission"
    """The system or a person did not permit the step."""


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
    """Kind of failure as captured, such as import_error, or else error."""
    description: str
    """Message of the error, on one line."""
    context: str
    """Action during which the error occurred."""
    recovery: str
    """What resolved the error; empty while the error is open."""
    severity: float
    """Severity, 0 (minor) to 1 (blocks all work)."""
    signature: str
    """Text that is the same for errors with the same cause."""
    observation: str | None
    """Id of the error's full observation; None for a manual record by an earlier version."""
    resolved_by: str | None
    """Id of the observation that resolved the error."""
    created_at: int
    changed_by: tuple[str, ...] = ()
    """Ids of the observations with the resolving changes, oldest first.

    Empty if a retry was sufficient, as far as is recorded.
    """
    open: bool = False
    """Whether the error is unresolved.

    If one check failed repeatedly, only the newest failure is open.
    """
    failed_again: str = ""
    """Short name of the next, still open failure of the same action, if this error was not resolved
    before.
    """


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery from an error: the later changes, and the successful step."""

    error: Observation
    fix: Observation
    changes: tuple[Observation, ...]
    """Changes, oldest first.

    Empty if a retry was sufficient, as far as is recorded.
    """
    near: bool
    """Whether the changes and the error have a name in common."""

    @property
    def stated(self) -> bool:
        """Whether the resolution was recorded rather than observed."""
        return self.fix.tool is None


class PatternKind(StrEnum):
    """How errors recur."""

    FREQUENCY = "frequency"
    """The same cause occurs repeatedly."""
    SEQUENCE = "sequence"
    """One cause often follows another."""
    CONTEXT = "context"
    """One cause occurs mostly with a certain tool, stage or language."""


class Trend(StrEnum):
    """Trend of a pattern's frequency."""

    RISING = "rising"
    STEADY = "steady"
    """No change, or too little data."""
    FALLING = "falling"


@dataclass(frozen=True, slots=True)
class ErrorDay:
    """A day with errors."""

    day: str
    """UTC date, such as 2026-11-23."""
    errors: int
    open: int
    """Number of errors that are still open."""
    failed_again: int = 0
    """Number of errors whose action failed again and is still open; the others are resolved."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """Recurring property of errors, with its evidence."""

    kind: PatternKind
    signature: str
    """Cause; for a sequence, the first cause."""
    then: str
    """Following cause of a sequence, otherwise empty."""
    context: str
    """Name of a context, such as tool, otherwise empty."""
    value: str
    """Value of a context, such as Bash, otherwise empty."""
    count: int
    """Number of occurrences.

    For a frequency, the occurrences are errors; for a sequence, runs of the first cause, where
    retries count once; for a context, tasks.
    """
    of: int
    """Total number that includes the occurrences.

    For a frequency, the total is all errors; for a sequence, all runs of the first cause; for a
    context, all values of that name in the tasks with the cause.
    """
    tasks: int
    """Number of tasks with the pattern."""
    p: float
    """Probability of at least as many occurrences by chance alone, 0 to 1."""
    significant: bool
    """Whether the pattern is significant after correction for multiple tests.

    Sequences and contexts are always significant; a frequency that is not significant is only a
    count.
    """
    examples: tuple[str, ...]
    """Short names of errors with the pattern, newest first.

    For a sequence, these are errors of the first cause.
    """
    prevention: str
    """Earlier resolution as recorded; empty if there is none."""
    ended: str
    """Short name of the error with that resolution; empty if there is none."""
    trend: Trend
    first_seen: int
    last_seen: int


@dataclass(frozen=True, slots=True)
class RefinedPattern:
    """Measured pattern with a language model's description."""

    pattern: ErrorPattern
    name: str = ""
    prevention: str = ""
    """Prevention in the model's wording; empty if the measured one applies."""
    evidence: tuple[str, ...] = ()
    """Short names of the records that support the wording."""
    model: str = ""
    """Model that wrote the wording; empty if there is only the measured text.

    ``declined`` then gives the reason.
    """
    declined: str = ""
    cost: int = 0
    """Cost of this call in millionths of a dollar."""


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """Reported error, or a note about a captured one."""

    team: str
    id: str
    workspace: str
    task: str | None
    stage: str | None
    agent: str
    """Agent that reported the error; empty for a person."""
    type: ErrorType
    description: str
    context: str
    recovery: str
    """Resolution; empty while the error is open."""
    severity: float
    observation: str | None
    """Id of the observation of the error, recorded manually or captured.

    None for an error that an earlier version recorded.
    """
    position: int
    """Number of the task's observations at that time; 0 for a note about a captured error."""
    created_at: int
    resolved_by: str | None = None
    """Actor that reported the resolution."""
    resolved_at: int | None = None

    @property
    def by_hand(self) -> bool:
        """Whether the note reports an error rather than extends a captured one."""
        return self.observation is None or self.position > 0


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """Error with its full record."""

    record: ErrorRecord
    content: str
    """Full observation; for a manual report, its description."""
    fix: str
    """Full observation that resolved the error, or the reported resolution."""
    pattern: ErrorPattern | None
    """Pattern that the error is an instance of."""


@dataclass(frozen=True, slots=True)
class ErrorContext:
    """Current errors and possible resolutions."""

    kinds: frozenset[str] = frozenset()
    """Kinds of failure, such as import_error, which are tags of observations and memories."""
    names: frozenset[str] = frozenset()
    """Names in the errors, such as modules, files and codes, in lower case."""
    fix_ids: frozenset[str] = frozenset()
    """Ids of observations that resolved errors with the same cause or target.

    Memories based on such observations are included.
    """


_BY_KIND: dict[str, tuple[ErrorType, float]] = {
    "test_failure": (ErrorType.TEST, 0.6),
    "assertion": (ErrorType.TEST, 0.6),
    "build_failure": (ErrorType.BUILD, 0.6),
    "type_error": (ErrorType.BUILD, 0.5),
    "lint_failure": (ErrorType.BUILD, 0.3),
    "syntax_error": (ErrorType.INCORRECT_ACTION, 0.5),
    "command_not_found": (ErrorType.INCORRECT_ACTION, 0.4),
    "import_error": (ErrorType.MISSING_INFO, 0.5),
    "not_found": (ErrorType.MISSING_INFO, 0.4),
    "permission_denied": (ErrorType.PERMISSION, 0.7),
    "denied": (ErrorType.PERMISSION, 0.5),
    "timeout": (ErrorType.TOOL, 0.6),
    "network": (ErrorType.TOOL, 0.6),
    "out_of_memory": (ErrorType.TOOL, 0.9),
    "merge_conflict": (ErrorType.TOOL, 0.6),
    "interrupted": (ErrorType.TOOL, 0.3),
    "error": (ErrorType.TOOL, 0.5),
}
KINDS = frozenset(_BY_KIND)
"""Kinds of failure that capture distinguishes."""
_UNKNOWN_TYPE = _BY_KIND["error"]


_OF_A_TEST = frozenset({"error", "type_error", "timeout"})
"""Kinds of failure that count as test failures if a command that only runs tests failed."""
_OTHER_WORK = frozenset({"build", "git", "install", "lint", "web"})


def error_type(kind: str, tags: Collection[str] = ()) -> ErrorType:
    """Return the error type for a kind of failure; ``tool`` if unknown.

    ``tags`` are the tags of the failed call, which show whether the call only ran tests.
    """
    if kind in _OF_A_TEST and "test" in tags and _OTHER_WORK.isdisjoint(tags):
        return ErrorType.TEST
    return _BY_KIND.get(kind, _UNKNOWN_TYPE)[0]


def severity(kind: str) -> float:
    """Return the default severity for a kind of failure, 0 to 1.

    The severity is 0.5 if the kind is unknown.
    """
    return _BY_KIND.get(kind, _UNKNOWN_TYPE)[1]
