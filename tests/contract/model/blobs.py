"""Full contents in the model."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from contract.model.content import Model
from memoranda.exceptions import CorruptData
from memoranda.observations.blob_table import Blob


def insert(model: Model, team: str, blobs: Iterable[Blob]) -> None:
    """Store contents; existing ones stay unchanged."""
    for blob in blobs:
        model.of(team).blobs.setdefault(blob.hash, blob)


def content(model: Model, team: str, digest: str) -> str:
    """Return a content.

    Raises:
        CorruptData: it is missing.
    """
    blob = model.of(team).blobs.get(digest)
    if blob is None:
        raise CorruptData(f"the model has no content {digest[:12]}")
    return (zlib.decompress(blob.data) if blob.codec == "zlib" else blob.data).decode()


def delete_unused(model: Model, team: str, hashes: Sequence[str]) -> int:
    """Delete unused ones of the contents; return how many."""
    content = model.of(team)
    used = {new.observation.content_hash for new in content.observations.values()}
    unused = (set(hashes) & set(content.blobs)) - used
    for digest in unused:
        del content.blobs[digest]
    return len(unused)


def totals(model: Model, team: str) -> tuple[int, int, int]:
    """Return (contents, bytes of text, bytes on disk)."""
    blobs = model.of(team).blobs.values()
    return len(blobs), sum(blob.size for blob in blobs), sum(len(blob.data) for blob in blobs)
