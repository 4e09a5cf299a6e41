"""Results of manual workspace changes: what they affected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.tasks.model import Workspace


@dataclass(frozen=True, slots=True)
class WorkspaceChange:
    """Result of a renaming, a merge or a split."""

    workspace: Workspace
    """The workspace that was renamed, or that the records are in now."""
    former: Workspace
    """The workspace before renaming, or that the records were in before."""
    rows: Mapping[str, int]
    """Rows that were changed, by table."""
    tasks: tuple[int, ...]
    """The numbers of the tasks that were moved."""
    memories: tuple[str, ...]
    """The ids of the memories that were moved."""
    aliases: tuple[str, ...]
    """Repositories, remotes and folders that now lead to the other workspace."""
    dry_run: bool
    """Whether nothing was changed."""
    not_undone: Mapping[str, int] = field(default_factory=dict)
    """Blocks and documents that a merge moved, by table.

    `split` with the tasks, memories and aliases of this leaves them where they are now.
    """


@dataclass(frozen=True, slots=True)
class WorkspaceDetail:
    """A workspace with its aliases."""

    workspace: Workspace
    aliases: tuple[str, ...]
    """Aliases of the workspace.

    Such as ``git:/srv/shop/.git``, ``remote:github.com/acme/shop``, ``tree:/srv/shop-fix`` (a work
    tree), ``path:/srv/notes`` (a folder without a repository), ``name:old`` (a former name).
    """
