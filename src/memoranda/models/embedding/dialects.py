"""Request and response formats of embedding providers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class OpenAIDialect:
    """OpenAI-compatible format of /embeddings requests and responses."""

    url = "https://api.openai.com/v1"
    usual_model = "text-embedding-3-small"
    path = "/embeddings"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Create the dialect; 0 dimensions select the model's own vector size."""
        self._parameters: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions:
            self._parameters["dimensions"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return the request body for the given texts.

        Texts and queries are embedded alike.
        """
        return {**self._parameters, "input": list(texts)}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of a response in the order of their indexes."""
        found = {item["index"]: item["embedding"] for item in answer["data"]}
        if len(found) != len(answer["data"]):
            raise ValueError("two vectors for one text")
        return [found[place] for place in range(len(found))]


class CohereDialect:
    """Cohere's format of /v2/embed requests and responses."""

    url = "https://api.cohere.com"
    usual_model = "embed-v4.0"
    path = "/v2/embed"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Create the dialect; 0 dimensions select the model's own vector size."""
        self._parameters: dict[str, Any] = {"model": model, "embedding_types": ["float"]}
        if dimensions:
            self._parameters["output_dimension"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return the request body for the given texts.

        Queries are embedded differently.
        """
        kind = "search_query" if query else "search_document"
        return {**self._parameters, "texts": list(texts), "input_type": kind, "truncate": "END"}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of a response, which are in order."""
        return list(answer["embeddings"]["float"])
