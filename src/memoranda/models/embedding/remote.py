"""Embedder that calls a provider over HTTP; returned vectors are checked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.http_client import ModelEndpoint, sendable
from memoranda.models.tokens import ToktokCounter

if TYPE_CHECKING:
    from memoranda.ports import Vectors

BATCH = 96
BATCH_BYTES = 250_000
"""Maximum size in bytes of the texts in one request.

A token has at least one byte, and providers count tokens.
"""
MAX_TEXT_TOKENS = 8_000
"""Maximum number of tokens sent from a text."""


class EmbeddingDialect(Protocol):
    """Request and response format of a provider."""

    path: str

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return the request body for the given texts."""
        ...

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of a response in the order of the texts.

        Raises:
            LookupError, TypeError, ValueError: the response has another format.
        """
        ...


class RemoteEmbedder:
    """Embedder with a model of a provider; close it when done."""

    def __init__(
        self, name: str, dimensions: int, dialect: EmbeddingDialect, endpoint: ModelEndpoint
    ) -> None:
        """Create the embedder; it connects when the first text is embedded.

        With ``dimensions`` 0, the size of the first vector is required from then on.
        """
        self.name = name
        self.dimensions = dimensions
        self._dialect = dialect
        self._endpoint = endpoint
        self._counter = ToktokCounter()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one unit vector (L2 norm 1) for each text, in order.

        A vector represents the first 8,000 tokens of a text.

        Raises:
            EmbedderUnavailable: the provider does not respond, refuses, or returns an invalid
                response.
        """
        import numpy as np

        sent = [sendable(text, MAX_TEXT_TOKENS, self._counter) for text in texts]
        found = [self._ask(batch, query) for batch in _batches(sent)]
        return np.concatenate([np.zeros((0, self.dimensions), np.float32), *found])

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._endpoint.close()

    def _ask(self, texts: Sequence[str], query: bool) -> Vectors:
        answer = self._endpoint.post(self._dialect.path, self._dialect.body(texts, query))
        try:
            vectors = _checked(self._dialect.vectors(answer), len(texts))
            self._set_dimensions(vectors.shape[1])
        except LookupError as error:
            raise EmbedderUnavailable(f"{self.name} answered without {error}") from error
        except (TypeError, ValueError, OverflowError) as error:
            raise EmbedderUnavailable(f"{self.name} returned an invalid answer: {error}") from error
        return vectors

    def _set_dimensions(self, dimensions: int) -> None:
        with self._lock:
            if dimensions != (self.dimensions or dimensions):
                raise ValueError(f"vectors with {dimensions} dimensions, not {self.dimensions}")
            self.dimensions = dimensions


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode("utf-8"))
        if batch and (len(batch) == BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _checked(rows: list[Any], count: int) -> Vectors:
    """Return vectors scaled to unit length.

    Raises:
        TypeError, ValueError, OverflowError: the values are not the expected number of lists of
        numbers with a direction.
    """
    import numpy as np

    if len(rows) != count:
        raise ValueError(f"{len(rows)} vectors for {count} texts")
    if not all(isinstance(row, list) for row in rows):
        raise ValueError("a vector that is not a list")
    found = np.asarray(rows)
    if found.ndim != 2 or found.dtype.kind not in "fi":
        raise ValueError("vectors that are not lists of numbers")
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ValueError("a zero or non-finite vector")
        vectors: Vectors = (found / lengths).astype(np.float32)
    return vectors
