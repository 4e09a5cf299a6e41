"""Contextual vector of each word, from the local model or a variant of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import EmbedderUnavailable
from memoranda.models.embedding.minilm import DIMENSIONS, installed_model, session_of
from memoranda.models.embedding.onnx_weights import replacing
from memoranda.models.embedding.wordpiece import WordPiece

if TYPE_CHECKING:
    from memoranda.ports import Vectors

OUTPUT = "last_hidden_state"
MAX_TOKENS = 256
"""Number of tokens that the network processes at a time."""
MAX_BEFORE, MAX_WORD = 64, 64
"""Maximum number of tokens of the preceding text, and of a word (or clause in scripts without
spaces).
"""


class WordStates:
    """Mean network states of the words of a text.

    Thread-safe; the model is loaded at the first text.
    """

    def __init__(self, tensors: Callable[[], Mapping[str, bytes]], threads: int = 2) -> None:
        """Create the instance, with the given number of threads per call.

        ``tensors`` is called once, for the tensors that replace those of the installed model.
        """
        self._tensors = tensors
        self._threads = threads
        self._lock = threading.Lock()
        self._session: Any = None
        self._pieces = WordPiece()

    def of(self, before: str, words: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the mean state and the token count of each word.

        A word has at least 1 token. The shapes are (words, 384) and (words,), float32. The network
        reads the preceding text and the words together, a long text in windows.

        Raises:
            EmbedderUnavailable: onnxruntime or the model is missing or cannot be used.
        """
        import numpy as np

        session = self._load()
        head = self._pieces.ids(before, MAX_BEFORE)
        found, sizes = np.zeros((len(words), DIMENSIONS), np.float32), np.ones(len(words))
        ids = list(head)
        places: list[tuple[int, int, int]] = []
        for place, word in enumerate(words):
            tokens = self._pieces.ids(word, MAX_WORD)[1:-1]
            if len(ids) + len(tokens) >= MAX_TOKENS:
                _fill(found, session, [*ids, head[-1]], places)
                ids, places = list(head), []
            places.append((place, len(ids), len(ids) + len(tokens)))
            sizes[place] = max(1, len(tokens))
            ids += tokens
        _fill(found, session, [*ids, head[-1]], places)
        return found, sizes.astype(np.float32)

    def _load(self) -> Any:
        with self._lock:
            if self._session is None:
                try:
                    model = replacing(installed_model().read_bytes(), self._tensors())
                except (OSError, ValueError) as error:
                    raise EmbedderUnavailable(f"the model cannot be read: {error}") from error
                self._session = session_of(model, self._threads)
            return self._session


def _fill(found: Vectors, session: Any, ids: list[int], places: list[tuple[int, int, int]]) -> None:
    import numpy as np

    tokens = np.array([ids], np.int64)
    fed = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.zeros_like(tokens),
    }
    states = session.run([OUTPUT], fed)[0][0]
    for place, start, end in places:
        found[place] = states[start : max(end, start + 1)].mean(axis=0)
