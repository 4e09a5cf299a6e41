"""Errors: failures that were recorded, and what recurs among them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.observations.model import Observation


class ErrorType(StrEnum):
    """What sort of mistake an error is. The first and the fourth only a person or a model can tell;
    the others follow from what a tool printed."""

    HALLUCINATION = "hallucination"
    """The agent relied on something that does not exist."""
    MISSING_INFO = "missing_info"
    """What was needed was not there: a file, a module, a setting."""
    INCORRECT_ACTION = "incorrect_action"
    """The step itself was wrong: an unknown command, code that cannot be read."""
    CONTEXT_DEGRADATION = "context_degradation"
    """The agent lost sight of what it had known."""
    TOOL = "tool"
    """The tool or what it depends on failed: network, time, memory."""
    TEST = "test"
    BUILD = "build"
    """Compiling, type checking, linting or packaging failed."""
    PERMISSION = "permission"
    """It was not allowed, by a system or by a person."""


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """One failure, as it is kept."""

    team: str
    id: str
    task: str
    workspace: str
    stage: str | None
    agent: str
    type: ErrorType
    kind: str
    """The kind of the failure as capture names it, such as import_error; error where untold."""
    description: str
    """One line: the error's own words."""
    context: str
    """What was being done."""
    recovery: str
    """What ended it; empty while nothing did."""
    severity: float
    """0 (a nuisance) to 1 (nothing goes on)."""
    signature: str
    """Equal for errors of the same cause."""
    observation: str | None
    """The id of the observation that holds the whole of it; None where it was told by hand."""
    resolved_by: str | None
    """The id of the observation that ended it."""
    created_at: int
    changed_by: tuple[str, ...] = ()
    """The ids of the observations in which was changed what it took, oldest first; none where
    trying again was enough, as far as the record tells."""
    open: bool = False
    """Nothing has ended it. Of one check that failed again and again, the newest failure alone is
    open."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What ended an error: what was changed after it, and the step that went well for it."""

    error: Observation
    fix: Observation
    changes: tuple[Observation, ...]
    """Oldest first; none where trying again was enough, as far as the record tells."""
    near: bool
    """The changes name what the error names."""


class PatternKind(StrEnum):
    """How errors recur."""

    FREQUENCY = "frequency"
    """The same cause again and again."""
    SEQUENCE = "sequence"
    """One cause soon after another."""
    CONTEXT = "context"
    """One cause mostly where a certain tool, stage, language … is."""


class Trend(StrEnum):
    """Whether a pattern was seen more often lately."""

    RISING = "rising"
    STEADY = "steady"
    """Also where there is too little to tell."""
    FALLING = "falling"


@dataclass(frozen=True, slots=True)
class ErrorDay:
    """A day that had errors."""

    day: str
    """Such as 2026-11-23, in UTC."""
    errors: int
    open: int
    """Those that nothing has ended by now."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """Something that recurs among errors, with what speaks for it."""

    kind: PatternKind
    signature: str
    """The cause; of a sequence the one that comes first."""
    then: str
    """Of a sequence the cause that follows; otherwise empty."""
    context: str
    """Of a context its name, such as tool; otherwise empty."""
    value: str
    """Of a context its value, such as Bash; otherwise empty."""
    count: int
    """How often it was seen: errors for a frequency; for a sequence runs of the first cause, in
    which trying again counts once; for a context tasks."""
    of: int
    """Among how many: all errors for a frequency; for a sequence all runs of the first cause; for
    a context all values of that name in the tasks of the cause."""
    tasks: int
    """In how many tasks."""
    p: float
    """How likely chance alone brings as many or more, 0 to 1."""
    significant: bool
    """It stands out from chance with all that was tried taken into account. Sequences and contexts
    always do; a frequency that does not is a count and no more."""
    examples: tuple[str, ...]
    """Short names of errors it was seen in, newest first; of a sequence its first errors."""
    prevention: str
    """What ended it before, in words of the record; empty while nothing did."""
    ended: str
    """The short name of the error whose ending that is; empty while nothing did."""
    trend: Trend
    first_seen: int
    last_seen: int


@dataclass(frozen=True, slots=True)
class RefinedPattern:
    """A pattern as it was measured, and beside it a language model's words for it."""

    pattern: ErrorPattern
    name: str = ""
    prevention: str = ""
    """Empty: the measured one holds."""
    evidence: tuple[str, ...] = ()
    """Short names of what the words rest on."""
    model: str = ""
    """Whose words they are; empty: there are only the measured ones, and ``declined`` says why."""
    declined: str = ""
    cost: int = 0
    """Millionths of a dollar that asking cost now."""


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """An error that somebody told of, or what somebody knows of one that was captured."""

    team: str
    id: str
    workspace: str
    task: str | None
    stage: str | None
    agent: str
    """Which agent told it; empty: a person."""
    type: ErrorType
    description: str
    context: str
    recovery: str
    """What ended it; empty while nothing did."""
    severity: float
    observation: str | None
    """The id of the captured error that it is about."""
    position: int
    """How many observations the task had."""
    created_at: int
    resolved_by: str | None = None
    """Who said that it is over."""
    resolved_at: int | None = None


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """One error with all that is known of it."""

    record: ErrorRecord
    content: str
    """The whole of the observation that holds it; the description where it was told by hand."""
    fix: str
    """The whole of the observation that ended it; what was told where somebody said so."""
    pattern: ErrorPattern | None
    """What it is one case of."""


@dataclass(frozen=True, slots=True)
class ErrorContext:
    """The errors at hand, as far as they tell what would mend them."""

    kinds: frozenset[str] = frozenset()
    """Kinds of failures, such as import_error, as observations and memories are tagged."""
    names: frozenset[str] = frozenset()
    """What the errors name: modules, files, codes; in lower case."""
    mends: frozenset[str] = frozenset()
    """Ids of observations and memories that ended errors of the same cause or on the same target,
    or rest on one that did."""
