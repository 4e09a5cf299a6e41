"""Events: what a host told us, in one shape whatever the host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.json_data import JsonValue
from memoranda.observations.model import ObservationType, Origin


class EventKind(StrEnum):
    """The moments in an agent's work that handlers can listen to."""

    TASK_START = "task_start"
    AGENT_START = "agent_start"
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    """A tool is about to run."""
    TOOL_RESULT = "tool_result"
    """A tool has run, or was refused or interrupted: input and output together."""
    ERROR = "error"
    """Something failed outside a tool."""
    CHECKPOINT = "checkpoint"
    AGENT_END = "agent_end"
    TASK_END = "task_end"
    INTERVENTION = "intervention"
    """A task needs a look; its key is the intervention's id. Told to handlers, never stored."""


REWOUND = "rewound"
"""The branch of what was taken back."""


class EventSource(StrEnum):
    """How the event reached us."""

    HOOK = "hook"
    TRANSCRIPT = "transcript"
    API = "api"
    IMPORT = "import"
    """In an archive of another store; no event has it, only what is stored."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """What a host says of the repository that it works in."""

    remote: str | None = None
    """Host, owner and name of the repository, as `memoranda.workspaces.remotes` writes them."""
    branch: str | None = None
    """The branch of git."""
    folder: str | None = None
    """The folder from which the host made the work tree that it is in."""


UNKNOWN = Checkout()
"""What a host says that tells nothing of its repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing a host reported.

    ``key`` identifies the event within its host and session: the hook, a second hook installation
    and the transcript give the same key for the same tool call, so it is stored once. It never
    depends on generated text.

    Hosts copy what happened into other sessions (a branch, a fork, a resumed session). A copy is
    stored once, in the session where it happened, if ``session`` is that one; where a host does
    not say which it was, ``portable`` lets the store find it by its key and time.
    """

    kind: EventKind
    host: str
    """claude-code, codex, cursor, gemini-cli, or what a generic source calls itself."""
    session: str
    source: EventSource
    key: str
    origin: Origin
    portable: bool = False
    """Whether a host that copies the event keeps the key and the time, and no other event of the
    host has that key: an id that the host drew, never a position in a file."""
    copied_to: str | None = None
    """The session that this was read from as a copy, where it happened in ``session``."""
    former_keys: tuple[str, ...] = ()
    """Keys under which it may be stored as well, within ``session``."""
    occurred_at: int | None = None
    """Microseconds since the epoch by the host's clock, where it tells."""
    is_late: bool = False
    """Whether that is the time of a copy, which is later than when it happened."""
    agent: str = "main"
    tool: str | None = None
    input: JsonValue = None
    """What the tool was given."""
    output: JsonValue = None
    """What the tool gave back: a string, or the host's structured response."""
    text: str = ""
    """The words of a message, the message of an error, the goal of a task."""
    failed: bool = False
    outcome_known: bool = True
    """Whether the host says how a tool call ended; where it does not, nothing may take the call
    for a success."""
    cwd: str | None = None
    checkout: Checkout = UNKNOWN
    branch: str = "main"
    """main, rewound (an abandoned line) or sidechain (a subagent)."""
    tokens_used: int | None = None
    duration_ms: int | None = None
    type: ObservationType | None = None
    """What kind of observation it is, from a caller who knows; otherwise the event decides."""
    tags: tuple[str, ...] = ()
    """What the adapter knows and the content does not show: denied, interrupted, compaction …"""
