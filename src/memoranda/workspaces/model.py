"""What a person changed about workspaces by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.tasks.model import Workspace


@dataclass(frozen=True, slots=True)
class WorkspaceChange:
    """A renaming, a merge or a split: what it reached."""

    workspace: Workspace
    """The workspace that was renamed, or that the records are in now."""
    former: Workspace
    """The workspace before it was renamed, or that the records were in before."""
    rows: Mapping[str, int]
    """Rows that were changed, by table."""
    tasks: tuple[int, ...]
    """The numbers of the tasks that were moved."""
    memories: tuple[str, ...]
    """The ids of the memories that were moved."""
    aliases: tuple[str, ...]
    """The repositories, remotes and folders that lead to the other workspace now."""
    dry_run: bool
    """Whether nothing was changed."""
    not_undone: Mapping[str, int] = field(default_factory=dict)
    """Blocks and documents that a merge moved, by table: `workspace_split` with the tasks, memories
    and aliases of this leaves them where they are now."""


@dataclass(frozen=True, slots=True)
class WorkspaceDetail:
    """A workspace with what leads to it."""

    workspace: Workspace
    aliases: tuple[str, ...]
    """Such as ``git:/srv/shop/.git``, ``remote:github.com/acme/shop``, ``tree:/srv/shop-fix`` (a
    work tree), ``path:/srv/notes`` (a folder without a repository), ``name:old`` (a former name).
    """
