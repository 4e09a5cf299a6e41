"""An index for LangGraph's store that needs no key and no network."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.store.base import IndexConfig

from memoranda.integrations.embeddings import OfflineEmbeddings


def offline_index(fields: Sequence[str] = ("$",)) -> IndexConfig:
    """Return an index over the given fields; ``$`` is the entire value."""
    embeddings = OfflineEmbeddings()
    return {
        "dims": embeddings.embedder.dimensions,
        "embed": embeddings,
        "fields": list(fields),
    }
