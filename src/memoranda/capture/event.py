"""Events: what hosts report, in one form for all hosts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.json_data import JsonValue
from memoranda.observations.model import ObservationType, Origin


class EventKind(StrEnum):
    """Kinds of events in an agent's work, to which handlers can subscribe."""

    TASK_START = "task_start"
    AGENT_START = "agent_start"
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    """A tool is about to run."""
    TOOL_RESULT = "tool_result"
    """A tool has run, or was refused or interrupted.

    Input and output are together.
    """
    ERROR = "error"
    """Something failed outside a tool."""
    CHECKPOINT = "checkpoint"
    AGENT_END = "agent_end"
    STAGE_END = "stage_end"
    """A stage of a task has ended; its key is the number of the stage.

    It is passed to handlers, never stored.
    """
    ROLLBACK = "rollback"
    """A task was set back to a checkpoint, whose id is its key.

    It is passed to handlers, never stored.
    """
    TASK_END = "task_end"
    INTERVENTION = "intervention"
    """A task needs attention; its key is the intervention's id.

    It is passed to handlers, never stored.
    """


ANNOUNCED = frozenset({EventKind.STAGE_END, EventKind.ROLLBACK, EventKind.INTERVENTION})
"""Kinds that Memoranda itself reports to handlers; nothing else may report them."""

SILENT = frozenset({EventKind.TASK_START, EventKind.TASK_END, EventKind.AGENT_START})
"""Kinds that change a task without becoming an observation."""

REWOUND = "rewound"
"""Branch of what was taken back."""
REFUSAL = "refusal"
"""Tag of what a person typed while refusing a call; a prompt may repeat it later."""


class EventSource(StrEnum):
    """Source of an event."""

    HOOK = "hook"
    TRANSCRIPT = "transcript"
    API = "api"
    IMPORT = "import"
    """From the archive of another store; no event has it, only stored data."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """Repository that a host works in, as the host reports it."""

    remote: str | None = None
    """Host, owner and name of the repository.

    They are in the form of `memoranda.workspaces.remotes`.
    """
    branch: str | None = None
    """Git branch."""
    folder: str | None = None
    """Folder from which the host made its current work tree."""


UNKNOWN = Checkout()
"""Checkout of a host that reports nothing about its repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookReport:
    """How a host's hooks report an event that they give no id."""

    since: int | None = None
    """Earliest time of a report of a tool call; the latest is when the event occurred."""
    texts: tuple[str, ...] = ()
    """Possible texts of the one message that hooks report for this and others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event that a host reported.

    ``key`` identifies the event within its host and session: the hook, a second hook installation
    and the transcript give the same key for the same tool call, so it is stored once. It never
    depends on generated text.

    Hosts copy events into other sessions (a branch, a fork, a resumed session). A copy is stored
    once, in the session where it happened, if ``session`` is that one; if a host does not report
    which it was, ``portable`` lets the store find it by its key and time.
    """

    kind: EventKind
    host: str
    """claude-code, codex, cursor, gemini-cli, or the name of a generic source."""
    session: str
    source: EventSource
    key: str
    origin: Origin
    portable: bool = False
    """Whether a host's copy of the event keeps its unique key and its time.

    The key is then an id that the host generated, never a position in a file, and no other event of
    the host has it.
    """
    copied_to: str | None = None
    """Session whose copy was read, if it happened in ``session``."""
    former_keys: tuple[str, ...] = ()
    """Further keys under which it may be stored within ``session``."""
    lineage: tuple[str, ...] = ()
    """Sessions that this one was copied from.

    A copy of the event that came first may be stored in one of them.
    """
    hook_report: HookReport | None = None
    """For an event of a transcript whose id the host's hooks do not have."""
    occurred_at: int | None = None
    """Microseconds since the epoch by the host's clock, if reported."""
    is_late: bool = False
    """Whether that is the time of a copy, later than the event itself."""
    agent: str = "main"
    tool: str | None = None
    input: JsonValue = None
    """Input of the tool."""
    output: JsonValue = None
    """Output of the tool: a string, or the host's structured response."""
    text: str = ""
    """Text of a message or of an error, or the goal of a task."""
    failed: bool = False
    outcome_known: bool = True
    """Whether the host reports how a tool call ended.

    If not, the call must not be treated as a success.
    """
    cwd: str | None = None
    checkout: Checkout = UNKNOWN
    branch: str = "main"
    """main, rewound (an abandoned line) or sidechain (a subagent)."""
    tokens_used: int | None = None
    duration_ms: int | None = None
    type: ObservationType | None = None
    """Kind of the observation, from a caller who knows; else it is derived.

    It is derived from the event.
    """
    recorded: bool = False
    """Whether somebody records it by hand, of work that may be over.

    It does not make a task active again. An error that is recorded stands until it is resolved.
    """
    resolves: str | None = None
    """Id of the error observation that it ended, from a caller who knows; else it is derived."""
    tags: tuple[str, ...] = ()
    """Tags of the adapter or the caller that the content does not show.

    For example: denied, interrupted, compaction …
    """
    files: tuple[str, ...] = ()
    """Paths that a caller names; others are found in the content."""


def makes_checkpoint(event: Event) -> bool:
    """Return whether an event requests a checkpoint of the present state.

    A transcript describes the past, of which no state is known any more.
    """
    return event.kind is EventKind.CHECKPOINT and event.source is not EventSource.TRANSCRIPT
