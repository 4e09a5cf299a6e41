"""The data of the model: values by key, separate for each team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from memoranda.exceptions import StorageError
from memoranda.journal.model import JournalEntry
from memoranda.memories.model import Memory
from memoranda.observations.blob_table import Blob
from memoranda.observations.table import NewObservation
from memoranda.store.database import TextEntry
from memoranda.tasks.model import Task, Workspace
from memoranda.working.model import WorkingEntry


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job with the fields that only the store knows."""

    team: str
    id: str
    kind: str
    subject: str
    state: str
    attempts: int
    run_at: int
    lease_until: int | None
    lease_owner: str | None
    error: str | None
    created_at: int
    ended_at: int | None


@dataclass(slots=True)
class Content:
    """Everything that one team has stored; the values are immutable."""

    workspaces: dict[str, Workspace] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    """The workspace of each alias."""
    tasks: dict[str, Task] = field(default_factory=dict)
    observations: dict[str, NewObservation] = field(default_factory=dict)
    errors: dict[tuple[str, str], str] = field(default_factory=dict)
    """The open error, by task and target."""
    redactions: dict[tuple[str, str], int] = field(default_factory=dict)
    """Number of redactions, by task and rule."""
    tombstones: dict[str, int] = field(default_factory=dict)
    """Time of deletion of each event key."""
    blobs: dict[str, Blob] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    evidence: dict[tuple[str, str], None] = field(default_factory=dict)
    """Pairs of memory and observation."""
    texts: dict[tuple[str, str], TextEntry] = field(default_factory=dict)
    """Full text, by table and id."""
    working: dict[tuple[str, str], WorkingEntry] = field(default_factory=dict)
    """By task and key."""
    journal: dict[int, JournalEntry] = field(default_factory=dict)
    jobs: dict[str, HeldJob] = field(default_factory=dict)
    transcripts: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """(hash of the head, offset, time), by path."""

    def copy(self) -> Content:
        """Return an independent copy."""
        return Content(*(dict(getattr(self, each.name)) for each in fields(self)))


class Model:
    """The contents of several teams."""

    def __init__(self, teams: Mapping[str, Content] | None = None) -> None:
        self._teams = dict(teams or {})

    def of(self, team: str) -> Content:
        """Return the content of a team, to be read and changed."""
        return self._teams.setdefault(team, Content())

    def copy(self) -> Model:
        """Return an independent copy of all teams."""
        return Model({team: content.copy() for team, content in self._teams.items()})


def demand(quarantined: bool, promise: str) -> None:
    """Refuse a change that violates a rule of the store.

    Raises:
        StorageError: the condition is false.
    """
    if not quarantined:
        raise StorageError(f"the model refused the row: {promise}")
