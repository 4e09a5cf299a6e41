"""Stylesheets, scripts and images, at URLs with a content hash."""

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
    """One static file as it is sent."""

    data: bytes
    kind: str
    packed: bytes
    """The file compressed for browsers that accept gzip.

    Pages are not compressed: they contain private data together with text from others, and the
    compressed size would reveal whether parts are equal.
    """


@cache
def assets() -> dict[str, Asset]:
    """Return all static files by name relative to ``static``."""
    return dict(_below(files("memoranda.web").joinpath("static"), ""))


@cache
def release() -> str:
    """Return an identifier of this release's files."""
    digest = hashlib.sha256()
    for name, asset in sorted(assets().items()):
        digest.update(name.encode() + b"\0" + asset.data + b"\0")
    return digest.hexdigest()[:16]


def address(name: str) -> str:
    """Return the URL of a file; modules refer to each other by relative URLs.

    Raises:
        KeyError: there is no such file.
    """
    if name not in assets():
        raise KeyError(name)
    return f"{STATIC}/{release()}/{name}"


def _asset(data: bytes, kind: str) -> Asset:
    return Asset(data, kind, gzip.compress(data, mtime=0))


def _below(folder: Traversable, before: str) -> list[tuple[str, Asset]]:
    result: list[tuple[str, Asset]] = []
    for item in folder.iterdir():
        if item.is_dir():
            result += _below(item, f"{before}{item.name}/")
        elif kind := KINDS.get(item.name[item.name.rfind(".") :]):
            result.append((f"{before}{item.name}", _asset(item.read_bytes(), kind)))
    return result
