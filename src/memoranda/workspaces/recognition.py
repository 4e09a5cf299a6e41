"""Determines the workspace of a folder, without running git.

The git common directory is tried first, so that all work trees of a repository belong to one
workspace. The remote URL is an alias, so that a moved clone or a second clone is recognised. The
folder itself is used last. A folder's name alone does not identify a workspace, and a folder of
another machine is identified by its path as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from memoranda.capture.event import UNKNOWN, Checkout
from memoranda.ids import IdSource
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks.model import Workspace
from memoranda.text import normalise, plain_name
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.host_paths import (
    comparable,
    is_home,
    is_local,
    main_work_tree,
    mounted,
    outside_work_trees,
    parsed,
    windows_path,
)
from memoranda.workspaces.repositories import (
    Repository,
    name_of,
    owner_of,
    repository_around,
    repository_of_git_directory,
    repository_of_missing,
)


@dataclass(frozen=True, slots=True)
class WorkspaceIdentity:
    """Names by which a folder is recognised, strongest first."""

    name: str
    root: str | None
    aliases: tuple[str, ...]
    """Names that are recorded with the workspace and by which it is found."""
    first: tuple[str, ...] = ()
    """Names that are looked up before the aliases: the repository that the host reported."""
    last: tuple[str, ...] = ()
    """Names that are looked up only if none of the others is known.

    They are the folder's path from before it became a repository, and the folders around a deleted
    folder.
    """
    trees: tuple[str, ...] = ()
    """Names that are only recorded, not looked up.

    They are work trees, which are needed once the work trees are deleted, and the beginning of the
    repository, which shows that the repository was moved.
    """
    owners: tuple[str, ...] = ()
    """Names that distinguish workspaces with the same name: ``github.com/acme``."""

    @classmethod
    def named(cls, name: str) -> WorkspaceIdentity:
        """Return the identity of a workspace that is selected by its label."""
        name = normalise(name)
        return cls(name, None, (f"name:{name}",))

    def renamed(self, name: Callable[[str], str]) -> WorkspaceIdentity:
        """Return the identity with each of its names converted."""
        texts = (self.aliases, self.first, self.last, self.trees, self.owners)
        root = self.root and name(self.root)
        return WorkspaceIdentity(name(self.name), root, *(tuple(map(name, text)) for text in texts))


def identify(folder: str, checkout: Checkout = UNKNOWN) -> WorkspaceIdentity:
    """Recognise the workspace of a folder.

    Reads a few small files, never fails.

    Args:
        folder: path as a host wrote it. An absolute path in the form of this system is looked up on
            this machine; any other path is identified by its text.
        checkout: what the host stated about the repository in the folder.
    """
    path = mounted(outside_work_trees(parsed(checkout.folder or folder)))
    if not is_local(path):
        return _folder(path, checkout, deleted=False)
    try:
        place = Path(path).resolve()
        gone = not place.is_dir()
        repository = _deleted_repository(place, checkout) if gone else repository_around(place)
    except (OSError, ValueError, RuntimeError):  # an invalid file name, or a cycle of links
        return _folder(path, checkout, deleted=False)
    if repository:
        return _checked_out(repository, checkout.remote)
    elsewhere = windows_path(path) if gone else None
    if elsewhere:
        recognised = _folder(elsewhere, checkout, deleted=False)
        return replace(recognised, last=(*recognised.last, normalise(f"path:{place}")))
    return _folder(place, checkout, deleted=gone)


def _deleted_repository(place: Path, checkout: Checkout) -> Repository | None:
    """Return the repository that a deleted folder belonged to.

    Return None if the host stated a different repository.
    """
    recorded = checkout.git_directory and repository_of_git_directory(checkout.git_directory)
    repository = (
        recorded or repository_of_missing(place, checkout.branch) or repository_around(place)
    )
    return repository if repository and checkout.remote in (None, repository.remote) else None


def _checked_out(found: Repository, reference: str | None) -> WorkspaceIdentity:
    """Return the identity of a repository on this machine.

    A remote that the host reported is looked up only if the repository now has another remote,
    because the folder may now contain a clone of another repository.
    """
    remote = found.remote or reference
    aliases = [f"git:{found.common}", *([f"remote:{remote}"] if remote else [])]
    trees = [f"tree:{tree}" for tree in (found.root, *found.trees())]
    begun = found.beginning()
    return WorkspaceIdentity(
        plain_name(normalise(found.name)) or "root",
        normalise(str(found.root)),
        _texts(aliases),
        first=_texts([f"remote:{reference}"]) if reference and reference != remote else (),
        last=_texts([f"path:{found.root}"]),
        trees=_texts([*trees, *([f"begun:{begun}"] if begun else [])]),
        owners=_owners(found.root, remote),
    )


def _folder(folder: PurePath, checkout: Checkout, *, deleted: bool) -> WorkspaceIdentity:
    """Return the identity of a folder without a repository on this machine."""
    is_here = is_local(folder) and not deleted
    path = folder if is_here else main_work_tree(folder, checkout.branch) or folder
    remote = checkout.remote
    name = name_of(remote) if remote else path.name.removesuffix(".git") or path.drive or "root"
    aliases = (f"remote:{remote}",) if remote else ()
    last = [f"path:{path}", *(_around(path) if deleted else ())]
    trees = []
    if not is_here and checkout.branch and checkout.branch.upper() != "HEAD":
        # If there is a branch, the folder or one of its parents is a repository.
        trees = [f"tree:{comparable(path)}"]
        last += [] if remote else [f"tree:{comparable(item)}" for item in _below_homes(path)]
    return WorkspaceIdentity(
        plain_name(normalise(name)) or "root",
        normalise(str(path)),
        _texts([*aliases, f"path:{comparable(path)}"]),
        first=_texts(aliases),
        last=_texts(dict.fromkeys(last)),
        trees=_texts(trees),
        owners=_owners(path, remote),
    )


def _below_homes(path: PurePath) -> list[PurePath]:
    """Return a path's parents, except home folders and folders above them."""
    above = list(path.parents)
    homes = [index for index, item in enumerate(above) if is_home(str(item))]
    return above[: min(homes, default=len(above))]


def _around(path: PurePath) -> list[str]:
    """Return the repositories and work trees a deleted folder may belong to."""
    gone = [place for place in (path, *path.parents) if not Path(place).is_dir()]
    candidates = [place for place in gone if not is_home(str(place))]
    return [
        alias
        for candidate in candidates
        for alias in (f"tree:{candidate}", f"git:{candidate / '.git'}")
    ]


def _owners(root: PurePath, remote: str | None) -> tuple[str, ...]:
    if remote:
        return _texts([owner_of(remote)])
    above = root.parent
    return _texts([above.name, "/".join(above.parts[-2:])]) if above.name else ()


def _texts(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(normalise, found)))


def find_workspace(tx: Transaction, team: str, identity: WorkspaceIdentity) -> Workspace | None:
    """Return the workspace of an identity, or None if it is unknown."""
    tiers = (identity.first, identity.aliases, identity.last)
    found = (workspaces.by_alias(tx, team, tier) for tier in tiers if tier)
    return next((workspace for workspace in found if workspace), None)


def find_or_make_workspace(
    tx: Transaction, team: str, identity: WorkspaceIdentity, ids: IdSource, now: int
) -> Workspace:
    """Return the workspace of an identity; create the workspace if it is new."""
    return _found_or_made(tx, team, identity, ids.new, now)


def with_workspace(tx: Transaction, scope: Scope, now: int) -> Scope:
    """Return a scope whose new workspace is created in the transaction.

    If the write is refused, the new workspace is not created either.
    """
    identity, id = scope.new_workspace, scope.workspace
    if identity is None or id is None:
        return scope
    workspace = _found_or_made(tx, scope.team, identity, lambda: id, now)
    return replace(scope, workspace=workspace.id, new_workspace=None)


def _found_or_made(
    tx: Transaction, team: str, identity: WorkspaceIdentity, id: Callable[[], str], now: int
) -> Workspace:
    label = identity.aliases[0].removeprefix("name:")
    by_label = label if identity.aliases[0].startswith("name:") else None
    workspace = (
        workspaces.by_label(tx, team, by_label) if by_label else find_workspace(tx, team, identity)
    )
    names = (*identity.aliases, *identity.trees)
    if workspace is None:
        workspace = Workspace(team, id(), identity.name, identity.root, now)
        return workspaces.insert(tx, workspace, names, identity.owners)
    if not by_label:
        workspaces.add_aliases(tx, team, workspace.id, names)
    return workspace
