"""An index for LangGraph's store that needs no key and no network."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.store.base import IndexConfig

from memoranda.integrations.embeddings import OfflineEmbeddings


def offline_index(fields: Sequence[str] = ("$",)) -> IndexConfig:
    """Return an index over some fields; ``$`` is the whole value."""
    embeddings = OfflineEmbeddings()
    return {
        "dims": embeddings.embedder.dimensions,
        "embed": embeddings,
        "fields": list(fields),
    }
