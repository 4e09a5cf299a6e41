"""Parser of folder paths from hosts: local, from other systems, or URLs.

Only an absolute path in the form of this system may be looked up on this machine. Every other path
is identified by its text.
"""

from __future__ import annotations

import ntpath
import os
import re
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import unquote, urlsplit

_WINDOWS = re.compile(r"^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)")
_WSL = re.compile(r"^[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(?=[\\/]|$)", re.IGNORECASE)
"""Prefix of a Linux distribution in a Windows path (WSL)."""
_REMOTE_EDITOR = re.compile(r"^vscode-remote://[^/]+(?=/)", re.IGNORECASE)
_DRIVE = re.compile(r"^/(?:(?:mnt|cygdrive)/(?=[A-Za-z](?:/|$))|(?=[c-hC-H]/))(?P<drive>[A-Za-z])")
"""Prefix of a Windows drive in paths of WSL, Cygwin and Git Bash."""
_INSIDE = (".worktrees", ".claude/worktrees", ".gemini/worktrees")
"""Folders inside a repository in which hosts create work trees of the repository."""
DEFAULT_BRANCHES = frozenset({"", "head", "main", "master", "trunk", "develop"})
_MARK = re.compile(r"[-._+@]")
_BESIDE = re.compile(r"^(.*/[^/]+)[._-]worktrees/[^/]+", re.IGNORECASE)
"""Folder that contains work trees and is next to their repository, as created by editors."""
_HOMES = re.compile(r"^(?:/home/[^/]+|/Users/[^/]+|/root|[A-Z]:/Users/[^/]+)$", re.IGNORECASE)


def parsed(folder: str) -> PurePath:
    """Parse a folder as a Windows or POSIX path, without looking it up."""
    folder = os.fspath(folder)
    text = _from_address(folder) if folder[:5].lower() == "file:" else folder
    if editor := _REMOTE_EDITOR.match(text):
        text = unquote(text[editor.end() :])
    if (linux := _WSL.match(text)) and os.name != "nt":
        return PurePosixPath(text[linux.end() :].replace("\\", "/") or "/")
    # a Windows path after a slash, as in a file URL
    if _WINDOWS.match(text[1:]) and text.startswith("/"):
        text = text[1:]
    if _WINDOWS.match(text):
        return PureWindowsPath(ntpath.normpath(_unextended(text)))
    return PurePosixPath(text)


def is_local(path: PurePath) -> bool:
    """Return whether a parsed path can exist on this machine."""
    own = PureWindowsPath if os.name == "nt" else PurePosixPath
    return isinstance(path, own) and path.is_absolute()


def here(folder: str) -> str:
    """Return the absolute path of a folder, which may be relative."""
    path = parsed(folder)
    local = is_local(path) or isinstance(path, PureWindowsPath) or "://" in folder
    return folder if local else os.path.abspath(folder)  # noqa: PTH100 - links stay as they are


def comparable(path: PurePath) -> str:
    """Return a path as text for comparison; Windows and macOS ignore case."""
    ignores_case = isinstance(path, PureWindowsPath) or path.parts[:2] == ("/", "Users")
    return str(path).lower() if ignores_case else str(path)


def windows_path(path: PurePath) -> PureWindowsPath | None:
    """Return the Windows form of a path on a mounted drive, or None.

    An example is ``C:\\shop`` for ``/mnt/c/shop``. Only for a path that is not on this machine.
    """
    text = path.as_posix()
    if isinstance(path, PureWindowsPath):
        return None
    if text.startswith("//"):
        return PureWindowsPath(text)
    drive = _DRIVE.match(text)
    return (
        PureWindowsPath(f"{drive['drive'].upper()}:/{text[drive.end() + 1 :]}") if drive else None
    )


def mounted(path: PurePath) -> PurePath:
    """Return the local path for a Windows path on WSL."""
    if os.name != "nt" and isinstance(path, PureWindowsPath) and re.match("[A-Za-z]:", path.drive):
        here = Path("/mnt", path.drive[0].lower(), *path.parts[1:])
        if here.is_dir():
            return here
    return path


def outside_work_trees(path: PurePath) -> PurePath:
    """Return the repository for a path in a work tree that a host made in it.

    For example, ``shop`` for ``shop/.claude/worktrees/fix/src``. Any other path is returned
    unchanged.
    """
    text = path.as_posix()
    for marker in _INSIDE:
        root, found, rest = text.partition(f"/{marker}/")
        if found and rest and root and not is_home(root):
            return type(path)(root)
    beside = _BESIDE.match(text)
    return type(path)(beside[1]) if beside else path


def main_work_tree(path: PurePath, branch: str | None) -> PurePath | None:
    """Return the repository next to which a work tree was created.

    An example is ``shop`` for ``shop-fix/src`` on the branch ``fix`` or ``feature/fix``.
    """
    if branch is None or branch.lower() in DEFAULT_BRANCHES:
        return None
    slugs = {slug for slug in map(_slug, (branch, branch.rpartition("/")[2])) if slug}
    for place in (path, *path.parents):
        for mark in (match.start() for match in _MARK.finditer(place.name)):
            if mark and _slug(place.name[mark + 1 :]) in slugs:
                return place.with_name(place.name[:mark])
    return None


def is_home(folder: str) -> bool:
    """Return whether a folder is a home folder or the root of a file system."""
    return folder in ("/", home()) or bool(_HOMES.match(folder.replace("\\", "/")))


def home() -> str:
    """Return the home folder of this user, with links resolved."""
    return os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - never fails


def _slug(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name).strip("-").lower()


def _from_address(address: str) -> str:
    """Return the path of a ``file:`` URL."""
    try:
        parts = urlsplit(address)
    except ValueError:  # an invalid host in brackets
        return address
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost"):
        return "\\\\" + parts.netloc + path.replace("/", "\\")
    return path[1:] if _WINDOWS.match(path[1:]) else path


def _unextended(text: str) -> str:
    r"""Return a Windows path without the prefix ``\\?\`` of long paths."""
    if text.startswith(("\\\\?\\", "\\\\.\\")):
        rest = text[4:]
        return "\\\\" + rest[4:] if rest[:4].upper() == "UNC\\" else rest
    return text
