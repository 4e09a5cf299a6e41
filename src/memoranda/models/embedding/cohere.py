"""Request and response format of Cohere's embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

URL = "https://api.cohere.com"
MODEL = "embed-v4.0"


class CohereDialect:
    """Request to /v2/embed and its response."""

    path = "/v2/embed"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Use vectors of the model's own size if the dimensions are 0."""
        self._parameters: dict[str, Any] = {"model": model, "embedding_types": ["float"]}
        if dimensions:
            self._parameters["output_dimension"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return the request body for some texts.

        Queries are embedded differently.
        """
        kind = "search_query" if query else "search_document"
        return {**self._parameters, "texts": list(texts), "input_type": kind, "truncate": "END"}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of a response, which are in order."""
        return list(answer["embeddings"]["float"])
