"""Events from hosts, in one format for all hosts."""

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

    The event has both the input and the output.
    """
    ERROR = "error"
    """Something failed outside a tool."""
    CHECKPOINT = "checkpoint"
    AGENT_END = "agent_end"
    STAGE_END = "stage_end"
    """A stage of a task has ended; its key is the number of the stage.

    The event is passed to handlers, never stored.
    """
    ROLLBACK = "rollback"
    """A task was reset to a checkpoint; its key is the checkpoint's id.

    The event is passed to handlers, never stored.
    """
    TASK_END = "task_end"
    INTERVENTION = "intervention"
    """A task needs attention; its key is the intervention's id.

    The event is passed to handlers, never stored.
    """


ANNOUNCED = frozenset({EventKind.STAGE_END, EventKind.ROLLBACK, EventKind.INTERVENTION})
"""Kinds that only Memoranda itself may report.

Events of these kinds are sent to handlers but not stored.
"""

SILENT = frozenset({EventKind.TASK_START, EventKind.TASK_END, EventKind.AGENT_START})
"""Kinds that change a task but do not become an observation."""

REWOUND = "rewound"
"""Branch of events that a person undid by rewinding the conversation."""
REFUSAL = "refusal"
"""Tag of text that a person typed while refusing a call.

A prompt may repeat the text later.
"""


class EventSource(StrEnum):
    """Source of an event."""

    HOOK = "hook"
    TRANSCRIPT = "transcript"
    API = "api"
    IMPORT = "import"
    """Archive of another store; only for stored data, never for events."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """Git repository of a session, as reported by the host."""

    remote: str | None = None
    """Host, owner and name of the repository.

    The format is that of `memoranda.workspaces.repositories`.
    """
    branch: str | None = None
    """Git branch."""
    folder: str | None = None
    """Folder from which the host created its current Git worktree."""
    git_directory: str | None = None
    """Git directory of the worktree, as the hook read it while the worktree existed."""


UNKNOWN = Checkout()
"""Value for hosts that report nothing about the repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookReport:
    """Data for matching a transcript's event with a hook report without id."""

    since: int | None = None
    """Earliest time at which a hook may have reported a tool call.

    The latest possible time is that of the event itself. In microseconds since the epoch.
    """
    texts: tuple[str, ...] = ()
    """Possible texts of one message in which a hook reports several events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Event reported by a host.

    ``key`` identifies the event within its host and session: the hook, a second hook installation
    and the transcript give the same key for the same tool call, so it is stored once. It never
    depends on generated text.

    Hosts copy events into other sessions (a branch, a fork, a resumed session). The event is stored
    once, in its original session, if ``session`` names that session; if the host does not report
    the original session, ``portable`` lets the store find the original by key and time.
    """

    kind: EventKind
    host: str
    """claude-code, codex, cursor, gemini-cli, or the name of a generic source."""
    session: str
    source: EventSource
    key: str
    origin: Origin
    portable: bool = False
    """Whether copies that the host makes keep the unique key and the time.

    The key is then an id that the host generated, never a position in a file, and no other event of
    the host has the same key.
    """
    copied_to: str | None = None
    """Session in which this copy of the event was found; set only if ``session`` is the session of
    the original.
    """
    former_keys: tuple[str, ...] = ()
    """Further keys that identify the event within ``session``."""
    lineage: tuple[str, ...] = ()
    """Sessions from which this session was copied.

    One of these sessions may already have the event.
    """
    hook_report: HookReport | None = None
    """Set for a transcript's event whose id is missing from the host's hooks."""
    occurred_at: int | None = None
    """Time by the host's clock, in microseconds since the epoch, if reported."""
    is_late: bool = False
    """Whether ``occurred_at`` is the time of a later copy."""
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
    """Whether the host reports the outcome of a tool call.

    If the host does not report the outcome, the call must not be treated as a success.
    """
    cwd: str | None = None
    checkout: Checkout = UNKNOWN
    branch: str = "main"
    """The value is main, rewound (an abandoned branch) or sidechain (a subagent)."""
    tokens_used: int | None = None
    duration_ms: int | None = None
    type: ObservationType | None = None
    """Type of the observation, if the caller sets it; otherwise the type is derived."""
    recorded: bool = False
    """Whether the event was recorded manually, possibly for a task that has ended.

    A manual event does not make a task active again. A manually recorded error remains open until
    it is resolved.
    """
    resolves: str | None = None
    """Id of the resolved error observation, if the caller sets it.

    Otherwise the id is derived.
    """
    tags: tuple[str, ...] = ()
    """Tags set by the adapter or the caller, such as denied or interrupted."""
    files: tuple[str, ...] = ()
    """Paths set by the caller; further paths are found in the content."""


def makes_checkpoint(event: Event) -> bool:
    """Return whether an event requests a checkpoint of the current state.

    Events of a transcript do not, because the state at their time is no longer available.
    """
    return event.kind is EventKind.CHECKPOINT and event.source is not EventSource.TRANSCRIPT
