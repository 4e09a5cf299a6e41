"""Vectors of questions."""

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
"""Questions whose vector is kept, so that asking again costs no model."""


class QueryEmbedder:
    """Vectors of questions, made beside whatever else a search does."""

    def __init__(self, embedder: Embedder) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._embedder = embedder
        self._threads = ThreadPoolExecutor(2, "memoranda-embedding")
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def awaited(self, text: str) -> Callable[[], QueryEmbedding]:
        """Begin to embed a text; calling what is returned waits for it.

        What is returned raises EmbedderUnavailable if there is no vector to be had.
        """
        known = self._known.get(text)
        name = self._embedder.name
        if known is not None:
            return lambda: QueryEmbedding(name, known)
        future: Future[Vectors] = self._threads.submit(self._embed, text)
        return lambda: QueryEmbedding(self._embedder.name, future.result())

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown()

    def _embed(self, text: str) -> Vectors:
        vector: Vectors = self._embedder.embed([text], query=True)[0]
        self._known[text] = vector
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return vector
