"""The mirror: memories as files that people read and edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class MirrorNote:
    """Something that a person should know of a file. It has no text of a memory."""

    path: str
    what: str
    noted_at: int


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where a team's memories are mirrored."""

    team: str
    folder: str
    mark: str
    """Stands in the folder as well, so that no two mirrors share one."""
    created_at: int
    synced_at: int | None = None
    notes: tuple[MirrorNote, ...] = ()
    """What was noticed in the last runs, newest first."""


class FileKind(StrEnum):
    """What a file of the mirror is."""

    PAGE = "page"
    """Memories, each an entry that can be edited."""
    MADE = "made"
    """Made from memories, tasks or proposals; edits of it are kept beside it."""
    CONFLICT = "conflict"
    """What a person wrote and could not be taken in as it stood."""
    KEPT = "kept"
    """What could not be read; it is left as it is."""


@dataclass(frozen=True, slots=True)
class MirrorFile:
    """What is known of a file."""

    team: str
    path: str
    """Below the folder, with slashes."""
    kind: FileKind
    subject: str
    """The id of what it is about; empty where that is nothing single."""
    hash: str
    """SHA-256 of a content that is wholly in the store; empty: none was written yet."""
    entries: Mapping[str, str]
    """The memories in that content by id, each with the hash of its text."""
    written_at: int
    next_hash: str = ""
    """Of what is about to be put there, so that a run that was killed is understood."""
    next_entries: Mapping[str, str] = field(default_factory=dict)

    @property
    def hashes(self) -> frozenset[str]:
        """Of contents that nothing would be lost of."""
        return frozenset({self.hash, self.next_hash} - {""})


@dataclass(slots=True)
class MirrorReport:
    """What came of bringing files and memories together."""

    edited: list[str] = field(default_factory=list)
    """Memories that a person changed in a file."""
    added: list[str] = field(default_factory=list)
    """Memories that a person wrote into a file."""
    proposed: list[str] = field(default_factory=list)
    """Memories of which a change waits for a person: removed from a file, or in conflict."""
    conflicts: list[str] = field(default_factory=list)
    """Files beside, with what could not be taken in as it stood."""
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    notes: list[MirrorNote] = field(default_factory=list)
    unfinished: bool = False
    """A file changed meanwhile; another run takes that in."""

    @property
    def taken(self) -> bool:
        """Whether memories changed."""
        return bool(self.edited or self.added)


@dataclass(frozen=True, slots=True)
class MirrorStatus:
    """How the mirror stands."""

    mirror: Mirror | None
    """None: it is off."""
    reachable: bool
    """Whether its folder is on this machine."""
    files: int
    conflicts: tuple[str, ...]
    kept: tuple[str, ...]
    """Files that could not be read and were left as they are."""
