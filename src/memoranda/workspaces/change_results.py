"""Results of manual workspace changes: the records that they affected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.tasks.model import Workspace


@dataclass(frozen=True, slots=True)
class WorkspaceChange:
    """Result of renaming, merging or splitting workspaces."""

    workspace: Workspace
    """The renamed workspace, or the workspace that now contains the records."""
    former: Workspace
    """The workspace before the renaming, or the workspace that previously contained the records."""
    rows: Mapping[str, int]
    """Number of rows that were changed, by table."""
    tasks: tuple[int, ...]
    """The numbers of the tasks that were moved."""
    memories: tuple[str, ...]
    """The ids of the memories that were moved."""
    aliases: tuple[str, ...]
    """Repositories, remotes and folders that moved to the other workspace."""
    dry_run: bool
    """Whether the changes were only simulated."""
    not_undone: Mapping[str, int] = field(default_factory=dict)
    """Blocks and documents that a merge moved, by table.

    A `split` with the tasks, memories and aliases of this result does not move them back.
    """


@dataclass(frozen=True, slots=True)
class WorkspaceDetail:
    """A workspace with its aliases."""

    workspace: Workspace
    aliases: tuple[str, ...]
    """Aliases of the workspace.

    Examples are ``git:/srv/shop/.git``, ``remote:github.com/acme/shop``, ``tree:/srv/shop-fix`` (a
    work tree), ``path:/srv/notes`` (a folder without a repository), ``begun:7fa1…-1767225600`` (the
    first commit and its time, by which a moved repository is recognised), and ``name:old`` (a
    former name).
    """
