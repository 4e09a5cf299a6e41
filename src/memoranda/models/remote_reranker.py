"""Reranker that calls a provider over HTTP; returned scores are checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from memoranda.exceptions import InvalidInput, RerankerUnavailable
from memoranda.models.http_client import ModelEndpoint, RetryPolicy, sendable
from memoranda.models.tokens import ToktokCounter

COHERE_URL = "https://api.cohere.com"
COHERE_MODEL = "rerank-v3.5"
COHERE_PATH = "/v2/rerank"
COMPATIBLE_PATH = "/v1/rerank"
"""Path for Jina, llama.cpp, vLLM and Infinity."""
MAX_TEXTS = 100
"""Maximum number of texts per call, which is never split.

The scores of some models depend on the other texts of the call.
"""
MAX_TEXT_TOKENS = 2_000
"""Maximum number of tokens sent from a text."""
PATIENCE = RetryPolicy(
    timeout_seconds=5.0,
    connect_seconds=1.0,
    tries=2,
    longest_wait_seconds=1.0,
    again_when_slow=False,
)
"""Short timeouts, since a search waits for the scores but does not need them."""


class RemoteReranker:
    """Reranker with a provider's model.

    Thread-safe; close it when done.
    """

    def __init__(self, name: str, path: str, model: str, endpoint: ModelEndpoint) -> None:
        """Create the reranker; it connects at the first query."""
        self.name = name
        self._path = path
        self._model = model
        self._endpoint = endpoint
        self._counter = ToktokCounter()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score for the first 2,000 tokens of each text, in order.

        The higher the better; the scale depends on the model, and scores of two calls cannot be
        compared.

        Raises:
            InvalidInput: there are more than 100 texts.
            RerankerUnavailable: the provider does not respond, refuses, or returns an invalid
                response.
        """
        if len(texts) > MAX_TEXTS:
            raise InvalidInput(f"{len(texts)} texts to rerank; pass at most {MAX_TEXTS} at once")
        if not texts:
            return []
        answer = self._endpoint.post(self._path, self._body(query, texts))
        try:
            return _checked(answer["results"], len(texts))
        except LookupError as error:
            raise RerankerUnavailable(
                f"{self.name} returned an invalid answer: it lacks {error}"
            ) from error
        except (TypeError, ValueError, OverflowError) as error:
            raise RerankerUnavailable(f"{self.name} returned an invalid answer: {error}") from error

    def close(self) -> None:
        """Close the connections. Idempotent."""
        self._endpoint.close()

    def _body(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        return {
            "model": self._model,
            "query": sendable(query, MAX_TEXT_TOKENS, self._counter),
            "documents": [sendable(text, MAX_TEXT_TOKENS, self._counter) for text in texts],
            "top_n": len(texts),
        }


def _checked(results: Any, count: int) -> list[float]:
    """Return the scores in the order of the texts.

    The response may contain the scores in another order.

    Raises:
        LookupError, TypeError, ValueError, OverflowError: the scores are not one number for each
        text.
    """
    if len(results) != count:
        raise ValueError(f"{len(results)} scores for {count} texts")
    found: dict[int, float] = {}
    for result in results:
        place = result["index"]
        if type(place) is not int or not 0 <= place < count:  # a bool is not an index
            raise ValueError("a score for a text that was not sent")
        if place in found:
            raise ValueError("two scores for one text")
        found[place] = _number(result["relevance_score"])
    return [found[place] for place in range(count)]


def _number(score: Any) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise ValueError("a score that is not a number")
    return float(score)
