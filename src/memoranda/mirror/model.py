"""Types of the mirror: its location, files, notes, reports and status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class MirrorNote:
    """Notice for people about a file, without text from a memory."""

    path: str
    what: str
    noted_at: int


@dataclass(frozen=True, slots=True)
class Mirror:
    """Mirror of a team's memories."""

    team: str
    folder: str
    mark: str
    """Mark that is also stored in the folder, so that two mirrors cannot share it."""
    created_at: int
    synced_at: int | None = None
    notes: tuple[MirrorNote, ...] = ()
    """Notes on the last runs, newest first."""


class FileKind(StrEnum):
    """Kind of file in the mirror."""

    PAGE = "page"
    """Memories as entries that can be edited."""
    MADE = "made"
    """Generated from memories, tasks or proposals.

    A person's edits of such a file are stored next to it.
    """
    CONFLICT = "conflict"
    """A person's text that could not be imported unchanged."""
    KEPT = "kept"
    """File that could not be read and is kept unchanged."""


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """Record of a file."""

    team: str
    path: str
    """Path below the folder, with slashes."""
    kind: FileKind
    subject: str
    """Id of the file's subject; empty if there is more than one subject."""
    hash: str
    """SHA-256 of file content that is completely in the store.

    Empty if no such content was written yet.
    """
    entries: Mapping[str, str]
    """Memories in that content by id, each with the hash of its text."""
    written_at: int
    next_hash: str = ""
    """Hash of the content that is about to be written.

    It identifies the state of the file after a killed run.
    """
    next_entries: Mapping[str, str] = field(default_factory=dict)

    @property
    def hashes(self) -> frozenset[str]:
        """Return the hashes of the current and the next content."""
        return frozenset({self.hash, self.next_hash} - {""})


@dataclass(slots=True)
class MirrorReport:
    """Result of synchronising files and memories."""

    edited: list[str] = field(default_factory=list)
    """Memories that a person changed in a file."""
    added: list[str] = field(default_factory=list)
    """Memories that a person wrote into a file."""
    proposed: list[str] = field(default_factory=list)
    """Memories with a pending change, because they were removed from a file or are in conflict."""
    conflicts: list[str] = field(default_factory=list)
    """Conflict files, with what could not be imported unchanged."""
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    notes: list[MirrorNote] = field(default_factory=list)
    unfinished: bool = False
    """Whether a file changed during the run; the next run imports the change."""

    @property
    def taken(self) -> bool:
        """Return whether any memories were changed."""
        return bool(self.edited or self.added)


@dataclass(frozen=True, slots=True)
class MirrorStatus:
    """Status of the mirror."""

    mirror: Mirror | None
    """The mirror; None if mirroring is off."""
    reachable: bool
    """Whether the mirror's folder is on this machine."""
    files: int
    conflicts: tuple[str, ...]
    kept: tuple[str, ...]
    """Files that could not be read and are left unchanged."""
