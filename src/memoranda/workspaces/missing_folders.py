"""Workspaces whose folders no longer exist, and where they were moved."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.store.database import Transaction
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.host_paths import is_local, parsed
from memoranda.workspaces.repositories import repository_around

MOST = 1_000
"""Maximum number of workspaces that are examined."""
_FOLDERS = frozenset({"git", "tree", "path"})
"""Kinds of aliases that contain a path."""


@dataclass(frozen=True, slots=True)
class MissingFolder:
    """A workspace whose folder is missing."""

    workspace: str
    folder: str
    moved_to: str | None
    """Workspace of the folder that now contains the same repository."""


def missing_folders(tx: Transaction, team: str) -> list[MissingFolder]:
    """Return the workspaces whose folder is missing on this machine, sorted by name.

    A folder whose parent is also missing is left out, because it may be on another machine or disk.
    """
    places, leading = workspaces.listed(tx, team, "", MOST), workspaces.joined(tx, team)
    gone = {
        workspace.id: workspace
        for workspace in places
        if _is_missing(workspace, leading.get(workspace.id, ()))
    }
    moved: dict[str, str] = {}
    for place in places if gone else ():
        before = _before_move(tx, team, place) if place.id not in gone else None
        if before is not None and before.id in gone:
            moved[before.id] = place.name
    return [MissingFolder(item.name, item.root or "", moved.get(item.id)) for item in gone.values()]


def _is_missing(place: Workspace, aliases: Sequence[str]) -> bool:
    if place.root is None or not is_local(parsed(place.root)):
        return False
    named = (alias.partition(":") for alias in aliases)
    folders = [place.root, *(path for kind, _, path in named if kind in _FOLDERS)]
    with suppress(OSError, ValueError):
        return Path(place.root).parent.is_dir() and not any(
            Path(folder).exists() for folder in folders
        )
    return False


def _before_move(tx: Transaction, team: str, place: Workspace) -> Workspace | None:
    """Return the first workspace that had the repository of a folder."""
    with suppress(OSError, ValueError, RuntimeError):
        folder = Path(place.root) if place.root and is_local(parsed(place.root)) else None
        repository = repository_around(folder) if folder and folder.is_dir() else None
        if repository and (begun := repository.beginning()):
            return workspaces.by_alias(tx, team, [f"begun:{begun}"])
    return None
