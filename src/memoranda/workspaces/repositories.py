"""Repositories and their remotes, read from files without running git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from configparser import ConfigParser, Error
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memoranda.workspaces.host_paths import DEFAULT_BRANCHES, home, is_home, main_work_tree

MAX_TREES = 200
"""Maximum number of work trees of one repository that are read."""
MAX_ENTRY_BYTES = 2_000
"""Maximum number of bytes that are read of the first entry of a log."""
MAX_NEIGHBOURS = 400
"""Maximum number of folders next to a missing folder that are examined."""
_NO_NAMES = frozenset({"", "git", "bare", "repo", "repository"})
"""Names of git directories that do not contain the repository's name."""


_CONTAINERS = frozenset({"worktrees", ".worktrees", "workspaces"})
"""Folders in which hosts and people keep work trees of several repositories."""
_BEGINNING = re.compile(r"0+ ([0-9a-f]{40,64}) [^\t]*> (\d+) [-+]\d{4}")
"""First entry of a git log: no previous commit, the commit, author and time."""
_URL = re.compile(r"^([\w+.-]+)://(?:[^@/]*@)?(\[[\w:.]+\]|[\w.-]+)(?::\d*)?/(.+)$")
_SCP = re.compile(r"^(?:[^@/\\:]+@)?(\[[\w:.]+\]|[\w.-]{2,}):(?!//|\\)(.+)$")
"""Address ``user@host:path``.

A single letter before the colon is a Windows drive.
"""
_ACCOUNT = re.compile(r"^((?:github|gitlab|bitbucket)\.(?:com|org))-[\w-]+$")
"""Host alias in the ssh configuration that distinguishes several accounts on one host."""
_HOSTS = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "gh": "github.com",
    "github": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
}
"""Canonical hosts by alternative name, such as the name for networks that block ssh."""
_BARE = re.compile(r"^(?:github\.com|gitlab\.com|bitbucket\.org)/", re.IGNORECASE)
"""Address without a scheme, for well-known hosts."""
_MIRRORED = re.compile(r"^https?://[^/]+/(?=https?://)", re.IGNORECASE)
"""Prefix of the address of a mirror, followed by the original address."""
_AZURE = re.compile(r"^(?:vs-ssh|(?P<owner>[\w-]+))\.visualstudio\.com$")
"""Former Azure hosts, with the owner in the host name or, with ssh, in the path."""
_GERRIT = re.compile(r"\bgerrit\b|\breviews?\b|\.googlesource\.com$")
"""Hosts of Gerrit, which serves ``/a/NAME`` to signed-in users and ``/NAME`` to all others.

https://gerrit-review.googlesource.com/Documentation/user-upload.html
"""
_AZURE_PARTS = frozenset({"_git", "v3", "defaultcollection", "_ssh"})


@dataclass(frozen=True, slots=True)
class Repository:
    """A git directory and the work trees that share it."""

    common: Path
    """Directory of the repository's objects and references."""
    root: Path
    """Main work tree of the repository.

    Without a main work tree, the folder that contains the git directory, or the work tree that was
    examined.
    """
    name: str
    remote: str | None

    def trees(self) -> Iterator[Path]:
        """Yield the folders of the linked work trees, including deleted ones."""
        records = self.common / "worktrees"
        with suppress(OSError):
            for record in islice(sorted(records.iterdir()), MAX_TREES):
                with suppress(OSError, ValueError):
                    pointer = (record / "gitdir").read_text("utf-8", "replace").strip()
                    yield Path(os.path.normpath(record / pointer)).parent

    def beginning(self) -> str | None:
        """Return the first commit or checkout and its time; a move keeps them.

        Return None if the repository has no commit, or if its log does not go back to the first
        commit.
        """
        with suppress(OSError), (self.common / "logs" / "HEAD").open("rb") as log:
            match = _BEGINNING.match(log.readline(MAX_ENTRY_BYTES).decode("utf-8", "replace"))
            return f"{match[1]}-{match[2]}" if match else None
        return None

    def has_branch(self, name: str) -> bool:
        """Return whether the repository has or had this non-default branch."""
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

    A repository in a home folder or at the root of the file system, such as a repository of
    dotfiles, counts only for that folder itself, since it would otherwise include everything below.

    Raises:
        OSError: a file could not be read.
    """
    for path in (folder, *folder.parents):
        if path != folder and (path.parent == path or str(path) == home()):
            break
        git = path / ".git"
        if git.exists():
            return _repository(path, git)
        if _is_git_directory(path):
            return _bare(path)
    return None


def repository_of_missing(folder: Path, branch: str | None) -> Repository | None:
    """Return the repository of which a missing folder was a work tree.

    This is a repository next to the folder or its parents that either still lists the folder as a
    work tree, or has the branch and a name that is a prefix of the folder's name (``shop`` for
    ``shop-fix``).
    """
    trail = (folder, *folder.parents)
    present = next((path for path in trail if path.is_dir()), folder)
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


def repository_of_git_directory(directory: str) -> Repository | None:
    """Return the repository of a work tree's git directory, even if deleted."""
    own = Path(directory)
    common = own.parent.parent if own.parent.name == "worktrees" else own
    return _bare(common) if _is_git_directory(common) else None


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
        # closed before yielding, because the caller may stop iterating
        with os.scandir(folder) as entries:
            places = [Path(entry.path) for entry in islice(entries, MAX_NEIGHBOURS)]
        for path in places:
            with suppress(OSError, ValueError, RuntimeError):
                if (git := path / ".git").exists():
                    yield _repository(path, git)
                elif (path / "worktrees").is_dir() and _is_git_directory(path):
                    yield _bare(path)
    git = folder / ".git"
    if git.is_dir() and not is_home(str(folder)):
        yield _described(git, folder)


def _is_git_directory(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()


def _bare(common: Path) -> Repository:
    """Return the repository of a git directory: ``shop`` for ``shop.git``."""
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
    """Return the git directory and the common directory of a work tree.

    Follows its ``.git`` file.
    """
    pointer = git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    target = (place / pointer).resolve()
    shared = target / "commondir"
    if shared.is_file():
        return target, (target / shared.read_text("utf-8", "replace").strip()).resolve()
    return target, target


def _remote(config: Path) -> str | None:
    """Return the normalised address of ``origin`` or of the only remote."""
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


def normalised_remote(url: str | None) -> str | None:
    """Return a remote's host/owner/name in lower case, or None.

    The scheme, user, credentials, port, query and the suffix ``.git`` are removed, so that all
    addresses of a repository yield the same text. Different owners yield different texts.

    The result is None for a folder or None, and if credentials cannot be separated from the path.
    """
    url = _MIRRORED.sub("", (url or "").strip())
    url = f"https://{url}" if _BARE.match(url) else url
    match = _URL.match(url)
    if match and match[1].lower() == "file":
        return None
    host, path = (match[2], match[3]) if match else _scp(url)
    if not path or "@" in path:
        return None
    host = _host(host.lower().strip("."))
    parts = [part for part in re.split("[?#]", path)[0].split("/") if part]
    if azure := _AZURE.match(host):
        host = "dev.azure.com"
        parts = [*filter(None, [azure["owner"]]), *parts]
    if host == "dev.azure.com":
        parts = [part for part in parts if part.lower() not in _AZURE_PARTS]
        # the project's default repository, which has the same name
        parts = [*parts, parts[-1]] if len(parts) == 2 else parts
    elif _has_prefix(host, parts):
        parts = parts[1:]
    whole = "/".join([host, *parts]).lower().removesuffix(".git")
    return whole if parts and "/" in whole.rstrip("/") else None


def owner_of(remote: str) -> str:
    """Return host and owner of a normalised remote: ``github.com/acme``."""
    return remote.rpartition("/")[0]


def name_of(remote: str) -> str:
    """Return the name of the repository of a normalised remote."""
    return remote.rpartition("/")[2]


def _scp(url: str) -> tuple[str, str]:
    match = _SCP.match(url)
    return (match[1], match[2]) if match else ("", "")


def _has_prefix(host: str, parts: list[str]) -> bool:
    """Return whether the first part belongs to the server: Bitbucket, Gerrit."""
    if parts[:1] == ["a"]:
        return len(parts) > 1 and bool(_GERRIT.search(host))
    return parts[:1] == ["scm"] and len(parts) == 3


def _host(host: str) -> str:
    if account := _ACCOUNT.match(host):
        host = account[1]
    return _HOSTS.get(host, host)
