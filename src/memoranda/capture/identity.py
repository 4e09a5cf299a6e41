"""Which workspace a folder belongs to, without asking git to run.

The git common directory stands first, so that all worktrees of a repository are one workspace;
the remote URL is an alias, so that a moved or second clone is recognised; the folder itself is
the last resort. A folder's name alone identifies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from configparser import ConfigParser, Error
from dataclasses import dataclass
from pathlib import Path

from memoranda.ids import IdSource
from memoranda.store.database import Transaction
from memoranda.store.tables import workspaces
from memoranda.text import normalise
from memoranda.values.task import Workspace

_SSH = re.compile(r"^(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)$")
_URL = re.compile(r"^\w+://(?:[^@/]*@)?([\w.-]+)(?::\d+)?/(.+)$")


@dataclass(frozen=True, slots=True)
class WorkspaceIdentity:
    """What a folder is recognised by, strongest first."""

    name: str
    root: str | None
    aliases: tuple[str, ...]

    @classmethod
    def named(cls, name: str) -> WorkspaceIdentity:
        """The identity of a workspace that somebody chose by its label."""
        name = normalise(name)
        return cls(name, None, (f"name:{name}",))

    def renamed(self, name: Callable[[str], str]) -> WorkspaceIdentity:
        """Return the identity with another form of each of its names."""
        root = self.root and name(self.root)
        return WorkspaceIdentity(name(self.name), root, tuple(map(name, self.aliases)))


def identify(folder: str) -> WorkspaceIdentity:
    """Recognise the workspace of a folder. Reads a few small files, never fails."""
    path = Path(folder)
    try:
        path = path.resolve()
        for place in (path, *path.parents):
            git = place / ".git"
            if git.exists():
                return _repository(place, git)
    except (OSError, ValueError, RuntimeError):  # no name for a file, or links in a circle
        path = Path(folder)
    return _identity(path, f"path:{path}")


def _repository(place: Path, git: Path) -> WorkspaceIdentity:
    common = git if git.is_dir() else _linked(place, git)
    root = common.parent if common.name == ".git" else place
    remote = _remote(common / "config")
    return _identity(root, f"git:{common}", *([f"remote:{remote}"] if remote else []))


def _identity(root: Path, *aliases: str) -> WorkspaceIdentity:
    name, place = normalise(root.name or "root"), normalise(str(root))
    return WorkspaceIdentity(name, place, tuple(map(normalise, aliases)))


def _linked(place: Path, git: Path) -> Path:
    """Follow the ``.git`` file of a worktree to the repository, of a submodule to its own."""
    pointer = git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    target = (place / pointer).resolve()
    shared = target / "commondir"
    if shared.is_file():
        return (target / shared.read_text("utf-8", "replace").strip()).resolve()
    return target


def _remote(config: Path) -> str | None:
    parser = ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string(config.read_text("utf-8", "replace"))
        url = parser.get('remote "origin"', "url", fallback=None)
    except (OSError, Error):
        return None
    return normalised_remote(url) if url else None


def normalised_remote(url: str) -> str | None:
    """Return host/owner/name of a remote, without scheme, credentials or suffix.

    None for a folder, and where credentials cannot be told from the path.
    """
    match = _URL.match(url) or _SSH.match(url)
    if match is None or "@" in match[2]:
        return None
    host, path = match[1], re.split("[?#]", match[2])[0]
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"


def find_or_make_workspace(
    tx: Transaction, team: str, identity: WorkspaceIdentity, ids: IdSource, now: int
) -> Workspace:
    """Return the workspace of an identity, making it at its first sight."""
    label = identity.aliases[0].removeprefix("name:")
    by_label = label if identity.aliases[0].startswith("name:") else None
    found = (
        workspaces.by_name(tx, team, by_label)
        if by_label
        else workspaces.by_alias(tx, team, identity.aliases)
    )
    if found is None:
        found = Workspace(team, ids.new(), identity.name, identity.root, now)
        workspaces.insert(tx, found, identity.aliases)
    elif not by_label:
        workspaces.add_aliases(tx, team, found.id, identity.aliases)
    return found
