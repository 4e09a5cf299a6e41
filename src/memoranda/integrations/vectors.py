"""Embeddings of documents: computed offline, encoded as text, compared."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoranda.config import load_settings
from memoranda.models.factory import embedder

if TYPE_CHECKING:
    import numpy as np

    from memoranda.ports import Embedder


def offline_model() -> Embedder:
    """Return the bundled model, which reads up to 256 tokens."""
    result = embedder(replace(load_settings(), embedder="local"))
    assert result is not None  # the offline model is always available
    return result


def offline_embedder() -> Callable[[list[str]], list[list[float]]]:
    """Return the offline model as a function of texts, as CrewAI expects."""
    model = offline_model()
    return lambda texts: model.embed(texts, query=False).tolist()


def packed(vector: Sequence[float]) -> str:
    """Encode a vector as text: float32, little-endian, base64."""
    import numpy as np

    return b64encode(np.asarray(vector, "<f4").tobytes()).decode("ascii")


def unpacked(text: Any) -> np.ndarray[Any, Any]:
    """Decode a vector from text: (dimensions,) float32."""
    import numpy as np

    return np.frombuffer(b64decode(text), "<f4")


def cosines(
    vectors: Sequence[np.ndarray[Any, Any] | Sequence[float]], query: Sequence[float]
) -> list[float]:
    """Return the cosine of each vector with the given one, from -1 to 1.

    The cosine is 0 if either vector is zero.

    Raises:
        ValueError: the vectors do not have the same number of dimensions.
    """
    import numpy as np

    if not vectors:
        return []
    matrix, other = np.asarray(vectors, np.float32), np.asarray(query, np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(other)
    found = matrix @ other / np.where(lengths == 0, 1, lengths)
    return [float(item) for item in found]


def inner_products(
    vectors: Sequence[np.ndarray[Any, Any] | Sequence[float]], query: Sequence[float]
) -> list[float]:
    """Return the inner product of each vector with the given one."""
    import numpy as np

    return [
        float(np.asarray(vector, np.float32) @ np.asarray(query, np.float32)) for vector in vectors
    ]


def negative_distances(
    vectors: Sequence[np.ndarray[Any, Any] | Sequence[float]], query: Sequence[float]
) -> list[float]:
    """Return the negated Euclidean distance of each vector from the given one.

    The nearest vector has the greatest value.
    """
    import numpy as np

    other = np.asarray(query, np.float32)
    return [-float(np.linalg.norm(np.asarray(vector, np.float32) - other)) for vector in vectors]
