"""Repositories on this machine, read from their files without running git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from configparser import ConfigParser, Error
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memoranda.workspaces.folders import DEFAULT_BRANCHES, home, is_home, main_work_tree
from memoranda.workspaces.remotes import normalised_remote

MOST_TREES = 200
"""Maximum number of work trees of one repository that are read."""
MOST_NEIGHBOURS = 400
"""Maximum number of folders beside a missing one that are examined."""
_NO_NAMES = frozenset({"", "git", "bare", "repo", "repository"})
"""Names of git directories that are not the name of the repository."""


_CONTAINERS = frozenset({"worktrees", ".worktrees", "workspaces"})
"""Folders in which hosts and people collect work trees of several repositories."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git directory and the work trees that share it."""

    common: Path
    """Directory of its objects and references."""
    root: Path
    """Its main work tree.

    Otherwise the folder that contains the git directory, or the work tree that was examined.
    """
    name: str
    remote: str | None

    def trees(self) -> Iterator[Path]:
        """Yield the folders of its linked work trees, including deleted ones."""
        records = self.common / "worktrees"
        with suppress(OSError):
            for record in islice(sorted(records.iterdir()), MOST_TREES):
                with suppress(OSError, ValueError):
                    pointer = (record / "gitdir").read_text("utf-8", "replace").strip()
                    yield Path(os.path.normpath(record / pointer)).parent

    def has_branch(self, name: str) -> bool:
        """Return whether it has, or had, a non-default branch of this name."""
        if name.lower() in DEFAULT_BRANCHES or ".." in name or "\0" in name:
            return False
        for place in ("refs/heads", "logs/refs/heads"):
            if (self.common / place / name).is_file():
                return True
        with suppress(OSError):
            packed = (self.common / "packed-refs").read_text("utf-8", "replace")
            return f" refs/heads/{name}\n" in packed
        return False


def repository_around(folder: Path) -> Repository | None:
    """Return the repository that contains a folder.

    A repository in a home folder or at the root of the file system, such as one of dotfiles, counts
    only for that folder itself, since it would include everything below.

    Raises:
        OSError: a file could not be read.
    """
    for place in (folder, *folder.parents):
        if place != folder and (place.parent == place or str(place) == home()):
            break
        git = place / ".git"
        if git.exists():
            return _repository(place, git)
        if _is_git_directory(place):
            return _bare(place)
    return None


def repository_of_missing(folder: Path, branch: str | None) -> Repository | None:
    """Return the repository of which a missing folder was a work tree.

    It is a repository beside the folder or beside its parents that still lists it as a work tree,
    or whose name is a prefix (``shop`` for ``shop-fix``) and which has the branch.
    """
    trail = (folder, *folder.parents)
    present = next((place for place in trail if place.is_dir()), folder)
    missing = [place for place in trail if len(place.parts) > len(present.parts)]
    for place in islice((present, *present.parents), 3):
        if place.parent == place:
            break
        for repository in _below(place):
            if any(tree in missing for tree in repository.trees()):
                return repository
            if branch and _is_sibling(repository, missing, folder, branch):
                return repository
    return None


def _is_sibling(repository: Repository, missing: list[Path], folder: Path, branch: str) -> bool:
    begins = tuple(f"{repository.name}{mark}" for mark in "-._+@")
    beside = [tree.name for tree in missing if tree.parent == repository.root.parent]
    named = any(name.startswith(begins) for name in beside)
    container = next((n for n, part in enumerate(folder.parts) if part in _CONTAINERS), None)
    inside = folder.parts[container + 1 :] if container is not None else ()
    named = named or any(part == repository.name or part.startswith(begins) for part in inside)
    made = [main_work_tree(tree, branch) for tree in missing]
    return repository.root in made or (named and repository.has_branch(branch))


def _below(folder: Path) -> Iterator[Repository]:
    """Yield the repositories directly below a folder, and the folder's own."""
    with suppress(OSError):
        with os.scandir(folder) as entries:  # closed before the caller may stop iterating
            places = [Path(entry.path) for entry in islice(entries, MOST_NEIGHBOURS)]
        for place in places:
            with suppress(OSError, ValueError, RuntimeError):
                if (git := place / ".git").exists():
                    yield _repository(place, git)
                elif (place / "worktrees").is_dir() and _is_git_directory(place):
                    yield _bare(place)
    git = folder / ".git"
    if git.is_dir() and not is_home(str(folder)):
        yield _described(git, folder)


def _is_git_directory(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()


def _bare(common: Path) -> Repository:
    """Return the repository of a git directory, such as ``shop`` of ``shop.git``."""
    if common.name.startswith(".") or common.stem.lower() in _NO_NAMES:
        return _described(common, common.parent)
    return _described(common, common, common.name.removesuffix(".git"))


def _repository(place: Path, git: Path) -> Repository:
    if git.is_dir():
        return _described(git, place)
    target, common = _linked(place, git)
    if common.name == ".git":
        return _described(common, common.parent)
    linked = target != common
    if common.name.startswith(".") or (linked and common.stem.lower() in _NO_NAMES):
        return _described(common, common.parent)
    if linked and "modules" not in common.parts:
        return _described(common, place, common.name.removesuffix(".git"))
    return _described(common, place)


def _described(common: Path, root: Path, name: str = "") -> Repository:
    return Repository(common, root, name or root.name, _remote(common / "config"))


def _linked(place: Path, git: Path) -> tuple[Path, Path]:
    """Return the git directory and the common one of a work tree.

    Follows its ``.git`` file.
    """
    pointer = git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    target = (place / pointer).resolve()
    shared = target / "commondir"
    if shared.is_file():
        return target, (target / shared.read_text("utf-8", "replace").strip()).resolve()
    return target, target


def _remote(config: Path) -> str | None:
    """Return the normalised address of ``origin``, or of the only remote."""
    parser = ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string(config.read_text("utf-8", "replace"))
        remotes = [name for name in parser.sections() if name.startswith('remote "')]
        chosen = (
            'remote "origin"' if 'remote "origin"' in remotes or len(remotes) != 1 else remotes[0]
        )
        url = parser.get(chosen, "url", fallback=None)
    except (OSError, Error):
        return None
    return normalised_remote(url.strip().strip('"')) if url else None
