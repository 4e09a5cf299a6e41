"""How Cohere is asked for vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

URL = "https://api.cohere.com"
MODEL = "embed-v4.0"


class CohereDialect:
    """The request to /v2/embed and its answer."""

    path = "/v2/embed"

    def __init__(self, model: str, dimensions: int = 0) -> None:
        """Ask for vectors of the model's own size when the dimensions are 0."""
        self._asked: dict[str, Any] = {"model": model, "embedding_types": ["float"]}
        if dimensions:
            self._asked["output_dimension"] = dimensions

    def body(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        """Return what to send for some texts, which are embedded otherwise to be looked for."""
        kind = "search_query" if query else "search_document"
        return {**self._asked, "texts": list(texts), "input_type": kind, "truncate": "END"}

    def vectors(self, answer: Any) -> list[Any]:
        """Return the vectors of an answer, which are in order."""
        return list(answer["embeddings"]["float"])
