"""The bundled embedding model for LangChain; needs no key or network."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from memoranda.integrations.vectors import offline_model
from memoranda.ports import Embedder


class OfflineEmbeddings(Embeddings):
    """Embeddings with LangChain's interface; reads up to 256 tokens per text."""

    def __init__(self) -> None:
        self.embedder = offline_model()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the embeddings of stored texts."""
        return _lists(self.embedder, texts, query=False)

    def embed_query(self, text: str) -> list[float]:
        """Return the embedding of a query."""
        return _lists(self.embedder, [text], query=True)[0]


def _lists(model: Embedder, texts: list[str], *, query: bool) -> list[list[float]]:
    result: list[list[float]] = model.embed(texts, query=query).tolist()
    return result
