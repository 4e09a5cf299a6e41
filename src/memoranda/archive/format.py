"""Format of an archive: member names, manifest and limits."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoranda.archive.kinds import KINDS
from memoranda.exceptions import InvalidInput, SchemaTooNew
from memoranda.json_data import JsonValue, dump_json, parse_json
from memoranda.version import __version__

FORMAT = "memoranda-archive"
VERSION = 1
MANIFEST = "manifest.json"
OBSERVATIONS = "observations.jsonl"
"""The only optional member."""
MEMBERS = tuple(kind.member for kind in KINDS)

MANIFEST_BYTES = 1 << 16
LINE_BYTES = 1 << 29
"""Maximum size of one row in bytes."""
TOTAL_BYTES = 1 << 40
"""Maximum total size of all members in bytes, before compression."""
RATIO, RATIO_FROM = 250, 64 << 20
"""Maximum compression ratio, and the minimum member size in bytes at which the ratio is checked."""


@dataclass(frozen=True, slots=True)
class Member:
    """Manifest entry of a member."""

    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ArchiveSelection:
    """What to export: a workspace, an agent, or by default the whole team."""

    workspace: str | None = None
    agent: str | None = None
    observations: bool = True
    """Whether observations are included, with their full contents."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of an archive."""

    created_at: int
    team: str
    selection: ArchiveSelection
    members: Mapping[str, Member]

    @property
    def digest(self) -> str:
        """SHA-256 of the members; it depends only on their content."""
        lines = sorted(f"{name} {member.sha256}\n" for name, member in self.members.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def rows(self) -> int:
        """Total number of rows."""
        return sum(member.rows for member in self.members.values())

    def written(self) -> bytes:
        """Return the manifest as it is serialised in the archive."""
        members: dict[str, JsonValue] = {
            name: {"rows": member.rows, "bytes": member.bytes, "sha256": member.sha256}
            for name, member in self.members.items()
        }
        selection: dict[str, JsonValue] = {
            "team": self.team,
            "workspace": self.selection.workspace,
            "agent": self.selection.agent,
            "observations": self.selection.observations,
        }
        value: dict[str, JsonValue] = {
            "format": FORMAT,
            "version": VERSION,
            "tool": f"memoranda {__version__}",
            "created_at": self.created_at,
            "selection": selection,
            "members": members,
        }
        return dump_json(value, indent=2).encode() + b"\n"


def parsed(data: bytes) -> Manifest:
    """Parse a manifest.

    Raises:
        SchemaTooNew: a newer Memoranda wrote the archive.
        InvalidInput: the data is not a manifest.
    """
    value = parse_json(data)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InvalidInput(f"its {MANIFEST} does not identify the file as a {FORMAT}")
    version = value.get("version")
    if type(version) is not int or version < 1:
        raise InvalidInput(f"its {MANIFEST} has no version")
    if version > VERSION:
        raise SchemaTooNew(
            f"a newer version wrote the archive (format {version}; this version reads formats up"
            f" to "
            f"{VERSION}); update with pip install -U memoranda; nothing was changed"
        )
    try:
        return _manifest(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidInput(f"its {MANIFEST} lacks a field, or a field has another type") from None


def _manifest(value: Mapping[str, Any]) -> Manifest:
    chosen, members = value["selection"], value["members"]
    names = [chosen[name] for name in ("workspace", "agent")]
    if not all(name is None or isinstance(name, str) for name in names):
        raise ValueError
    found = {name: _member(item) for name, item in members.items()}
    if not set(MEMBERS) - {OBSERVATIONS} <= found.keys() <= set(MEMBERS):
        raise ValueError
    selection = ArchiveSelection(names[0], names[1], OBSERVATIONS in found)
    return Manifest(_count(value["created_at"]), str(chosen["team"]), selection, found)


def _member(value: Mapping[str, Any]) -> Member:
    return Member(_count(value["rows"]), _count(value["bytes"]), str(value["sha256"]))


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value
