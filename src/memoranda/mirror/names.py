"""Folder names that are valid on every file system, and unique."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from memoranda.text import visible

LONGEST = 60
"""Maximum length in characters.

With four bytes each and a suffix it is still below the 255 bytes of file systems.
"""

_UNSAFE = re.compile(r"[^\w.+@=, ()-]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)


def safe_name(name: str) -> str:
    """Return a name that every file system accepts.

    Different names may become the same.
    """
    plain = unicodedata.normalize("NFC", visible(name))
    plain = _UNSAFE.sub("-", plain)[:LONGEST].strip(". -")
    if not plain:
        return "unnamed"
    return f"_{plain}" if _RESERVED.match(plain) else plain


def folded(name: str) -> str:
    """Return the form of a name in which file systems may not distinguish it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def folder_names(named: Mapping[str, str]) -> dict[str, str]:
    """Return a folder name for each thing, by id.

    They are passed by id with their names, the oldest id first: of several that would share a name,
    the first gets it and the others a suffix from their ids.
    """
    taken: set[str] = set()
    found: dict[str, str] = {}
    for id, name in sorted(named.items()):
        plain = safe = safe_name(name)
        suffix = id
        while folded(plain) in taken:
            suffix = hashlib.sha256(suffix.encode()).hexdigest()
            plain = f"{safe}-{suffix[:8]}"
        taken.add(folded(plain))
        found[id] = plain
    return found
