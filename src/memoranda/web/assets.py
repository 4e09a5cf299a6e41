"""Styles, scripts and pictures: read once, under an address that changes with them."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

STATIC = "/static"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    data: bytes
    kind: str
    packed: bytes
    """The same for browsers that take gzip. Pages are not packed: they hold what only their reader
    may know beside what others wrote, and the size of a pack would tell of both."""


@cache
def assets() -> dict[str, Asset]:
    """Return every file by its name below ``static``; nothing else can be asked for."""
    return dict(_below(files("memoranda.web").joinpath("static"), ""))


@cache
def release() -> str:
    """Return what tells these files from those of another release."""
    digest = hashlib.sha256()
    for name, asset in sorted(assets().items()):
        digest.update(name.encode() + b"\0" + asset.data + b"\0")
    return digest.hexdigest()[:16]


def address(name: str) -> str:
    """Return where a file is found; modules name each other relative to it.

    Raises:
        KeyError: there is no such file.
    """
    if name not in assets():
        raise KeyError(name)
    return f"{STATIC}/{release()}/{name}"


def _asset(data: bytes, kind: str) -> Asset:
    return Asset(data, kind, gzip.compress(data, mtime=0))


def _below(folder: Traversable, before: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for one in folder.iterdir():
        if one.is_dir():
            found += _below(one, f"{before}{one.name}/")
        elif kind := KINDS.get(one.name[one.name.rfind(".") :]):
            found.append((f"{before}{one.name}", _asset(one.read_bytes(), kind)))
    return found
