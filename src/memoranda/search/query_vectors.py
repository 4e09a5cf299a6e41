"""Vectors of queries, computed concurrently with the rest of a search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from memoranda.ports import Embedder
from memoranda.search.candidates import QueryEmbedding

if TYPE_CHECKING:
    from concurrent.futures import Future

    from memoranda.ports import Vectors

REMEMBERED = 256
"""Number of queries whose vector is cached, so that repeating one is free."""


class QueryEmbedder:
    """Vectors of queries, created in parallel with the rest of a search."""

    def __init__(self, embedder: Embedder) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._embedder = embedder
        self._threads = ThreadPoolExecutor(2, "memoranda-embedding")
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def awaited(self, text: str) -> Callable[[], QueryEmbedding]:
        """Start to embed a text; return a function that waits for the vector.

        The function raises EmbedderUnavailable if there is no vector available.
        """
        cached = self._known.get(text)
        name = self._embedder.name
        if cached is not None:
            return lambda: QueryEmbedding(name, cached)
        future: Future[Vectors] = self._threads.submit(self._embed, text)
        return lambda: QueryEmbedding(self._embedder.name, future.result())

    def close(self) -> None:
        """Wait for pending work."""
        self._threads.shutdown()

    def _embed(self, text: str) -> Vectors:
        vector: Vectors = self._embedder.embed([text], query=True)[0]
        self._known[text] = vector
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return vector
