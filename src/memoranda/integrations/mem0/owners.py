"""Owner fields of a mem0 memory, and their tags and workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from memoranda.integrations.mem0.filters import OWNERS
from memoranda.text import normalise, one_line

TAG_CHARACTERS = 80


def owner_tag(field: str, name: str) -> str:
    """Return the tag of an owner.

    For a long name the tag has the hash and the record the name.
    """
    tag = f"{OWNERS[field]}:{one_line(normalise(name))}"
    return tag if len(tag) <= TAG_CHARACTERS else f"{OWNERS[field]}:{_digest(name)}"


def owner_tags(owners: Mapping[str, str]) -> list[str]:
    """Return the tags of owners, in their order."""
    return [owner_tag(field, name) for field, name in owners.items()]


def owner_of(tag: str) -> tuple[str, str] | None:
    """Return the field and the name of an owner's tag; None for other tags."""
    kind, colon, name = tag.partition(":")
    field = next((one for one, prefix in OWNERS.items() if prefix == kind), None)
    return (field, name) if colon and field else None


def workspace_of(owners: Mapping[str, str]) -> str | None:
    """Return the workspace of memories of some owners.

    It is that of the first field that is named, so that the same text of two people is two
    memories.
    """
    field = next((one for one in OWNERS if one in owners), None)
    return owner_tag(field, owners[field]) if field else None


def workspace_with(owners: Mapping[str, str]) -> str | None:
    """Return the workspace with all memories of some owners; None if several."""
    first = next(iter(OWNERS))
    return workspace_of(owners) if first in owners else None


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
